/**
 * Carries a schedule out in the scene of a trial.
 */

import { messageOf } from '../../src/errors.js';
import {
  blockingCommand,
  failover,
  groupPartition,
  kill,
  NETWORK,
  pause,
  powerLoss,
  restart,
} from '../../src/faults/index.js';
import { hostsOf } from '../../src/stacks/network/hosts.js';
import { fillAndStart } from '../failure/disk-full.js';
import { lengthOf } from './schedule.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Scene } from '../../src/run/types.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { Schedule, Step } from './schedule.js'
 */

/** Clients on the two sides of a partition. A client named in no group reaches everybody. */
export const MINORITY = 'minority';
export const MAJORITY = 'majority';

/** Load before the first step, and after the last fault was undone. */
const BEFORE_SECONDS = 1;
const AFTER_SECONDS = 2;

/**
 * @param {Scene} scene
 * @param {Schedule} schedule
 * @param {Placement} placement of the Sentinels
 */
export async function perform(scene, schedule, placement) {
  const { primary, replicas, sentinels } = scene;
  const ids = (/** @type {readonly {id: string}[]} */ nodes) => nodes.map(({ id }) => id);
  const hosts = hostsOf(placement, { primary: primary.id, replicas: ids(replicas), sentinels: ids(sentinels) });
  await scene.write(BEFORE_SECONDS);
  let now = 0;
  for (const { at, act } of agenda(scene, schedule, hosts)) {
    if (at > now) await scene.write(at - now);
    now = Math.max(now, at);
    await act();
  }
  await scene.write(Math.max(0, lengthOf(schedule) - now) + AFTER_SECONDS);
  // In TILT they would keep the stack from being healthy for 30 s. One that restarts begins anew.
  const frozen = schedule.filter(({ kind }) => kind === 'freeze-sentinels').flatMap((step) => besides(step, hosts));
  for (const sentinel of new Set(frozen)) await scene.inject(restart, sentinel);
}

/**
 * @param {Pick<Step, 'hosts'>} step
 * @param {readonly (readonly string[])[]} hosts
 * @returns {readonly string[]} ids of the Sentinels beside the node that it hits
 */
function besides({ hosts: hit }, hosts) {
  return hosts[hit[0]].slice(1);
}

/**
 * @param {Scene} scene
 * @param {Schedule} schedule
 * @param {readonly (readonly string[])[]} hosts ids of nodes
 * @returns {{at: number, act: () => Promise<void>}[]} beginnings and ends of all steps, in order; an end comes before a beginning at the same time
 */
function agenda(scene, schedule, hosts) {
  /** What the faults did to each node, because a node that is down cannot be frozen. @type {Set<string>} */
  const disturbed = new Set();
  return schedule
    .flatMap((step) => {
      const node = hosts[step.hosts[0]]?.[0];
      if (node === undefined) throw new RangeError(`there is no host ${step.hosts[0]}`);
      const touches = TOUCHES.has(step.kind);
      /** @type {(() => Promise<void>) | undefined} */
      let undo;
      const begin = async () => {
        if (touches && disturbed.has(node)) {
          scene.mark('step-left-out', node, { fault: step.kind });
          return;
        }
        const { fault, target } = faultOf(step, hosts);
        try {
          undo = await scene.inject(fault, target);
          if (touches && step.lasts > 0) disturbed.add(node);
        } catch (error) {
          // A Sentinel refuses a failover while another is under way, and a frozen node answers nothing.
          if (!CAN_BE_REFUSED.has(step.kind)) throw error;
          scene.mark('step-refused', undefined, { fault: step.kind, detail: messageOf(error) });
        }
      };
      const end = async () => {
        // A command ends by itself, and a node that was stopped meanwhile cannot say so.
        if (!undo || step.kind === 'block') return;
        if (touches) disturbed.delete(node);
        await undo();
      };
      const begins = { at: step.at, order: 1, act: begin };
      return step.lasts > 0 ? [begins, { at: step.at + step.lasts, order: 0, act: end }] : [begins];
    })
    .sort((a, b) => a.at - b.at || a.order - b.order);
}

/** Steps that stop a process, or may. */
const TOUCHES = new Set(['kill', 'restart', 'freeze', 'fill', 'power-loss']);
const CAN_BE_REFUSED = new Set(['failover', 'block']);

/**
 * @param {Step} step
 * @param {readonly (readonly string[])[]} hosts
 * @returns {{fault: Fault, target: string}}
 */
function faultOf({ kind, hosts: hit, lasts }, hosts) {
  const [node] = hosts[hit[0]];
  const inside = hit.flatMap((host) => hosts[host]);
  const outside = hosts.flat().filter((id) => !inside.includes(id));
  switch (kind) {
    case 'kill':
      return { fault: kill, target: node };
    case 'restart':
      return { fault: restart, target: node };
    case 'freeze':
      return { fault: pause, target: node };
    case 'freeze-sentinels':
      return { fault: pauseEach(besides({ hosts: hit }, hosts)), target: node };
    case 'fill':
      return { fault: fillAndStart, target: node };
    case 'power-loss':
      return { fault: powerLoss, target: node };
    case 'failover':
      return { fault: failover, target: node };
    case 'block':
      return { fault: blockingCommand(lasts * 1000), target: node };
    case 'partition':
      return network([
        [...inside, MINORITY],
        [...outside, MAJORITY],
      ]);
    case 'one-way':
      return network([inside, outside], { oneWay: true });
    case 'peers':
      return network([inside, outside]);
    case 'blind':
      return network([[node], hosts.flat().filter((id) => id.startsWith('sentinel'))]);
  }
}

/**
 * @param {readonly string[]} ids
 * @returns {Fault} hits them all, not the node that it is injected into
 */
function pauseEach(ids) {
  return {
    ...pause,
    async inject(site) {
      const undos = await Promise.all(ids.map((id) => pause.inject(site, id)));
      return async () => {
        for (const undo of undos) await undo();
      };
    },
  };
}

/**
 * @param {string[][]} groups
 * @param {{oneWay?: boolean}} [options]
 */
function network(groups, options) {
  return { fault: groupPartition({ groups, ...options }), target: NETWORK };
}
