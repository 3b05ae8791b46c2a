import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { summarise } from '../measure/summary.js';
import { persistenceAnswers, persistenceFindings } from './persistence.js';
import { evidenceOf, offOf, ratiosTo, times } from './persistence-figures.js';
import { persisted, persistenceOf, persistenceResult, storageInfos, WITH_AOF } from './persistence-fixture.js';
import { evidenceText } from './persistence-words.js';

const SLOW = { storage: 'slow' };
const GET = /** @type {const} */ ({ operation: 'get' });
const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });

/**
 * @param {import('./schema.js').CaseResult[]} cases
 * @param {RegExp} question
 */
function answer(cases, question) {
  const found = persistenceAnswers(persistenceOf(cases), storageInfos()).find((each) => question.test(each.question));
  assert.ok(found, `${question} is asked`);
  return found;
}

describe('SET', () => {
  const LOCAL = /^Can AOF on local storage `tmp` give good SET latency/;

  test('good: at most twice the p99, and at most 10 ms', () => {
    const everysec = persisted('everysec', {}, { writes: 2900, medianNs: 2e6, counters: WITH_AOF });
    assert.match(answer([off, everysec], LOCAL).short, /^Yes/);
  });

  test('not good: more than twice, though below 10 ms', () => {
    const everysec = persisted('everysec', {}, { writes: 2900, medianNs: 3e6, counters: WITH_AOF });
    assert.ok(everysec.summary.latencyNs.p99 < 10e6);
    assert.match(answer([off, everysec], LOCAL).short, /^No/);
  });

  test('not good: above 10 ms, though hardly more than without', () => {
    const slowly = persisted('off', {}, { writes: 2000, medianNs: 10e6 });
    const everysec = persisted('everysec', {}, { writes: 2000, medianNs: 10.5e6, counters: WITH_AOF });
    assert.match(answer([slowly, everysec], LOCAL).short, /^No/);
  });

  test('too few answers for a p99 tell nothing, but where most of them come too late', () => {
    const few = (/** @type {number} */ medianNs) =>
      answer([off, persisted('everysec', {}, { writes: 50, medianNs, counters: WITH_AOF })], LOCAL);
    const { short, main } = few(1.2e6);
    assert.equal(short, 'Good in 0 of 1 measured case; too few answers to tell in 1');
    assert.match(main[0].text, /too few answers for a p99/);
    assert.match(few(30e6).short, /^No/);
  });

  test('rounds that disagree are neither good nor bad', () => {
    const everysec = persisted('everysec', {}, { writes: 2900, medianNs: 2e6, counters: WITH_AOF });
    everysec.rounds[0].latencyNs.p99 *= 20;
    everysec.summary = summarise(everysec.rounds, null, { seed: 1 });
    const always = persisted('always', {}, { writes: 2900, medianNs: 2e6, counters: WITH_AOF });
    assert.equal(
      answer([off, everysec, always], LOCAL).short,
      'Good in 1 of 2 measured cases: AOF always; too noisy to tell in 1',
    );
  });

  test('each reason has ratios, the worst case, and what Redis counted', () => {
    const { main, more } = answer(persistenceResult().cases, LOCAL);
    assert.match(
      main[0].text,
      /^AOF everysec: throughput 0\.20×.* that of none \(600 \/s against 3\.00 k\/s\), p99 11\.\d×.* \(\d+\.\d ms against 2\.\d+ ms\), worst \d+\.\d ms, `aof_delayed_fsync` 6, longest LATENCY event `aof-write` 103 ms$/,
    );
    assert.deepEqual(
      main.map(({ evidence }) => evidence.length),
      [2, 2],
    );
    assert.match(more[0].text, /^AOF everysec, rewrite running: .*, fork 840 µs$/);
  });

  test('slow storage: called emulated where it is, and not measured where there is none', () => {
    assert.match(answer(persistenceResult().cases, /AOF on `slow` \(emulated\)/).short, /^No/);
    assert.match(answer([off], /AOF on slow storage/).short, /^Not measured: no other storage/);
    const unknown = persistenceAnswers(persistenceResult()).map(({ question }) => question);
    assert.match(unknown[0], /storage `tmp` give/);
    assert.match(unknown[1], /`slow` \(it may be emulated: .+\)/);
    const memory = persistenceAnswers(persistenceOf([off]), [{ label: 'tmp', emulated: false, filesystem: 'tmpfs' }]);
    assert.match(memory[0].question, /`tmp` \(tmpfs: memory, no disk\)/);
  });
});

