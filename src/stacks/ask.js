/** @import { Control, Stack } from './types.js' */

/** A busy machine's node still answers within this; a paused one must not delay the undoing of other steps. */
const TIMEOUT_MS = 3000;
/** A Sentinel that gives a node another role closes all connections to it (`CLIENT KILL TYPE normal`): a lost question is asked again. */
const ATTEMPTS = 3;

/** @template {{id: string}} T @param {{nodes: readonly T[]}} stack @param {string} id */
export function nodeOf({ nodes }, id) {
  const node = nodes.find((each) => each.id === id);
  if (!node) throw new RangeError(`no node is called ${id}`);
  return node;
}

/** @param {Pick<Stack, 'nodes'>} stack @returns the nodes that hold data: all but the Sentinels */
export function dataNodes({ nodes }) {
  return nodes.filter(({ kind }) => kind !== 'sentinel');
}

/**
 * Over a connection of its own: a kept one would not survive what faults do.
 * @template T @param {Pick<Stack, 'nodes' | 'access' | 'database'>} stack @param {string} id
 * @param {(control: Control) => Promise<T>} question does no harm when it is asked again
 * @param {{timeoutMs?: number}} [limits] for connecting and for each command
 */
export function askNode(stack, id, question, { timeoutMs = TIMEOUT_MS } = {}) {
  const node = nodeOf(stack, id);
  return askOver(() => stack.database.connect(node, stack.access.credentials, { timeoutMs }), question);
}

/** @template T @param {() => Promise<Control>} connect @param {(control: Control) => Promise<T>} question may be asked again */
export async function askOver(connect, question) {
  for (let attempt = 1; ; attempt++) {
    const control = await connect();
    try {
      return await question(control);
    } catch (error) {
      if (!control.lost() || attempt === ATTEMPTS) throw error;
    } finally {
      control.close();
    }
  }
}

/** @template T @template {{close: () => void}} C @param {Promise<C>} connecting @param {(control: C) => Promise<T>} question */
export async function askOnce(connecting, question) {
  const control = await connecting;
  try {
    return await question(control);
  } finally {
    control.close();
  }
}
