/**
 * The situations of the benchmark, as variations of its cases.
 *
 * @import { CaseVariation } from '../../src/result/variation.js'
 *
 * @typedef {Object} Situation
 * @property {CaseVariation} variation of its cases
 * @property {string} title
 * @property {'killed' | 'hung' | 'blocked' | 'idle' | 'busy'} kind killed: the primary is killed; hung: so does the chosen replica while it is promoted;
 *   blocked: one command keeps the primary busy; idle, busy: nothing happens
 * @property {number} [quorum] of the Sentinels; absent: the stack's
 * @property {number} [failoverTimeoutSeconds] absent: the stack's
 * @property {number} [blockedSeconds]
 */
import { variationName } from '../../src/result/variation.js';

/** @type {readonly Situation[]} */
export const SITUATIONS = Object.freeze(
  /** @type {Situation[]} */ ([
    { variation: { setting: 'killed' }, title: 'primary killed', kind: 'killed' },
    ...[1, 3].map((quorum) => ({
      variation: { setting: `killed-quorum-${quorum}` },
      title: `primary killed, quorum ${quorum}`,
      kind: 'killed',
      quorum,
    })),
    ...[3, 10, 30].map((failoverTimeoutSeconds) => ({
      variation: { setting: `hung-timeout-${failoverTimeoutSeconds}s` },
      title: `primary killed, chosen replica hangs, failover-timeout ${failoverTimeoutSeconds} s`,
      kind: 'hung',
      failoverTimeoutSeconds,
    })),
    ...[1, 2, 4, 10].map((blockedSeconds) => ({
      variation: { setting: 'blocked', length: `${blockedSeconds}s` },
      title: `a command of ${blockedSeconds} s`,
      kind: 'blocked',
      blockedSeconds,
    })),
    { variation: { setting: 'idle' }, title: 'idle', kind: 'idle' },
    { variation: { setting: 'busy' }, title: 'busy', kind: 'busy' },
  ]),
);

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