describe('GET', () => {
  const QUESTION = /^Is GET affected/;
  const before = persisted('off', GET, { writes: 3000, medianNs: 1.2e6 });

  for (const [effect, everysec] of /** @type {const} */ ([
    ['affected', persisted('everysec', GET, { writes: 2000, medianNs: 1.2e6 })],
    ['affected', persisted('everysec', GET, { writes: 3000, medianNs: 2.4e6 })],
    ['not affected', persisted('everysec', GET, { writes: 2950, medianNs: 1.2e6 })],
  ])) {
    test(`${effect}: ${everysec.summary.throughput.median} a second`, () => {
      assert.equal(answer([before, everysec], QUESTION).short, `Of 1 measured case: ${effect} in 1`);
    });
  }

  test('rounds that disagree tell nothing', () => {
    const everysec = persisted('everysec', GET, { writes: 2950, medianNs: 1.2e6 });
    everysec.rounds[0].throughput = 1000;
    assert.equal(answer([before, everysec], QUESTION).short, 'Of 1 measured case: too noisy to tell in 1');
  });

  test('the rate of the writers beside it is told', () => {
    const beside = { ...GET, backgroundConnections: 4 };
    const cases = [500, 100].map((operations, index) =>
      persisted(index === 0 ? 'off' : 'everysec', beside, {
        writes: 3000,
        medianNs: 1.2e6,
        round: { background: { operations, seconds: 1 } },
      }),
    );
    const { more } = answer(cases, QUESTION);
    assert.match(more[0].text, /^GET beside SET on `tmp`, .*the writers beside it wrote 100 \/s against 500 \/s/);
  });
});

test('architecture: the fastest first, each against the same nodes without, and whether the replica keeps up', () => {
  const { short, main, more } = answer(persistenceResult().cases, /^Which architecture/);
  const split = short.indexOf('split');
  const alone = short.indexOf('primary alone');
  assert.ok(split > 0 && alone > split, short);
  const told = [...main, ...more].map(({ text }) => text).join('\n');
  assert.match(told, /The split has 4\.\d+×.* the throughput/);
  assert.match(told, /split: .*was sent \d+ % .*falls behind/);
  assert.match(told, /AOF everysec, on every node: the replica was sent .*kept up/);
  assert.match(told, /not measured here: .*`primary-killed`/);
  assert.doesNotMatch(told, /is not settled/);
  assert.equal(answer([off], /^Which architecture/).short, 'Not measured');
});

test('architecture: an order within the intervals is none', () => {
  const pair = { replicas: 1 };
  const { short, main } = answer(
    [
      off,
      persisted('everysec', {}, { writes: 1190, medianNs: 3e6, counters: WITH_AOF }),
      persisted('off', pair, { writes: 1500, medianNs: 2.4e6, replica: {} }),
      persisted('split', pair, { writes: 1200, medianNs: 3e6, replica: WITH_AOF }),
    ],
    /^Which architecture/,
  );
  assert.match(short, /by the SETs they take: primary and replica, split/);
  assert.match(main[0].text, /first or primary alone, AOF everysec, is not settled: their intervals overlap/);
});

test('a data set smaller than the article’s is said to be', () => {
  const told = (/** @type {number} */ preloadKeys) =>
    persistenceFindings(persistenceOf([off, persisted('off', { preloadKeys }, { writes: 3000, medianNs: 1e6 })]))
      .map(({ text }) => text)
      .filter((text) => text.includes('scaled down'));
  assert.equal(
    told(2000)[0],
    'The data set that is loaded first is scaled down: 2,000 keys (343 MiB of values), where the article had 375,795 keys, ' +
      'which with such values are 63 GiB. Of a larger one a fork, a rewrite and a snapshot take longer',
  );
  assert.deepEqual(told(375_795), []);
});

