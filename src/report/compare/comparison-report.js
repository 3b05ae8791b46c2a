/** A comparison on a terminal, and as a comment on a pull request. */

import chalk, { Chalk } from 'chalk';
import { count, duration, percent, plural, rate, serverText } from '../../format.js';
import { left, right, terminalTable } from '../../table.js';
import { escapeProse, fold, list, markdown, renderBlocks, table, text } from '../blocks.js';
import { milliseconds, TO_THE_END } from '../trials/figures.js';
import { casesThatAre, changeText, compareResults, differenceText, METRICS } from './compare.js';

/**
 * @import { Block, TableBlock } from '../blocks.js'
 * @import { CaseName, ComparedCase, Comparison } from './compare.js'
 * @import { ComparedFailure, FailureSide, Judged } from './failures.js'
 * @import { Result } from '../../result/schema.js'
 * @import { Column } from '../../table.js'
 */

/**
 * @typedef {Object} Compared two runs and their names
 * @property {{name: string, result: Result}} a
 * @property {{name: string, result: Result}} b
 * @property {Comparison} comparison by the deciding metric
 * @property {Comparison[]} others the same cases, in the same order, by the other shown metrics
 */

/** Metrics that are shown with any deciding metric. */
const SHOWN = Object.freeze(['throughput', 'p50', 'p99']);
const COMMIT_DIGITS = 7;
/** The share of 95% intervals that miss the true value. */
const BY_CHANCE = 0.05;
/** CPUs. Two runs on a quiet machine differed by 0.01; a run whose throughput another program halved, by 1.4. */
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

/** @param {Comparison} comparison @returns {{text: string, worse: boolean}[]} the verdict, a sentence each */
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
  if (failures.length > 0 && lost + away === 0) sentences.push({ text: 'No failure got worse.', worse: false });
  const judged = failures.flatMap((one) => [one.lost, one.unavailable]);
  const unknown = judged.filter(({ verdict }) => verdict === 'unknown').length;
  if (unknown > 0) {
    const text = `Unknown: ${count(unknown)} of ${plural(judged.length, 'figure')} about failures.`;
    sentences.push({ text, worse: false });
  }
  return sentences;
}

