/**
 * A comparison on a terminal, as a comment on a pull request, and as a report with charts.
 */
import chalk, { Chalk } from 'chalk';
import { chart, fold, heading, list, markdown, renderBlocks, text } from '../blocks.js';
import { makeDocument } from '../document.js';
import { plural } from '../format.js';
import { escapeProse } from '../markdown-text.js';
import { terminalTable } from '../terminal.js';
import { casesThatAre } from './compare.js';
import { comparisonChart } from './comparison-chart.js';
import {
  caseNames,
  caseTable,
  chanceSentences,
  differenceText,
  failureTable,
  neighbourSentences,
  sideLines,
  unknownSentences,
  verdictSentences,
} from './content.js';

/** @import { Report } from '../document.js' */

/**
 * @import { Block, TableBlock } from '../blocks.js'
 * @import { Figures } from '../markdown-figures.js'
 * @import { ComparedCase, Comparison } from './compare.js'
 * @import { Compared } from './content.js'
 */

const TITLE = 'sentinel-bench: comparison';
/** Characters that GitHub accepts in a comment, with room for what others write into it. */
const COMMENT = 65_536 - 2048;
/** Characters kept free for the folds around tables. */
const RESERVE = 4096;
const NO_FIGURES = Object.freeze({ figure: () => '' });

const isTelling = (/** @type {ComparedCase['verdict']} */ verdict) => verdict === 'worse' || verdict === 'better';
const always = () => true;

/**
 * @param {Comparison} comparison
 * @param {{nameA: string, nameB: string, color?: boolean}} options nameA, nameB: what the user calls the runs; color:
 *   default: where standard output takes it
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
    section('The runs differ in what matters (A, B):', differences.map(differenceText)),
    cases.length === 0 ? '' : terminalTable(caseTable({ comparison, others: [] }, always, { named: true }), { paint }),
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

/**
 * @param {Compared} compared
 * @returns {Report}
 */
export function makeComparisonReport(compared) {
  return makeDocument(TITLE, (figures) => `# ${TITLE}\n\n${renderBlocks(reportBlocks(compared), figures)}\n`);
}

/**
 * @param {Compared} compared
 * @returns {Block[]}
 */
function reportBlocks(compared) {
  const { comparison } = compared;
  const { cases, failures = [], onlyInA, onlyInB } = comparison;
  return [
    verdictBlock(comparison),
    list(sideLines(compared)),
    ...tellingBlocks(compared),
    ...chanceSentences(comparison).map(text),
    heading(2, 'Circumstances'),
    ...circumstances(comparison),
    ...[...new Set(cases.map(({ benchmark }) => benchmark))].flatMap((name) => benchmarkBlocks(compared, name)),
    ...(failures.length > 0 ? [heading(2, 'All failures'), failureTable(failures, always)] : []),
    ...unknownSentences(failures).map(text),
    ...onlyIn('A', caseNames(onlyInA)),
    ...onlyIn('B', caseNames(onlyInB)),
  ];
}

/** @param {Comparison} comparison */
function verdictBlock(comparison) {
  const sentences = verdictSentences(comparison).map(({ text: sentence, worse }) =>
    worse ? `**${escapeProse(sentence)}**` : escapeProse(sentence),
  );
  return markdown(sentences.join(' '));
}

/**
 * @param {Compared} compared
 * @returns {Block[]} what is worse, then what is better
 */
function tellingBlocks(compared) {
  const { failures = [] } = compared.comparison;
  return /** @type {const} */ ([
    ['worse', 'Worse'],
    ['better', 'Better'],
  ]).flatMap(([verdict, title]) => {
    const cases = caseTable(compared, (one) => one.verdict === verdict, { named: true });
    const figures = failureTable(failures, (one) => one === verdict);
    return cases.rows.length + figures.rows.length === 0 ? [] : [heading(2, title), cases, figures];
  });
}

/**
 * @param {Compared} compared
 * @param {string} benchmark
 * @returns {Block[]}
 */
function benchmarkBlocks(compared, benchmark) {
  const { comparison } = compared;
  const own = comparison.cases.filter((one) => one.benchmark === benchmark);
  const failure = (comparison.failures ?? []).some((one) => one.benchmark === benchmark);
  // A trial or two with a failure in them say nothing about throughput. Their losses have a table of their own.
  if (failure && own.every(({ ratio }) => ratio === null)) return [];
  const drawn = comparisonChart(comparison, benchmark);
  return [
    heading(2, benchmark),
    ...(drawn ? [chart(drawn)] : []),
    caseTable(compared, (one) => one.benchmark === benchmark),
  ];
}