describe('claims of the article', () => {
  const claims = (/** @type {import('./schema.js').CaseResult[]} */ cases) =>
    persistenceFindings(persistenceOf(cases), { storages: storageInfos() })
      .map(({ text }) => text)
      .filter((text) => text.startsWith('The claim'));

  test('hold, or do not, by the figures', () => {
    const [factor, tuning, reads, storage] = claims(persistenceResult().cases);
    assert.match(factor, /holds here: 3\.00 k\/s to 600 \/s .* a factor of 5/);
    assert.match(tuning, /does not hold here: .* between 33\.\d ms \(AOF everysec\) and/);
    assert.match(reads, /holds here: .* on `slow` \(emulated\)/);
    assert.match(storage, /holds here: .*0\.15×/);
  });

  test('the other way round', () => {
    const [factor, tuning, reads, storage] = claims([
      off,
      persisted('everysec', {}, { writes: 2900, medianNs: 200e6 }),
      persisted('everysec', GET, { writes: 3000, medianNs: 1e6 }),
      persisted('everysec', SLOW, { writes: 2800, medianNs: 1e6 }),
      persisted('everysec', { ...SLOW, ...GET }, { writes: 1000, medianNs: 1e6 }),
    ]);
    assert.match(factor, /does not hold here/);
    assert.match(tuning, / holds here/);
    assert.match(reads, /does not hold here/);
    assert.match(storage, /does not hold here/);
  });

  test('what the intervals leave open is not decided by a median', () => {
    const everysec = persisted('everysec', {}, { writes: 600, medianNs: 110e6 });
    // One round without a stall: its factor is 1.5, its p99 below 100 ms.
    everysec.rounds[2].throughput = 2000;
    everysec.rounds[2].latencyNs.p99 = 20e6;
    const reads = persisted('everysec', GET, { writes: 3000, medianNs: 1e6 });
    const slow = persisted('everysec', { ...SLOW, ...GET }, { writes: 2500, medianNs: 1e6 });
    slow.rounds[2].throughput = 3200;
    const slowWrites = persisted('everysec', SLOW, { writes: 250, medianNs: 200e6 });
    for (const each of [everysec, slow]) each.summary = summarise(each.rounds, null, { seed: 1 });
    const [factor, tuning, get, set] = claims([off, everysec, reads, slow, slowWrites]);
    for (const text of [factor, tuning, get]) assert.match(text, /is left open here/);
    assert.match(get, /0\.8\d× \(0\.7\d–1\.\d\d\).*emulated storage stands for no product$/);
    assert.match(set, / holds here/);
    const real = [{ label: 'slow', emulated: false }];
    const told = persistenceFindings(persistenceOf([everysec, slowWrites]), { storages: real }).map(({ text }) => text);
    assert.match(
      told.join('\n'),
      /half as many SETs .* holds here: .*; whether that is network storage is not known here$/m,
    );
  });

  test('nothing measured speaks of them', () => {
    const told = claims([off]);
    assert.equal(told.length, 4);
    for (const text of told) assert.match(text, /was not examined: nothing of the kind was measured$/);
  });
});

describe('figures', () => {
  test('paired by round: a bad round of both is none of the ratio', () => {
    const everysec = persisted('everysec', {}, { writes: 1500, medianNs: 1.2e6 });
    const shaken = structuredClone(off);
    for (const { rounds } of [everysec, shaken]) rounds[1].throughput /= 10;
    const ratios = ratiosTo(everysec, shaken);
    assert.equal(ratios && times(ratios.throughput), '0.50×');
  });

  test('the case without persistence is that of the same place', () => {
    const { cases } = persistenceResult();
    for (const result of cases) {
      const { operation, storage, replicas } = result.params;
      const found = offOf({ ...persistenceResult(), cases }, result);
      assert.equal(found?.params.level, 'off');
      assert.deepEqual(
        [found?.params.operation, found?.params.storage, found?.params.replicas],
        [operation, storage, replicas],
      );
    }
  });

  test('a fork that was not asked for is no evidence', () => {
    const counters = { ...WITH_AOF, latestForkUs: 900 };
    assert.equal(evidenceOf(persisted('everysec', {}, { writes: 9, medianNs: 1e6, counters })).fork, null);
  });

  test('a fork that no latency holds is told from one in a timed round', () => {
    const measured = { writes: 9, medianNs: 1e6 };
    const snapshot = persisted('snapshot', {}, { ...measured, counters: { latestForkUs: 900 } });
    assert.deepEqual(evidenceOf(snapshot).fork, { us: 900, before: true });
    assert.match(evidenceText(evidenceOf(snapshot)), /^fork 900 µs before a round was timed$/);
    const counters = snapshot.rounds[1].nodes[0].counters;
    assert.ok(counters);
    Object.assign(counters, { snapshots: 1, latestForkUs: 700 });
    assert.deepEqual(evidenceOf(snapshot).fork, { us: 700, before: false });
    const uncounted = { snapshots: null, rewrites: null, latestForkUs: 900 };
    assert.deepEqual(evidenceOf(persisted('snapshot', {}, { ...measured, counters: uncounted })).fork, {
      us: 900,
      before: false,
    });
  });

  test('times', () => {
    assert.equal(times({ median: 0.194, low: 0.18, high: 0.21 }), '0.19× (0.18–0.21)');
    assert.equal(times({ median: 12.34, low: 12.34, high: 12.34 }), '12.3×');
  });
});
