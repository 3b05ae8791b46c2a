/** The situations of the benchmark: situations.yaml. */
/** @import { CaseVariation } from '../types.js' */
/**
 * @typedef {Object} Situation
 * @property {CaseVariation} variation of its cases
 * @property {string} title
 * @property {'killed' | 'hung' | 'blocked' | 'idle' | 'busy'} kind
 * @property {number} [quorum]
 * @property {number} [failoverTimeoutSeconds]
 * @property {number} [blockedSeconds]
 */
import { variationName } from '../../src/result/variation.js';
import { readYaml } from '../../src/yaml.js';

/** @type {readonly Situation[]} */
export const SITUATIONS = Object.freeze(readYaml(new URL('situations.yaml', import.meta.url)));

/** @param {CaseVariation} params of a case @returns {Situation | undefined} undefined: a result from elsewhere has another one */
export function situationIn(params) {
  return SITUATIONS.find(({ variation }) => variationName(variation) === variationName(params));
}

/** @param {CaseVariation} params of a case @returns {Situation} @throws {RangeError} there is no such situation */
export function situationOf(params) {
  const found = situationIn(params);
  if (!found) throw new RangeError(`there is no situation ${variationName(params)}`);
  return found;
}

/** @param {CaseVariation & {downAfterMs?: number}} params of a case @returns {string} such as `a command of 4 s, down-after 2 s` */
export function situationTitle(params) {
  const title = situationIn(params)?.title ?? variationName(params);
  return params.downAfterMs === undefined ? title : `${title}, down-after ${params.downAfterMs / 1000} s`;
}
