/**
 * A comparison in Markdown: what a report and a pull request have in common.
 */
import { markdownTable } from 'markdown-table';
import { casesThatAre, compareResults, METRICS } from './compare.js';
import { changeText, differenceText, neighbourSentence } from './compare-text.js';
import { milliseconds, TO_THE_END } from './failure-words.js';
import { count, duration, percent, plural, rate } from './format.js';
import { escapeText, list } from './markdown-text.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./compare.js').Comparison} Comparison
 * @typedef {import('./compare.js').ComparedCase} ComparedCase
 * @typedef {import('./compare-failures.js').ComparedFailure} ComparedFailure
 *
 * @typedef {Object} Compared two runs, and what they are called
 * @property {{name: string, result: Result}} a
 * @property {{name: string, result: Result}} b
 * @property {Comparison} comparison by the metric that the verdict is by
 * @property {Comparison[]} others the same cases in the same order by the metrics that are shown beside it
 */

/** What a reader looks for, whatever the verdict is by. */
const SHOWN = Object.freeze(['throughput', 'p50', 'p99']);
const COMMIT_DIGITS = 7;

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
 * @returns {string} one line: the verdict
 */
export function verdictLine(comparison) {
  const { cases, metric, threshold, failures = [], failedInB } = comparison;
  const of = (/** @type {ComparedCase['verdict']} */ verdict) => casesThatAre(comparison, verdict).length;
  const parts = failedInB.map(
    ({ benchmark, reason }) => `**${escapeText(benchmark)} failed in B**: ${escapeText(reason)}`,
  );
  if (cases.length > of('unknown') || failures.length === 0) {
    const worse = of('worse') > 0 ? `**${of('worse')} worse**` : '0 worse';
    const rest = [`${of('better')} better`, `${of('no difference')} no difference`];
    if (of('unknown') > 0) rest.push(`${of('unknown')} unknown`);
    parts.push(
      `${plural(cases.length, 'case')} by ${METRICS[metric].what}, threshold ${percent(threshold)}: ${[worse, ...rest].join(', ')}.`,
    );
  }
  const lost = failures.filter((one) => one.lost.verdict === 'worse');
  const away = failures.filter((one) => one.unavailable.verdict === 'worse');
  if (lost.length > 0) {
    parts.push(`**Acknowledged writes lost: ${lost.length} of ${plural(failures.length, 'writer')} worse**.`);
  }
  if (away.length > 0) {
    parts.push(`**Time without an acknowledgement: ${away.length} of ${plural(failures.length, 'writer')} worse**.`);
  }
  const judged = failures.flatMap((one) => [one.lost, one.unavailable]);
  const unknown = judged.filter(({ verdict }) => verdict === 'unknown').length;
  if (failures.length > 0 && lost.length + away.length === 0) parts.push('No failure is known to cost more.');
  if (unknown > 0) parts.push(`Of failures ${count(unknown)} of ${plural(judged.length, 'figure')} unknown.`);
  return parts.join(' ');
}

/**
 * @param {Compared} compared
 * @returns {string} what A and B are
 */
export function sidesText({ a, b }) {
  return list([a, b].map(({ name, result }, i) => `${'AB'[i]}: ${escapeText(sideText(name, result))}`));
}

/**
 * @param {string} name
 * @param {Result} result
 */
function sideText(name, { startedAt, tool, cluster, profile, suite }) {
  const commit = tool.commit === null ? [] : [`commit ${tool.commit.slice(0, COMMIT_DIGITS)}`];
  return [
    name,
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    ...commit,
    `${suite}, profile ${profile.name}`,
    `${cluster.server.name} ${cluster.server.version}, backend ${cluster.backend}`,
  ].join(' · ');
}

/**
 * @param {Comparison} comparison
 * @returns {string} what makes the runs hard to compare
 */
