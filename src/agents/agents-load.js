/**
 * Rounds whose load several agents make, behind the interface of the load thread. The samples are merged as those of threads are:
 * histograms are added, which loses nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { mergeSamples, partOf } from '../load/load-thread.js';
import { clockMs } from '../stats/clock.js';
import { clockOver } from './clock.js';
import { openController } from './controller.js';

/**
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { RoundPlan, RoundSample } from '../load/types.js'
 * @import { ClockOffset } from './clock.js'
 * @import { Controller, WantedAgents } from './controller.js'
 * @import { Answered } from './operations.js'
 * @import { AgentDescription } from './protocol.js'
 */

/** Between the request to start and the start: longer than a round trip. */
const LEAD_MS = 300;
/** Before the start, for sampling what the nodes used until then. */
const SAMPLING_MS = 30;
/** Beside warm-up and timed part; as long as a load thread has, and a little more. */
const GRACE_MS = 22_000;

/**
 * @typedef {Object} AgentPart what one agent did in a round
 * @property {string} name @property {number} cores of its machine @property {number} connections @property {RoundSample} sample
 * @property {number} machineCpu share of its machine that was busy
 * @property {number} skewMs how much later it started than planned, on our clock
 * @property {{offsetMs: number, boundMs: number, roundTripMs: number}} clock
 * @typedef {Object} OnAgents what a load on agents has beside that of one machine
 * @property {() => Promise<void>} aim resolves shortly before the prepared round starts on all agents; `go` follows
 * @property {() => Promise<AgentPart[]>} parts of the last round, with clocks that are read after it
 * @property {Controller['repeatable']} repeatable
 * @typedef {LoadThread & OnAgents} AgentsLoad
 */

/**
 * @param {WantedAgents} agents @param {number} threads of each agent
 * @returns {Promise<AgentsLoad>} to be closed once, at the end of the run @throws {UserError} an agent is missing or unfit
 */
export async function openAgentsLoad(agents, threads) {
  const controller = await openController(agents, ['load']);
  return { ...startAgentsLoad(controller, threads), close: controller.close };
}

/**
 * @param {Controller} controller @param {number} threads of each agent
 * @returns {AgentsLoad} `prepare` and `go` reject when one agent fails or is lost: a round is never smaller than planned
 */
export function startAgentsLoad(controller, threads) {
  const { agents, ask, clock } = controller;
  /** Those that take part in the round. @type {{name: string, cores: number, connections: number, clock: ClockOffset}[]} */
  let members = [];
  let roundMs = 0;
  let startMs = 0;
  let running = /** @type {Promise<Answered<'go'>[]> | null} */ (null);
  let replies = /** @type {Answered<'go'>[]} */ ([]);

  async function stopAll() {
    await Promise.all(agents.map(({ name }) => ask(name, 'stop', {}).catch(() => {})));
  }

  /** @template T, A @param {readonly A[]} some @param {(agent: A) => Promise<T>} work */
  async function ofEach(some, work) {
    const all = some.map(work);
    try {
      return await Promise.all(all);
    } catch (error) {
      // The others would go on with a round that counts for nothing.
      await stopAll();
      await Promise.allSettled(all);
      throw error;
    }
  }
  const readClocks = (/** @type {readonly {name: string}[]} */ some) => ofEach(some, ({ name }) => clock(name));

  return {
    async prepare(plan) {
      roundMs = (plan.seconds + (plan.openLoop?.graceSeconds ?? 0)) * 1000;
      running = null;
      const taking = sharesOf(plan, agents);
      const deadlineMs = plan.warmUpSeconds * 1000 + GRACE_MS;
      await ofEach(taking, ({ name, share }) => {
        const body = { plan: share, threads: Math.min(threads, share.connections) };
        return ask(name, 'prepare', body, deadlineMs);
      });
      const before = await readClocks(taking);
      members = taking.map(({ name, cores, share: { connections } }, index) => {
        return { name, cores, connections, clock: before[index] };
      });
    },
    async aim() {
      startMs = clockMs() + LEAD_MS;
      running = ofEach(members, (member) => {
        const body = { startAtMs: startMs + member.clock.monotonicMs };
        return ask(member.name, 'go', body, LEAD_MS + roundMs + GRACE_MS);
      });
      // It may fail at once; `go` says so.
      await Promise.race([running.catch(() => {}), delay(LEAD_MS - SAMPLING_MS)]);
    },
    async go() {
      if (!running) throw new Error('go was called before aim');
      replies = await running;
      const merged = mergeSamples(replies.map(({ sample }) => sample));
      // This process made no load, so what it used says nothing.
      return { ...merged, load: { ...merged.load, cpuPerOperationNs: null, peakMemoryBytes: null } };
    },
    async parts() {
      const after = await readClocks(members);
      return members.map((member, index) => {
        const { startedAtMs, ...ran } = replies[index];
        const skewMs = startedAtMs - member.clock.monotonicMs - startMs;
        return { ...member, ...ran, skewMs, clock: clockOver(member.clock, after[index]) };
      });
    },
    stop() {
      for (const { name } of members) ask(name, 'finish', {}).catch(() => {});
    },
    elsewhere: true,
    repeatable: controller.repeatable,
    close: stopAll,
  };
}

/**
 * @param {RoundPlan} plan @param {readonly AgentDescription[]} agents
 * @returns those that take part: each has a connection. Reads that race a write need its replies, so one machine makes all of them
 */
function sharesOf(plan, agents) {
  const count = plan.generator === 'read-after-write' ? 1 : Math.min(agents.length, plan.connections);
  return agents
    .slice(0, count)
    .map(({ name, cores }, index) => ({ name, cores, share: partOf({ ...plan, progress: false }, index, count) }));
}
