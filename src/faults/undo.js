import { setTimeout as delay } from 'node:timers/promises';
import { undoneBy } from '../cluster/actions.js';
import { whyNotReady } from '../cluster/readiness.js';
import { UserError } from '../errors.js';
import { askNode } from './ask.js';
import { restoreConfig, restoreSentinel } from './restore.js';

/**
 * What each entry of a journal means. Doing one again does no harm.
 *
 * @typedef {import('./types.js').UndoStep} UndoStep
 * @typedef {import('../cluster/types.js').Cluster} Cluster
 */

/** Keys that one command looks at; it holds the node up for less than a millisecond. */
const SCAN_COUNT = 1000;

/** Replicas that were just set going again have yet to say so: they do once a second. */
const WRITABLE_DEADLINE_MS = 10_000;
const WRITABLE_POLL_MS = 100;

/**
 * @param {Cluster} cluster
 * @param {UndoStep} step
 */
export async function doStep(cluster, step) {
  switch (step.kind) {
    case 'act':
      if (undoneBy(step.action).some((ability) => cluster.can.has(ability))) await cluster.act(step.id, step.action);
      else await checkDone(cluster, step);
      return;
    case 'slow':
      // What slows links ends with the process that does it: a stack attached later has none.
      if (cluster.can.has('slow-link')) await cluster.slow(null, step.id);
      return;
    case 'call': {
      const [name, ...args] = step.command;
      await askNode(cluster, step.id, (control) => control.call(String(name), ...args), { timeoutMs: step.withinMs });
      return;
    }
    case 'heal':
      return cluster.heal();
    case 'keys':
      return removeKeys(cluster, step.prefix);
    case 'config':
      return restoreConfig(cluster, step);
    case 'sentinel':
      return restoreSentinel(cluster, step);
  }
}

/**
 * @param {Cluster} cluster
 * @param {string} prefix of our own making
 */
async function removeKeys(cluster, prefix) {
  const { id } = await cluster.primary();
  await askNode(cluster, id, async (control) => {
    let cursor = '0';
    const deadline = performance.now() + WRITABLE_DEADLINE_MS;
    do {
      const [next, keys] = /** @type {[string, string[]]} */ (
        await control.call('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', SCAN_COUNT)
      );
      try {
        if (keys.length > 0) await control.call('UNLINK', ...keys);
        cursor = next;
      } catch (error) {
        if (!String(error).includes('NOREPLICAS') || performance.now() > deadline) throw error;
        await delay(WRITABLE_POLL_MS);
      }
    } while (cursor !== '0');
  });
}

/**
 * Of somebody else's deployment only its owner can start a node. When all is well, that has been done.
 *
 * @param {Cluster} cluster
 * @param {UndoStep & {kind: 'act'}} step
 */
async function checkDone(cluster, { id, action }) {
  const [doubt] = whyNotReady(await cluster.observe());
  if (doubt === undefined) return;
  throw new UserError(
    `This process was not told how to ${action} ${id}, and the deployment is not well: ${doubt}.`,
    `See to it that ${id} runs and reaches its peers.`,
  );
}

/**
 * @param {UndoStep} step
 * @returns {string} in the infinitive, such as `start redis-2`
 */
export function describeStep(step) {
  switch (step.kind) {
    case 'act':
      return step.action === 'join' ? `join ${step.id} with its peers` : `${step.action} ${step.id}`;
    case 'slow':
      return step.id === undefined ? 'make the links fast again' : `make the links of ${step.id} fast again`;
    case 'heal':
      return 'heal the stack';
    case 'keys':
      return `remove the keys that start with ${step.prefix}`;
    case 'call':
      return `send ${step.command.join(' ')} to ${step.id}`;
    default:
      return `put back ${Object.keys(step.settings).join(', ')} of ${step.id}`;
  }
}

/**
 * Does all of them, one after the other, whatever becomes of each.
 *
 * @param {{step: UndoStep, undo: () => Promise<void>}[]} entries in the order in which they are to be undone
 * @throws {UserError} it names each that failed
 */
export async function undoEach(entries) {
  /** @type {{step: UndoStep, error: unknown}[]} */
  const failures = [];
  for (const { step, undo } of entries) {
    await undo().catch((error) => failures.push({ step, error }));
  }
  if (failures.length === 0) return;
  const list = failures.map(({ step, error }) => `${describeStep(step)} (${reasonOf(error)})`);
  throw new UserError(
    `Not everything could be undone; what is left: ${list.join('; ')}.`,
    'Run `sentinel-bench recover` when this process has ended; it tries again.',
    undefined,
    { cause: failures[0].error },
  );
}

/** @param {unknown} error */
function reasonOf(error) {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
