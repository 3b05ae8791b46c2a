/**
 * The findings of `check`. findings.yaml has the sentence and the remedy of each; its test is in the file of the subject: deployment, nodes …
 * @import { Deployment, Prediction, Severity } from '../types.js' @import { Values } from '../../sentences.js'
 */
import { readYaml } from '../../yaml.js';
import { primaryOf } from '../machines.js';
import { OF_DEPLOYMENT } from './deployment.js';
import { OF_NODES } from './nodes.js';
import { OF_PREDICTIONS } from './predictions.js';
import { OF_PRIMARY } from './primary.js';
import { OF_SENTINELS } from './sentinels.js';

/**
 * @typedef {Object} FindingRule
 * @property {string} id unique; people accept findings by it @property {Severity | 'by-loss'} severity
 * @property {readonly string[]} [needs] paths of facts; where one is unknown, so is the finding
 * @property {boolean} [data] it does not matter where the data can be rebuilt
 * @property {boolean} [waits] it matters only where writers WAIT @property {string} text template
 * @property {string} fix template @property {string} [price] key of the text that says what the fix costs
 * @property {'model' | 'arithmetic'} [source] default: model @property {string} [experiment] trials that show it
 * @property {keyof typeof TESTS} of `test` is called once for each of these @property {FindingTest<any>} test
 */

/**
 * @template Item
 * @typedef {(item: Item, d: Deployment, all: readonly Prediction[], asks: {wait: number}) => Values | false | undefined} FindingTest values: it is found
 */

const TESTS = {
  deployment: OF_DEPLOYMENT,
  primary: OF_PRIMARY,
  nodes: OF_NODES,
  sentinels: OF_SENTINELS,
  predictions: OF_PREDICTIONS,
};
const ITEMS = /** @type {(keyof typeof TESTS)[]} */ (Object.keys(TESTS));

/** @type {{findings: readonly Omit<FindingRule, 'of' | 'test'>[], reasons: Readonly<Record<string, {why: string, remedy: string}>>}} */
const LISTED = readYaml(new URL('findings.yaml', import.meta.url));

/** Why no replica is promoted, and what to do, by id. */
export const REASONS = LISTED.reasons;

/** @type {readonly FindingRule[]} */
export const FINDINGS = Object.freeze(
  LISTED.findings.flatMap((finding) =>
    ITEMS.filter((of) => finding.id in TESTS[of]).map((of) => ({ ...finding, of, test: TESTS[of][finding.id] })),
  ),
);

/** @type {(finding: FindingRule, d: Deployment, predictions: readonly Prediction[]) => readonly any[]} what it looks at */
export function itemsOf({ of }, d, predictions) {
  if (of === 'predictions') return predictions;
  if (of === 'primary') return [primaryOf(d) ?? []].flat();
  return of === 'deployment' ? [d] : d[of];
}
