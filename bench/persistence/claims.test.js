import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { summarise } from '../../src/stats/summary.js';
import { claims } from './claims.js';
import { persisted, persistenceOf, persistenceResult, storageInfos } from './fixture.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

const SLOW = { storage: 'slow' };
const GET = /** @type {const} */ ({ operation: 'get' });
const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });

/** @param {CaseResult[]} cases */
function judge(cases) {
  const all = claims.map((claim) => claim.examine(persistenceOf(cases), { storage: storageInfos() }));
  return { verdicts: all.map(verdictOf), ours: all.map((examined) => examined?.ours ?? '') };
}

test('reproduced or contradicted by the figures', () => {
  const { verdicts, ours } = judge(persistenceResult().cases);
  assert.deepEqual(verdicts, [
    'reproduced',
    'contradicted',
    'contradicted',
    // Its p99 has too few answers.
    'not examined',
    'contradicted',
    'reproduced',
    'not examined',
    'reproduced',
  ]);
  assert.match(ours[0], /^3\.00 k\/s to 600 \/s on `tmp` with AOF everysec, a factor of 5\.00/);
  assert.match(ours[1], /^33\.\d ms \(AOF everysec\) to /);
  assert.match(ours[5], / on `slow` \(emulated\), /);
  assert.match(ours[7], /: 0\.15×/);
});

/**
 * @param {string[]} verdicts
 * @returns {string[]} those with figures in the tests below
 */
function withoutGaps(verdicts) {
  return verdicts.filter((verdict) => verdict !== 'not examined');
}

test('with the article’s thresholds: factors of throughput and p99, GET and PING', () => {
  const PING = /** @type {const} */ ({ operation: 'ping' });
  const { verdicts, ours } = judge([
    persisted('thresholds', {}, { writes: 7700, medianNs: 2e6 }),
    persisted('everysec-thresholds', {}, { writes: 1275, medianNs: 30e6 }),
    persisted('thresholds', GET, { writes: 8027, medianNs: 1e6 }),
    persisted('everysec-thresholds', GET, { writes: 2537, medianNs: 1e6 }),
    persisted('everysec-thresholds', PING, { writes: 15_000, medianNs: 1e6 }),
    persisted('everysec-thresholds', SLOW, { writes: 540, medianNs: 78e6 }),
    persisted('everysec-thresholds', { ...SLOW, ...GET }, { writes: 2522, medianNs: 1e6 }),
    persisted('everysec-thresholds', { ...SLOW, ...PING }, { writes: 20_000, medianNs: 1e6 }),
  ]);
  assert.deepEqual(verdicts, [
    'reproduced',
    'contradicted',
    'reproduced',
    'reproduced',
    'reproduced',
    'reproduced',
    'reproduced',
    'reproduced',
  ]);
  assert.match(ours[3], /^a factor of 39\.\d/);
  assert.match(ours[4], /^8\.03 k\/s to 2\.54 k\/s on `tmp`: 0\.32×/);
});

test('the other way round', () => {
  const { verdicts } = judge([
    off,
    persisted('everysec', {}, { writes: 2900, medianNs: 200e6 }),
    persisted('everysec', GET, { writes: 3000, medianNs: 1e6 }),
    persisted('everysec', SLOW, { writes: 210, medianNs: 1e6 }),
    persisted('everysec', { ...SLOW, ...GET }, { writes: 1000, medianNs: 1e6 }),
  ]);
  assert.deepEqual(withoutGaps(verdicts), ['contradicted', 'reproduced', 'reproduced', 'contradicted', 'reproduced']);
});

test('an interval across the limit leaves a claim undecided', () => {
  const everysec = persisted('everysec', {}, { writes: 600, medianNs: 110e6 });
  // One round without a stall: its factor is 1.5, its p99 below 100 ms.
  everysec.rounds[2].throughput = 2000;
  everysec.rounds[2].latencyNs.p99 = 20e6;
  const reads = persisted('everysec', GET, { writes: 3000, medianNs: 1e6 });
  const slow = persisted('everysec', { ...SLOW, ...GET }, { writes: 2500, medianNs: 1e6 });
  slow.rounds[2].throughput = 3200;
  const slowWrites = persisted('everysec', SLOW, { writes: 250, medianNs: 200e6 });
  for (const each of [everysec, slow]) each.summary = summarise(each.rounds, null, { seed: 1 });
  const { verdicts, ours } = judge([off, everysec, reads, slow, slowWrites]);
  assert.deepEqual(withoutGaps(verdicts), ['undecided', 'undecided', 'reproduced', 'undecided', 'reproduced']);
  assert.match(ours[5], /0\.8\d× \(0\.7\d–1\.\d\d\)$/);
});

test('without its cases a claim is not examined', () => {
  assert.deepEqual(new Set(judge([off]).verdicts), new Set(['not examined']));
});
