import { UserError } from '../errors.js';
import { undoneBy } from '../stacks/actions.js';
import { whyNotReady } from '../stacks/redis/readiness.js';
import { askNode } from './ask.js';
import { removeByPrefix } from './keys.js';
import { restoreConfig, restoreSentinel } from './restore.js';

/**
 * @import { Cluster } from '../stacks/types.js'
 * @import { UndoStep } from './types.js'
 */

/**
 * What each entry of a journal means. Doing one again does no harm.
 */

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
    // What a writer that was killed had sent may arrive behind the removal's back.
    while ((await removeByPrefix(control, prefix)) > 0);
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
