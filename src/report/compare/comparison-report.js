/**
 * A comparison on a terminal (comparison.md), and as a comment on a pull request (pull-request.md).
 * @import { TableBlock } from '../blocks.js' @import { CaseName, ComparedCase, Comparison } from './compare.js'
 * @import { ComparedFailure, FailureSide, Judged } from './failures.js' @import { Result } from '../../result/schema.js'
 * @typedef {{name: string, result: Result}} Side name: what readers call the run
 */
import chalk from 'chalk';
import { count, duration, firstFew, rate, serverText } from '../../format.js';
import { sum } from '../../stats/statistics.js';
import { left, right } from '../../table.js';
import { table } from '../blocks.js';
import { renderPlain, renderTemplate } from '../template.js';
import { milliseconds } from '../trials/figures.js';
import { casesThatAre, changeText, compareResults, differenceText, METRICS } from './compare.js';

const TERMINAL = new URL('comparison.md', import.meta.url);
const COMMENT = new URL('pull-request.md', import.meta.url);
/** Metrics that a comment shows with any deciding metric. */
const SHOWN = Object.freeze(['throughput', 'p50', 'p99']);
const COMMIT_DIGITS = 7;
/** The share of 95% intervals that miss the true value. */
const BY_CHANCE = 0.05;
/** CPUs. Two runs on a quiet machine differed by 0.01; a run whose throughput another program halved, by 1.4. */
const NEIGHBOUR = 0.25;
const VERDICT = Object.freeze({ title: 'verdict', strong: 'worse' });
/** Rows and items: those of all tables and lists fit a comment, which has 65,536 characters at most. */
const [MOST_TELLING, MOST_OTHERS] = [60, 40];

const isTelling = (/** @type {ComparedCase['verdict']} */ verdict) => verdict === 'worse' || verdict === 'better';

/** @param {Side} a the base @param {Side} b @param {Comparison} comparison @returns {string} lines for a terminal */
export function renderComparison(a, b, comparison) {
  const { cases, failures = [] } = comparison;
  // A template writes the beginning and the end of a style.
  const [strong, note, bold] = [chalk.red.bold, chalk.yellow, chalk.bold].map((style) => style('|').split('|')[0]);
  const data = {
    ...viewOf(a, b, comparison),
    ...{ strong, note, bold, end: chalk.reset('|').split('|')[1] },
    tables: { cases: caseTable(comparison, [], [...cases.keys()]), failures: failureTable(failures, isTelling) },
  };
  return renderPlain(TERMINAL, data);
}

/** @param {Side} a the base @param {Side} b @param {Comparison} comparison @returns {string} Markdown: worse and better figures, the rest folded */
export function renderPullRequest(a, b, comparison) {
  const { cases, failures = [], differences, metric, threshold } = comparison;
  const others = SHOWN.filter((each) => each !== metric).map((each) =>
    compareResults(a.result, b.result, { metric: each, threshold }),
  );
  const rowsThatAre = (/** @type {(verdict: ComparedCase['verdict']) => boolean} */ chosen) =>
    cases.flatMap((one, i) => (chosen(one.verdict) ? i : []));
  const caseRows = (/** @type {number[]} */ rows) => caseTable(comparison, others, rows);
  const whole = {
    telling: caseRows(['worse', 'better'].flatMap((wanted) => rowsThatAre((verdict) => verdict === wanted))),
    failures: failureTable(failures, isTelling),
    rest: caseRows(rowsThatAre((verdict) => !isTelling(verdict))),
    restFailures: failureTable(failures, (verdict) => !isTelling(verdict)),
  };
  const most = { telling: MOST_TELLING, failures: MOST_TELLING, rest: MOST_OTHERS, restFailures: MOST_OTHERS };
  const cut = Object.entries(whole).map(([name, block]) => {
    const rows = block.rows.slice(0, most[/** @type {keyof typeof most} */ (name)]);
    return { name, block: { ...block, rows }, missing: block.rows.length - rows.length };
  });
  const view = viewOf(a, b, comparison);
  const data = {
    ...{ ...view, strong: '**', end: '**' },
    differences: firstFew(view.differences, MOST_OTHERS),
    differ: differences.length > 0 || view.busy !== null,
    missing: sum(cut.map(({ missing }) => missing)),
    number: { ...view.number, rest: whole.rest.rows.length, restFailures: whole.restFailures.rows.length },
    tables: Object.fromEntries(cut.map(({ name, block }) => [name, block])),
  };
  return renderTemplate(COMMENT, data);
}

