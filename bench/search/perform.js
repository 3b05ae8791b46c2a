/** A schedule of the search as the steps of an experiment. */
import * as faults from '../../src/faults/index.js';
import { perform, scriptOf } from '../../src/run/perform.js';
import { hostsOf } from '../../src/stacks/network/placement.js';
import { fillAndStart } from '../experiments/own-faults.js';
import { NAMED, RULES } from './schedule.js';

/** @import { CaseParams, Fault, Placement, Scene, Step } from '../types.js' */
/** @import { Schedule, ScheduleStep } from './schedule.js' */

/** Clients on the two sides of a partition. A client named in no group reaches everybody. */
export const MINORITY = 'minority';
export const MAJORITY = 'majority';

const BEFORE_SECONDS = 1;
const AFTER_SECONDS = 2;

/** Of steps that hit one node, whatever else is said. @type {Readonly<Record<string, Fault>>} */
const OF_NODES = {
  ...{ kill: faults.kill, restart: faults.restart, freeze: faults.pause, failover: faults.failover },
  ...{ fill: fillAndStart, 'power-loss': faults.powerLoss },
};

/** @param {Scene} scene @param {Schedule} schedule @param {Placement} placement of the Sentinels @param {CaseParams} params of the case */
export async function performSchedule(scene, schedule, placement, params) {
  const { steps, course } = NAMED.get(schedule[0].kind) ?? {};
  if (steps)
    return scriptOf(steps, { before: BEFORE_SECONDS, ...course })(scene, {
      id: schedule[0].kind,
      params: { ...params, placement },
    });
  const hosts = hostsIn(scene, placement);
  await perform(scene, stepsOf(schedule, placement), params, { before: BEFORE_SECONDS, after: AFTER_SECONDS });
  // In TILT they would keep the stack from being healthy for 30 s. One that restarts begins anew.
  const frozen = schedule.filter(({ kind }) => kind === 'freeze-sentinels').flatMap((step) => besides(step, hosts));
  for (const sentinel of new Set(frozen)) await scene.inject(faults.restart, sentinel);
}

/** @param {Schedule} schedule @param {Placement} placement of the Sentinels @returns {Step[]} */
function stepsOf(schedule, placement) {
  return schedule.map((step) => {
    const { stops, refusable, endsItself } = RULES[step.kind];
    return {
      at: step.at,
      fault: (scene) => faultOf(step, hostsIn(scene, placement)),
      ...(step.lasts > 0 && { lasts: step.lasts }),
      ...{ stops, refusable, endsItself },
    };
  });
}

/** @param {Pick<Scene, 'primary' | 'replicas' | 'sentinels'>} scene @param {Placement} placement */
function hostsIn({ primary, replicas, sentinels }, placement) {
  const ids = (/** @type {readonly {id: string}[]} */ nodes) => nodes.map(({ id }) => id);
  return hostsOf(placement, { primary: primary.id, replicas: ids(replicas), sentinels: ids(sentinels) });
}

/** Sentinels beside the node that a step hits. @param {Pick<ScheduleStep, 'hosts'>} step @param {readonly (readonly string[])[]} hosts */
function besides({ hosts: hit }, hosts) {
  return hosts[hit[0]].slice(1);
}

/** @param {ScheduleStep} step @param {readonly (readonly string[])[]} hosts @returns {{fault: Fault, target: string}} */
function faultOf({ kind, hosts: hit, lasts }, hosts) {
  const node = hosts[hit[0]]?.[0];
  if (node === undefined) throw new RangeError(`there is no host ${hit[0]}`);
  const inside = hit.flatMap((host) => hosts[host]);
  const outside = hosts.flat().filter((id) => !inside.includes(id));
  /** @type {Readonly<Record<string, () => {fault: Fault, target: string}>>} */
  const made = {
    'freeze-sentinels': () => ({ fault: pauseEach(besides({ hosts: hit }, hosts)), target: node }),
    block: () => ({ fault: faults.blockingCommand(lasts * 1000), target: node }),
    partition: () =>
      network([
        [...inside, MINORITY],
        [...outside, MAJORITY],
      ]),
    'one-way': () => network([inside, outside], { oneWay: true }),
    peers: () => network([inside, outside]),
    blind: () => network([[node], hosts.flat().filter((id) => id.startsWith('sentinel'))]),
  };
  return made[kind]?.() ?? { fault: OF_NODES[kind], target: node };
}

/** @param {readonly string[]} ids @returns {Fault} hits them all, not the node that it is injected into */
function pauseEach(ids) {
  return {
    ...faults.pause,
    async inject(site) {
      const undos = await Promise.all(ids.map((id) => faults.pause.inject(site, id)));
      return async () => {
        for (const undo of undos) await undo();
      };
    },
  };
}

/** @param {string[][]} groups @param {{oneWay?: boolean}} [options] */
function network(groups, options) {
  return { fault: faults.groupPartition({ groups, ...options }), target: faults.NETWORK };
}
