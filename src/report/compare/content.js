/**
 * What a comparison says: its sentences and its tables. `outputs.js` shows them on a terminal, in a pull request and as a report.
 */
import { table } from '../blocks.js';
import { count, duration, percent, plural, range, rate, serverText } from '../format.js';
import { milliseconds, TO_THE_END } from '../trials/words.js';
import { casesThatAre, compareResults, METRICS } from './compare.js';

/** @import { TableColumn } from '../blocks.js' */

/**
 * @import { Result } from '../../result/schema.js'
 * @import { TableBlock } from '../blocks.js'
 * @import { Difference } from './circumstances.js'
 * @import { CaseName, ComparedCase, Comparison } from './compare.js'
 * @import { ComparedFailure, FailureSide, Judged } from './failures.js'
 *
 * @typedef {Object} Compared two runs, and what they are called
 * @property {{name: string, result: Result}} a
 * @property {{name: string, result: Result}} b
 * @property {Comparison} comparison by the metric that decides
 * @property {Comparison[]} others the same cases in the same order by the other metrics that are shown
 */

/** Shown whatever metric decides. */
const SHOWN = Object.freeze(['throughput', 'p50', 'p99']);
const COMMIT_DIGITS = 7;
/** The share of 95% intervals that leave out the true value. */
const BY_CHANCE = 0.05;
/** CPUs. Two runs on a quiet machine differed by 0.01; a run beside a neighbour that halved its throughput, by 1.4. */
const NEIGHBOUR = 0.25;
const VERDICT = Object.freeze({ title: 'verdict', strong: 'worse' });

/**
 * @param {{name: string, result: Result}} a
 * @param {{name: string, result: Result}} b
 * @param {Comparison} comparison
 * @returns {Compared}
 */
export function withOtherMetrics(a, b, comparison) {
  const { threshold } = comparison;
  const others = SHOWN.filter((metric) => metric !== comparison.metric).map((metric) =>
    compareResults(a.result, b.result, { metric, threshold }),
  );
  return { a, b, comparison, others };
}

/**
 * @param {Comparison} comparison
 * @returns {{text: string, worse: boolean}[]} the verdict, a sentence each
 */
export function verdictSentences(comparison) {
  const { cases, metric, threshold, failures = [], failedInB } = comparison;
  const number = (/** @type {ComparedCase['verdict']} */ verdict) => casesThatAre(comparison, verdict).length;
  const sentences = failedInB.map(({ benchmark, reason }) => ({
    text: `${benchmark} failed in B: ${reason}`,
    worse: true,
  }));
  if (cases.length > number('unknown') || failures.length === 0) {
    const counts = [
      `${number('worse')} worse`,
      `${number('better')} better`,
      `${number('no difference')} no difference`,
    ];
    if (number('unknown') > 0) counts.push(`${number('unknown')} unknown`);
    const compared = `${plural(cases.length, 'case')} compared by ${METRICS[metric].what}, threshold ${percent(threshold)}`;
    sentences.push({ text: `${compared}: ${counts.join(', ')}.`, worse: number('worse') > 0 });
  }
  const lost = failures.filter((one) => one.lost.verdict === 'worse').length;
  const away = failures.filter((one) => one.unavailable.verdict === 'worse').length;
  const writers = plural(failures.length, 'writer');
  if (lost > 0) sentences.push({ text: `Acknowledged writes lost: worse for ${lost} of ${writers}.`, worse: true });
  if (away > 0)
    sentences.push({ text: `Time without an acknowledgement: worse for ${away} of ${writers}.`, worse: true });
  if (failures.length > 0 && lost + away === 0)
    sentences.push({ text: 'No failure is known to cost more.', worse: false });
  const judged = failures.flatMap((one) => [one.lost, one.unavailable]);
  const unknown = judged.filter(({ verdict }) => verdict === 'unknown').length;
  if (unknown > 0) {
    const text = `${count(unknown)} of ${plural(judged.length, 'figure')} of failures unknown.`;
    sentences.push({ text, worse: false });
  }
  return sentences;
}

/**
 * @param {Compared} compared
 * @returns {string[]} what A and B are
 */
