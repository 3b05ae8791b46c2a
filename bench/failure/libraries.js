/**
 * What the client libraries lost, on the front page: with default options, with ioredis' failover detector, and as the clients of
 * examples/.
 *
 * @import { Variant } from '../../src/registry/types.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Loss } from '../../src/report/trials/losses.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { findWriter, writerTitle } from '../../src/registry/writers.js';
import { rightAligned, table } from '../../src/report/blocks.js';
import { count, plural } from '../../src/report/format.js';
import { auditsOf, groupsOf, NOT_MEASURED, totalOrNull } from '../../src/report/trials/figures.js';
import { lostSeconds, trialsText, upToText } from '../../src/report/trials/losses.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import {
  caseTitle,
  DEFAULT_WRITERS,
  EXAMPLE_WRITERS,
  LIBRARY_WRITERS,
  trialRows,
  VARIANTS,
} from '../experiments/cases.js';
import { scenarioRows, scenarioTitle } from '../experiments/rows.js';
import { modeTitle } from '../modes.js';

/** @typedef {TrialRow & {name: string, falseAcks: number}} LibraryLoss a writer in a case of a scenario; name: of the writer */

const DEFAULTS = Object.freeze(DEFAULT_WRITERS.map(writerTitle));
const EXAMPLE_TITLES = Object.freeze(EXAMPLE_WRITERS.map(writerTitle));
/** Marks a cell with false acknowledgements. */
const FALSE_MARK = '‡';

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {{besideTable?: boolean}} [options] besideTable: the table and its notes have the other options and the examples
 * @returns {string[]} one paragraph: the defaults, then other options and the examples; empty: no library wrote
 */
