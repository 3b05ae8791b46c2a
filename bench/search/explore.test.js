import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explore, repeatedOf } from './explore.js';
import { contains, parseSchedule, scheduleText } from './schedule.js';

/**
 * @import { SearchOptions } from './explore.js'
 * @import { Schedule } from './schedule.js'
 */

/** @type {SearchOptions} */
const OPTIONS = {
  seed: 7,
  lanes: 4,
  hosts: 3,
  faultyHosts: 2,
  downAfterSeconds: 1,
  seconds: 1000,
  schedules: 300,
  signal: new AbortController().signal,
  now: () => 0,
  tell: () => {},
};
const FLAWS = parseSchedule('partition:primary+replica-1@0+1');

/**
 * A server that loses writes in every schedule for which `flaw` holds.
 * @param {(schedule: Schedule) => boolean} flaw
 */
function server(flaw) {
  /** @param {Schedule} schedule */
  return async (schedule) => {
    const lost = flaw(schedule) ? 40 : 0;
    return { acked: 1000, lost, seconds: lost / 200 };
  };
}

describe('the search for losses', () => {
  test('finds a flaw and shortens the schedule to it', async () => {
    const partitionOf = (/** @type {Schedule} */ schedule) =>
      schedule.find(({ kind, hosts }) => kind === 'partition' && hosts.join() === '0,1');
    const outcome = await explore(
      server((schedule) => (partitionOf(schedule)?.lasts ?? 0) >= 2.5),
      OPTIONS,
    );
    assert.equal(outcome.tried, 300);
    assert.ok(outcome.losing.length > 0);
    assert.equal(outcome.found.length, 1);
    const [{ schedule, repeated, alike }] = outcome.found;
    assert.equal(schedule.length, 1);
    assert.ok(contains(schedule, FLAWS), scheduleText(schedule));
    assert.ok(schedule[0].lasts >= 2.5 && schedule[0].lasts < 3.2, scheduleText(schedule));
    assert.deepEqual([repeated.losing, repeated.mostLost, repeated.mostSeconds], [repeated.tries, 40, 0.2]);
    assert.equal(alike, outcome.losing.length);
    assert.equal(outcome.notShortened, 0);
  });

  test('finds both of two flaws', async () => {
    const outcome = await explore(
      server((schedule) => schedule.some(({ kind }) => kind === 'block' || kind === 'failover')),
      OPTIONS,
    );
    const kinds = outcome.found.flatMap(({ schedule }) => schedule.map(({ kind }) => kind));
    assert.deepEqual([...new Set(kinds)].sort(), ['block', 'failover']);
    assert.ok(outcome.found.every(({ schedule }) => schedule.length === 1));
  });

  test('where nothing is lost it finds nothing; a try that failed shows nothing', async () => {
    const { tried, losing, found, acked, shortening } = await explore(
      server(() => false),
      OPTIONS,
    );
    assert.deepEqual([tried, losing.length, found.length, acked, shortening], [300, 0, 0, 300_000, 0]);
    const failing = await explore(async () => ({ acked: 9, lost: 9, seconds: 1, failed: 'no stack' }), OPTIONS);
    assert.deepEqual([failing.tried, failing.failed, failing.losing.length], [0, 300, 0]);
  });

  test('a loss that does not come again is kept with its frequency', async () => {
    let once = true;
    const outcome = await explore(async () => {
      const lost = once ? 3 : 0;
      once = false;
      return { acked: 100, lost, seconds: 0.1 };
    }, OPTIONS);
    assert.equal(outcome.losing.length, 1);
    assert.deepEqual(
      outcome.found.map(({ repeated }) => [repeated.losing, repeated.tries]),
      [[1, 7]],
    );
    assert.equal(scheduleText(outcome.found[0].schedule), scheduleText(outcome.losing[0].schedule));
  });

  test('stops at the first loss when asked to', async () => {
    const outcome = await explore(
      server(() => true),
      { ...OPTIONS, first: true, lanes: 1 },
    );
    assert.equal(outcome.tried, 1);
  });

  test('explores for a part of its time only if there is something to shorten', async () => {
    for (const { lost, tried } of [
      { lost: 0, tried: 10 },
      { lost: 1, tried: 7 },
    ]) {
      let seconds = 0;
      const attempt = async () => {
        seconds += 10;
        return { acked: 1, lost, seconds: 0 };
      };
      const outcome = await explore(attempt, { ...OPTIONS, lanes: 1, seconds: 100, now: () => seconds });
      assert.equal(outcome.tried, tried);
    }
  });

  test('ends when it is interrupted, with what it has', async () => {
    const interruption = new AbortController();
    let tries = 0;
    const outcome = await explore(
      async () => {
        if (++tries === 10) interruption.abort();
        return { acked: 1, lost: 1, seconds: 1 };
      },
      { ...OPTIONS, lanes: 1, signal: interruption.signal },
    );
    assert.equal(outcome.tried, 10);
    assert.equal(outcome.losing.length, 10);
    assert.equal(outcome.found.length, 0);
  });

  test('keeps the timeline of the try that lost most', () => {
    const attempts = [
      { acked: 100, lost: 3, seconds: 0.1, timeline: 'three' },
      { acked: 100, lost: 0, seconds: 0 },
      { acked: 90, lost: 9, seconds: 0.3, timeline: 'nine' },
    ];
    assert.deepEqual(repeatedOf(attempts), {
      tries: 3,
      losing: 2,
      mostLost: 9,
      mostSeconds: 0.3,
      acked: 290,
      timeline: 'nine',
    });
    assert.equal('timeline' in repeatedOf([{ acked: 5, lost: 0, seconds: 0 }]), false);
  });
});
