/**
 * The situations of the benchmark, as variations of its cases.
 *
 * @import { CaseVariation } from '../../src/result/variation.js'
 *
 * @typedef {Object} Situation
 * @property {'killed' | 'hung' | 'blocked' | 'idle' | 'busy'} kind killed: the primary is killed; hung: so does the chosen replica while it is promoted;
 *   blocked: one command keeps the primary busy; idle, busy: nothing happens
 * @property {number} [quorum] of the Sentinels; absent: the stack's
 * @property {number} [failoverTimeoutSeconds] absent: the stack's
 * @property {number} [blockedSeconds]
 */
import { variationName } from '../../src/result/variation.js';

/** The values that are tried. */
export const BLOCKED_SECONDS = [1, 2, 4, 10];
export const QUORUMS = [1, 3];
export const FAILOVER_TIMEOUT_SECONDS = [3, 10, 30];

/** @type {readonly Situation[]} */
const SITUATIONS = [
  { kind: 'killed' },
  ...QUORUMS.map((quorum) => ({ kind: /** @type {const} */ ('killed'), quorum })),
  ...FAILOVER_TIMEOUT_SECONDS.map((failoverTimeoutSeconds) => ({
    kind: /** @type {const} */ ('hung'),
    failoverTimeoutSeconds,
  })),
  ...BLOCKED_SECONDS.map((blockedSeconds) => ({ kind: /** @type {const} */ ('blocked'), blockedSeconds })),
  { kind: 'idle' },
  { kind: 'busy' },
];
const BY_NAME = new Map(SITUATIONS.map((situation) => [variationName(variationOf(situation)), situation]));

/**
 * @param {Situation} situation
 * @returns {CaseVariation} of its cases, such as `{setting: 'blocked', length: '4s'}`, `{setting: 'killed-quorum-3'}`
 */
export function variationOf({ kind, quorum, failoverTimeoutSeconds, blockedSeconds }) {
  return {
    setting: [
      kind,
      ...(quorum === undefined ? [] : [`quorum-${quorum}`]),
      ...(failoverTimeoutSeconds === undefined ? [] : [`timeout-${failoverTimeoutSeconds}s`]),
    ].join('-'),
    ...(blockedSeconds !== undefined && { length: `${blockedSeconds}s` }),
  };
}

/** @param {CaseVariation} params of a case @returns {boolean} it is in a situation; that of a result from elsewhere may not be */
export function isSituation(params) {
  return BY_NAME.has(variationName(params));
}

/**
 * @param {CaseVariation} params of a case
 * @returns {Situation}
 * @throws {RangeError} there is no such situation
 */
export function situationOf(params) {
  const name = variationName(params);
  const found = BY_NAME.get(name);
  if (!found) throw new RangeError(`there is no situation ${name}`);
  return found;
}

/** @type {Readonly<Record<Situation['kind'], string>>} */
const WORDS = Object.freeze({
  killed: 'primary killed',
  hung: 'primary killed, chosen replica hangs',
  blocked: 'a command of',
  idle: 'idle',
  busy: 'busy',
});

/**
 * @param {CaseVariation & {downAfterMs?: number}} params of a case
 * @returns {string} such as `a command of 4 s, down-after 2 s`
 */
export function situationTitle(params) {
  if (!isSituation(params)) return variationName(params);
  const { downAfterMs } = params;
  const { kind, quorum, failoverTimeoutSeconds, blockedSeconds } = situationOf(params);
  return [
    kind === 'blocked' ? `${WORDS.blocked} ${blockedSeconds} s` : WORDS[kind],
    ...(downAfterMs === undefined ? [] : [`down-after ${downAfterMs / 1000} s`]),
    ...(quorum === undefined ? [] : [`quorum ${quorum}`]),
    ...(failoverTimeoutSeconds === undefined ? [] : [`failover-timeout ${failoverTimeoutSeconds} s`]),
  ].join(', ');
}
