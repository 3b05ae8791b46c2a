/**
 * Carries out the steps of an experiment in the scene of a trial: faults, when each begins, and when it is undone.
 * @import { Fault, Undo } from '../faults/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Profile, Scene, Script } from './types.js'
 * @typedef {'promoted' | 'promoting' | 'missed'} EventName promoted: clients know the new primary (`+switch-master`); promoting: a Sentinel has
 *   promoted a replica (`+promoted-slave`), the others do not follow it yet; missed: a Sentinel misses a node (`+sdown`)
 * @typedef {Object} Wait for an event, not for a time. Events count once every step with a time has begun
 * @property {EventName | {begun: number}} event begun: the step with this index has begun
 * @property {number | ((scene: Scene, params: CaseParams) => number)} [within] the longest, in seconds. Default: as long as a failover takes
 * @property {number | 'healthy'} [plus] seconds after the event; `healthy`: those of the profile. Default 0
 * @typedef {(scene: Scene, params: CaseParams) => {fault: Fault, target: string}} ChooseFault for a fault that depends on the nodes or on the case
 * @typedef {Object} Step one fault and its end. Without `lasts` and `until` it ends by itself
 * @property {number | 'before'} [at] seconds since the load before has ended; before: ahead of that load. Default 0
 * @property {Wait} [when] instead of `at` @property {Fault | ChooseFault} fault
 * @property {string} [on] `primary`, `replica-1`, `sentinel-2` …; `replicas`, `nodes`: each of them, in order. Default: primary
 * @property {true} [prepares] it only prepares the failure to be measured
 * @property {number | Varies} [lasts] seconds until it is undone @property {Wait | Varies} [until] instead of `lasts`
 * @property {true} [stops] it stops the process of its node, or may. It is left out while another such step lasts there
 * @property {true} [endsItself] nothing has to be undone after `lasts`
 * @property {true} [refusable] a server may refuse it; the trial goes on
 * @typedef {(scene: Scene, params: CaseParams) => number | Wait} Varies by case
 * @typedef {Object} Course what surrounds the steps
 * @property {number | ((profile: Profile, params: CaseParams) => number)} [before] seconds of load before the first step; default: those of the profile
 * @property {'decided' | 'healthy' | number | ((scene: Scene, params: CaseParams) => Promise<void>)} [after] what follows when all is undone.
 *   decided, the default: if a replica was promoted, until the old primary is one, and a while longer; healthy: load as before; seconds of load
 * @typedef {{index: number, begins: boolean, at: number, wait?: Wait, act: () => Promise<void>}} Moment of a step. at: Infinity: it waits
 */
import { messageOf } from '../errors.js';
import { groupPartition, NETWORK } from '../faults/index.js';
import { clockMs } from '../stats/clock.js';
import { aftermath } from './aftermath.js';
import { FAILOVER_SECONDS } from './scene.js';

/** Until the replica is promoted, and for the load of the profile after that. @type {Wait} */
export const PROMOTED = Object.freeze({ event: 'promoted', plus: 'healthy' });
/** Until a replica is promoted that the others do not follow yet. @type {Wait} */
export const PROMOTING = Object.freeze({ event: 'promoting' });

/** @type {Readonly<Record<EventName, (scene: Scene) => boolean>>} */
const EVENTS = Object.freeze({
  promoted: ({ switched }) => switched(),
  promoting: ({ heard }) => heard('replica-promoted'),
  missed: ({ heard }) => heard('suspected'),
});

/** @param {readonly Step[] | ((scene: Scene, params: CaseParams) => readonly Step[])} steps @param {Course} [course] @returns {Script} */
export function scriptOf(steps, course) {
  return (scene, { params }) =>
    perform(scene, typeof steps === 'function' ? steps(scene, params) : steps, params, course);
}

/** @param {Scene} scene @param {readonly Step[]} steps @param {CaseParams} params of the case @param {Course} [course] */
export async function perform(scene, steps, params, { before, after = 'decided' } = {}) {
  const { profile, write } = scene;
  const performed = new Performance(scene, params, steps);
  await performed.beginAll(steps.flatMap(({ at }, index) => (at === 'before' ? [index] : [])));
  await write(typeof before === 'function' ? before(profile, params) : (before ?? profile.healthySeconds));
  await performed.run();
  if (typeof after === 'function') await after(scene, params);
  else if (after === 'decided') await aftermath(scene);
  else await write(after === 'healthy' ? profile.healthySeconds : after);
}

/** @param {number} seconds @returns {number} without the tail of a subtraction: 1, not 0.9999999999999999 */
const wholeMs = (seconds) => Math.round(seconds * 1000) / 1000;

class Performance {
  /** Seconds since the load before has ended, as the steps count them. */
  #now = 0;
  #lastBegun = 0;
  /** Indices of steps. @type {Set<number>} */
  #begun = new Set();
  /** Nodes whose process a step has stopped. @type {Set<string>} */
  #stopped = new Set();
  /** @type {Moment[]} */
  #pending = [];

  /** @param {Scene} scene @param {CaseParams} params @param {readonly Step[]} steps */
  constructor(scene, params, steps) {
    this.scene = scene;
    this.params = params;
    this.steps = steps;
  }

  /** @param {readonly number[]} indices */
  async beginAll(indices) {
    for (const index of indices) await this.#begin(index);
  }

