/**
 * The settings that cases ask for: in force before a round, and put back before the next one that asks for others.
 */
import { messageOf, UserError } from '../errors.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { NotPutBack } from './interruption.js';

/**
 * @import { CaseParams } from '../result/schema.js'
 * @import { Cluster } from '../stacks/types.js'
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
