/**
 * What `recommend` prints below its answer: what to paste, and what to expect in a year.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { Recommendation } from './recommend.js'
 * @import { Demand, FaultRisk, Yearly } from './risk.js'
 */
import { code, list, text } from '../../src/report/blocks.js';
import { count, plural, rate } from '../../src/report/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { pasteOf } from './configuration.js';
import { decisionRows } from './decision.js';
import { ASSUMPTION, riskOf } from './risk.js';

/**
 * @param {Result} result
 * @param {Recommendation} recommendation
 * @returns {Block[]} empty: no mode to name
 */
export function pasteBlocks({ stack: { masterName } }, { best, meets }) {
  if (best === null) return [];
  const { redisConf, sentinelConf, client, runbook, coordinated } = pasteOf(best.row, masterName);
  return [
    text(`${meets.length > 0 ? 'To paste' : 'To paste, for the closest mode'}: ${best.row.title}`),
    ...[
      redisConf,
      sentinelConf,
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
  const short = (/** @type {number} */ value) => Number(value.toPrecision(2));
  return `${short(expected)} (${short(low)} to ${short(high ?? 0)})`;
}

/** @param {FaultRisk['outage']} outage */
function rangeText({ medianMs, lowMs, highMs }) {
  return lowMs === highMs
    ? milliseconds(medianMs)
    : `${milliseconds(medianMs)} (${milliseconds(lowMs)}–${milliseconds(highMs)})`;
}
