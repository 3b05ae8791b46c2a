/**
 * What the client libraries lost, on the front page: with default options, with ioredis' failover detector, and as the clients of
 * examples/.
 *
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { totalOrNull } from '../../src/audit/of-trials.js';
import { plural } from '../../src/format.js';
import { findWriter } from '../../src/registry/writers.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { lostSeconds, trialsText, upToText } from '../../src/report/trials/losses.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { caseTitle, DEFAULT_WRITERS, EXAMPLE_WRITERS, LIBRARY_WRITERS } from '../experiments/cases.js';
import { scenarioRows } from '../experiments/rows.js';

/** @typedef {TrialRow & {name: string}} LibraryLoss a writer in a case of a scenario; name: of the writer */

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} one paragraph: the defaults, then other options and the examples; empty: no library wrote
 */
export function libraryAnswer(failures) {
  const all = lossesOf(failures);
  const worst = LIBRARY_WRITERS.flatMap((name) => all.filter((each) => each.name === name).sort(largestFirst)[0] ?? []);
  const [defaults, others] = [true, false].map((wanted) =>
    worst.sort(largestFirst).filter(({ name }) => DEFAULT_WRITERS.includes(name) === wanted),
  );
  const sentences = [
    ...(defaults.length > 0
      ? [
          `Writes lost through client libraries: ${defaults.map(lossText).join('; ')}; ${trialsText(defaults.map(({ loss }) => loss))} each.`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `${capitalised(variantsOf(others).join(' and '))}: ` +
            `${others.map(({ writer, loss }) => `\`${writer}\` ${loss.most === 0 ? 'none' : upToText(loss)}`).join(', ')}.`,
        ]
      : []),
    ...falseAcksText(failures, all),
  ];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}

/** @param {readonly LibraryLoss[]} losses @returns {string[]} how their writers differ from the defaults of their libraries, those that confirm each write last */
function variantsOf(losses) {
  const variants = losses.flatMap(({ name }) => findWriter(name)?.variant ?? []);
  const inOrder = variants.sort((a, b) => Number(a.confirms) - Number(b.confirms));
  return [...new Set(inOrder.map(({ how, word }) => `${how} (${word})`))];
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

/** @param {readonly BenchmarkResult[]} failures @param {readonly LibraryLoss[]} losses @returns {string[]} one sentence; empty: no example sent a WAIT */
function falseAcksText(failures, losses) {
  const audits = failures.flatMap((benchmark) =>
    groupsOf(benchmark, { writers: EXAMPLE_WRITERS }).flatMap((group) => group.audits),
  );
  const falseAcks = totalOrNull(audits, 'falseAcks');
  if (falseAcks === null) return [];
  const where = new Set(
    losses.filter(({ name, loss }) => EXAMPLE_WRITERS.includes(name) && loss.most > 0).map(({ fault }) => fault.title),
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
    LIBRARY_WRITERS.flatMap((name) => scenarioRows(benchmark, { writers: [name] }).map((row) => ({ ...row, name }))),
  );
}
