/** `sentinel-bench compare`: says case by case whether run B is better or worse than run A. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ResultSchema } from '../../bench/index.js';
import { ExitStatus } from '../errors.js';
import { firstFew } from '../format.js';
import { compareResults, differenceText, isJudged, isWorse, METRICS } from '../report/compare/compare.js';
import { renderComparison, renderPullRequest } from '../report/compare/comparison-report.js';
import { isResultFile, readResult } from '../result/read.js';
import { print, printJson, tell } from './output.js';
import { refusal } from './refusals.js';

/** @import { Result } from '../result/schema.js' */

export const commands = {
  compare: { run: compare, readings: { metric: { choices: Object.keys(METRICS), byDefault: 'throughput' } } },
};

/** The most differences that an error sentence names. All of them are listed below it. */
const MOST_IN_A_SENTENCE = 4;

/** @param {string} placeA @param {string} placeB @param {Record<string, any> & {metric: string, threshold: number}} options */
async function compare(placeA, placeB, { metric, threshold, anyway = false, json = false, pr = false }) {
  const [a, b] = [await readResult(placeA, ResultSchema), await readResult(placeB, ResultSchema)];
  // Two runs never agree in every time and figure.
  const same = isDeepStrictEqual(a, b);
  if (same)
    tell(`${placeA} and ${placeB} are the same run, so nothing differs. Name two different runs to compare them.`);
  const comparison = compareResults(a, b, { metric, threshold });
  if (comparison.cases.length === 0) {
    const detail = [...notMeasured('A', a), ...notMeasured('B', b)].join('\n');
    throw refusal('no-case-in-common', { a: placeA, b: placeB }, { detail });
  }
  const texts = comparison.differences.map(differenceText);
  if (!anyway && texts.length > 0) {
    const detail = texts.length > MOST_IN_A_SENTENCE ? texts.join('\n') : undefined;
    throw refusal('not-alike', { differences: firstFew(texts, MOST_IN_A_SENTENCE).join(', ') }, { detail });
  }
  // A comment must not show where the runs lie.
  const shown = (/** @type {string} */ place) => (pr ? nameOf(place) : place);
  const render = pr ? renderPullRequest : renderComparison;
  if (json) printJson(comparison);
  else print(render({ name: shown(placeA), result: a }, { name: shown(placeB), result: b }, comparison));
  // A CI job must not mistake "nothing could be compared" for "nothing is worse".
  if (!same && !isJudged(comparison))
    throw refusal('no-case-judged', { metric: METRICS[metric].what, reason: comparison.cases[0].reason });
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
