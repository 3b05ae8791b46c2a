import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failover, kill, pause } from '../faults/index.js';
import { between, PROMOTED, perform } from './perform.js';
import { PROFILES } from './profiles.js';

/** @import { CaseParams } from '../result/schema.js' */
/** @import { Step } from './perform.js' */
/** @import { Scene } from './types.js' */

const named = (/** @type {string} */ id) => /** @type {Scene['primary']} */ ({ id });

/**
 * @param {readonly Step[]} steps
 * @param {{promotedAfter?: number, refuses?: string}} [world] promotedAfter: waits for events that end without it; refuses: a fault
 * @returns {Promise<string[]>} what was done, with the seconds of load in between
 */
async function courseOf(steps, { promotedAfter = 0, refuses } = {}) {
  /** @type {string[]} */
  const done = [];
  let left = promotedAfter;
  const inject =
    (/** @type {string} */ word) => async (/** @type {{name: string}} */ fault, /** @type {string} */ id) => {
      if (fault.name === refuses) throw new Error('not now');
      done.push(`${word} ${fault.name} ${id}`);
      return async () => void done.push(`undo ${fault.name} ${id}`);
    };
  const scene = /** @type {Scene} */ (
    /** @type {unknown} */ ({
      primary: named('redis-1'),
      replicas: [named('redis-2'), named('redis-3')],
      sentinels: [named('sentinel-1')],
      downAfterMs: 5000,
      profile: { ...PROFILES.quick, healthySeconds: 1 },
      inject: inject('inject'),
      prepare: inject('prepare'),
      switched: () => left-- <= 0,
      mark: (/** @type {string} */ what) => done.push(what),
      write: async (/** @type {number} */ seconds) => void done.push(`write ${seconds}`),
      until: async (/** @type {() => boolean} */ holds, /** @type {number} */ seconds) => {
        done.push(`until ${seconds}`);
        return holds();
      },
    })
  );
  await perform(scene, steps, /** @type {CaseParams} */ ({}), { after: 'healthy' });
  return done;
}

describe('the steps of an experiment', () => {
  test('preparations come before the load, ends before beginnings at the same time, the order of the steps decides the rest', async () => {
    const steps = /** @type {Step[]} */ ([
      { at: 0, fault: pause, on: 'replica-1', lasts: 2 },
      { at: 2, fault: kill, on: 'replicas', lasts: 3 },
      { at: 'before', fault: pause, on: 'sentinel-1', prepares: true },
      { at: 2, fault: between('primary', 'replica-2') },
    ]);
    assert.deepEqual(await courseOf(steps), [
      ...['prepare pause sentinel-1', 'write 1', 'inject pause redis-2', 'write 2', 'undo pause redis-2'],
      ...['inject kill redis-2', 'inject kill redis-3', 'inject group-partition network'],
      ...['write 3', 'undo kill redis-2', 'undo kill redis-3', 'write 1'],
    ]);
  });

  test('an end waits for its event, and goes on without it when a failover would be over', async () => {
    const steps = [{ fault: kill, until: PROMOTED }];
    for (const promotedAfter of [0, 100])
      assert.deepEqual(await courseOf(steps, { promotedAfter }), [
        ...['write 1', 'inject kill redis-1', 'until 25', 'write 1', 'undo kill redis-1', 'write 1'],
      ]);
  });

  test('a step may end when another one has begun', async () => {
    const steps = /** @type {Step[]} */ ([
      { fault: pause, on: 'replica-1', until: { event: { begun: 1 } } },
      { at: 8, fault: kill },
    ]);
    const course = await courseOf(steps);
    assert.deepEqual(
      course.filter((each) => !/^(write|until)/.test(each)),
      ['inject pause redis-2', 'inject kill redis-1', 'undo pause redis-2'],
    );
  });

  test('what a stopped process cannot do is left out, and what a server may refuse is refused', async () => {
    const steps = /** @type {Step[]} */ ([
      { fault: kill, stops: true, lasts: 3 },
      { at: 1, fault: pause, stops: true, lasts: 1 },
      { at: 2, fault: failover, refusable: true },
    ]);
    const course = await courseOf(steps, { refuses: 'failover' });
    assert.deepEqual(
      course.filter((each) => !each.startsWith('write')),
      ['inject kill redis-1', 'step-left-out', 'step-refused', 'undo kill redis-1'],
    );
    await assert.rejects(courseOf([{ fault: failover }], { refuses: 'failover' }), /not now/);
    await assert.rejects(courseOf([{ fault: kill, on: 'replica-3' }]), /there is no node replica-3/);
  });
});
