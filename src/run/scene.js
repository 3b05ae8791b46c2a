/**
 * The scene of a trial: what the script of a failure benchmark sees and may do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { RESTARTED } from '../report/trials/timeline.js';
import { askNode, dataNodes } from '../stacks/ask.js';
import { hostsByAddress } from '../stacks/network/hosts.js';
import { clockMs } from '../stats/clock.js';
import { waitFor } from '../wait.js';

/**
 * @import { Site } from '../faults/types.js'
 * @import { MarkValue as Mark } from '../result/failure-schema.js'
 * @import { Stack, NodeInfo, StackEvent } from '../stacks/types.js'
 * @import { Profile, Scene } from './types.js'
 */

/** How often a condition is checked. */
const POLL_MS = 50;
const ROLE_TIMEOUT_MS = 300;

/** Time beyond down-after for agreement, an election, which may be repeated, and the promotion. */
export const FAILOVER_SECONDS = 20;

/**
 * @typedef {Object} Clock
 * @property {number} beganAt `clockMs()` when the writers began; valid once they have begun
 *
 * @typedef {Object} SceneOptions
 * @property {Site} site
 * @property {NodeInfo} primary
 * @property {number} downAfterMs
 * @property {Profile} profile
 * @property {Clock} clock
 * @property {(id: string) => Promise<void>} readFormer
 * @property {(mark: Omit<Mark, 'afterMs'> & {at: number}) => void} onMark at: `clockMs()`
 * @property {(id: string) => Promise<string | null>} noteProcess id of the process that a node runs now; null: it does not answer
 * @property {AbortSignal} signal
 *
 * @typedef {Object} TrialScene
 * @property {Scene} scene
 * @property {() => Mark[]} marks in order of time
 * @property {(event: StackEvent) => void} hear
 */

/**
 * @param {SceneOptions} options
 * @returns {TrialScene}
 */
export function createScene({ site, primary, downAfterMs, profile, clock, readFormer, onMark, noteProcess, signal }) {
  const { stack } = site;
  const { failover } = stack.system;
  /** @type {{at: number, who: string, what: string, detail: string}[]} */
  const marks = [];
  let switched = false;

  /** @param {typeof marks[number]} one */
  function keep(one) {
    marks.push(one);
    onMark(one);
  }

  /**
   * @param {string} what
   * @param {string} [detail]
   */
  const mark = (what, detail = '') => keep({ at: clockMs(), who: 'harness', what, detail });

  const isDataNode = (/** @type {string} */ id) => dataNodes(stack).some((node) => node.id === id);

  /** @param {number} seconds */
  const write = (seconds) => delay(seconds * 1000, undefined, { signal });

  /** @type {Scene['until']} */
  const until = (holds, seconds) => waitFor(holds, { deadlineMs: seconds * 1000, pollMs: POLL_MS, signal });

  /**
   * @param {string} begun
   * @param {string} ended
   * @returns {Scene['inject']}
   */
  const injector = (begun, ended) => async (fault, id) => {
    signal.throwIfAborted();
    const ran = isDataNode(id) ? await noteProcess(id) : null;
    mark(begun, `${id}: ${fault.name}`);
    const undo = await fault.inject(site, id);
    let undone = false;
    return async () => {
      if (undone) return;
      undone = true;
      // Somebody else has started the primary again.
      const runs = id === primary.id && ran !== null && !switched ? await noteProcess(id) : null;
      if (runs !== null && runs !== ran) mark(RESTARTED, id);
      await undo();
      mark(ended, `${id}: ${fault.name}`);
    };
  };

  return {
    scene: {
      primary,
      replicas: stack.nodes.filter(({ kind, id }) => kind !== 'sentinel' && id !== primary.id),
      sentinels: stack.nodes.filter(({ kind }) => kind === 'sentinel'),
      hosts: stack.backend === 'external' ? hostsByAddress(stack.nodes, primary.id) : null,
      downAfterMs,
      profile,
      write,
      inject: injector('fault begun', 'fault undone'),
      prepare: injector('prepared', 'preparation undone'),
      heard: (event) => marks.some(({ who, what }) => who !== 'harness' && what === event),
      switched: () => switched,
      demoted: (id) => saysReplica(stack, id),
      info: (id, section) => askNode(stack, id, (control) => control.info(section)),
      async follow(id) {
        const { announced } = await stack.primary();
        await askNode(stack, id, (control) => failover.follow(control, announced));
        mark('told to follow', id);
      },
      async promote(id) {
        if (!failover.promote) throw new Error(`${stack.system.name} promotes replicas by itself`);
        await failover.promote(stack, id);
        switched = true;
        mark(failover.events.promoted, id);
      },
      until,
      readFormer,
      mark,
    },
    marks: () =>
      marks.map(({ at, ...rest }) => ({ afterMs: at - clock.beganAt, ...rest })).sort((a, b) => a.afterMs - b.afterMs),
    hear({ at, who, event, about }) {
      if (event === failover.events.promoted) switched = true;
      keep({ at, who, what: event, detail: about });
    },
  };
}

/**
 * @param {Stack} stack
 * @param {string} id
 * @returns {Promise<boolean>} false if it does not answer
 */
async function saysReplica(stack, id) {
  try {
    return await askNode(stack, id, stack.system.failover.isReplica, { timeoutMs: ROLE_TIMEOUT_MS });
  } catch {
    // A node that is down does not answer.
    return false;
  }
}
