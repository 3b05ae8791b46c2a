/**
 * What the client libraries lost, on the front page: with default options, with ioredis' failover detector, and as the clients of
 * examples/.
 *
 * @import { Variant } from '../../src/registry/types.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { auditsOf, totalOrNull } from '../../src/audit/of-trials.js';
import { plural } from '../../src/format.js';
import { findWriter, writerTitle } from '../../src/registry/writers.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { lostSeconds, trialsText, upToText } from '../../src/report/trials/losses.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { caseTitle, DEFAULT_WRITERS, EXAMPLE_WRITERS, LIBRARY_WRITERS, VARIANTS } from '../experiments/cases.js';
import { scenarioRows } from '../experiments/rows.js';

/** @typedef {TrialRow & {name: string, falseAcks: number}} LibraryLoss a writer in a case of a scenario; name: of the writer */

const DEFAULTS = Object.freeze(DEFAULT_WRITERS.map(writerTitle));
const EXAMPLE_TITLES = Object.freeze(EXAMPLE_WRITERS.map(writerTitle));

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

/** @param {readonly BenchmarkResult[]} failures @returns {string[]} one sentence; empty: no example sent a WAIT */
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
