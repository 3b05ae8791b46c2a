/** `sentinel-bench compare`: says case by case whether run B is better or worse than run A. */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ResultSchema } from '../../bench/index.js';
import { badInput, ExitStatus } from '../errors.js';
import { firstFew } from '../format.js';
import { parseShare } from '../quantities.js';
import { compareResults, differenceText, isJudged, isWorse, METRICS } from '../report/compare/compare.js';
import { renderComparison, renderPullRequest } from '../report/compare/comparison-report.js';
import { isResultFile, readResult } from '../result/read.js';
import { declare } from './declare.js';
import { print, printJson, tell } from './output.js';

/**
 * @import { Comparison } from '../report/compare/compare.js'
 * @import { Result } from '../result/schema.js'
 * @import { Command } from 'commander'
 */

/** Short rounds on a shared machine differ by this much from run to run. */
const DEFAULT_THRESHOLD = 0.05;
/** The most differences that an error sentence names. All of them are listed below it. */
const MOST_IN_A_SENTENCE = 4;

/** @param {Command} program gets the command */
export function addCompareCommand(program) {
  declare(program, 'compare', {
    metric: { choices: Object.keys(METRICS), byDefault: 'throughput' },
    threshold: { parse: parseShare, byDefault: DEFAULT_THRESHOLD, shown: '5%' },
    pr: { conflicts: 'json' },
  }).action(compare);
}

/**
 * @param {string} placeA
 * @param {string} placeB
 * @param {{metric: string, threshold: number, anyway?: boolean, json?: boolean, pr?: boolean}} options
 */
async function compare(placeA, placeB, { metric, threshold, anyway = false, json = false, pr = false }) {
  const [a, b] = [await readResult(placeA, ResultSchema), await readResult(placeB, ResultSchema)];
  // Two runs never agree in every time and figure.
  const same = isDeepStrictEqual(a, b);
  if (same)
    tell(`${placeA} and ${placeB} are the same run, so nothing differs. Name two different runs to compare them.`);
  const comparison = compareResults(a, b, { metric, threshold });
  if (comparison.cases.length === 0) {
    throw badInput(`${placeA} and ${placeB} have no case in common.`, 'Name two runs of the same benchmarks.', {
      detail: [...notMeasured('A', a), ...notMeasured('B', b)].join('\n'),
    });
  }
  if (!anyway && comparison.differences.length > 0) throw notAlike(comparison.differences);
  // A comment must not show where the runs lie.
  const [sideA, sideB] = /** @type {const} */ ([
    [placeA, a],
    [placeB, b],
  ]).map(([place, result]) => ({ name: pr ? nameOf(place) : place, result }));
  if (json) printJson(comparison);
  else print((pr ? renderPullRequest : renderComparison)(sideA, sideB, comparison));
  // A CI job must not mistake "nothing could be compared" for "nothing is worse".
  if (!same && !isJudged(comparison)) {
    throw badInput(
      `No case can be compared by ${METRICS[metric].what}; the first: ${comparison.cases[0].reason}.`,
      'Choose another --metric, or measure with more and longer rounds (--profile standard).',
    );
  }
  process.exitCode = isWorse(comparison) ? ExitStatus.checkFailed : ExitStatus.ok;
}

/** @param {string} place @returns {string} name of the run, without the path */
function nameOf(place) {
  const full = path.resolve(place);
  return path.basename(isResultFile(full) ? path.dirname(full) : full);
}

/** @param {string} side @param {Result} result */
function notMeasured(side, { benchmarks }) {
  return benchmarks
    .filter(({ status }) => status !== 'ok')
    .map(({ name, status, reason }) => `${side}: ${name} ${status}: ${reason}`);
}

/** @param {Comparison['differences']} differences at least one */
function notAlike(differences) {
  const texts = differences.map(differenceText);
  return badInput(
    `The runs were not made under the same conditions (A, B): ${firstFew(texts, MOST_IN_A_SENTENCE).join(', ')}.`,
    'Compare runs with the same conditions, or add --anyway.',
    texts.length > MOST_IN_A_SENTENCE ? { detail: texts.join('\n') } : {},
  );
}
