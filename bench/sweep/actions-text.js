/**
 * What `recommend` prints below its answer: what to paste, and what to expect in a year.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { Recommendation } from './recommend.js'
 * @import { Demand, FaultRisk, FaultsPerYear, Yearly, YearlyLoss } from './risk.js'
 */

import { count, plural, rate } from '../../src/format.js';
import { code, list, table, text } from '../../src/report/blocks.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { left, right } from '../../src/table.js';
import { faultNamed } from '../experiments/decision-faults.js';
import { costCell } from './columns.js';
import { pasteOf } from './configuration.js';
import { decisionRows } from './decision.js';
import { ASSUMED_PER_YEAR, ASSUMPTION, riskOf, weigh } from './risk.js';

/**
 * @param {Result} result
 * @param {Recommendation} recommendation
 * @returns {Block[]} empty: no mode to name
 */
export function pasteBlocks({ stack: { masterName } }, { best, meets }) {
  if (best === null) return [];
  const { rollOut, client, runbook, coordinated } = pasteOf(best.row, masterName);
  return [
    text(`${meets.length > 0 ? 'To paste' : 'To paste, for the closest mode'}: ${best.row.title}`),
    ...[
      rollOut,
      client,
      `# Planned failover without loss\n${runbook}`,
      ...(coordinated ? [`# Or in one command, which lost nothing here\n${coordinated}`] : []),
    ].map((each) => code(each)),
  ];
}

/**
 * @param {Result} result
 * @param {Recommendation} recommendation
 * @param {Demand} demand
 * @returns {FaultRisk[]} of the best mode; empty without a best mode
 */
export function yearOf(result, { best, tested }, demand) {
  return best === null ? [] : riskOf(best.row, decisionRows(result), tested, demand);
}

/**
 * @param {Result} result
 * @param {Recommendation} recommendation
 * @param {Demand} demand
 * @returns {Block[]}
 */
export function yearBlocks(result, recommendation, demand) {
  const risks = yearOf(result, recommendation, demand);
  if (risks.length === 0) return [];
  const { failoversPerYear, writesPerSecond } = demand;
  return [
    text(
      `Expected a year with ${recommendation.best?.row.title}, ${plural(failoversPerYear, 'failure')} a year, ${rate(writesPerSecond)} acknowledged:`,
    ),
    list(
      risks.map(
        ({ title, losing, trials, writes, losses, outage }) =>
          `${title}: ${writesText(writes, losses)}; outage ${rangeText(outage)} (loss in ${losing} of ${plural(trials, 'trial')})`,
      ),
    ),
    text(ASSUMPTION),
  ];
}

/**
 * @param {Result} result
 * @param {Recommendation} recommendation
 * @param {{faultsPerYear: FaultsPerYear, writesPerSecond: number}} demand
 * @returns {YearlyLoss[]} of the modes, not of their variants
 */
export function weighedOf(result, { tested }, demand) {
  const modes = decisionRows(result).filter(({ note }) => note === null);
  return weigh(modes, tested, demand);
}

/**
 * @param {Result} result
 * @param {Recommendation} recommendation
 * @param {{faultsPerYear: FaultsPerYear, writesPerSecond: number}} demand
 * @returns {Block[]} empty: no fault was tested
 */
export function weighedBlocks(result, recommendation, demand) {
  const weighed = weighedOf(result, recommendation, demand);
  if (weighed.length === 0) return [];
  const often = { ...ASSUMED_PER_YEAR, ...demand.faultsPerYear };
  const assumed = recommendation.tested.map((id) => `${faultNamed(id).title} ${often[id]}`).join(', ');
  const untested = weighed.filter((each) => each.untested.length > 0).map(({ row }) => row.title);
  return [
    text(
      `Losses a year, the smallest first, at ${rate(demand.writesPerSecond)} acknowledged. Assumed faults a year: ${assumed}. Change them with --faults-per-year.`,
    ),
    table(
      [
        left('mode', ({ row }) => row.title),
        right('writes lost a year', ({ writes }) => count(Math.round(writes))),
        right('everything lost a year', ({ everything }) => (everything === 0 ? '0' : `${short(everything)} times`)),
        right('throughput cost', ({ row }) => costCell(row)),
      ],
      weighed,
    ),
    text(
      'A loss has the median length of those seen, and the frequency of the trials; losses that no trial showed count as none.' +
        `${untested.length > 0 ? ` Not tested in all of these faults: ${untested.join('; ')}.` : ''}`,
    ),
  ];
}

/**
 * @param {Yearly | null} writes
 * @param {Yearly} losses
 */
function writesText(writes, losses) {
  if (writes === null) return `all writes ${times(losses)} times`;
  const high = writes.high === null ? 'unknown: no mode lost any' : count(Math.ceil(writes.high));
  return `${count(Math.round(writes.expected))} writes lost (${count(Math.floor(writes.low))} to ${high})`;
}

/** @param {Yearly} losses */
function times({ expected, low, high }) {
  return `${short(expected)} (${short(low)} to ${short(high ?? 0)})`;
}

/** @param {number} value */
function short(value) {
  return Number(value.toPrecision(2));
}

/** @param {FaultRisk['outage']} outage */
function rangeText({ medianMs, lowMs, highMs }) {
  return lowMs === highMs
    ? milliseconds(medianMs)
    : `${milliseconds(medianMs)} (${milliseconds(lowMs)}–${milliseconds(highMs)})`;
}
