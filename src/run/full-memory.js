/** A deployment whose memory is full refuses the first write, so nothing can begin. */
import { messageOf, UserError } from '../errors.js';
import { count } from '../format.js';
import { askNode } from '../stacks/ask.js';
import { SENTENCES } from './sentences.js';

/** @import { MemoryRoom, Stack } from '../stacks/types.js' */

/** Libraries and scripts put words before it. */
const REFUSED = /\bOOM command not allowed\b/;

export class FullMemory extends UserError {
  /** @param {string} node its id or its address @param {MemoryRoom} room */
  constructor(node, { maxBytes, usedBytes, policy }) {
    const values = { node, used: count(usedBytes), max: count(maxBytes), policy };
    super(...SENTENCES.words('memory-full', values));
  }
}

/** @param {MemoryRoom} room @returns {boolean} the node refuses every write that needs memory */
export function isFull({ maxBytes, usedBytes, policy }) {
  return maxBytes > 0 && usedBytes > maxBytes && policy === 'noeviction';
}

/**
 * @template T @param {Pick<Stack, 'nodes' | 'access' | 'database'>} stack @param {T} error that a write failed with
 * @param {(room: NonNullable<Stack['database']['samples']['room']>) => Promise<FullMemory>} [look] at the node that refused; default: at
 *   the primary
 * @returns {Promise<T | FullMemory>} the node with its figures, if its full memory is the cause; else the same error
 */
export async function explainFull(stack, error, look) {
  const { room } = stack.database.samples;
  if (!room || !REFUSED.test(messageOf(error))) return error;
  try {
    if (look) return await look(room);
    const { id } = await stack.database.primary();
    return new FullMemory(id, await askNode(stack, id, room));
  } catch {
    return error;
  }
}
