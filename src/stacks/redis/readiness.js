import { waitFor } from '../../wait.js';
import { formatAddress, sameAddress } from '../address.js';
import { problem } from '../texts.js';
import { renderStatus } from './status.js';

/** @import { NodeHost } from '../types.js' */
/** @import { Observer, RedisState, SentinelState, Snapshot } from './observe.js' */

/** A look asks every node several questions, which takes CPU from the servers. */
const POLL_MS = 100;

const LOG_LINES = 8;
/** A replica acknowledges once a second, so a healthy one may be silent for this long. */
const MOST_SILENT_SECONDS = 2;

/**
 * Says why a stack is not ready to be measured: one sentence for each reason. In a ready stack all Sentinels name the same primary and flag neither it nor its replicas; each has its quorum, and none is in TILT. That
 * node says it is the primary and counts its replicas as good. Every other Redis node follows it, is online and has everything that it has
 * written. @param {Snapshot} snapshot @param {{clientsWrite?: boolean}} [how] clientsWrite: replicas only have to acknowledge in time
 */
export function whyNotReady(snapshot, { clientsWrite = false } = {}) {
  const primary = snapshot.redis.find((node) => node.id === snapshot.primary);
  if (!primary) {
    const errors = snapshot.sentinels.filter((s) => s.error !== null).map((s) => `${s.id} does not answer: ${s.error}`);
    return ['most Sentinels do not agree on a primary among the nodes', ...errors];
  }
  return [
    ...snapshot.sentinels.flatMap((sentinel) => doubtsOfSentinel(sentinel, primary, snapshot)),
    ...snapshot.redis.flatMap((node) => doubtsOfRedis(node, primary, clientsWrite)),
    ...doubtsOfGoodReplicas(primary, snapshot),
  ];
}

/** @param {SentinelState} sentinel @param {RedisState} primary @param {Snapshot} snapshot */
function doubtsOfSentinel(sentinel, primary, snapshot) {
  const { id } = sentinel;
  if (sentinel.error !== null) return [`${id} does not answer: ${sentinel.error}`];
  if (!sameAddress(sentinel.primary, primary.announced))
    return [`${id} names ${sentinel.primary ? formatAddress(sentinel.primary) : 'no one'} as the primary`];
  const doubts = [];
  const wrong = sentinel.flags.filter((flag) => flag !== 'master');
  if (wrong.length > 0) doubts.push(`${id} flags the primary as ${wrong.join(', ')}`);
  if (sentinel.tilt)
    doubts.push(`${id} is in TILT: it was stopped for a while, so it takes no part in failovers for 30 s`);
  if (!sentinel.quorum.ok) doubts.push(`${id} has no quorum: ${sentinel.quorum.text}`);
  if (sentinel.otherSentinels < snapshot.sentinels.length - 1)
    doubts.push(`${id} knows ${sentinel.otherSentinels} of ${snapshot.sentinels.length - 1} other Sentinels`);
  for (const node of snapshot.redis) {
    if (node.id === primary.id) continue;
    const replica = sentinel.replicas.find((each) => sameAddress(each.address, node.announced));
    if (!replica) doubts.push(`${id} does not know ${node.id} as a replica`);
    else if (replica.flags.some((flag) => flag !== 'slave'))
      doubts.push(`${id} flags ${node.id} as ${replica.flags.join(', ')}`);
    else if (!replica.heard) doubts.push(`${id} has not heard from ${node.id} yet`);
  }
  return doubts;
}

/** @param {RedisState} node @param {RedisState} primary @param {boolean} clientsWrite */
function doubtsOfRedis(node, primary, clientsWrite) {
  const { id } = node;
  if (node.error !== null) return [`${id} does not answer: ${node.error}`];
  if (node === primary) return node.role === 'primary' ? [] : [`${id} should be the primary and says it is a replica`];
  if (node.role !== 'replica') return [`${id} says it is a primary too`];
  if (!sameAddress(node.follows, primary.announced)) return [`${id} does not follow ${primary.id}`];
  if (!node.linkUp) return [`${id}'s link to ${primary.id} is down`];
  if (!node.online) return [`${primary.id} does not have ${id} online`];
  if (clientsWrite) {
    if ((node.lagSeconds ?? 0) <= MOST_SILENT_SECONDS) return [];
    return [`${id} has acknowledged nothing to ${primary.id} for ${node.lagSeconds} s`];
  }
  if (node.lagBytes !== 0) return [`${id} is ${node.lagBytes} bytes behind ${primary.id}`];
  return [];
}

/** With min-replicas, it refuses writes until it has counted. @param {RedisState} primary @param {Snapshot} snapshot */
function doubtsOfGoodReplicas({ id, goodReplicas }, { redis }) {
  const online = redis.filter((node) => node.online).length;
  if (goodReplicas === null || goodReplicas >= online) return [];
  return [`${id} counts ${goodReplicas} of its ${online} replicas towards min-replicas-to-write`];
}

/**
 * @param {Observer} observer
 * @param {{deadlineMs: number, signal?: AbortSignal, logs?: NodeHost['logs'], help?: (snapshot: Snapshot, observer: Observer) => Promise<void>}} options help:
 *   called with each snapshot that is not ready
 * @returns the snapshot that was ready @throws {UserError} on the deadline, with the last state and the nodes' last log lines as `detail`
 */
export async function waitReady(observer, { deadlineMs, signal, logs, help }) {
  let snapshot = /** @type {Snapshot | null} */ (null);
  let reasons = /** @type {string[]} */ ([]);
  const isReady = async () => {
    snapshot = await observer.snapshot();
    reasons = whyNotReady(snapshot);
    if (reasons.length > 0) await help?.(snapshot, observer);
    return reasons.length === 0;
  };
  const ready = await waitFor(isReady, { deadlineMs, pollMs: POLL_MS, signal });
  const last = /** @type {Snapshot} */ (snapshot);
  if (ready) return last;
  throw await notReady(observer, last, reasons, deadlineMs, logs);
}

/** @param {Observer} observer @param {Snapshot} last @param {string[]} reasons @param {number} deadlineMs @param {NodeHost['logs']} [logs] */
async function notReady(observer, last, reasons, deadlineMs, logs) {
  const sections = [reasons.join('\n'), renderStatus(last, { color: false })];
  if (logs) {
    for (const { id } of observer.nodes) {
      const lines = await logs(id, LOG_LINES).catch((error) => [`(its log cannot be read: ${error.message})`]);
      sections.push([`last log lines of ${id}:`, ...lines.map((line) => `  ${line}`)].join('\n'));
    }
  }
  return problem('not-ready', { seconds: deadlineMs / 1000, reason: reasons[0] }, { detail: sections.join('\n\n') });
}
