import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { becomes } from '../../src/cli/fixture.js';
import { listJournalFiles } from '../../src/faults/journal-file.js';
import { makeCase } from '../../src/run/case.js';
import { Interrupted } from '../../src/run/interruption.js';
import { runQuietly } from '../../src/run/suite-fixture.js';
import { askNode } from '../../src/stacks/ask.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { dataFolder, listStacks } from '../../src/stacks/local/record.js';
import { startLocal } from '../../src/stacks/redis/local/index.js';
import { toRecord } from '../../src/stacks/redis/observe.js';
import { needs } from '../../test/needs.js';
import sweepHealthy from '../sweep/healthy.js';

/**
 * @import { RunOptions } from '../../src/run/suite.js'
 * @import { Case } from '../../src/run/types.js'
 * @import { Stack } from '../../src/stacks/types.js'
 */

await ownTemporaryFolder();
const skip = await needs('server');

/** A case that needs something of a stack that is up. */
const TUNED = makeCase({ mode: 'min1', settings: { 'min-replicas-to-write': '2', appendonly: 'yes', hz: '50' } });
const PLAIN = makeCase({ mode: 'async' });

describe('a sweep on a stack that is up leaves every setting as it was', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startLocal({ detached: true });
  });
  after(() => stack?.down());

  /** @returns {Promise<Record<string, string>[]>} of each Redis node */
  const settings = () =>
    Promise.all(
      ['redis-1', 'redis-2', 'redis-3'].map((id) =>
        askNode(stack, id, async (control) => toRecord(await control.call('CONFIG', 'GET', '*'))),
      ),
    );

  /** @returns {Promise<number>} keys of all nodes */
  const keys = async () => {
    const counts = await Promise.all(
      ['redis-1', 'redis-2', 'redis-3'].map((id) => askNode(stack, id, (control) => control.call('DBSIZE'))),
    );
    return counts.map(Number).reduce((sum, count) => sum + count, 0);
  };

  /** @param {Case[]} cases @param {Partial<Omit<RunOptions, 'profile'>>} [options] */
  const sweep = (cases, options) =>
    runQuietly({
      benchmarks: [
        { ...sweepHealthy, cases: () => cases, pace: () => ({ rounds: 2, seconds: 0.02, warmUpSeconds: 0 }) },
      ],
      ...options,
    });

  /** What each Redis node has in its directory. */
  const files = () => {
    const record = listStacks().find((each) => basename(each.folder) === stack.about.identity);
    assert.ok(record);
    return ['redis-1', 'redis-2', 'redis-3'].map((id) => readdirSync(dataFolder(record, id)).sort());
  };

  /** @param {() => Promise<void>} work */
  async function leavesAllAsItWas(work) {
    const before = await settings();
    const filesBefore = files();
    await work();
    assert.deepEqual(await settings(), before);
    assert.deepEqual(files(), filesBefore);
    assert.deepEqual(listJournalFiles(), []);
    // A replica removes the keys a moment later.
    await becomes(async () => (await keys()) === 0, 'no key is left');
  }

  test('when it has succeeded', () =>
    leavesAllAsItWas(async () => {
      const { result } = await sweep([PLAIN, TUNED]);
      assert.equal(result.benchmarks[0].status, 'ok', result.benchmarks[0].reason);
      assert.deepEqual(result.benchmarks[0].pace, { rounds: 2, seconds: 0.02, warmUpSeconds: 0 });
    }));

  test('when a case sets an unknown setting', () =>
    leavesAllAsItWas(async () => {
      const unknown = makeCase({ mode: 'min2', settings: { hz: '60', 'no-such-setting': '1' } });
      const { result } = await sweep([TUNED, unknown]);
      assert.equal(result.benchmarks[0].status, 'failed');
      assert.match(result.benchmarks[0].reason ?? '', /has no setting called no-such-setting/);
    }));

  test('when it is interrupted while they are in force', () =>
    leavesAllAsItWas(async () => {
      const controller = new AbortController();
      const progress = {
        tell() {},
        /** @param {string} text */
        now(text) {
          if (text.includes('round 2')) controller.abort(new Interrupted('SIGINT'));
        },
        stop() {},
      };
      await assert.rejects(sweep([TUNED], { progress, signal: controller.signal }), /Interrupted by SIGINT/);
    }));
});
