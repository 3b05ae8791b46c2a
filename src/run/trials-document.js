/**
 * What the trials of a benchmark become in the result: its cases, audits and timelines, and why some were not counted.
 * @import { BenchmarkResult, Finding } from '../result/schema.js'
 * @import { Stack } from '../stacks/types.js'
 * @import { BenchmarkTrials } from './trials.js'
 * @import { SuiteParameters } from './types.js'
 */
import { oneFinding, plural } from '../format.js';
import { addCounts } from '../stats/statistics.js';
import { summarise } from '../stats/summary.js';
import { benchmarkDocument } from './document.js';
import { SENTENCES } from './sentences.js';
import { keptTimelines } from './trial-document.js';

/**
 * @param {Omit<BenchmarkTrials, 'lanes' | 'left' | 'document'>} benchmarkTrials
 * @param {{trials: number, seed: number, server: Stack['about']['server'], parameters?: SuiteParameters}} run trials: of each case
 */
export function documentOfTrials({ benchmark, cases, outcomes, reasons, repeated }, { trials, seed, ...run }) {
  const done = cases.map(({ id }) => ({
    id,
    trialsOf: outcomes.filter(({ trial }) => trial.case === id).sort((a, b) => a.trial.round - b.trial.round),
  }));
  const isMissing = done.some(({ trialsOf }) => trialsOf.length < trials);
  const measured = done.filter(({ trialsOf }) => trialsOf.length > 0);
  const stepsCount = !benchmark.needsFailover;
  const document = benchmarkDocument(benchmark, {
    ...statusOf(reasons, isMissing),
    ...run,
    cases: measured.map(({ id, trialsOf }) => {
      const rounds = trialsOf.map(({ result }) => result);
      return { id, params: trialsOf[0].params, rounds, summary: summarise(rounds, null, { seed }) };
    }),
    ...(measured.length > 0 && {
      audit: measured.flatMap(({ trialsOf }) => trialsOf.flatMap(({ audits }) => audits)),
      timeline: measured.flatMap(({ trialsOf }) => keptTimelines(trialsOf, { stepsCount })),
    }),
  });
  if (measured.length > 0 && repeated.length > 0) document.findings.push(repeatedFinding(repeated));
  return document;
}

/**
 * @param {readonly string[]} reasons why trials failed
 * @param {boolean} missing trials were not made
 * @returns {Pick<BenchmarkResult, 'status' | 'reason'>}
 */
function statusOf(reasons, missing) {
  if (reasons.length > 0) return { status: 'failed', reason: countedReasons(reasons) };
  if (missing) return { status: 'skipped', reason: SENTENCES.text('interrupted') };
  return { status: 'ok' };
}

/** @param {readonly string[]} reasons @returns {string} each once */
function countedReasons(reasons) {
  const times = addCounts(...reasons.map((reason) => ({ [reason]: 1 })));
  return Object.entries(times)
    .map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} times)`))
    .join(' ');
}

/** @param {string[]} cases each as often as a trial of it was repeated @returns {Finding} */
function repeatedFinding(cases) {
  const evidence = [...new Set(cases)];
  const text = oneFinding(`${SENTENCES.text('trials-repeated', { trials: plural(cases.length, 'trial') })} `, evidence);
  return { id: 'repeated', text, evidence };
}
