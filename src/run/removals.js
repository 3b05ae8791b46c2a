/**
 * Keys that nodes remove by themselves. A failure did not lose a write whose key was evicted, expired or flushed.
 * @import { TrialResult } from '../result/failure-schema.js'
 * @import { MemoryRoom, RemovalCounters, Stack } from '../stacks/types.js'
 */
import { plural } from '../format.js';
import { askNode, dataNodes } from '../stacks/ask.js';
import { sum } from '../stats/statistics.js';
import { inUnits } from '../units.js';
import { SENTENCES } from './sentences.js';

/** @typedef {RemovalCounters & {id: string}} RemovalSample of one node */

/** A node that hangs must not delay a fault. */
const TIMEOUT_MS = 300;

/** `note` asks one node for its counters; null: no answer. `removed`: by all nodes between their first note and their last. @param {Stack} stack */
export function watchRemovals(stack) {
  const { removals } = stack.database.samples;
  /** @type {RemovalSample[]} */
  const notes = [];
  /** @param {string} id @param {{timeoutMs?: number}} [limits] */
  async function take(id, limits) {
    if (!removals) return null;
    const sample = { id, ...(await askNode(stack, id, removals, limits)) };
    notes.push(sample);
    return sample;
  }
  return {
    note: (/** @type {string} */ id) => take(id, { timeoutMs: TIMEOUT_MS }).catch(() => null),
    async noteAll() {
      await Promise.all(dataNodes(stack).map(({ id }) => take(id)));
    },
    removed: () => (removals ? removedIn(notes) : undefined),
  };
}

/** A process counts from 0, so a restarted node counts from 0 again. @param {readonly RemovalSample[]} samples in order of time */
export function removedIn(samples) {
  const ids = [...new Set(samples.map(({ id }) => id))];
  const byNode = ids.map((id) => samples.filter((sample) => sample.id === id));
  const total = (/** @type {'evicted' | 'expired' | 'flushes'} */ field) => {
    const parts = byNode.flatMap((some) => some.slice(1).map((now, i) => grown(some[i], now, field)));
    return parts.includes(null) ? null : sum(parts.map(Number));
  };
  return {
    evicted: total('evicted'),
    expired: total('expired'),
    flushes: total('flushes'),
    hadExpiring: byNode.some(([first]) => first.expiring > 0),
  };
}

/** Null: not counted. @param {RemovalSample} before @param {RemovalSample} now @param {'evicted' | 'expired' | 'flushes'} field */
function grown(before, now, field) {
  const [from, to] = [before[field], now[field]];
  if (from === null || to === null) return null;
  // A smaller count of the same process was reset.
  return before.runId === now.runId && to >= from ? to - from : to;
}

/**
 * The writers' keys have no TTL. Keys that expire belong to an application, unless there were none with a TTL before.
 * @param {TrialResult['removed']} removed @returns {string | null} why losses of the trial mean nothing, and the remedy; null: they do
 */
export function whyRemoved(removed) {
  if (!removed) return null;
  const { evicted, expired, flushes, hadExpiring } = removed;
  if (evicted) return SENTENCES.text('evicted', { keys: plural(evicted, 'key') });
  if (flushes) return SENTENCES.text('flushed');
  if (expired && !hadExpiring) return SENTENCES.text('expired', { keys: plural(expired, 'key') });
  return null;
}

/** What a key takes beside its value: its name, its entries, and what the allocator rounds up. */
const KEY_BYTES = 200;

/**
 * @param {readonly MemoryRoom[]} rooms of the data nodes @param {{keys: number, payloadBytes: number}} wanted
 * @returns {string | null} why so many keys would make a node evict others, and the remedy; null: there is room, or no node evicts
 */
export function whyEvicts(rooms, { keys, payloadBytes }) {
  const bytes = keys * (payloadBytes + KEY_BYTES);
  const tight = rooms
    .filter(({ maxBytes, policy }) => maxBytes > 0 && policy !== 'noeviction')
    .filter(({ maxBytes, usedBytes }) => maxBytes - usedBytes < bytes)
    .toSorted((a, b) => a.maxBytes - a.usedBytes - (b.maxBytes - b.usedBytes));
  if (tight.length === 0) return null;
  const [{ maxBytes, usedBytes, policy }] = tight;
  const left = Math.max(0, maxBytes - usedBytes);
  return SENTENCES.text('evicts', {
    max: inUnits(maxBytes, Math.round),
    policy,
    room: plural(Math.floor(left / (payloadBytes + KEY_BYTES)), 'key'),
    keys: plural(keys, 'key'),
    size: inUnits(bytes),
  });
}
