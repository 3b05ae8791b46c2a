/**
 * `sentinel-bench recommend`: its options, what it prints, and its exit status.
 */
import { InvalidArgumentError, Option } from 'commander';
import { ExitStatus, UserError } from './errors.js';
import { decisionRows, PAUSING, SWEEP } from './report/decision.js';
import { markedTableText, recommendationText } from './report/decision-text.js';
import { readResult } from './report/read.js';
import { DEFAULT_LIMITS, DEFAULT_OPTIONS, recommend } from './report/recommend.js';
import { recommendationDocument } from './report/recommend-document.js';
import { countBetween, durationBetween, parseShare, rateBetween } from './units.js';

/**
 * @typedef {import('./report/recommend.js').Limits} Limits
 * @typedef {import('./report/decision.js').Survival} Survival
 * @typedef {Omit<Limits, 'batch' | 'maxP99Ns' | 'maxUnavailableMs'> & {batch: '1' | '100', maxP99?: number, maxUnavailable?: number, json?: boolean}} Options
 */

const NS_A_MS = 1e6;
const SURVIVALS = /** @type {Survival[]} */ (Object.keys(PAUSING));

const lossCount = countBetween({ least: 0, most: 1e12, shown: '0 and 1,000,000,000,000' });
const perSecond = rateBetween({ least: 1, most: 1e9, shown: '1/s and 1,000,000,000/s' });
const latency = durationBetween({ least: 0.001, most: 60_000, shown: '0.001ms and 60s' });
const outage = durationBetween({ least: 1, most: 3_600_000, shown: '1ms and 1h' });

/**
 * @param {import('commander').Command} command gets the options and the action
 */
export function addRecommendCommand(command) {
  command
    .summary('name the configurations of a sweep that keep to limits, cheapest first')
    .description(
      'Answers from the result of a configuration sweep which of the measured configurations keep to the limits given. ' +
        'An interval keeps to a limit, or is ruled out by it, as a whole; a limit within it leaves the question open.',
    )
    .argument('<folder>', 'folder of the run, or its result.json')
    .option('--max-loss <writes>', 'acknowledged writes a kill or a cut may lose, such as 0, 100 or 1%', parseLoss)
    .option('--max-p99 <time>', 'of service time when all is well, such as 5ms or 0.5ms', latency)
    .option(
      '--min-throughput <rate>',
      'acked writes a second, such as 10000, or of async, such as 50%',
      parseThroughput,
    )
    .option('--max-unavailable <time>', 'without an acknowledgement after a kill or a cut, such as 10s', outage)
    .option(
      '--survive <what>',
      `writes go on at the end of a long pause: ${SURVIVALS.join(' or ')}; may be repeated`,
      collectSurvivals,
    )
    .addOption(
      new Option('--batch <writes>', 'writes a batch that throughput and p99 are judged at')
        .choices(['1', '100'])
        .default('1'),
    )
    .option('--json', 'print the recommendation document to standard output, and nothing else')
    .addHelpText(
      'after',
      `
Without any limit: ${DEFAULT_OPTIONS}.

Exit status: 0 a configuration keeps to all limits; 1 none does; 2 there is nothing to answer from.

Examples:
  sentinel-bench recommend results/latest
  sentinel-bench recommend results/latest --max-loss 0 --max-p99 5ms --survive one-replica-down
  sentinel-bench recommend results/latest --max-loss 1% --max-unavailable 10s --min-throughput 50% --batch 100`,
    )
    .action(answer);
}

/**
 * @param {string} place
 * @param {Options} options
 */
async function answer(place, { json = false, ...options }) {
  const result = await readResult(place);
  if (decisionRows(result).length === 0) throw nothingToAnswerFrom(place, result);
  const given = limitsOf(options);
  const byDefault = Object.keys(given).length === 0;
  const recommendation = recommend(result, {
    ...(byDefault ? DEFAULT_LIMITS : given),
    batch: options.batch === '100' ? 100 : 1,
  });
  const text = json
    ? JSON.stringify(recommendationDocument(recommendation), null, 2)
    : [
        markedTableText(result),
        '',
        recommendationText(result, recommendation, byDefault ? `\`${DEFAULT_OPTIONS}\`, for none was given` : ''),
      ].join('\n');
  process.stdout.write(`${text}\n`);
  process.exitCode = recommendation.meets.length > 0 ? ExitStatus.ok : ExitStatus.checkFailed;
}

/**
 * @param {Omit<Options, 'json'>} options
 * @returns {Omit<Limits, 'batch'>} only what was given
 */
function limitsOf({ maxLoss, maxP99, minThroughput, maxUnavailable, survive }) {
  return {
    ...(maxLoss !== undefined && { maxLoss }),
    ...(maxP99 !== undefined && { maxP99Ns: maxP99 * NS_A_MS }),
    ...(minThroughput !== undefined && { minThroughput }),
    ...(maxUnavailable !== undefined && { maxUnavailableMs: maxUnavailable }),
    ...(survive !== undefined && { survive }),
  };
}

/**
 * @param {string} place
 * @param {import('./report/schema.js').Result} result
 */
function nothingToAnswerFrom(place, { benchmarks }) {
  const tried = benchmarks.filter(({ name }) => SWEEP.includes(name));
  const why = tried.map(({ name, status, reason }) => `${name} ${status}${reason === undefined ? '' : `: ${reason}`}`);
  return new UserError(
    tried.length === 0 ? `${place} has no configuration sweep in it.` : `No configuration was measured in ${place}.`,
    'Measure one with `sentinel-bench run --suite config-sweep`, and name its folder.',
    ExitStatus.badInput,
    { ...(why.length > 0 && { detail: why.join('\n') }) },
  );
}

/** @param {string} text */
function parseLoss(text) {
  return text.trim().endsWith('%') ? { share: parseShare(text) } : { count: lossCount(text) };
}

/** @param {string} text */
function parseThroughput(text) {
  return text.trim().endsWith('%') ? { share: parseShare(text) } : { perSecond: perSecond(text) };
}

/**
 * @param {string} text
 * @param {Survival[]} [earlier]
 */
function collectSurvivals(text, earlier = []) {
  const wanted = SURVIVALS.find((survival) => survival === text);
  if (wanted === undefined) throw new InvalidArgumentError(`Allowed choices are ${SURVIVALS.join(', ')}.`);
  return [...earlier, wanted];
}
