/**
 * Large results, for tests and measurements of reports.
 */

import { resultOf, roundOf } from '../src/report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../src/report/trials/fixture.js';
import { summarise } from '../src/stats/summary.js';

/** @import { Result } from '../src/result/schema.js' */

const ROUNDS = 5;
/** How many different histograms, so that cases have different figures. */
const HISTOGRAMS = 50;
const WAITS = [0, 1, 2];
const BATCHES = [1, 10, 100];
const STEPS_A_SECOND = 10;
const SECONDS = 3600;

/**
 * @param {number} cases
 * @returns {Result} of the main suite's benchmarks, with that many cases of five rounds in total
 */
export function manyCasesOf(cases) {
  const rounds = Array.from({ length: HISTOGRAMS }, (_, i) =>
    roundOf({ writes: 2000 + 10 * i, medianNs: 45_000 + 500 * i, seed: i + 1 }),
  );
  const roundsOf = (/** @type {number} */ number) =>
    Array.from({ length: ROUNDS }, (_, round) => rounds[(number * 7 + round) % HISTOGRAMS]);
  const summary = summarise(roundsOf(1), roundsOf(0), { baselineId: 'case0', seed: 1 });
  const result = resultOf();
  const names = ['async-vs-wait', 'pipeline', 'payload', 'concurrency', 'of-a-later-version'];
  const [first] = result.benchmarks;
  const share = Math.ceil(cases / names.length);
  return {
    ...result,
    benchmarks: names.map((name, benchmark) => ({
      ...first,
      name,
      cases: Array.from({ length: Math.min(share, cases - benchmark * share) }, (_, i) => ({
        id: `case${i}`,
        params: {
          ...first.cases[0].params,
          wait: WAITS[i % WAITS.length],
          pipeline: BATCHES[Math.floor(i / WAITS.length) % BATCHES.length],
          payloadBytes: 2 ** (4 + (i % 12)),
          connections: 1 + i,
        },
        rounds: roundsOf(i),
        summary,
      })),
      findings: [],
    })),
  };
}

/** @returns {Result} of one trial of one hour, with two writers */
export function hourOf() {
  const steps = Array.from({ length: SECONDS * STEPS_A_SECOND }, (_, step) => step);
  const gone = (/** @type {number} */ step) => step % 6000 >= 3000 && step % 6000 < 3300;
  const wavering = (/** @type {number} */ step) => 90 + ((step * 7919) % 21);
  const trial = trialOf('async');
  const writers = trial.writers.map(({ writer }) => ({
    writer,
    acked: steps.map((step) => (gone(step) ? 0 : wavering(step))),
    underAcked: steps.map(() => 0),
    rejected: steps.map((step) => (gone(step) ? step % 3 : 0)),
    unknown: steps.map((step) => (gone(step) && step % 50 === 0 ? 10 : 0)),
    unsent: steps.map((step) => (gone(step) ? wavering(step) : 0)),
    p99Ms: steps.map((step) => (gone(step) ? null : 0.5 + ((step * 104_729) % 997) / 300)),
  }));
  const audits = trial.writers.map(({ writer }) =>
    auditOf('async', { writer: /** @type {'sticky' | 'failover-aware'} */ (writer), acked: 3_000_000 }),
  );
  return failureResultOf([
    failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials: [{ ...trial, writers }] }]),
  ]);
}
