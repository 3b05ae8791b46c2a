/** Another database goes through a trial and its audit without a change to the engine; trials of all cases take turns in an order that the seed determines. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { recheck } from '../audit/recheck.js';
import { keepStateApart } from '../faults/fixture.js';
import { kill } from '../faults/index.js';
import { randomFrom } from '../stats/random.js';
import { makeCase } from './case.js';
import { createEstimate } from './estimate.js';
import { startMemoryStack } from './memory-system-fixture.js';
import { PROFILES } from './profiles.js';
import { runTrial } from './trial.js';
import { measureFailures } from './trials.js';

/** @import { TrialBenchmark } from './types.js' */

const RATE = 1000;
const LAG_MS = 50;
const TRIALS = 4;
const CASES = [1, 2, 3].map((connections) => makeCase({ writers: ['sticky'], rate: 100, connections }));

/** @type {TrialBenchmark} */
const benchmark = {
  name: 'killed',
  question: 'What does a killed primary lose?',
  method: 'The primary is killed, and the harness promotes a replica.',
  needs: ['kill'],
  kind: 'trial',
  cases: () => [],
  table: [],
  findings: () => [],
  checks: () => [],
  async script({ primary, replicas, write, inject, promote, switched }) {
    await write(0.4);
    await inject(kill, primary.id);
    await write(0.1);
    assert.equal(switched(), false);
    await promote(replicas[0].id);
    assert.equal(switched(), true);
    await write(0.3);
  },
};

describe('a system without Sentinels', () => {
  const folder = keepStateApart();
  /** @type {Awaited<ReturnType<typeof startMemoryStack>>} */
  let stack;
  before(async () => {
    stack = await startMemoryStack();
  });
  after(() => stack.stop());

  test('a trial counts the writes that the replicas did not have yet as lost', async () => {
    const theCase = makeCase({ writers: ['sticky'], rate: RATE, settings: { lag: String(LAG_MS) } });
    const { audits, trial, params } = await runTrial({
      stack,
      benchmark,
      theCase,
      round: 1,
      profile: PROFILES.quick,
      folder,
      notKept: (error) => assert.fail(error.message),
      signal: new AbortController().signal,
    });

    const [{ acked, ackedLost, rejected, rejectedPresent, wrongValue, surplus, present }] = audits;
    assert.ok(acked > 300, `${acked} acknowledged`);
    assert.ok(ackedLost > 0 && ackedLost <= stack.dropped(), `${ackedLost} lost, ${stack.dropped()} dropped`);
    assert.ok(rejected > 0, 'writes to the dead primary');
    assert.deepEqual({ rejectedPresent, wrongValue, surplus }, { rejectedPresent: 0, wrongValue: 0, surplus: 0 });
    assert.deepEqual(Object.keys(present), ['memory-1', 'memory-2', 'memory-3']);
    assert.equal(trial.converged?.primary, 'memory-2');
    assert.deepEqual(
      trial.events.filter(({ by }) => by === 'harness').map(({ kind, node, fault }) => [kind, node, fault]),
      [
        ['fault-begun', 'memory-1', 'kill'],
        ['promoted', 'memory-2', undefined],
      ],
    );
    assert.ok(Number(trial.linkMs) >= LAG_MS - 1, `${trial.linkMs} ms to a replica`);
    assert.equal(params.downAfterMs, 100);

    const [again] = (await recheck(folder, ResultSchema)).writers;
    assert.deepEqual(again.audit, audits[0], 'the audit can be made again from its files');
  });

  test('a trial without the promotion that it needs is reported as failed, and leaves nothing to count', async () => {
    const theCase = makeCase({ writers: ['sticky'], rate: RATE });
    /** @type {TrialBenchmark} */
    const unheard = { ...benchmark, name: 'unheard', needsFailover: true, script: ({ write }) => write(0.1) };
    const { documents, trials } = await measureFailures([{ benchmark: unheard, cases: [theCase] }], {
      testbed: /** @type {any} */ ({
        stack: { ...stack, about: { ...stack.about, ours: false } },
        profile: { ...PROFILES.quick, trials: 1 },
        random: Math.random,
        signal: new AbortController().signal,
      }),
      stack: { backend: 'local' },
      ...{ documents: new Map(), logs: new Map() },
      folder: async () => folder,
      seed: 1,
      progress: { tell() {}, now() {}, stop() {} },
      estimate: createEstimate(),
    });
    const document = documents.get('unheard');
    assert.equal(document?.status, 'failed');
    assert.match(document.reason ?? '', /No replica was promoted; the trial is not counted/);
    assert.deepEqual([document.cases, document.audit, trials?.repeated], [[], undefined, 0]);
    const names = (await recheck(folder, ResultSchema)).writers.map(({ benchmark: name }) => name);
    assert.ok(!names.includes('unheard'), 'its ledger is removed');
  });

  /**
   * @param {number} seed of the run
   * @returns {Promise<string[][]>} the cases in the order of their trials, round by round
   */
  async function orderOf(seed) {
    /** @type {string[]} */
    const order = [];
    /** @type {TrialBenchmark} */
    const ended = { ...benchmark, name: 'order', needs: [], script: async () => {} };
    // Trials that cannot begin take no time, and have a place in the order all the same.
    const { database } = stack;
    const failover = { ...database.failover, downAfterMs: () => Promise.reject(new Error('not known')) };
    const unknowable = { ...stack, about: { ...stack.about, ours: false }, database: { ...database, failover } };
    await measureFailures([{ benchmark: ended, cases: CASES }], {
      testbed: /** @type {any} */ ({
        stack: unknowable,
        profile: { ...PROFILES.quick, trials: TRIALS },
        random: randomFrom(seed),
        signal: new AbortController().signal,
      }),
      stack: { backend: 'local' },
      ...{ documents: new Map(), logs: new Map() },
      folder: async () => folder,
      seed,
      progress: {
        ...{ tell() {}, stop() {} },
        now: (text) => void order.push(text.slice('order.'.length)),
      },
      estimate: createEstimate(),
    });
    return Array.from({ length: TRIALS }, (_, round) => order.slice(round * CASES.length, (round + 1) * CASES.length));
  }

  test('each round of trials has every case once; the seed determines the order', async () => {
    const [one, again, other] = [await orderOf(7), await orderOf(7), await orderOf(8)];
    for (const round of one) assert.deepEqual([...round].sort(), CASES.map(({ id }) => id).sort());
    assert.ok(new Set(one.map(String)).size > 1, 'another order from round to round');
    assert.deepEqual(again, one);
    assert.notDeepEqual(other, one);
  });
});