/**
 * @param {Comparison} comparison
 * @param {number} [most] characters
 * @returns {Block[]} what makes the runs hard to compare
 */
function circumstances(comparison, most = Infinity) {
  const differences = comparison.differences.map(differenceText);
  return [
    ...(differences.length === 0
      ? [text('The runs were made alike: server, machine, backend, configuration, clients and profile.')]
      : [markdown('**The runs differ in what matters (A, B):**'), list(cut(differences, most))]),
    ...neighbourSentences(comparison).map(text),
  ];
}

/**
 * @param {'A' | 'B'} side
 * @param {string[]} names
 * @returns {Block[]}
 */
function onlyIn(side, names) {
  return names.length === 0 ? [] : [text(`Only in ${side}:`), list(names)];
}

/**
 * What is worse or better comes first, the rest is folded. Rows that do not fit are counted.
 *
 * @param {Compared} compared
 * @returns {string} Markdown that fits a comment on GitHub
 */
export function renderPullRequest(compared) {
  const { comparison } = compared;
  const { failures = [], onlyInA, onlyInB } = comparison;
  const differ = comparison.differences.length > 0 || neighbourSentences(comparison).length > 0;
  // Cases that B no longer measures have no verdict, and may be what matters.
  const only = /** @type {const} */ ([
    ['A', caseNames(onlyInA)],
    ['B', caseNames(onlyInB)],
  ]).flatMap(([side, names]) =>
    names.length === 0
      ? []
      : [fold(`Only in ${side}, not compared: ${plural(names.length, 'case')}`, onlyIn(side, cut(names, COMMENT / 8)))],
  );
  const first = [
    markdown('### sentinel-bench'),
    verdictBlock(comparison),
    ...chanceSentences(comparison).map(text),
    ...(differ ? circumstances(comparison, COMMENT / 4) : []),
  ];
  const sides = fold('What was compared', [list(sideLines(compared)), ...(differ ? [] : circumstances(comparison))]);
  const room = { left: COMMENT - RESERVE - sizeOf([...first, sides, ...only]) };
  const of = (/** @type {ComparedCase['verdict']} */ verdict) =>
    caseTable(compared, (one) => one.verdict === verdict, { named: true });
  const [worse, better] = [of('worse'), of('better')];
  const telling = fitted({ ...worse, rows: [...worse.rows, ...better.rows] }, room);
  const tellingFailures = fitted(failureTable(failures, isTelling), room);
  const rest = caseTable(compared, ({ verdict }) => !isTelling(verdict), { named: true });
  const restFailures = failureTable(failures, (verdict) => !isTelling(verdict));
  const unknown = casesThatAre(comparison, 'unknown').length > 0 ? ', or unknown' : '';
  const folds = [
    ...(rest.rows.length === 0
      ? []
      : [fold(`No difference${unknown}: ${plural(rest.rows.length, 'case')}`, fitted(rest, room))]),
    ...(restFailures.rows.length === 0
      ? []
      : [
          fold(`Failures without a difference, or unknown: ${plural(restFailures.rows.length, 'figure')}`, [
            ...fitted(restFailures, room),
            ...unknownSentences(failures).map(text),
          ]),
        ]),
  ];
  return renderBlocks([...first, ...telling, ...tellingFailures, sides, ...folds, ...only], NO_FIGURES);
}

/** @param {readonly Block[]} blocks */
function sizeOf(blocks) {
  return renderBlocks(blocks, NO_FIGURES).length;
}

/**
 * @param {TableBlock} table
 * @param {{left: number}} room characters; reduced by what the blocks take
 * @returns {Block[]} as many rows as fit, from the top
 */
function fitted(table, room) {
  const { rows } = table;
  if (rows.length === 0) return [];
  let shown = rows.length;
  const size = () => sizeOf([{ ...table, rows: rows.slice(0, shown) }]);
  while (shown > 0 && size() > room.left)
    shown = Math.max(0, Math.floor(shown * Math.min(0.9, Math.max(0, room.left) / size())));
  const missing = rows.length - shown;
  const blocks = [
    { ...table, rows: rows.slice(0, shown) },
    ...(missing === 0
      ? []
      : [text(`${plural(missing, 'more row')} left out: a comment holds no more; see the report.`)]),
  ];
  room.left -= sizeOf(blocks);
  return blocks;
}

/**
 * @param {string[]} items
 * @param {number} most characters
 * @returns {string[]} as many as fit, and how many more there are
 */
function cut(items, most) {
  let size = 0;
  const kept = items.filter((item) => {
    size += item.length + 3;
    return size <= most;
  });
  return kept.length === items.length ? items : [...kept, `and ${items.length - kept.length} more`];
}
