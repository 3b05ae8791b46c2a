import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { summarise } from '../../src/stats/summary.js';
import { claims } from './claims.js';
import { persisted, persistenceOf, persistenceResult, storageInfos, WITH_AOF } from './fixture.js';

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

test('the other way round', () => {
  const judged = judge([
    off,
    persisted('everysec', {}, { writes: 2900, medianNs: 200e6 }),
    persisted('everysec', GET, { writes: 3000, medianNs: 1e6 }),
    persisted('everysec', SLOW, { writes: 210, medianNs: 1e6 }),
    persisted('everysec', { ...SLOW, ...GET }, { writes: 1000, medianNs: 1e6 }),
  ]);
  assertVerdicts(judged, {
    'local-throughput': 'contradicted',
    'local-p99': 'reproduced',
    gap: 'reproduced',
    'get-network': 'contradicted',
    'local-mean': 'undecided',
  });
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

test('what tuning changes, and what AOF costs GET and PING', () => {
  const set = persisted('everysec', {}, { writes: 500, medianNs: 40e6 });
  const tuned = persisted('everysec-no-fsync-on-rewrite', {}, { writes: 510, medianNs: 40e6 });
  const reads = [
    persisted('off', GET, { writes: 8000, medianNs: 1e6 }),
    persisted('everysec', GET, { writes: 2600, medianNs: 4e6 }),
    persisted('off', { ...GET, backgroundConnections: 4 }, { writes: 8000, medianNs: 1e6 }),
    persisted('everysec', { ...GET, backgroundConnections: 4 }, { writes: 5000, medianNs: 1e6 }),
  ];
  const pings = /** @type {const} */ (['off', 'everysec']).map((mode) =>
    persisted(mode, { operation: 'ping' }, { writes: 10_000, medianNs: 1e6 }),
  );
  const judged = judge([off, set, tuned, ...reads, ...pings]);
  assertVerdicts(judged, {
    tuning: 'reproduced',
    'get-local': 'reproduced',
    // GET loses beside our writers only.
    'get-less': 'undecided',
    'ping-local': 'contradicted',
  });
  assert.match(judged.tuning.ours, /^102% to 102% of plain everysec in 1 case$/);
});

test('a large data set is compared with a small one under the same setting', () => {
  const loaded = { preloadKeys: 2000 };
  const small = persisted('everysec-thresholds-tuning-2', {}, { writes: 500, medianNs: 40e6 });
  const kept = persisted('everysec-thresholds-tuning-2', loaded, { writes: 490, medianNs: 40e6 });
  const judged = judge([small, kept]);
  assertVerdicts(judged, { 'local-data': 'reproduced' });
  assert.match(judged['local-data'].ours, /^98% .* of the throughput with a small data set$/);
  assert.match(judged['local-data'].differs, /^2,000 keys of 176 KiB \(theirs: 375,795 /);
  const slower = persisted('everysec-thresholds-tuning-2', loaded, { writes: 250, medianNs: 80e6 });
  // One stack was measured after the other, so the machine may be the cause.
  assertVerdicts(judge([small, slower]), { 'local-data': 'undecided' });
  assertVerdicts(judge([small]), { 'local-data': 'not measured' });
});

test('three rounds decide nothing', () => {
  const verdicts = Object.values(judge(persistenceResult().cases, (one) => one)).map(({ verdict }) => verdict);
  assert.deepEqual(new Set(verdicts), new Set(['undecided', 'not measured']));
});

test('a tail of fewer requests than theirs reproduces a claim, and contradicts none', () => {
  const on = (/** @type {number} */ medianNs) => [
    off,
    persisted('everysec', {}, { writes: 600, medianNs }),
    persisted('everysec', SLOW, { writes: 600, medianNs }),
  ];
  const short = judge(on(20e6));
  assertVerdicts(short, { 'local-p99': 'undecided', 'network-p99': 'undecided', 'network-max': 'undecided' });
  assert.match(short['network-p99'].differs, /2,\d{3} requests \(theirs: 50,000\), so a shorter tail decides nothing/);
  const long = judge(on(20e6), asLongAsTheirs);
  assertVerdicts(long, { 'local-p99': 'contradicted', 'network-p99': 'undecided', 'network-max': 'undecided' });
  const slow = judge(on(600e6));
  assertVerdicts(slow, { 'local-p99': 'reproduced', 'network-p99': 'undecided', 'network-max': 'undecided' });
});

test('stalls of fsync: a write behind a running fsync shows one, and other stalls of the AOF decide nothing', () => {
  const stalled = (/** @type {string} */ name) => {
    const events = { [name]: { latestMs: 24, maxMs: 136 } };
    const on = persisted('everysec', {}, { writes: 600, medianNs: 30e6, counters: { ...WITH_AOF, events } });
    return judge([off, on])['fsync-stall'];
  };
  assert.equal(stalled('aof-write-alone').verdict, 'undecided');
  assert.match(
    stalled('aof-write-alone').ours,
    /^stalls of 136 ms in writes of the AOF, 0 of them behind a running fsync/,
  );
  assert.equal(stalled('aof-write-pending-fsync').verdict, 'reproduced');
});

test('the split is compared with primary and replica without persistence, on a machine that is large enough', () => {
  const pair = { replicas: 1 };
  const split = persisted('split-rdb', pair, { writes: 2900, medianNs: 1e6 });
  const alone = persisted('off', pair, { writes: 3000, medianNs: 1e6 });
  assertVerdicts(judge([off, split]), { split: 'not measured', 'split-p99': 'not measured' });
  assertVerdicts(judge([off, alone, split]), { split: 'reproduced' });
  split.summary.limitedBy = 'machine';
  const small = judge([off, alone, split]);
  assertVerdicts(small, { split: 'undecided', 'split-p99': 'undecided' });
  assert.match(small.split.differs, /^limited by the machine, which decides nothing/);
});

test('everysec waits for the network storage if always is no slower', () => {
  const at = (/** @type {number} */ writes) => [
    off,
    persisted('everysec', SLOW, { writes: 600, medianNs: 20e6 }),
    persisted('always', SLOW, { writes, medianNs: 20e6 }),
  ];
  assertVerdicts(judge(at(580)), { 'every-set-waits': 'reproduced' });
  assertVerdicts(judge(at(200)), { 'every-set-waits': 'contradicted' });
});

test('everysec waits for network storage if it does on every storage that was measured', () => {
  const on = (/** @type {string} */ storage, /** @type {number} */ always) => [
    persisted('everysec', { storage }, { writes: 600, medianNs: 20e6 }),
    persisted('always', { storage }, { writes: always, medianNs: 20e6 }),
  ];
  const apart = judge([off, ...on('slow', 580), ...on('slower', 200)]);
  assertVerdicts(apart, { 'every-set-waits': 'undecided' });
  assert.match(
    apart['every-set-waits'].ours,
    /^everysec takes 1\.03× .* on `slow` .*, 3\.00× as many SETs as always on `slower` /,
  );
  assertVerdicts(judge([off, ...on('slow', 580), ...on('slower', 590)]), { 'every-set-waits': 'reproduced' });
  assertVerdicts(judge([off, ...on('slow', 200), ...on('slower', 200)]), { 'every-set-waits': 'contradicted' });
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

test('a closed loop’s mean, GET alone, other settings and a longer tail contradict nothing', () => {
  const cases = [
    persisted('off', {}, { writes: 3000, medianNs: 50e6 }),
    persisted('everysec', {}, { writes: 2900, medianNs: 51e6 }),
    persisted('everysec-no-fsync-on-rewrite', {}, { writes: 300, medianNs: 51e6 }),
    persisted('off', GET, { writes: 8000, medianNs: 1e6 }),
    persisted('everysec', GET, { writes: 8100, medianNs: 1e6 }),
    persisted('off', { ...GET, backgroundConnections: 4 }, { writes: 8000, medianNs: 1e6 }),
    persisted('everysec', { ...GET, backgroundConnections: 4 }, { writes: 4000, medianNs: 1e6 }),
  ];
  const judged = judge(cases, asLongAsTheirs);
  for (const id of ['local-mean', 'get-mean', 'get-local', 'tuning', 'off-p99'])
    assert.deepEqual([id, judged[id].verdict], [id, 'undecided']);
  assert.match(judged['get-local'].ours, /101%.* alone, 50%.* beside writes$/);
});

test('without its cases a claim is not measured', () => {
  const { 'off-p99': alone, ...others } = judge([off]);
  assert.equal(alone.verdict, 'reproduced');
  assert.deepEqual(new Set(Object.values(others).map(({ verdict }) => verdict)), new Set(['not measured']));
});
