/**
 * What a run holds while it measures: the stack, a control connection to each Redis node, the load thread. And putting
 * back what it did with them.
 */
import { ExitStatus, messageOf, UserError } from '../errors.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { startLoadThread } from '../load/load-thread.js';
import { withPeers } from '../load/peer-load.js';
import { dataNodes } from '../stacks/ask.js';
import { NotPutBack, notPutBack, untilAborted } from './interruption.js';
import { removeKeysForGood } from './keys.js';

/**
 * @import { CaseParams, Result } from '../result/schema.js'
 * @import { Cluster, Control, Keys, NodeInfo } from '../stacks/types.js'
 * @import { Bench } from './rounds.js'
 */

/** A sync of a slow disk, or a fork of much memory, holds up every command. */
const TIMEOUT_MS = 20_000;

/**
 * @param {Cluster} cluster
 * @param {Pick<Bench, 'profile' | 'random' | 'signal'>} options
 * @returns {Bench} without control connections yet; to be closed with {@link closeBench}
 */
export function createBench(cluster, { profile, random, signal }) {
  return {
    cluster,
    controls: new Map(),
    loadThread: withPeers(startLoadThread()),
    tuning: createTuning(cluster),
    profile,
    random,
    signal,
  };
}

/**
 * @param {Pick<Bench, 'cluster' | 'controls'>} bench gets new control connections: those to a node that was restarted are dead
 * @param {readonly string[]} [stopped] nodes that do not run, on purpose
 */
export async function connectControls({ cluster, controls }, stopped = []) {
  closeControls(controls);
  for (const node of dataNodes(cluster)) {
    if (!stopped.includes(node.id)) controls.set(node.id, await connect(cluster, node));
  }
}

/**
 * @param {Cluster} cluster
 * @param {NodeInfo} node
 */
function connect({ system, credentials }, node) {
  return system.connect(node, credentials, { timeoutMs: TIMEOUT_MS });
}

/** @param {Bench['controls']} controls */
function closeControls(controls) {
  for (const control of controls.values()) control.close();
  controls.clear();
}

/**
 * @param {Bench} bench
 * @returns {Promise<Control>}
 */
export async function primaryControl({ cluster, controls }) {
  const { id } = await cluster.primary();
  const control = controls.get(id);
  if (!control) throw new Error(`no control connection to ${id}`);
  return control;
}

/**
 * After a benchmark that failed: the next one finds a stack that is well, and none of the keys.
 *
 * @param {Bench} bench
 * @param {Keys} keys
 */
export async function healBench(bench, keys) {
  // Whatever it is in the middle of must not go on writing. The next round gets a new thread.
  await bench.loadThread.close();
  try {
    await untilAborted(bench.cluster.heal(), bench.signal);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `The stack could not be healed: ${messageOf(error).replace(/\.?$/, '.')}`,
      'Look at the logs of the nodes, in the folder of this run.',
      ExitStatus.environment,
      { cause: error },
    );
  }
  await bench.tuning.back();
  await connectControls(bench);
  await removeKeysForGood(bench.cluster.system, await primaryControl(bench), keys);
}

/**
 * When no more is measured: a stack that stays is left without our keys.
 *
 * @param {Bench} bench
 * @param {Keys} keys
 * @param {unknown} reason why no more is measured
 * @returns {Promise<unknown>} the reason; a {@link NotPutBack} when keys are left
 */
export async function abandonKeys({ cluster, loadThread, tuning }, keys, reason) {
  await loadThread.close();
  // A stack of our own takes them with it.
  if (cluster.ours) return reason;
  try {
    // First, for a setting may refuse every write.
    await tuning.back();
    const control = await connect(cluster, await cluster.primary());
    try {
      await removeKeysForGood(cluster.system, control, keys);
    } finally {
      control.close();
    }
    return reason;
  } catch (error) {
    return new NotPutBack(
      `Keys that start with ${keys.prefix} may be left in the database: ${messageOf(error).replace(/\.?$/, '.')}`,
      `Remove them when it is well, for instance with: redis-cli --scan --pattern '${keys.prefix}*' | xargs redis-cli unlink`,
      error,
    );
  }
}

/**
 * @param {Bench} bench
 * @throws {NotPutBack}
 */
export async function closeBench({ cluster, controls, loadThread, tuning }) {
  await loadThread.close();
  closeControls(controls);
  try {
    try {
      await tuning.close();
    } finally {
      await cluster.close();
    }
  } catch (error) {
    throw notPutBack(error);
  }
}

/**
 * The settings that cases ask for: in force before a round, and put back before the next one that asks for others.
 */

/**
 * @typedef {Object} Tuning
 * @property {(params: Pick<CaseParams, 'settings' | 'replicaSettings'>, roles: {primary: string, replicas: string[]}) => Promise<void>} become
 *   each of these nodes has the settings when it resolves, and no other that an earlier call asked for; rejects with a UserError,
 *   and then all former values are back
 * @property {(prefix: string) => Promise<() => Promise<void>>} willWrite keys that start with it, to a stack that stays: whoever comes after
 *   this process was killed removes them; to be called once they are removed
 * @property {() => Promise<void>} back everything is as it was; idempotent
 * @property {() => Promise<void>} close the same for good; idempotent
 */

/**
 * @param {Cluster} cluster
 * @returns {Tuning} what it changes is in a journal on disk before it is changed
 */
export function createTuning(cluster) {
  const journal = createJournal(cluster);
  /** What is in force, as text; empty: nothing is changed. */
  let now = '';
  let undo = async () => {};

  async function back() {
    await undo();
    now = '';
    undo = async () => {};
  }

  return {
    async become({ settings = {}, replicaSettings = {} }, { primary, replicas }) {
      const nodes = {
        [primary]: settings,
        ...Object.fromEntries(replicas.map((id) => [id, { ...settings, ...replicaSettings }])),
      };
      const wanted = JSON.stringify(nodes);
      if (wanted === now) return;
      await back();
      if (Object.keys(settings).length === 0 && Object.keys(replicaSettings).length === 0) return;
      undo = await applySettings({ cluster, journal }, { nodes });
      now = wanted;
    },
    async willWrite(prefix) {
      // A stack of our own takes them with it.
      return cluster.ours ? async () => {} : (await journal.note({ kind: 'keys', prefix })).strike;
    },
    back,
    async close() {
      // A stack of our own goes away with all that was done to it.
      if (cluster.ours) return journal.close({ abandon: true });
      try {
        await journal.undoAll();
        await journal.close();
      } catch (error) {
        throw new NotPutBack(
          `The settings could not be put back: ${messageOf(error).replace(/\.?$/, '.')}`,
          error instanceof UserError ? error.remedy : 'Run `sentinel-bench recover` when its nodes answer again.',
          error,
        );
      }
    },
  };
}

/**
 * What the nodes wrote, for whoever wants to know why something failed.
 */

/**
 * What a result says about the stack it was measured on.
 */