/** @param {Compared} compared @returns {string[]} what A and B are */
function sideLines({ a, b }) {
  return [a, b].map(({ name, result: { startedAt, tool, stack, profile, suite } }, i) =>
    [
      `${'AB'[i]}: ${name}`,
      `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
      ...(tool.commit === null ? [] : [`commit ${tool.commit.slice(0, COMMIT_DIGITS)}`]),
      `${suite}, profile ${profile.name}`,
      `${serverText(stack.server)}, backend ${stack.backend}`,
    ].join(' · '),
  );
}

/** @param {Comparison} comparison @returns {string[]} a sentence when other programs may have made the difference */
function neighbourSentences({ otherProgramsCpu: { a, b } }) {
  if (a === null || b === null || Math.abs(a - b) < NEIGHBOUR) return [];
  return [
    `Other programs used ${a.toFixed(1)} CPUs during A and ${b.toFixed(1)} during B, which may explain differences.`,
  ];
}

/** @param {Comparison} comparison @returns {string[]} limits of the verdicts */
function chanceSentences(comparison) {
  const { threshold, cases } = comparison;
  const same = casesThatAre(comparison, 'no difference');
  const sentences = [];
  const hiding = same.filter(({ ratio }) => ratio && (ratio.low < 1 - threshold || ratio.high > 1 + threshold));
  if (threshold > 0 && hiding.length > 0) {
    sentences.push(
      `Of the ${plural(same.length, 'case')} without a difference, ${hiding.length} may hide one: the interval reaches beyond the threshold. More and longer rounds narrow it (run --profile standard).`,
    );
  }
  const judged = cases.length - casesThatAre(comparison, 'unknown').length;
  const byChance = Math.round(judged * BY_CHANCE);
  if (judged > same.length && byChance > 0) {
    sentences.push(
      `About ${byChance} of ${plural(judged, 'interval')} miss the true value by chance. A real difference shows again in another run.`,
    );
  }
  return sentences;
}

/**
 * @param {Pick<Compared, 'comparison' | 'others'>} compared
 * @param {(one: ComparedCase) => boolean} [chosen] default: all
 * @returns {TableBlock}
 */
function caseTable({ comparison, others }, chosen = () => true) {
  const { metric, cases } = comparison;
  const format = metric === 'throughput' ? rate : duration;
  const show = (/** @type {number | null} */ value) => (value === null ? '–' : format(value));
  const shown = cases.map((one, i) => ({ one, i })).filter(({ one }) => chosen(one));
  /** @type {Column<typeof shown[number]>[]} */
  const columns = [
    left('benchmark', ({ one }) => one.benchmark),
    left('case', ({ one }) => one.id),
    right(`${metric}: A → B`, ({ one }) => `${show(one.a)} → ${show(one.b)}`),
    right('change (95% interval)', ({ one }) => changeText(one)),
    { ...VERDICT, cell: ({ one }) => (one.reason === undefined ? one.verdict : `${one.verdict}: ${one.reason}`) },
    ...others.map((other) =>
      right(other.metric, (/** @type {typeof shown[number]} */ { i }) => otherText(other.cases[i])),
    ),
  ];
  return table(columns, shown, { compact: true });
}

/** @param {ComparedCase} one by a metric that does not decide */
function otherText(one) {
  if (one.verdict === 'unknown') return '–';
  return one.verdict === 'no difference' ? changeText(one) : `${changeText(one)}, ${one.verdict}`;
}

/**
 * @param {readonly ComparedFailure[]} failures
 * @param {(verdict: Judged['verdict']) => boolean} chosen
 * @returns {TableBlock} a row for each figure with such a verdict
 */
function failureTable(failures, chosen) {
  const columns = ['benchmark', 'case', 'writer', 'figure', right('A'), right('B'), VERDICT];
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
  // Most unknown figures have the same reason, which unknownSentences gives once.
  return reason === undefined || verdict === 'unknown' ? verdict : `${verdict}: ${reason}`;
}

/** @param {readonly ComparedFailure[]} failures @returns {string[]} why figures are unknown */
function unknownSentences(failures) {
  const judged = failures.flatMap(({ lost, unavailable }) => [lost, unavailable]);
  const reasons = judged.flatMap(({ verdict, reason }) => (verdict === 'unknown' && reason ? [reason] : []));
  return reasons.length === 0 ? [] : [`unknown: ${[...new Set(reasons)].join('; ')}.`];
}

/** @param {CaseName[]} names */
function caseNames(names) {
  return names.map(({ benchmark, id }) => `${benchmark}/${id}`);
}

/** Rows and items: those of all tables and lists fit a comment. */
const [MOST_TELLING, MOST_OTHERS] = [60, 40];
const NO_FIGURES = Object.freeze({ figure: () => '' });

const isTelling = (/** @type {ComparedCase['verdict']} */ verdict) => verdict === 'worse' || verdict === 'better';

/**
 * @param {Comparison} comparison
 * @param {{nameA: string, nameB: string, color?: boolean}} options nameA, nameB: what the user calls the runs; color:
 *   default: if standard output supports it
 * @returns {string} several lines, without a newline at the end
 */
export function renderComparison(comparison, { nameA, nameB, color }) {
  const paint = color === undefined ? chalk : new Chalk({ level: color ? 1 : 0 });
  const { cases, differences, failures = [], onlyInA, onlyInB } = comparison;
  const indented = (/** @type {string[]} */ lines) => lines.map((line) => `  ${line}`).join('\n');
  const section = (/** @type {string} */ title, /** @type {string[]} */ lines) =>
    lines.length === 0 ? '' : `${paint.yellow(title)}\n${indented(lines)}`;
  const telling = failureTable(failures, isTelling);
  return [
    `A: ${nameA}\nB: ${nameB}`,
    section('The runs were made differently (A, B):', differences.map(differenceText)),
    cases.length === 0 ? '' : terminalTable(caseTable({ comparison, others: [] }), { paint }),
    paint.yellow(neighbourSentences(comparison).join('\n')),
    telling.rows.length === 0 ? '' : `${paint.bold('Failures')}\n${terminalTable(telling, { paint })}`,
    paint.yellow(unknownSentences(failures).join('\n')),
    section('Only in A:', caseNames(onlyInA)),
    section('Only in B:', caseNames(onlyInB)),
    [
      ...verdictSentences(comparison).map(({ text: sentence, worse }) => (worse ? paint.red.bold(sentence) : sentence)),
      ...chanceSentences(comparison),
    ].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** @param {Comparison} comparison */
function verdictBlock(comparison) {
  const sentences = verdictSentences(comparison).map(({ text: sentence, worse }) =>
    worse ? `**${escapeProse(sentence)}**` : escapeProse(sentence),
  );
  return markdown(sentences.join(' '));
}

/** @param {Comparison} comparison @returns {Block[]} differences that make the runs hard to compare */
function circumstances(comparison) {
  const differences = comparison.differences.map(differenceText);
  return [
    ...(differences.length === 0
      ? [text('Both runs had the same server, machine, backend, configuration, clients and profile.')]
      : [markdown('**The runs were made differently (A, B):**'), list(cut(differences))]),
    ...neighbourSentences(comparison).map(text),
  ];
}

/**
 * Worse and better figures come first, the rest is folded. Counts the rows that do not fit.
 * @param {Compared} compared
 * @returns {string} Markdown that fits a comment on GitHub, which has 65,536 characters at most
 */
export function renderPullRequest(compared) {
  const { comparison } = compared;
  const { failures = [], onlyInA, onlyInB } = comparison;
  const differ = comparison.differences.length > 0 || neighbourSentences(comparison).length > 0;
  const of = (/** @type {ComparedCase['verdict']} */ verdict) => caseTable(compared, (one) => one.verdict === verdict);
  const [worse, better] = [of('worse'), of('better')];
  const rest = caseTable(compared, ({ verdict }) => !isTelling(verdict));
  const restFailures = failureTable(failures, (verdict) => !isTelling(verdict));
  const unknown = casesThatAre(comparison, 'unknown').length > 0 ? ', or unknown' : '';
  const folded = (/** @type {number} */ length, /** @type {string} */ summary, /** @type {Block[]} */ blocks) =>
    length === 0 ? [] : [fold(summary, blocks)];
  const onlyIn = (/** @type {'A' | 'B'} */ side, /** @type {string[]} */ names) =>
    folded(names.length, `Only in ${side}, not compared: ${plural(names.length, 'case')}`, [list(cut(names))]);
  return renderBlocks(
    [
      markdown('### sentinel-bench'),
      verdictBlock(comparison),
      ...chanceSentences(comparison).map(text),
      ...(differ ? circumstances(comparison) : []),
      ...fitted({ ...worse, rows: [...worse.rows, ...better.rows] }, MOST_TELLING),
      ...fitted(failureTable(failures, isTelling), MOST_TELLING),
      fold('What was compared', [list(sideLines(compared)), ...(differ ? [] : circumstances(comparison))]),
      ...folded(
        rest.rows.length,
        `No difference${unknown}: ${plural(rest.rows.length, 'case')}`,
        fitted(rest, MOST_OTHERS),
      ),
      ...folded(
        restFailures.rows.length,
        `Failures without a difference, or unknown: ${plural(restFailures.rows.length, 'figure')}`,
        [...fitted(restFailures, MOST_OTHERS), ...unknownSentences(failures).map(text)],
      ),
      // A case that B no longer measures has no verdict, yet may matter most.
      ...onlyIn('A', caseNames(onlyInA)),
      ...onlyIn('B', caseNames(onlyInB)),
    ],
    NO_FIGURES,
  );
}

/**
 * @param {TableBlock} table
 * @param {number} most rows
 * @returns {Block[]} the rows from the top
 */
function fitted(table, most) {
  const missing = table.rows.length - most;
  if (missing <= 0) return table.rows.length === 0 ? [] : [table];
  const note = `${plural(missing, 'more row')} left out because comments have a limit; compare without --pr shows them all.`;
  return [{ ...table, rows: table.rows.slice(0, most) }, text(note)];
}

/** @param {string[]} items @returns {string[]} as many as fit, then the number of the others */
function cut(items) {
  const more = items.length - MOST_OTHERS;
  return more <= 0 ? items : [...items.slice(0, MOST_OTHERS), `and ${count(more)} more`];
}
