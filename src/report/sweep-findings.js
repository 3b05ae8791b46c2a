/**
 * The sentences about what configurations cost while all is well: one for each size of a batch.
 */
import { levelTitle } from './failure-words.js';
import { intervalName } from './findings.js';
import { percent, range } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Finding} Finding
 */

/**
 * @param {BenchmarkResult} benchmark whose cases have a level and a baseline
 * @returns {Finding[]} in the order of the batches; none for a batch of which nothing has a ratio to its baseline
 */
export function sweepFindings({ cases }) {
  const batches = [...new Set(cases.map(({ params }) => params.pipeline))];
  return batches.flatMap((batch) => sentenceOf(batch, cases) ?? []);
}

/**
 * @param {number} batch
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function sentenceOf(batch, cases) {
  const own = cases.filter(({ params }) => params.pipeline === batch);
  const told = own.flatMap(({ id, params, rounds, summary }) => {
    const { throughput: ratio, baseline } = summary.relativeToBaseline ?? {};
    return ratio && rounds.length > 1
      ? { id, baseline: String(baseline), name: nameOf(params), ratio, rounds: rounds.length }
      : [];
  });
  if (told.length === 0) return null;
  const shown = told.filter(({ ratio }) => ratio.high < 1).sort((a, b) => a.ratio.median - b.ratio.median);
  const gains = told.filter(({ ratio }) => ratio.low > 1);
  const open = told.filter((each) => !shown.includes(each) && !gains.includes(each));
  const [{ rounds }] = told;
  const parts = [
    ...shown.map(
      ({ name, ratio: { median, low, high } }) =>
        `${name} costs ${percent(1 - median)} (${range(1 - high, 1 - low, percent)})`,
    ),
    ...gains.map(
      ({ name, ratio: { median, low, high } }) =>
        `${name} gains ${percent(median - 1)} (${range(low - 1, high - 1, percent)})`,
    ),
  ];
  if (open.length > 0) parts.push(`no cost could be shown for ${open.map(({ name }) => name).join(', ')}`);
  const evidence = [...new Set(told.flatMap(({ id, baseline }) => [baseline, id]))];
  // A figure that the client limits says nothing about Redis.
  const limited = own.filter(({ id, summary }) => evidence.includes(id) && summary.limitedBy === 'client');
  if (limited.length > 0)
    parts.push(`the client, not Redis, limited ${limited.map(({ params }) => nameOf(params)).join(', ')}`);
  return {
    text: `Of the throughput of async, at batch ${batch} (${intervalName(rounds)}): ${parts.join('; ')}`,
    evidence,
  };
}

/**
 * @param {CaseResult['params']} params
 * @returns {string} without commas of its own, for a list
 */
function nameOf(params) {
  return levelTitle(params).replaceAll(', ', ' ') + (params.habit === 'awaited' ? ' awaited' : '');
}
