/** `sentinel-bench recommend`: the durability modes of a sweep that meet given limits, cheapest first. */
import { InvalidArgumentError } from 'commander';
import { ResultSchema, recommender } from '../../bench/index.js';
import { ExitStatus } from '../errors.js';
import { countBetween, parseShare, rateBetween } from '../quantities.js';
import { terminalText, WIDTH } from '../report/terminal.js';
import { readResult } from '../result/read.js';
import { NS_A_MS } from '../units.js';
import { print, printJson } from './output.js';
import { refusal } from './refusals.js';

/**
 * @import { FaultId } from '../../bench/experiments/decision-faults.js' @import { Limits } from '../../bench/sweep/recommend.js'
 * @import { FaultsPerYear } from '../../bench/sweep/risk.js' @import { Result } from '../result/schema.js'
 * @import { Commands } from './declare.js'
 * @typedef {Omit<Limits, 'batch' | 'maxP99Ns' | 'maxUnavailableMs'> & {pipeline: '1' | '100', maxP99?: number, maxUnavailable?: number, faultsPerYear?: FaultsPerYear,
 *   writesPerSecond?: number, json?: boolean}} RecommendOptions
 */

const { survivals: SURVIVALS, faults: FAULTS } = recommender;

const lossCount = countBetween('0 and 1,000,000,000,000');
const perSecond = rateBetween('1/s and 1,000,000,000/s');
const timesAYear = rateBetween('0.001 and 1,000,000');

/** @type {Commands} */
export const commands = {
  recommend: {
    run: answer,
    readings: {
      faults: { parse: parseFaults },
      maxLoss: { parse: parseLoss },
      minThroughput: { parse: parseThroughput },
      survive: { parse: (text, earlier = []) => [...earlier, choiceIn(SURVIVALS, text)] },
      faultsPerYear: { parse: parseFaultsPerYear },
    },
    values: { faults: FAULTS.join(', '), survivals: SURVIVALS.join(' or '), defaults: recommender.defaultOptions },
  },
};

/** @param {string} place @param {RecommendOptions} options */
async function answer(place, { json = false, ...options }) {
  const { maxP99, maxUnavailable, faultsPerYear, writesPerSecond } = options;
  if (maxP99 !== undefined && maxUnavailable !== undefined && maxUnavailable < maxP99)
    throw refusal('outage-below-p99');
  if ((faultsPerYear === undefined) !== (writesPerSecond === undefined)) throw refusal('rates-belong-together');
  const result = await readResult(place, ResultSchema);
  const weights = faultsPerYear && { faultsPerYear, writesPerSecond: writesPerSecond ?? 0 };
  const found = recommender.answer(result, limitsOf(options), weights);
  if (found === null) throw nothingToAnswerFrom(place, result);
  if (options.faults !== undefined && !found.tested)
    throw refusal('faults-untested', { place, faults: options.faults.join(', ') });
  if (json) printJson(found.document);
  else print(terminalText(found.blocks, { columns: WIDTH }));
  process.exitCode = found.found ? ExitStatus.ok : ExitStatus.checkFailed;
}

/** @param {Omit<RecommendOptions, 'json'>} options @returns {Limits} only those that are given */
function limitsOf({ faults, maxLoss, maxP99, minThroughput, maxUnavailable: maxUnavailableMs, survive, pipeline }) {
  const maxP99Ns = maxP99 && maxP99 * NS_A_MS;
  const limits = { faults, maxLoss, maxP99Ns, minThroughput, maxUnavailableMs, survive };
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return { ...Object.fromEntries(given), batch: pipeline === '100' ? 100 : 1 };
}

/** @param {string} place @param {Result} result */
function nothingToAnswerFrom(place, { benchmarks }) {
  const tried = benchmarks.filter(({ name }) => recommender.benchmarks.includes(name));
  if (tried.length === 0) return refusal('no-sweep', { place });
  const why = tried.map(({ name, status, reason }) => `${name} ${status}${reason === undefined ? '' : `: ${reason}`}`);
  return refusal('sweep-empty', { place }, { detail: why.join('\n') });
}

/** @param {string} text */
function parseLoss(text) {
  return text.trim().endsWith('%') ? { share: parseShare(text) } : { count: lossCount(text) };
}

/** @param {string} text */
function parseThroughput(text) {
  if (!text.trim().endsWith('%')) return { perSecond: perSecond(text) };
  const share = parseShare(text);
  if (share === 0)
    throw new InvalidArgumentError('Every mode has 0% of the throughput of async or more: give a share above 0.');
  return { share };
}

/** @param {string} text names with commas between them @returns {FaultId[]} */
function parseFaults(text) {
  const names = text.split(',').map((name) => name.trim());
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw new InvalidArgumentError(`${repeated} is named twice.`);
  return names.map((name) => choiceIn(FAULTS, name));
}

/** @param {string} text such as `kill=2,runbook=52`, or `usual` @returns {FaultsPerYear} empty: the assumptions of this program */
function parseFaultsPerYear(text) {
  if (text.trim() === 'usual') return {};
  /** @type {{-readonly [fault in keyof FaultsPerYear]: number}} */
  const rates = {};
  for (const part of text.split(',')) {
    const [name, value, ...others] = part.split('=').map((each) => each.trim());
    if (value === undefined || others.length > 0)
      throw new InvalidArgumentError('Write NAME=NUMBER, with commas between them, or usual.');
    const [fault] = parseFaults(name);
    if (rates[fault] !== undefined) throw new InvalidArgumentError(`${fault} is named twice.`);
    rates[fault] = value === '0' ? 0 : timesAYear(value);
  }
  return rates;
}

/** @template {string} Choice @param {readonly Choice[]} choices @param {string} text */
function choiceIn(choices, text) {
  const wanted = choices.find((each) => each === text);
  if (wanted === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  return wanted;
}
