/**
 * The cases of `link-shortfall`: links below or above demand, and distant ones.
 */
import { makeCase } from '../../src/run/case.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case } from '../../src/run/types.js'
 */

/** With keys and the protocol some 35 Mbit/s of replication: half as much again as the article's 23. */
export const RATE = 4000;
const PAYLOAD_BYTES = 1000;
const CONNECTIONS = 10;
/** Of the WAIT beside the load. */
const WAIT_TIMEOUT_MS = 500;

/**
 * Redis's default for replicas, `256mb 64mb 60`, is reached after minutes or hours. A 64th of the bytes and a 30th of the
 * seconds are reached within a round.
 */
const SCALED_LIMIT = 'replica 4mb 1mb 2';
/** Redis's default, and one that holds all that a round writes. */
const DEFAULT_BACKLOG = '1mb';
const LARGE_BACKLOG = '64mb';

const SHARES = [1.25, 1, 0.75, 0.5];
const LATENCIES_MS = [1, 20, 80];
const SHORT = 0.75;

/** Of every Redis node from its start. @type {Readonly<Record<string, string>>} */
export const STACK_SETTINGS = Object.freeze({
  'min-replicas-to-write': '0',
  'repl-backlog-size': DEFAULT_BACKLOG,
  'client-output-buffer-limit': SCALED_LIMIT,
});

/** Shares of the pace's seconds: a shortfall takes a while to show. */
const LONGER = 1.6;
const SHORTER = 0.5;

/**
 * @param {Pick<CaseParams, 'linkShare'>} params
 * @param {{seconds: number}} pace
 * @returns {number} how long a round of the case writes
 */
export function secondsOf({ linkShare }, { seconds }) {
  return seconds * (linkShare !== undefined && linkShare < 1 ? LONGER : SHORTER);
}

/** @returns {Case[]} */
export function shortfallCases() {
  return [
    ...SHARES.map((linkShare) => shortfallCase(`share-${Math.round(linkShare * 100)}`, { linkShare })),
    ...LATENCIES_MS.map((linkLatencyMs) => shortfallCase(`latency-${linkLatencyMs}ms`, { linkLatencyMs })),
    shortfallCase(`share-${SHORT * 100}-backlog-${LARGE_BACKLOG}`, {
      linkShare: SHORT,
      settings: { 'repl-backlog-size': LARGE_BACKLOG },
    }),
    shortfallCase(`share-${SHORT * 100}-chain`, { linkShare: SHORT, chain: true, replicas: 2 }),
  ];
}

/**
 * @param {string} id
 * @param {Partial<CaseParams>} params
 * @returns {Case}
 */
function shortfallCase(id, params) {
  const { params: complete } = makeCase({
    replicas: 1,
    rate: RATE,
    payloadBytes: PAYLOAD_BYTES,
    connections: CONNECTIONS,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    ...params,
  });
  return { id, params: complete };
}