/** @param {Side} a @param {Side} b @param {Comparison} comparison @returns what both templates say */
function viewOf(a, b, comparison) {
  const { cases, metric, threshold, failures = [], failedInB, differences, otherProgramsCpu: cpu } = comparison;
  const count = (/** @type {ComparedCase['verdict']} */ verdict) => casesThatAre(comparison, verdict).length;
  const same = casesThatAre(comparison, 'no difference');
  const figures = failures.flatMap(({ lost, unavailable }) => [lost, unavailable]);
  const unknown = figures.filter(({ verdict }) => verdict === 'unknown');
  const judged = cases.length - count('unknown');
  const isBusy = cpu.a !== null && cpu.b !== null && Math.abs(cpu.a - cpu.b) >= NEIGHBOUR;
  return {
    ...{ threshold, failedInB, metric: METRICS[metric].what },
    sides: [sideOf('A', a), sideOf('B', b)],
    differences: differences.map(differenceText),
    busy: isBusy ? { a: cpu.a?.toFixed(1), b: cpu.b?.toFixed(1) } : null,
    reasons: [...new Set(unknown.flatMap(({ reason }) => reason ?? []))],
    onlyIn: [onlyIn('A', comparison.onlyInA), onlyIn('B', comparison.onlyInB)].filter(({ names }) => names.length > 0),
    number: {
      ...{ cases: cases.length, judged, failures: failures.length, figures: figures.length },
      ...{ worse: count('worse'), better: count('better'), same: same.length, unknown: count('unknown') },
      telling: figures.filter(({ verdict }) => isTelling(verdict)).length,
      lost: failures.filter(({ lost }) => lost.verdict === 'worse').length,
      away: failures.filter(({ unavailable }) => unavailable.verdict === 'worse').length,
      unknownFigures: unknown.length,
      hiding: same.filter(
        ({ ratio }) => threshold > 0 && ratio && (ratio.low < 1 - threshold || ratio.high > 1 + threshold),
      ).length,
      byChance: judged > same.length ? Math.round(judged * BY_CHANCE) : 0,
    },
  };
}

/** @param {'A' | 'B'} letter @param {Side} side */
function sideOf(letter, { name, result: { startedAt, tool, stack, profile, suite } }) {
  return {
    ...{ letter, name, suite, profile: profile.name, server: serverText(stack.server), backend: stack.backend },
    began: startedAt.slice(0, 16).replace('T', ' '),
    commit: tool.commit?.slice(0, COMMIT_DIGITS) ?? '',
  };
}

/** @param {Comparison} comparison @param {readonly Comparison[]} others the same cases by the other metrics @param {readonly number[]} rows indexes of cases */
function caseTable({ metric, cases }, others, rows) {
  const format = metric === 'throughput' ? rate : duration;
  const show = (/** @type {number | null} */ value) => (value === null ? '–' : format(value));
  const columns = [
    left('benchmark', (/** @type {number} */ i) => cases[i].benchmark),
    left('case', (/** @type {number} */ i) => cases[i].id),
    right(`${metric}: A → B`, (/** @type {number} */ i) => `${show(cases[i].a)} → ${show(cases[i].b)}`),
    right('change (95% interval)', (/** @type {number} */ i) => changeText(cases[i])),
    { ...VERDICT, cell: (/** @type {number} */ i) => [cases[i].verdict, cases[i].reason].filter(Boolean).join(': ') },
    ...others.map((other) => right(other.metric, (/** @type {number} */ i) => otherText(other.cases[i]))),
  ];
  return table(columns, rows, { compact: true });
}

/** @param {ComparedCase} one by a metric that does not decide */
function otherText(one) {
  if (one.verdict === 'unknown') return '–';
  return one.verdict === 'no difference' ? changeText(one) : `${changeText(one)}, ${one.verdict}`;
}

/** A row for each figure. @param {readonly ComparedFailure[]} failures @param {(verdict: Judged['verdict']) => boolean} chosen verdicts */
function failureTable(failures, chosen) {
  const columns = ['benchmark', 'case', 'writer', 'figure', right('A'), right('B'), VERDICT];
  const rows = failures.flatMap(({ benchmark, id, writer, a, b, lost, unavailable }) =>
    [
      { name: 'acknowledged writes lost', judged: lost, show: lostText },
      { name: 'without an acknowledgement', judged: unavailable, show: awayText },
    ]
      .filter(({ judged }) => chosen(judged.verdict))
      .map(({ name, judged, show }) => [benchmark, id, writer, name, show(a), show(b), judgedText(judged)]),
  );
  return table(columns, rows, { compact: true });
}

/** @param {FailureSide} side */
function lostText({ acked, ackedLost, trials, trialsWithLoss }) {
  const where = trials > 1 && ackedLost > 0 ? `, in ${trialsWithLoss} of ${trials} trials` : '';
  return `${count(ackedLost)} of ${count(acked)}${where}`;
}

/** @param {FailureSide} side */
const awayText = ({ unavailableMs }) => milliseconds(unavailableMs ?? Number.POSITIVE_INFINITY);

/** @param {Judged} judged @returns {string} most unknown figures have the same reason, which the templates give once */
function judgedText({ verdict, reason }) {
  return reason === undefined || verdict === 'unknown' ? verdict : `${verdict}: ${reason}`;
}

/** @param {'A' | 'B'} side @param {CaseName[]} cases */
function onlyIn(side, cases) {
  const names = cases.map(({ benchmark, id }) => `${benchmark}/${id}`);
  return { side, names, shown: firstFew(names, MOST_OTHERS) };
}
