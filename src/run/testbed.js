/** What a run holds while it measures: the stack, control connections, the load thread. And putting back what it did with them. */
import { reasonOf, UserError } from '../errors.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { startLoadThread } from '../load/load-thread.js';
import { withPrograms } from '../load/program-load.js';
import { askNode, dataNodes } from '../stacks/ask.js';
import { leftBehind, notPutBack, untilAborted } from './interruption.js';
import { removeKeysForGood } from './keys.js';
import { SENTENCES } from './sentences.js';

/**
 * @import { CaseParams } from '../result/schema.js'
 * @import { Stack, Control, Keys } from '../stacks/types.js'
 * @import { Testbed } from './rounds.js'
 */

/** A sync of a slow disk, or a fork of a large process, delays every command. */
const TIMEOUT_MS = 20_000;

/**
 * @param {Stack} stack
 * @param {Omit<Testbed, 'stack' | 'controls' | 'loadThread' | 'tuning'>} site
 * @returns {Testbed} without control connections yet; close it with {@link closeTestbed}
 */
export function createTestbed(stack, site) {
  return {
    ...site,
    stack,
    controls: new Map(),
    loadThread: site.agents?.load ?? withPrograms(startLoadThread()),
    tuning: createTuning(stack),
  };
}

/**
 * @param {Pick<Testbed, 'stack' | 'controls'>} testbed gets new control connections: a restart of a node breaks its old one
 * @param {readonly string[]} [stopped] nodes that were stopped on purpose
 */
export async function connectControls({ stack, controls }, stopped = []) {
  closeControls(controls);
  const { database, access } = stack;
  for (const node of dataNodes(stack).filter(({ id }) => !stopped.includes(id)))
    controls.set(node.id, await database.connect(node, access.credentials, { timeoutMs: TIMEOUT_MS }));
}

/** @param {Testbed['controls']} controls */
function closeControls(controls) {
  for (const control of controls.values()) control.close();
  controls.clear();
}

/** @param {Testbed} testbed @returns {Promise<Control>} */
export async function primaryControl({ stack, controls }) {
  const { id } = await stack.database.primary();
  const control = controls.get(id);
  if (!control) throw new Error(`no control connection to ${id}`);
  return control;
}

/** Cleans up after a failed benchmark: the next one finds a healthy stack without the keys. @param {Testbed} testbed @param {Keys} keys */
export async function healTestbed(testbed, keys) {
  // The thread may still be writing. The next round gets a new one.
  await testbed.loadThread.close();
  await untilAborted(testbed.stack.heal(), testbed.signal).catch((error) => {
    if (error instanceof UserError) throw error;
    throw SENTENCES.problem('not-healed', { why: reasonOf(error) }, { cause: error });
  });
  await testbed.tuning.back();
  await connectControls(testbed);
  await removeKeysForGood(testbed.stack.database, await primaryControl(testbed), keys);
}

/**
 * Removes our keys from a stack that stays, when no more is measured.
 * @param {Testbed} testbed @param {Keys} keys @param {unknown} reason why @returns {Promise<unknown>} the reason; a NotPutBack if keys are left
 */
export async function abandonKeys({ stack, loadThread, tuning }, keys, reason) {
  await loadThread.close();
  // Our own stacks are removed with their keys.
  if (stack.about.ours) return reason;
  try {
    // Settings first: one of them may refuse every write.
    await tuning.back();
    const { id } = await stack.database.primary();
    const limits = { timeoutMs: TIMEOUT_MS };
    await askNode(stack, id, (control) => removeKeysForGood(stack.database, control, keys), limits);
    return reason;
  } catch (error) {
    return leftBehind(SENTENCES.text('keys-may-be-left', keys), error, SENTENCES.text('remove-keys-later'));
  }
}

/** @param {Testbed} testbed @throws {import('./interruption.js').NotPutBack} */
export async function closeTestbed({ stack, controls, loadThread, tuning }) {
  await loadThread.close();
  closeControls(controls);
  const closed = tuning.close().finally(() => stack.close());
  await closed.catch((error) => {
    throw notPutBack(error);
  });
}

/** @typedef {ReturnType<typeof createTuning>} Tuning */

/** Settings of nodes; each change is noted in a journal on disk before it is made. @param {Stack} stack */
export function createTuning(stack) {
  const journal = createJournal(stack);
  /** The settings in force, as JSON; empty: nothing was changed. */
  let now = '';
  let undo = async () => {};

  async function back() {
    await undo();
    now = '';
    undo = async () => {};
  }

  return {
    /**
     * Gives these nodes the settings, and none that only an earlier call asked for.
     * @param {Pick<CaseParams, 'settings' | 'replicaSettings'>} params @param {{primary: string, replicas: string[]}} roles ids
     * @throws {UserError} after all former values are back
     */
    async become({ settings = {}, replicaSettings = {} }, { primary, replicas }) {
      const nodes = {
        [primary]: settings,
        ...Object.fromEntries(replicas.map((id) => [id, { ...settings, ...replicaSettings }])),
      };
      const wanted = JSON.stringify(nodes);
      if (wanted === now) return;
      await back();
      if (Object.keys(settings).length === 0 && Object.keys(replicaSettings).length === 0) return;
      undo = await applySettings({ stack, journal }, { nodes });
      now = wanted;
    },
    /** So that `recover` removes the keys. Call the returned function once they are removed. @param {string} prefix of the keys */
    async willWrite(prefix) {
      // Our own stacks are removed with their keys.
      return stack.about.ours ? async () => {} : (await journal.note({ kind: 'keys', prefix })).strike;
    },
    /** Puts all former values back; idempotent. */
    back,
    /** The same, and closes the journal. */
    async close() {
      // Our own stacks are removed with all that was done to them.
      if (stack.about.ours) return journal.close({ abandon: true });
      try {
        await journal.undoAll();
        await journal.close();
      } catch (error) {
        throw leftBehind('The settings could not be put back', error);
      }
    },
  };
}