export function sideLines({ a, b }) {
  return [a, b].map(({ name, result: { startedAt, tool, cluster, profile, suite } }, i) =>
    [
      `${'AB'[i]}: ${name}`,
      `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
      ...(tool.commit === null ? [] : [`commit ${tool.commit.slice(0, COMMIT_DIGITS)}`]),
      `${suite}, profile ${profile.name}`,
      `${serverText(cluster.server)}, backend ${cluster.backend}`,
    ].join(' · '),
  );
}

/**
 * @param {Difference} difference
 * @returns {string} such as `server (redis 7.0.15, valkey 8.0.1)`
 */
export function differenceText({ what, a, b }) {
  return `${what} (${a}, ${b})`;
}

/**
 * @param {Comparison} comparison
 * @returns {string[]} a sentence when other programs may have made the difference
 */
export function neighbourSentences({ otherProgramsCpu: { a, b } }) {
  if (a === null || b === null || Math.abs(a - b) < NEIGHBOUR) return [];
  return [
    `Other programs used ${a.toFixed(1)} CPUs during A and ${b.toFixed(1)} during B, which may explain differences.`,
  ];
}

/**
 * @param {Comparison} comparison
 * @returns {string[]} sentences about what the verdicts do not show
 */
export function chanceSentences(comparison) {
  const { threshold, cases } = comparison;
  const same = casesThatAre(comparison, 'no difference');
  const sentences = [];
  const hiding = same.filter(({ ratio }) => ratio && (ratio.low < 1 - threshold || ratio.high > 1 + threshold));
  if (threshold > 0 && hiding.length > 0) {
    sentences.push(
      `In ${hiding.length} of the ${same.length} without a difference the interval reaches beyond the threshold and may hide one. More and longer rounds narrow it (run --profile standard).`,
    );
  }
  const judged = cases.length - casesThatAre(comparison, 'unknown').length;
  const byChance = Math.round(judged * BY_CHANCE);
  if (judged > same.length && byChance > 0) {
    sentences.push(
      `${byChance} of ${plural(judged, 'interval')} may leave out 0% by chance. A real difference shows again in another run.`,
    );
  }
  return sentences;
}

/**
 * @param {Pick<ComparedCase, 'ratio'>} compared
 * @returns {string} such as `−4.2% (−6.1 to −2.0%)`; empty without a ratio
 */
export function changeText({ ratio }) {
  if (!ratio) return '';
  const { median, low, high } = ratio;
  return `${median > 1 ? '+' : ''}${percent(median - 1)} (${range(low - 1, high - 1, percent)})`;
}

/**
 * @param {Pick<Compared, 'comparison' | 'others'>} compared
 * @param {(one: ComparedCase) => boolean} chosen
 * @param {{named?: boolean}} [options] named: each row has its benchmark; default: false
 * @returns {TableBlock}
 */
export function caseTable({ comparison, others }, chosen, { named = false } = {}) {
  const { metric, cases } = comparison;
  const format = metric === 'throughput' ? rate : duration;
  const show = (/** @type {number | null} */ value) => (value === null ? '–' : format(value));
  const columns = [
    ...(named ? [{ title: 'benchmark' }] : []),
    { title: 'case' },
    right(`${metric}: A → B`),
    right('change (95% interval)'),
    VERDICT,
    ...others.map((other) => right(other.metric)),
  ];
  const rows = cases.flatMap((one, i) => {
    if (!chosen(one)) return [];
    return [
      [
        ...(named ? [one.benchmark] : []),
        one.id,
        `${show(one.a)} → ${show(one.b)}`,
        changeText(one),
        one.reason === undefined ? one.verdict : `${one.verdict}: ${one.reason}`,
        ...others.map((other) => otherText(other.cases[i])),
      ],
    ];
  });
  return table(columns, rows, { compact: true });
}

/** @param {ComparedCase} one by another metric than the one that decides */
function otherText(one) {
  if (one.verdict === 'unknown') return '–';
  return one.verdict === 'no difference' ? changeText(one) : `${changeText(one)}, ${one.verdict}`;
}

/**
 * @param {readonly ComparedFailure[]} failures
 * @param {(verdict: Judged['verdict']) => boolean} chosen
 * @returns {TableBlock} a row for each figure with such a verdict
 */
export function failureTable(failures, chosen) {
  const columns = [
    { title: 'benchmark' },
    { title: 'case' },
    { title: 'writer' },
    { title: 'figure' },
    right('A'),
    right('B'),
    VERDICT,
  ];
  const rows = failures.flatMap(({ benchmark, id, writer, a, b, lost, unavailable }) => [
    ...(chosen(lost.verdict)
      ? [[benchmark, id, writer, 'acknowledged writes lost', lostText(a), lostText(b), judgedText(lost)]]
      : []),
    ...(chosen(unavailable.verdict)
      ? [[benchmark, id, writer, 'without an acknowledgement', awayText(a), awayText(b), judgedText(unavailable)]]
      : []),
  ]);
  return table(columns, rows, { compact: true });
}

/** @param {FailureSide} side */
function lostText({ acked, ackedLost, trials, trialsWithLoss }) {
  const where = trials > 1 && ackedLost > 0 ? `, in ${trialsWithLoss} of ${trials} trials` : '';
  return `${count(ackedLost)} of ${count(acked)}${where}`;
}

/** @param {FailureSide} side */
function awayText({ unavailableMs }) {
  return unavailableMs === null ? TO_THE_END : milliseconds(unavailableMs);
}

/** @param {Judged} judged */
function judgedText({ verdict, reason }) {
  // Most unknown figures have the same reason: unknownSentences says it once.
  return reason === undefined || verdict === 'unknown' ? verdict : `${verdict}: ${reason}`;
}

/**
 * @param {readonly ComparedFailure[]} failures
 * @returns {string[]} why figures are unknown
 */
export function unknownSentences(failures) {
  const judged = failures.flatMap(({ lost, unavailable }) => [lost, unavailable]);
  const reasons = judged.flatMap(({ verdict, reason }) => (verdict === 'unknown' && reason ? [reason] : []));
  return reasons.length === 0 ? [] : [`unknown: ${[...new Set(reasons)].join('; ')}.`];
}

/**
 * @param {CaseName[]} names
 * @returns {string[]}
 */
export function caseNames(names) {
  return names.map(({ benchmark, id }) => `${benchmark}/${id}`);
}

/**
 * @param {string} title
 * @returns {TableColumn}
 */
function right(title) {
  return { title, align: 'right' };
}
