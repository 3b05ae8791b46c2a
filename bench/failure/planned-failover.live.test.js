import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { runSuite } from '../../src/run/suite.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { findValkey9, needs } from '../../test/needs.js';
import plannedFailover, { COORDINATED } from './planned-failover.js';

/** @import { Case } from '../../src/run/types.js' */

const folder = await ownTemporaryFolder();
const noValkey9 = await needs('valkey 9');
const noRedis = await needs('redis-server');

/** @param {Case} theCase */
function isTested({ params: { variant, mode = '' } }) {
  return variant === COORDINATED && ['async', 'wait1'].includes(mode);
}

/** @param {string} server */
async function measure(server) {
  const { cases } = plannedFailover;
  const { result, stopped } = await runSuite({
    suite: 'failure',
    benchmarks: [
      {
        ...plannedFailover,
        cases: (options) => cases(options).filter(isTested),
      },
    ],
    profile: { ...PROFILES.quick, trials: 1 },
    seed: 1,
    lanes: 1,
    folder: async () => folder,
    command: 'sentinel-bench run planned-failover',
    stack: { backend: 'local', server },
    progress: { tell() {}, now() {}, stop() {} },
    signal: new AbortController().signal,
  });
  assert.equal(stopped, undefined);
  return result.benchmarks[0];
}

describe('a coordinated failover', () => {
  test('by Valkey 9 loses no acknowledged write', { skip: noValkey9 }, async () => {
    const { status, reason, audit = [], timeline = [] } = await measure(String(await findValkey9()));
    assert.equal(status, 'ok', reason);
    assert.deepEqual(timeline.map((trial) => trial.case).sort(), ['async-coordinated', 'wait1-coordinated']);
    for (const { marks, windows } of timeline) {
      assert.ok(marks.some(({ what }) => what === '+switch-master'));
      assert.equal(windows.detectionMs, null, 'it is planned, so no Sentinel detects a failure');
    }
    assert.equal(audit.length, 4, 'two writers of each case');
    for (const { acked, ackedLost, case: id, writer } of audit)
      assert.deepEqual([acked > 0, ackedLost], [true, 0], `${id}, ${writer}`);
  });

  test('by Redis is left out with the reason', { skip: noRedis }, async () => {
    const { status, reason } = await measure('redis-server');
    assert.equal(status, 'skipped');
    assert.match(String(reason), /^The Sentinels of redis .* It needs Valkey 9\.0 or later; name one with --server\.$/);
  });
});