export function circumstancesText(comparison) {
  const { differences } = comparison;
  const parts = [
    differences.length === 0
      ? 'The runs were made alike: server, machine, backend, configuration, clients and profile.'
      : `**The runs differ in what matters (A, B):**\n\n${list(differences.map((each) => escapeText(differenceText(each))))}`,
    escapeText(neighbourSentence(comparison)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/**
 * @param {Compared} compared
 * @param {(one: ComparedCase) => boolean} chosen
 * @param {{named?: boolean}} [options] named: each row tells its benchmark, too
 * @returns {string[][]} header first; only the header when no case is chosen
 */
export function caseRows({ comparison, others }, chosen, { named = false } = {}) {
  const { metric, cases } = comparison;
  const format = metric === 'throughput' ? rate : duration;
  const header = [
    ...(named ? ['benchmark'] : []),
    'case',
    'verdict',
    `${metric}: change (95 % interval)`,
    'A → B',
    ...others.map((other) => other.metric),
  ];
  const rows = cases.flatMap((one, i) => {
    if (!chosen(one)) return [];
    const { benchmark, id, a, b, verdict, reason } = one;
    const [from, to] = [a, b].map((value) => (value === null ? '–' : format(value)));
    return [
      [
        ...(named ? [escapeText(benchmark)] : []),
        escapeText(id),
        verdict === 'worse' ? '**worse**' : escapeText(reason === undefined ? verdict : `${verdict}: ${reason}`),
        changeText(one),
        `${from} → ${to}`,
        ...others.map((other) => otherText(other.cases[i])),
      ],
    ];
  });
  return [header, ...rows];
}

/** @param {ComparedCase} one by another metric than the verdict's */
function otherText(one) {
  if (one.verdict === 'unknown') return '–';
  return one.verdict === 'no difference' ? changeText(one) : `${changeText(one)}, ${one.verdict}`;
}

/**
 * @param {readonly ComparedFailure[]} failures
 * @returns {string[][]} header first
 */
export function failureRows(failures) {
  const header = ['benchmark', 'case', 'writer', 'lost A', 'lost B', 'verdict', 'without an answer A', 'B', 'verdict'];
  return [
    header,
    ...failures.map(({ benchmark, id, writer, a, b, lost, unavailable }) => [
      escapeText(benchmark),
      escapeText(id),
      writer,
      lostText(a),
      lostText(b),
      judgedText(lost),
      awayText(a),
      awayText(b),
      judgedText(unavailable),
    ]),
  ];
}

/** @param {import('./compare-failures.js').FailureSide} side */
function lostText({ acked, ackedLost, trials, trialsWithLoss }) {
  const where = trials > 1 && ackedLost > 0 ? `, in ${trialsWithLoss} of ${trials} trials` : '';
  return `${count(ackedLost)} of ${count(acked)}${where}`;
}

/** @param {import('./compare-failures.js').FailureSide} side */
function awayText({ unavailableMs }) {
  return unavailableMs === null ? TO_THE_END : milliseconds(unavailableMs);
}

/** @param {import('./compare-failures.js').Judged} judged */
function judgedText({ verdict, reason }) {
  // Why it is unknown is the same for most: it is told once.
  if (reason === undefined || verdict === 'unknown') return verdict;
  return `${verdict === 'worse' ? '**worse**' : verdict}: ${reason}`;
}

/**
 * @param {readonly ComparedFailure[]} failures
 * @returns {string} why what is unknown is; empty when nothing is
 */
export function unknownText(failures) {
  const reasons = failures
    .flatMap(({ lost, unavailable }) => [lost, unavailable])
    .flatMap(({ verdict, reason }) => (verdict === 'unknown' && reason !== undefined ? [reason] : []));
  return reasons.length === 0 ? '' : `unknown: ${[...new Set(reasons)].join('; ')}.`;
}

/**
 * @param {string[][]} rows header first
 * @param {number} left how many columns are text, from the left
 */
export function tableOf(rows, left) {
  const align = rows[0].map((title, i) => (i < left || title === 'verdict' ? 'left' : 'right'));
  // Cells need not stand below each other in what is read as a table; in a comment of limited length they must not.
  return markdownTable(rows, { align, alignDelimiters: false });
}

/**
 * @param {'A' | 'B'} side
 * @param {import('./compare.js').CaseName[]} names
 * @returns {string} empty when there is none
 */
export function onlyText(side, names) {
  if (names.length === 0) return '';
  return `Only in ${side}:\n\n${list(names.map(({ benchmark, id }) => escapeText(`${benchmark}/${id}`)))}`;
}

/** @param {ComparedFailure} failure */
export function isTelling({ lost, unavailable }) {
  return [lost, unavailable].some(({ verdict }) => verdict === 'worse' || verdict === 'better');
}
