/**
 * The configuration sweep: every durability mode, its cost when all is well, and its losses in failures.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Suite } from '../../src/run/types.js'
 * @import { Limits } from './recommend.js'
 */
import chalk from 'chalk';
import { decisionRows, PAUSING } from './decision.js';
import { sweepDetails } from './details.js';
import { bothReplicasPaused, killed, oneReplicaPaused, partitioned } from './failures.js';
import healthy from './healthy.js';
import { sweepPage } from './page.js';
import { DEFAULT_LIMITS, DEFAULT_OPTIONS, recommend, recommendationDocument } from './recommend.js';
import { markedTableText, recommendationText } from './terminal.js';

/** @type {Suite} */
const suite = {
  name: 'config-sweep',
  benchmarks: [healthy, killed, partitioned, oneReplicaPaused, bothReplicasPaused],
  frontPage: sweepPage,
  details: sweepDetails,
  terminal: (result) => [`${chalk.bold('Decision table')}\n${markedTableText(result)}`],
};
export default suite;

/** What `sentinel-bench recommend` needs of the sweep. */
export const recommender = Object.freeze({
  survivals: /** @type {(keyof typeof PAUSING)[]} */ (Object.keys(PAUSING)),
  defaultOptions: DEFAULT_OPTIONS,
  benchmarks: suite.benchmarks.map(({ name }) => name),

  /**
   * @param {Result} result
   * @param {Limits} limits without any limit the default ones
   * @returns {{found: boolean, text: string, document: object} | null} found: a configuration meets every limit; null: the result has
   *   no configuration
   */
  answer(result, { batch, ...given }) {
    if (decisionRows(result).length === 0) return null;
    const byDefault = Object.keys(given).length === 0;
    const recommendation = recommend(result, { ...(byDefault ? DEFAULT_LIMITS : given), batch });
    const asked = byDefault ? `\`${DEFAULT_OPTIONS}\`, the default` : '';
    return {
      found: recommendation.meets.length > 0,
      text: [markedTableText(result), '', recommendationText(result, recommendation, asked)].join('\n'),
      document: recommendationDocument(recommendation),
    };
  },
});
