/**
 * The configuration sweep: every durability mode, its cost when all is well, and its losses in failures.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { Suite } from '../../src/run/types.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 * @import { Limits } from './recommend.js'
 * @import { Demand, FaultsPerYear } from './risk.js'
 */
import { list, text } from '../../src/report/blocks.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { MODE_STYLES } from '../modes.js';
import { pasteBlocks, weighedBlocks, weighedOf, yearBlocks, yearOf } from './actions-text.js';
import { pasteOf } from './configuration.js';
import { decisionRows, PAUSING } from './decision.js';
import { sweepDetails } from './details.js';
import { faultBenchmarks, pausing } from './failures.js';
import healthy from './healthy.js';
import { limitsOfTheTable } from './limits.js';
import { sweepPage } from './page.js';
import { DEFAULT_LIMITS, DEFAULT_OPTIONS, recommend, recommendationDocument } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';
import responseTime from './response-time.js';
import { ASSUMED_PER_YEAR } from './risk.js';
import { decisionBlocks } from './terminal.js';

/** @type {Suite} */
const suite = {
  name: 'config-sweep',
  styles: MODE_STYLES,
  benchmarks: [healthy, responseTime, ...faultBenchmarks, ...pausing],
  frontPage: sweepPage,
  details: sweepDetails,
  terminal: decisionBlocks,
};
export default suite;

/** What `sentinel-bench recommend` needs of the sweep. */
export const recommender = Object.freeze({
  survivals: /** @type {(keyof typeof PAUSING)[]} */ (Object.keys(PAUSING)),
  defaultOptions: DEFAULT_OPTIONS,
  faults: /** @type {readonly FaultId[]} */ (FAULTS.map(({ id }) => id)),
  benchmarks: suite.benchmarks.map(({ name }) => name),

  /**
   * @param {Result} result
   * @param {Limits} limits without any limit the default ones
   * @param {Demand} [demand] what to expect in a year; default: nothing is said about a year
   * @param {{faultsPerYear: FaultsPerYear, writesPerSecond: number}} [weights] how common each fault is; default: faults are not weighed
   * @returns {{found: boolean, tested: boolean, blocks: Block[], document: object} | null} found: a configuration meets every limit; tested: at
   *   least one of the faults was tested; null: the result has no configuration
   */
  answer(result, { batch, faults, ...given }, demand, weights) {
    const rows = decisionRows(result);
    if (rows.length === 0) return null;
    const byDefault = Object.keys(given).length === 0;
    const recommendation = recommend(result, { ...(byDefault ? DEFAULT_LIMITS : given), batch, faults });
    const { best, tested } = recommendation;
    const limits = limitsOfTheTable(result, rows);
    const origin = byDefault ? `\`${DEFAULT_OPTIONS}\`, the default` : '';
    return {
      found: recommendation.meets.length > 0,
      tested: tested.length > 0,
      blocks: [
        ...decisionBlocks(result),
        ...recommendationBlocks(recommendation, origin),
        ...(limits.length === 0 ? [] : [text('What this cannot show:'), list(limits)]),
        ...(weights ? weighedBlocks(result, recommendation, weights) : []),
        ...(demand ? yearBlocks(result, recommendation, demand) : []),
        ...pasteBlocks(result, recommendation),
      ],
      document: {
        ...recommendationDocument(recommendation),
        paste: best && { configuration: best.row.id, ...pasteOf(best.row, result.stack.masterName) },
        ...(weights && {
          weighed: {
            writesPerSecond: weights.writesPerSecond,
            faultsPerYear: { ...ASSUMED_PER_YEAR, ...weights.faultsPerYear },
            modes: weighedOf(result, recommendation, weights).map(({ row, ...loss }) => ({
              configuration: row.id,
              ...loss,
            })),
          },
        }),
        ...(demand && {
          year: { ...demand, configuration: best?.row.id ?? null, faults: yearOf(result, recommendation, demand) },
        }),
      },
    };
  },
});
