/** `sentinel-bench recommend`: the durability modes of a sweep that meet given limits, cheapest first. */

import { InvalidArgumentError } from 'commander';
import { ResultSchema, recommender } from '../../bench/index.js';
import { badInput, ExitStatus } from '../errors.js';
import { countBetween, durationBetween, parseShare, rateBetween } from '../quantities.js';
import { terminalText, WIDTH } from '../report/terminal.js';
import { readResult } from '../result/read.js';
import { NS_A_MS } from '../units.js';
import { declare } from './declare.js';
import { print, printJson } from './output.js';

/**
 * @import { FaultId } from '../../bench/experiments/decision-faults.js'
 * @import { Survival } from '../../bench/sweep/decision.js'
 * @import { Limits } from '../../bench/sweep/recommend.js'
 * @import { FaultsPerYear } from '../../bench/sweep/risk.js'
 * @import { Result } from '../result/schema.js'
 * @import { Command } from 'commander'
 */

/**
 * @typedef {Omit<Limits, 'batch' | 'maxP99Ns' | 'maxUnavailableMs'> & {pipeline: '1' | '100', maxP99?: number, maxUnavailable?: number, faultsPerYear?: FaultsPerYear,
 *   writesPerSecond?: number, json?: boolean}} RecommendOptions
 */

const SURVIVALS = recommender.survivals;
const FAULTS = recommender.faults;

const lossCount = countBetween({ least: 0, most: 1e12, shown: '0 and 1,000,000,000,000' });
const perSecond = rateBetween({ least: 1, most: 1e9, shown: '1/s and 1,000,000,000/s' });
const timesAYear = rateBetween({ least: 0.001, most: 1e6, shown: '0.001 and 1,000,000' });

/** @param {Command} program gets the command */
export function addRecommendCommand(program) {
  declare(
    program,
    'recommend',
    {
      faults: { parse: parseFaults },
      maxLoss: { parse: parseLoss },
      maxP99: { parse: durationBetween({ least: 0.001, most: 60_000, shown: '0.001ms and 60s' }) },
      minThroughput: { parse: parseThroughput },
      maxUnavailable: { parse: durationBetween({ least: 1, most: 3_600_000, shown: '1ms and 1h' }) },
      survive: { parse: collectSurvivals },
      faultsPerYear: { parse: parseFaultsPerYear },
      writesPerSecond: { parse: rateBetween({ least: 0.001, most: 1e9, shown: '0.001 and 1,000,000,000' }) },
      pipeline: { choices: ['1', '100'], byDefault: '1' },
    },
    { faults: FAULTS.join(', '), survivals: SURVIVALS.join(' or '), defaults: recommender.defaultOptions },
  ).action(answer);
}

/** @param {string} place @param {RecommendOptions} options */
async function answer(place, { json = false, ...options }) {
  checkAgreement(options);
  const result = await readResult(place, ResultSchema);
  /** @type {Limits} */
  const limits = { ...limitsOf(options), batch: options.pipeline === '100' ? 100 : 1 };
  const { faultsPerYear, writesPerSecond = 0 } = options;
  const weights = faultsPerYear === undefined ? undefined : { faultsPerYear, writesPerSecond };
  const found = recommender.answer(result, limits, weights);
  if (found === null) throw nothingToAnswerFrom(place, result);
  if (options.faults !== undefined && !found.tested) throw noneTested(place, options.faults);
  if (json) printJson(found.document);
  else print(terminalText(found.blocks, { columns: WIDTH }));
  process.exitCode = found.found ? ExitStatus.ok : ExitStatus.checkFailed;
}

/**
 * @param {Omit<RecommendOptions, 'json'>} options
 * @throws {UserError} no mode could meet them, or one of them needs another
 */
function checkAgreement({ maxP99, maxUnavailable, faultsPerYear, writesPerSecond }) {
  if (maxP99 !== undefined && maxUnavailable !== undefined && maxUnavailable < maxP99)
    throw badInput(
      'No mode can meet these limits: --max-unavailable is shorter than --max-p99.',
      'Give a longer outage, or a shorter p99.',
    );
  if ((faultsPerYear === undefined) !== (writesPerSecond === undefined))
    throw badInput(
      '--faults-per-year and --writes-per-second belong together.',
      'Give both, for instance --faults-per-year usual --writes-per-second 500.',
    );
}

/** @param {string} place @param {readonly FaultId[]} faults */
function noneTested(place, faults) {
  return badInput(
    `${place} has no trial of ${faults.join(', ')}.`,
    'Measure them with `sentinel-bench run --suite config-sweep` on a server that has them, or ask for other faults.',
  );
}

/** @param {Omit<RecommendOptions, 'json'>} options @returns {Omit<Limits, 'batch'>} only the given limits */
function limitsOf({ faults, maxLoss, maxP99, minThroughput, maxUnavailable: maxUnavailableMs, survive }) {
  const maxP99Ns = maxP99 && maxP99 * NS_A_MS;
  const limits = { faults, maxLoss, maxP99Ns, minThroughput, maxUnavailableMs, survive };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** @param {string} place @param {Result} result */
function nothingToAnswerFrom(place, { benchmarks }) {
  const tried = benchmarks.filter(({ name }) => recommender.benchmarks.includes(name));
  const why = tried.map(({ name, status, reason }) => `${name} ${status}${reason === undefined ? '' : `: ${reason}`}`);
  return badInput(
    tried.length === 0 ? `${place} has no configuration sweep.` : `No configuration was measured in ${place}.`,
    'Measure one with `sentinel-bench run --suite config-sweep`, and name its folder.',
    { ...(why.length > 0 && { detail: why.join('\n') }) },
  );
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

/**
 * @param {string} text names with commas between them
 * @returns {FaultId[]}
 */
function parseFaults(text) {
  const names = text.split(',').map((name) => name.trim());
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw new InvalidArgumentError(`${repeated} is named twice.`);
  return names.map((name) => {
    const fault = FAULTS.find((id) => id === name);
    if (fault === undefined) throw new InvalidArgumentError(`Allowed choices are ${FAULTS.join(', ')}.`);
    return fault;
  });
}

/** Stands for the assumptions of this program. */
const USUAL = 'usual';

/**
 * @param {string} text such as `kill=2,runbook=52`, or `usual`
 * @returns {FaultsPerYear} empty: the assumptions of this program
 */
function parseFaultsPerYear(text) {
  if (text.trim() === USUAL) return {};
  /** @type {{-readonly [fault in keyof FaultsPerYear]: number}} */
  const rates = {};
  for (const part of text.split(',')) {
    const [name, value, ...others] = part.split('=').map((each) => each.trim());
    if (value === undefined || others.length > 0)
      throw new InvalidArgumentError(`Write NAME=NUMBER, with commas between them, or ${USUAL}.`);
    const [fault] = parseFaults(name);
    if (rates[fault] !== undefined) throw new InvalidArgumentError(`${fault} is named twice.`);
    rates[fault] = value === '0' ? 0 : timesAYear(value);
  }
  return rates;
}

/** @param {string} text @param {Survival[]} [earlier] */
function collectSurvivals(text, earlier = []) {
  const wanted = SURVIVALS.find((survival) => survival === text);
  if (wanted === undefined) throw new InvalidArgumentError(`Allowed choices are ${SURVIVALS.join(', ')}.`);
  return [...earlier, wanted];
}