export function libraryAnswer(failures, { besideTable = false } = {}) {
  const all = lossesOf(failures);
  const worst = [...new Set(all.map(({ writer }) => writer))]
    .map((writer) => all.filter((each) => each.writer === writer).sort(largestFirst)[0])
    .sort(largestFirst);
  const defaults = worst.filter(({ writer }) => DEFAULTS.includes(writer));
  const others = worst.filter(({ writer }) => !DEFAULTS.includes(writer));
  const trialsIn = (/** @type {readonly LibraryLoss[]} */ some) => trialsText(some.map(({ loss }) => loss));
  const sentences = [
    ...(defaults.length > 0
      ? [
          `Writes lost through client libraries: ${(besideTable ? defaults.slice(0, 1) : defaults).map(lossText).join('; ')}; ${trialsIn(defaults)} each.`,
        ]
      : []),
    ...(others.length > 0 && !besideTable
      ? [
          // The table has their scenarios and seconds.
          `${capitalised(
            variantsOf(others)
              .map(({ how, word }) => `${how} (${word})`)
              .join(' and '),
          )}: ` +
            `${others.map(({ writer, loss }) => `\`${writer}\` ${loss.most === 0 ? 'none' : upToText(loss)}`).join(', ')}.`,
        ]
      : []),
    ...falseAcksText(failures),
  ];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {LibraryLoss | null} the largest loss of a library with its default options; null: no library wrote
 */
export function worstDefault(failures) {
  const [worst] = lossesOf(failures)
    .filter(({ writer }) => DEFAULTS.includes(writer))
    .sort(largestFirst);
  return worst ?? null;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} libraries that with their default options counted writes as confirmed by a WAIT on another connection
 */
export function falselyAcking(failures) {
  return [
    ...new Set(
      lossesOf(failures).flatMap(({ writer, falseAcks }) =>
        DEFAULTS.includes(writer) && falseAcks > 0 ? [writer] : [],
      ),
    ),
  ];
}

/**
 * @param {readonly LibraryLoss[]} losses
 * @returns {readonly Variant[]} how their writers differ from the defaults of their libraries
 */
function variantsOf(losses) {
  const words = new Set(losses.map(({ name }) => findWriter(name)?.variant?.word));
  return VARIANTS.filter(({ word }) => words.has(word));
}

/** @param {string} text */
function capitalised(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** @param {LibraryLoss} worst of a writer */
function lossText({ writer, fault, one, loss }) {
  if (loss.most === 0) return `\`${writer}\` lost none`;
  const where = [
    ...(loss.seconds === null || loss.everything ? [] : [lostSeconds(loss)]),
    fault.title,
    caseTitle(one.params),
  ];
  return `\`${writer}\` lost ${upToText(loss)} (${where.join(', ')})`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} one sentence; empty: no example sent a WAIT
 */
function falseAcksText(failures) {
  const audits = failures.flatMap((benchmark) =>
    groupsOf(benchmark, { writers: EXAMPLE_WRITERS }).flatMap((group) => group.audits),
  );
  const falseAcks = totalOrNull(audits, 'falseAcks');
  if (falseAcks === null) return [];
  const where = new Set(
    lossesOf(failures)
      .filter(({ writer, loss }) => EXAMPLE_TITLES.includes(writer) && loss.most > 0)
      .map(({ fault }) => fault.title),
  );
  const only = where.size === 1 ? `, and lost writes only in: ${[...where]}` : '';
  return [
    `The examples had ${falseAcks === 0 ? 'no false acknowledgement' : plural(falseAcks, 'false acknowledgement')}${only}.`,
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {(loss: Loss) => string} figure of a cell
 * @returns {Block[]} a scenario and mode a row, a client a column; empty: no library lost a write or acknowledged one falsely
 */
export function libraryLosses(failures, figure) {
  const all = lossesOf(failures);
  const shown = all.filter(isNoteworthy);
  if (shown.length === 0) return [];
  const writers = LIBRARY_WRITERS.map(writerTitle).filter((title) => all.some(({ writer }) => writer === title));
  const rows = [...new Set(shown.map(rowTitle))].map((title) => [
    title,
    ...writers.map((writer) => {
      const found = all.find((each) => rowTitle(each) === title && each.writer === writer);
      return found ? `${figure(found.loss)}${found.falseAcks > 0 ? ` ${FALSE_MARK}` : ''}` : NOT_MEASURED;
    }),
  ]);
  return [table(['scenario, mode', ...rightAligned(writers)], rows)];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} sentences: what the columns, the marks and the missing rows of that table mean; empty: no library wrote
 */
export function libraryNotes(failures) {
  const all = lossesOf(failures);
  if (all.length === 0) return [];
  const shown = new Set(all.filter(isNoteworthy).map(rowTitle));
  const safe = [...new Set(all.map(rowTitle))].filter((title) => !shown.has(title));
  const marked = all.some(({ falseAcks }) => falseAcks > 0);
  const triedBy = all.filter((each) => safe.includes(rowTitle(each)));
  const only = triedBy.every(({ writer }) => EXAMPLE_TITLES.includes(writer)) ? ' by the examples' : '';
  return [
    [
      `Library clients: ${['default options', ...variantsOf(all).map(({ word, what }) => `${word}: ${what}`)].join('; ')}.`,
      ...paceText(failures, all),
    ].join(' '),
    ...(marked
      ? [
          `${FALSE_MARK}: false acknowledgements: the client counted writes as confirmed, but the \`WAIT\` ran on another connection.`,
        ]
      : []),
    ...(safe.length > 0
      ? [`Also tried${only}, without a loss${marked ? ` or ${FALSE_MARK}` : ''}: ${safe.join('; ')}.`]
      : []),
    ...twiceText(failures),
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly LibraryLoss[]} all
 * @returns {string[]} a sentence; empty: all clients write at one rate, or at several
 */
function paceText(failures, all) {
  const rateOf = (/** @type {readonly TrialRow[]} */ some) => [...new Set(some.map(({ one }) => one.params.rate))];
  const [library, ...more] = rateOf(all);
  const [native, ...others] = rateOf(failures.flatMap((benchmark) => trialRows(benchmark)));
  if (library === undefined || native === undefined || library === native || more.length + others.length > 0) return [];
  return [`Compare seconds: a library client writes ${count(library)} a second, the native client ${count(native)}.`];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} a sentence; empty: no library repeated a write that had been applied
 */
function twiceText(failures) {
  const parts = failures.flatMap((benchmark) =>
    groupsOf(benchmark, { writers: LIBRARY_WRITERS }).flatMap(({ case: { params }, writer, audits }) => {
      const twice = totalOrNull(audits, 'appliedTwice') ?? 0;
      if (twice === 0) return [];
      return `${writerTitle(writer)} ${count(twice)} (${scenarioTitle(benchmark.name, params)}, ${modeTitle(params)})`;
    }),
  );
  return parts.length === 0 ? [] : [`Writes applied twice: ${parts.join('; ')}.`];
}

/** @param {LibraryLoss} row */
function isNoteworthy({ loss, falseAcks }) {
  return loss.most > 0 || falseAcks > 0;
}

/** @param {LibraryLoss} row */
function rowTitle({ fault, mode }) {
  return `${fault.title}, ${mode}`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {LibraryLoss[]} in the order of the scenarios, then of the cases
 */
function lossesOf(failures) {
  return failures.flatMap((benchmark) =>
    LIBRARY_WRITERS.flatMap((name) =>
      scenarioRows(benchmark, { writers: [name] }).map((row) => {
        const audits = auditsOf(benchmark, row.one).filter(({ writer }) => writer === name);
        return { ...row, name, falseAcks: totalOrNull(audits, 'falseAcks') ?? 0 };
      }),
    ),
  );
}
