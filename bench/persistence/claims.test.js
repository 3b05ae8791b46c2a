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

/**
 * @param {CaseResult} one of three rounds
 * @returns {CaseResult} of five, as a verdict needs
 */
function longer(one) {
  const rounds = [...one.rounds, ...one.rounds.slice(0, 2)];
  return { ...one, rounds, summary: { ...summarise(rounds, null, { seed: 1 }), limitedBy: one.summary.limitedBy } };
}

/** @param {CaseResult} one @returns {CaseResult} of as many requests as theirs */
function asLongAsTheirs(one) {
  const long = longer(one);
  return { ...long, summary: { ...long.summary, samples: 50_000 } };
}

/**
 * @param {CaseResult[]} cases
 * @param {(one: CaseResult) => CaseResult} [repeat]
 * @returns {Record<string, {verdict: string, ours: string, differs: string}>} by id without the article
 */
function judge(cases, repeat = longer) {
  return Object.fromEntries(
    claims.map((claim) => {
      const examined = claim.examine(persistenceOf(cases.map(repeat)), { storage: storageInfos() });
      const { ours = '', differs = '' } = examined ?? {};
      return [claim.id.replace('aof.', ''), { verdict: verdictOf(examined), ours, differs }];
    }),
  );
}

/**
 * @param {ReturnType<typeof judge>} judged
 * @param {Record<string, string>} expected verdicts
 */
function assertVerdicts(judged, expected) {
  const found = Object.fromEntries(Object.keys(expected).map((id) => [id, judged[id]?.verdict]));
  assert.deepEqual(found, expected);
}

test('reproduced or contradicted by the figures', () => {
  const judged = judge(persistenceResult().cases, asLongAsTheirs);
  assertVerdicts(judged, {
    'local-throughput': 'reproduced',
    'local-p99': 'contradicted',
    gap: 'contradicted',
    'get-network': 'reproduced',
    'network-half': 'undecided',
  });
  assert.match(judged['local-throughput'].ours, /^3\.00 k\/s to 600 \/s on `tmp` with AOF everysec, a factor of 5\.00/);
  assert.match(judged['local-p99'].ours, /^33\.\d ms \(AOF everysec\) to /);
  assert.match(judged['get-network'].ours, / on `slow` \(emulated\), /);
  assert.equal(judged['get-network'].differs, 'emulated storage');
  assert.match(judged['network-half'].ours, /: 0\.15×/);
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
  const judged = judge([off, everysec, reads, slow, slowWrites]);
  assertVerdicts(judged, {
    'local-throughput': 'undecided',
    'local-p99': 'undecided',
    gap: 'reproduced',
    'get-network': 'undecided',
  });
  assert.match(judged['get-network'].ours, /0\.8\d× \(0\.7\d–1\.\d\d\)$/);
});

test('three rounds decide nothing', () => {
  const verdicts = Object.values(judge(persistenceResult().cases, (one) => one)).map(({ verdict }) => verdict);
  assert.deepEqual(new Set(verdicts), new Set(['undecided', 'not measured']));
});

test('PING decides nothing where the machine or the client limits it', () => {
  const pings = (/** @type {'machine' | 'client' | 'primary'} */ limitedBy) => {
    const both = /** @type {const} */ (['off', 'everysec']).map((mode) =>
      persisted(mode, { operation: 'ping' }, { writes: mode === 'off' ? 10_000 : 4000, medianNs: 1e6 }),
    );
    for (const { summary } of both) summary.limitedBy = limitedBy;
    return judge(both)['ping-local'];
  };
  assert.equal(pings('primary').verdict, 'reproduced');
  for (const limit of /** @type {const} */ (['machine', 'client'])) {
    assert.equal(pings(limit).verdict, 'undecided');
    assert.equal(pings(limit).differs, `limited by the ${limit}, which decides nothing`);
  }
});

test('without its cases a claim is not measured', () => {
  const { 'off-p99': alone, ...others } = judge([off]);
  assert.equal(alone.verdict, 'reproduced');
  assert.deepEqual(new Set(Object.values(others).map(({ verdict }) => verdict)), new Set(['not measured']));
});