  /** Every beginning and every end, in order. An end comes before a beginning at the same time. */
  async run() {
    for (const [index, { at = 0, when }] of this.steps.entries()) {
      if (at === 'before') continue;
      this.#plan(index, { begins: true, when: when ?? at, act: () => this.#begin(index) });
    }
    for (let next = this.#next(); next; next = this.#next()) {
      if (next.at === Infinity || this.#waiting().length > 0) {
        if (!(await this.#waitUntil(next.at))) continue;
      } else if (next.at > this.#now) await this.scene.write(wholeMs(next.at - this.#now));
      this.#now = Math.max(this.#now, next.at);
      this.#pending.splice(this.#pending.indexOf(next), 1);
      await next.act();
    }
  }

  #next() {
    return this.#pending.toSorted(
      (a, b) => (a.at === b.at ? 0 : a.at - b.at) || Number(a.begins) - Number(b.begins) || a.index - b.index,
    )[0];
  }

  /** An event counts once every step with a time has begun. */
  #waiting() {
    if (this.#pending.some(({ begins, at }) => begins && at !== Infinity)) return [];
    return this.#pending.filter(({ at }) => at === Infinity);
  }

  /**
   * Waits for the events, or until the next step is due.
   * @param {number} at when that step is due, in seconds; Infinity: no step has a time @returns {Promise<boolean>} it is due
   */
  async #waitUntil(at) {
    const waiting = this.#waiting();
    const deadline = this.#lastBegun + Math.max(...waiting.map(({ wait }) => this.#within(wait)));
    const began = clockMs();
    const holding = () => waiting.filter(({ wait }) => this.#holds(wait));
    const seconds = Math.max(0, Math.min(at, deadline) - this.#now);
    const happened = await this.scene.until(() => holding().length > 0, seconds);
    const due = happened ? holding() : deadline <= at ? waiting : [];
    this.#now = happened ? Math.min(at, this.#now + (clockMs() - began) / 1000) : Math.min(at, deadline);
    for (const moment of due) moment.at = this.#now + this.#seconds(moment.wait?.plus);
    return due.length === 0;
  }

  /** @param {Wait} [wait] */
  #within({ within } = { event: 'promoted' }) {
    if (typeof within === 'function') return within(this.scene, this.params);
    return within ?? this.scene.downAfterMs / 1000 + FAILOVER_SECONDS;
  }

  /** @param {Wait} [wait] */
  #holds({ event } = { event: 'promoted' }) {
    return typeof event === 'string' ? EVENTS[event](this.scene) : this.#begun.has(event.begun);
  }

  /** @param {Wait['plus']} plus */
  #seconds(plus = 0) {
    return plus === 'healthy' ? this.scene.profile.healthySeconds : plus;
  }

  /** @param {number} index */
  async #begin(index) {
    const step = this.steps[index];
    /** @type {{id: string, undo: Undo}[]} */
    const undos = [];
    for (const { fault, target } of this.#faultsOf(step)) {
      if (step.stops && this.#stopped.has(target)) {
        this.scene.mark('step-left-out', target, { fault: fault.name });
        continue;
      }
      try {
        undos.push({ id: target, undo: await this.scene[step.prepares ? 'prepare' : 'inject'](fault, target) });
        if (step.stops && (step.lasts ?? step.until)) this.#stopped.add(target);
      } catch (error) {
        if (!step.refusable) throw error;
        this.scene.mark('step-refused', undefined, { fault: fault.name, detail: messageOf(error) });
      }
    }
    this.#begun.add(index);
    this.#lastBegun = this.#now;
    const chosen = step.until ?? step.lasts;
    const end = typeof chosen === 'function' ? chosen(this.scene, this.params) : chosen;
    if (end === undefined) return;
    const begun = step.at === 'before' ? 0 : this.#now;
    const act = async () => {
      if (step.endsItself) return;
      for (const { id, undo } of undos) {
        if (step.stops) this.#stopped.delete(id);
        await undo();
      }
    };
    this.#plan(index, { begins: false, when: typeof end === 'number' ? begun + end : end, act });
  }

  /** @param {number} index @param {{begins: boolean, when: number | Wait, act: () => Promise<void>}} moment when: seconds, or an event */
  #plan(index, { begins, when, act }) {
    const waits = typeof when !== 'number';
    this.#pending.push({ index, begins, at: waits ? Infinity : when, ...(waits && { wait: when }), act });
  }

  /** @param {Step} step */
  #faultsOf({ fault, on = 'primary' }) {
    if (typeof fault === 'function') return [fault(this.scene, this.params)];
    return nodesNamed(this.scene, on).map((target) => ({ fault, target }));
  }
}

/**
 * @param {Pick<Scene, 'primary' | 'replicas' | 'sentinels'>} scene @param {string} name see `Step`
 * @throws {RangeError} there is no such node
 */
function nodesNamed({ primary, replicas, sentinels }, name) {
  const ids = (/** @type {readonly {id: string}[]} */ nodes) => nodes.map(({ id }) => id);
  if (name === 'primary') return [primary.id];
  if (name === 'replicas') return ids(replicas);
  if (name === 'sentinels') return ids(sentinels);
  if (name === 'nodes') return ids([primary, ...replicas]);
  const [, kind, number] = /^(replica|sentinel)-(\d+)$/.exec(name) ?? [];
  const found = (kind === 'replica' ? replicas : sentinels)[Number(number) - 1];
  if (kind === undefined || !found) throw new RangeError(`there is no node ${name}`);
  return [found.id];
}

/**
 * A partition between nodes; all others, and all clients, reach everybody.
 * @param {...string} groups names of nodes, see `Step` @returns {ChooseFault}
 */
export function between(...groups) {
  return (scene) => ({
    fault: groupPartition({ groups: groups.map((name) => nodesNamed(scene, name)) }),
    target: NETWORK,
  });
}
