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
  assert.deepEqual(verdicts, ['reproduced', 'contradicted', 'contradicted', 'reproduced', 'reproduced']);
  assert.match(ours[0], /^3\.00 k\/s to 600 \/s on `tmp` with AOF everysec, a factor of 5\.00/);
  assert.match(ours[1], /^33\.\d ms \(AOF everysec\) to /);
  assert.match(ours[3], / on `slow` \(emulated\), /);
  assert.match(ours[4], /: 0\.15×/);
});

test('the other way round', () => {
  const { verdicts } = judge([
    off,
    persisted('everysec', {}, { writes: 2900, medianNs: 200e6 }),
    persisted('everysec', GET, { writes: 3000, medianNs: 1e6 }),
    persisted('everysec', SLOW, { writes: 210, medianNs: 1e6 }),
    persisted('everysec', { ...SLOW, ...GET }, { writes: 1000, medianNs: 1e6 }),
  ]);
  assert.deepEqual(verdicts, ['contradicted', 'reproduced', 'reproduced', 'contradicted', 'reproduced']);
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
  assert.deepEqual(verdicts, ['undecided', 'undecided', 'reproduced', 'undecided', 'reproduced']);
  assert.match(ours[3], /0\.8\d× \(0\.7\d–1\.\d\d\)$/);
});

test('without its cases a claim is not examined', () => {
  assert.deepEqual(new Set(judge([off]).verdicts), new Set(['not examined']));
});
