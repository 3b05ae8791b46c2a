/**
 * A comparison as a person reads it on a terminal.
 */
import chalk, { Chalk } from 'chalk';
import Table from 'cli-table3';
import { casesThatAre, METRICS } from './compare.js';
import { milliseconds, partOf } from './failure-words.js';
import { duration, percent, plural, range, rate } from './format.js';

/**
 * @typedef {import('./compare.js').Comparison} Comparison
 * @typedef {import('./compare.js').ComparedCase} ComparedCase
 * @typedef {import('chalk').ChalkInstance} Paint
 */

/** How often an interval leaves out what is true. */
const BY_CHANCE = 0.05;
/** CPUs. Two runs on a quiet machine differed by 0.01; a run beside a neighbour that cost it half its throughput, by 1.4. */
const NEIGHBOUR = 0.25;

/**
 * @param {Comparison} comparison
 * @param {{nameA: string, nameB: string, color?: boolean}} options nameA, nameB: what the user calls the runs; color:
 *   default: where standard output takes it
 * @returns {string} several lines, no newline at the end
 */
export function renderComparison(comparison, { nameA, nameB, color }) {
  const paint = color === undefined ? chalk : new Chalk({ level: color ? 1 : 0 });
  return [
    `A: ${nameA}\nB: ${nameB}`,
    differencesText(comparison, paint),
    comparison.cases.length === 0 ? '' : tableText(comparison, paint),
    paint.yellow(neighbourSentence(comparison)),
    failuresText(comparison, paint),
    ...comparison.failedInB.map(({ benchmark, reason }) => `${paint.red.bold('failed in B')}: ${benchmark}: ${reason}`),
    onlyText('A', comparison.onlyInA, paint),
    onlyText('B', comparison.onlyInB, paint),
    summaryText(comparison, paint),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * @param {import('./compare-circumstances.js').Difference} difference
 * @returns {string} such as `server (redis 7.0.15, valkey 8.0.1)`
 */
export function differenceText({ what, a, b }) {
  return `${what} (${a}, ${b})`;
}

/**
 * @param {Comparison} comparison
 * @param {Paint} paint
 */
function differencesText({ differences }, paint) {
  if (differences.length === 0) return '';
  const lines = differences.map((difference) => `  ${differenceText(difference)}`);
  return `${paint.yellow('The runs differ in what matters (A, B):')}\n${lines.join('\n')}`;
}

/**
 * @param {Comparison} comparison
 * @returns {string} empty when no neighbour is known to have made a difference
 */
export function neighbourSentence({ otherProgramsCpu: { a, b } }) {
  if (a === null || b === null || Math.abs(a - b) < NEIGHBOUR) return '';
  return `Other programs used ${a.toFixed(1)} CPUs during A and ${b.toFixed(1)} during B: differences may be their doing.`;
}

/**
 * @param {Comparison} comparison
 * @param {Paint} paint
 */
function tableText({ cases, metric }, paint) {
  const format = metric === 'throughput' ? rate : duration;
  const table = new Table({
    head: ['case', 'A', 'B', 'change (95 % interval)', 'verdict'],
    colAligns: ['left', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
    // No lines between the rows: there may be many.
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  let benchmark = '';
  for (const one of cases) {
    if (one.benchmark !== benchmark) {
      benchmark = one.benchmark;
      table.push([paint.bold(benchmark), '', '', '', '']);
    }
    const [a, b] = [one.a, one.b].map((value) => (value === null ? '' : format(value)));
    table.push([`  ${one.id}`, a, b, changeText(one), verdictText(one, paint)]);
  }
  return table.toString();
}

/**
 * @param {Pick<ComparedCase, 'ratio'>} compared
 * @returns {string} such as `−4.2 % (−6.1 to −2.0 %)`; empty when there is no ratio
 */
export function changeText({ ratio }) {
  if (!ratio) return '';
  return `${change(ratio.median)} (${range(ratio.low - 1, ratio.high - 1, percent)})`;
}

/** @param {number} ratio */
function change(ratio) {
  return `${ratio > 1 ? '+' : ''}${percent(ratio - 1)}`;
}

/**
 * @param {ComparedCase} compared
 * @param {Paint} paint
 */
function verdictText({ verdict, reason }, paint) {
  switch (verdict) {
    case 'worse':
      return paint.red.bold(verdict);
    case 'better':
      return paint.green(verdict);
    case 'unknown':
      return paint.yellow(`${verdict}: ${reason}`);
    default:
      return paint.dim(verdict);
  }
}

/**
 * @param {Comparison} comparison
 * @param {Paint} paint
 */
function failuresText({ failures = [] }, paint) {
  if (failures.length === 0) return '';
  const lines = failures.flatMap(({ benchmark, id, writer, a, b, lost, unavailable }) => {
    const name = `${benchmark}/${id} ${writer}`;
    return [
      ...told(`${name}: acknowledged writes lost: ${lossOf(a)}, ${lossOf(b)}`, lost, paint),
      ...told(
        `${name}: without an acknowledgement: ${milliseconds(a.unavailableMs ?? Infinity)}, ${milliseconds(b.unavailableMs ?? Infinity)}`,
        unavailable,
        paint,
      ),
    ];
  });
  const judged = failures.flatMap(({ lost, unavailable }) => [lost, unavailable]);
  const unknown = judged.filter(({ verdict }) => verdict === 'unknown');
  return [
    paint.bold('Failures (A, B)'),
    ...(lines.length > 0 ? lines : ['  Nothing is known to be worse or better.']),
    ...(unknown.length > 0
      ? [
          paint.yellow(
            `  ${unknown.length} of ${plural(judged.length, 'figure')} unknown, the first: ${unknown[0].reason}`,
          ),
        ]
      : []),
  ].join('\n');
}

/** @param {import('./compare-failures.js').FailureSide} side */
function lossOf({ acked, ackedLost }) {
  return partOf(ackedLost, acked);
}

/**
 * @param {string} figures
 * @param {import('./compare-failures.js').Judged} judged
 * @param {Paint} paint
 * @returns {string[]} none unless it is worse or better
 */
function told(figures, { verdict, reason }, paint) {
  if (verdict !== 'worse' && verdict !== 'better') return [];
  const shown = verdict === 'worse' ? paint.red.bold(verdict) : paint.green(verdict);
  return [`  ${shown}: ${figures}${reason === undefined ? '' : ` (${reason})`}`];
}

/**
 * @param {'A' | 'B'} side
 * @param {import('./compare.js').CaseName[]} names
 * @param {Paint} paint
 */
function onlyText(side, names, paint) {
  if (names.length === 0) return '';
  return [paint.yellow(`Only in ${side}:`), ...names.map(({ benchmark, id }) => `  ${benchmark}/${id}`)].join('\n');
}

/**
 * @param {Comparison} comparison
 * @param {Paint} paint
 */
function summaryText(comparison, paint) {
  const { metric, threshold, cases } = comparison;
  const [worse, better, same, unknown] = /** @type {const} */ (['worse', 'better', 'no difference', 'unknown']).map(
    (verdict) => casesThatAre(comparison, verdict),
  );
  const counts = [
    worse.length > 0 ? paint.red.bold(`${worse.length} worse`) : '0 worse',
    better.length > 0 ? paint.green(`${better.length} better`) : '0 better',
    `${same.length} no difference`,
    ...(unknown.length > 0 ? [paint.yellow(`${unknown.length} unknown`)] : []),
  ];
  const lines = [
    `${plural(cases.length, 'case')} compared by ${METRICS[metric].what}, threshold ${percent(threshold)}: ${counts.join(', ')}.`,
  ];
  const chance = chanceText(comparison);
  return chance === '' ? lines[0] : `${lines[0]}\n${chance}`;
}

/**
 * @param {Comparison} comparison
 * @returns {string} what the verdicts do not show: sentences, a line each; empty when there is nothing to say
 */
export function chanceText(comparison) {
  const { threshold, cases } = comparison;
  const same = casesThatAre(comparison, 'no difference');
  const lines = [];
  const hiding = same.filter(({ ratio }) => ratio && (ratio.low < 1 - threshold || ratio.high > 1 + threshold));
  if (threshold > 0 && hiding.length > 0) {
    lines.push(
      `In ${hiding.length} of the ${same.length} without a difference the interval reaches beyond the threshold, so one may hide there; more and longer rounds narrow it (run --profile standard).`,
    );
  }
  const judged = cases.length - casesThatAre(comparison, 'unknown').length;
  const differing = judged - same.length;
  const byChance = Math.round(judged * BY_CHANCE);
  if (differing > 0 && byChance > 0) {
    lines.push(
      `Of ${plural(judged, 'interval')}, ${byChance} may leave out 0 % by chance: what is real shows again in another run.`,
    );
  }
  return lines.join('\n');
}
