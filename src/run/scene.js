/**
 * @import { Site } from '../faults/types.js'
 * @import { EventKind } from '../result/events.js'
 * @import { TrialEvent } from '../result/failure-schema.js'
 * @import { StackEvent } from '../stacks/types.js'
 * @import { Scene } from './types.js'
 */
import { setTimeout as delay } from 'node:timers/promises';
import { HARNESS } from '../result/events.js';
import { askNode, dataNodes } from '../stacks/ask.js';
import { hostsByAddress } from '../stacks/network/placement.js';
import { clockMs } from '../stats/clock.js';
import { waitFor } from '../wait.js';

const POLL_MS = 50;
const ROLE_TIMEOUT_MS = 300;

/** Time beyond down-after for agreement, an election, which may be repeated, and the promotion. */
export const FAILOVER_SECONDS = 20;

/** Faults that end a process and leave it down. A supervisor may start it again. Asking a frozen node would delay the end of the fault. */
const LEAVES_DOWN = new Set(['kill', 'stop', 'lose']);

/**
 * @param {{site: Site, signal: AbortSignal, clock: {beganAt: number}, noteProcess: (id: string) => Promise<string | null>} &
 *   Pick<Scene, 'primary' | 'downAfterMs' | 'profile' | 'readFormer'>} options clock: `clockMs()` when the writers began, once they have;
 *   noteProcess: what a node runs now; null: it does not answer
 * @returns {{scene: Scene, events: () => TrialEvent[], hear: (event: StackEvent) => void}} events: in order of time
 */
export function createScene({ site, primary, downAfterMs, profile, clock, readFormer, noteProcess, signal }) {
  const { stack } = site;
  const { failover } = stack.database;
  /** @type {TrialEvent[]} by `clockMs()` */
  const events = [];
  let switched = false;

  /** @type {Scene['mark']} */
  const mark = (kind, node, more) =>
    void events.push({ at: clockMs(), by: HARNESS, kind, ...(node !== undefined && { node }), ...more });

  const isDataNode = (/** @type {string} */ id) => dataNodes(stack).some((node) => node.id === id);

  /** @param {number} seconds */
  const write = (seconds) => delay(seconds * 1000, undefined, { signal });

  /** @type {Scene['until']} */
  const until = (holds, seconds) => waitFor(holds, { deadlineMs: seconds * 1000, pollMs: POLL_MS, signal });

  /** @param {EventKind} begun @param {EventKind} ended @returns {Scene['inject']} */
  const injector = (begun, ended) => async (fault, id) => {
    signal.throwIfAborted();
    const ran = LEAVES_DOWN.has(fault.name) && isDataNode(id) ? await noteProcess(id) : null;
    const { name, planned } = fault;
    const what = { fault: name, ...(planned && { planned }) };
    mark(begun, id, what);
    const undo = await fault.inject(site, id);
    let undone = false;
    return async () => {
      if (undone) return;
      undone = true;
      // Somebody else has started the primary again.
      const runs = id === primary.id && ran !== null && !switched ? await noteProcess(id) : null;
      if (runs !== null && runs !== ran) mark('restarted', id);
      await undo();
      mark(ended, id, what);
    };
  };

  return {
    scene: {
      primary,
      replicas: stack.nodes.filter(({ kind, id }) => kind !== 'sentinel' && id !== primary.id),
      sentinels: stack.nodes.filter(({ kind }) => kind === 'sentinel'),
      hosts: stack.about.backend === 'external' ? hostsByAddress(stack.nodes, primary.id) : null,
      downAfterMs,
      profile,
      write,
      inject: injector('fault-begun', 'fault-undone'),
      prepare: injector('prepared', 'preparation-undone'),
      heard: (wanted) => events.some(({ by, kind }) => by !== HARNESS && kind === wanted),
      switched: () => switched,
      // A node that is down does not answer.
      demoted: (id) => askNode(stack, id, failover.isReplica, { timeoutMs: ROLE_TIMEOUT_MS }).catch(() => false),
      info: (id, section) => askNode(stack, id, (control) => control.info(section)),
      async follow(id) {
        const { announced } = await stack.database.primary();
        await askNode(stack, id, (control) => failover.follow(control, announced));
        mark('follow-asked', id);
      },
      async promote(id) {
        if (!failover.promote) throw new Error(`${stack.database.name} promotes replicas by itself`);
        await failover.promote(stack, id);
        switched = true;
        mark('promoted', id);
      },
      until,
      readFormer,
      mark,
    },
    events: () => events.map((event) => ({ ...event, at: event.at - clock.beganAt })).sort((a, b) => a.at - b.at),
    hear({ at, who, kind, about }) {
      if (kind === 'promoted') switched = true;
      events.push({ at, by: who, kind, ...(about !== '' && { node: about }) });
    },
  };
}
