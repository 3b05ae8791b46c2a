/**
 * The situations of the benchmark, as variants of its cases.
 *
 * @typedef {Object} Situation
 * @property {'killed' | 'hung' | 'blocked' | 'idle' | 'busy'} kind killed: the primary is killed; hung: so does the chosen replica while it is promoted;
 *   blocked: one command keeps the primary busy; idle, busy: nothing happens
 * @property {number} [quorum] of the Sentinels; absent: the stack's
 * @property {number} [failoverTimeoutSeconds] absent: the stack's
 * @property {number} [blockedSeconds]
 */

const VARIANT = /^(killed|hung|blocked|idle|busy)(?:-(\d+)s)?(?:-quorum-(\d))?(?:-timeout-(\d+)s)?$/;

/**
 * @param {Situation} situation
 * @returns {string} such as `blocked-4s`, `killed-quorum-3`, `hung-timeout-3s`
 */
export function variantOf({ kind, quorum, failoverTimeoutSeconds, blockedSeconds }) {
  return [
    kind,
    ...(blockedSeconds === undefined ? [] : [`${blockedSeconds}s`]),
    ...(quorum === undefined ? [] : [`quorum-${quorum}`]),
    ...(failoverTimeoutSeconds === undefined ? [] : [`timeout-${failoverTimeoutSeconds}s`]),
  ].join('-');
}

/** @param {string} [variant] @returns {boolean} it names a situation; that of a result from elsewhere may not */
export function isSituation(variant = '') {
  return VARIANT.test(variant);
}

/**
 * @param {string} [variant]
 * @returns {Situation}
 * @throws {RangeError} there is no situation of this name
 */
export function situationOf(variant = '') {
  const [, kind, blocked, quorum, timeout] = VARIANT.exec(variant) ?? [];
  if (kind === undefined) throw new RangeError(`there is no situation ${variant}`);
  return {
    kind: /** @type {Situation['kind']} */ (kind),
    ...(blocked !== undefined && { blockedSeconds: Number(blocked) }),
    ...(quorum !== undefined && { quorum: Number(quorum) }),
    ...(timeout !== undefined && { failoverTimeoutSeconds: Number(timeout) }),
  };
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
 * @param {{variant?: string, downAfterMs?: number}} params of a case
 * @returns {string} such as `a command of 4 s, down-after 2 s`
 */
export function situationTitle({ variant, downAfterMs }) {
  if (!isSituation(variant)) return variant ?? '';
  const { kind, quorum, failoverTimeoutSeconds, blockedSeconds } = situationOf(variant);
  return [
    kind === 'blocked' ? `${WORDS.blocked} ${blockedSeconds} s` : WORDS[kind],
    ...(downAfterMs === undefined ? [] : [`down-after ${downAfterMs / 1000} s`]),
    ...(quorum === undefined ? [] : [`quorum ${quorum}`]),
    ...(failoverTimeoutSeconds === undefined ? [] : [`failover-timeout ${failoverTimeoutSeconds} s`]),
  ].join(', ');
}
