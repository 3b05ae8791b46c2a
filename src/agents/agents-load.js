/**
 * Rounds whose load several agents make, behind the interface of the load thread. The samples are merged as those of threads are:
 * histograms are added, which loses nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { badInput } from '../errors.js';
import { mergeSamples, partOf } from '../load/load-thread.js';
import { clockMs } from '../stats/clock.js';
import { clockOver } from './clock.js';
import { connectNats } from './connection.js';
import { AgentLost, openController } from './controller.js';

/**
 * @import { z } from 'zod'
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { RoundPlan, RoundSample } from '../load/types.js'
 * @import { ClockOffset } from './clock.js'
 * @import { NatsOptions } from './connection.js'
 * @import { Controller } from './controller.js'
 * @import { Allowable, Operations } from './operations.js'
 * @import { AgentDescription } from './protocol.js'
 */

/** Between the request to start and the start: longer than a round trip. */
const LEAD_MS = 300;
/** Before the start, for sampling what the nodes used until then. */
const SAMPLING_MS = 30;
/** So long the last reading of a clock counts as the one before a round. */
const FRESH_MS = 5000;
/** Beside warm-up and timed part; as long as a load thread has, and a little more. */
const GRACE_MS = 22_000;

/**
 * @typedef {Object} AgentPart what one agent did in a round
 * @property {string} name
 * @property {number} cores of its machine
 * @property {number} connections
 * @property {RoundSample} sample
 * @property {number} machineCpu share of its machine that was busy
 * @property {number} skewMs how much later it started than planned, on our clock
 * @property {{offsetMs: number, boundMs: number, roundTripMs: number}} clock
 *
 * @typedef {z.infer<Operations['go']['reply']>} Ran
 *
 * @typedef {Object} OnAgents what a load on agents has beside that of one machine
 * @property {() => Promise<void>} aim resolves shortly before the prepared round starts on all agents; `go` follows
 * @property {() => Promise<AgentPart[]>} parts of the last round, with clocks that are read after it
 * @property {(error: unknown) => ((signal: AbortSignal) => Promise<void>) | null} repeatable after such an error of a round, what to
 *   await before it is repeated; null: it is of no use
 * @property {readonly AgentDescription[]} machines of all agents
 *
 * @typedef {LoadThread & OnAgents} AgentsLoad
 * @typedef {{nats: NatsOptions, wanted: readonly string[]}} WantedAgents how to reach them, and their names, or `all`
 */

/**
 * @param {WantedAgents} agents
 * @param {{threads: number, leastConnections?: number}} load threads: of each agent; leastConnections: of its rounds, default: any
 * @returns {Promise<AgentsLoad>} to be closed once, at the end of the run
 * @throws {UserError} an agent is missing or unfit, or there are fewer connections than agents
 */
export async function openAgentsLoad(agents, { threads, leastConnections = Number.POSITIVE_INFINITY }) {
  const controller = await openAgents(agents, ['load']);
  const { length } = controller.agents;
  if (leastConnections < length) {
    await controller.close();
    throw badInput(
      `${length} agents cannot share ${leastConnections} connections.`,
      'Use at least as many --connections as agents.',
    );
  }
  const load = startAgentsLoad(controller, threads);
  return {
    ...load,
    async close() {
      await load.close();
      await controller.close();
    },
  };
}

/**
 * @param {WantedAgents} agents
 * @param {readonly Allowable[]} allow what each has to allow
 * @param {readonly Allowable[]} [or] agents that allow one of these instead are chosen, too
 * @returns {Promise<Controller>}
 * @throws {UserError} an agent is missing or unfit; nothing is left open
 */
export async function openAgents({ nats, wanted }, allow, or) {
  const connection = await connectNats(nats, { reconnect: true });
  try {
    return await openController({ nats: connection, wanted, allow, or });
  } catch (error) {
    // An open connection would keep the process alive.
    await connection.close();
    throw error;
  }
}

/**
 * @param {Controller} controller
 * @param {number} threads of each agent
 * @returns {AgentsLoad} `prepare` and `go` reject when one agent fails or is lost: a round is never smaller than planned
 */
export function startAgentsLoad(controller, threads) {
  const { agents, ask } = controller;
  const clocks = new Clocks(controller);
  /** Those that take part in the round. @type {{name: string, cores: number, connections: number, clock: ClockOffset}[]} */
  let members = [];
  let roundMs = 0;
  let startMs = 0;
  /** @type {Promise<Ran[]> | null} */
  let running = null;
  /** @type {Ran[]} */
  let replies = [];

  async function stopAll() {
    await Promise.all(agents.map(({ name }) => ask(name, 'stop', {}).catch(() => {})));
  }

  /** @template T @param {Promise<T>[]} all */
  async function allOrNone(all) {
    try {
      return await Promise.all(all);
    } catch (error) {
      // The others would go on with a round that counts for nothing.
      await stopAll();
      await Promise.allSettled(all);
      throw error;
    }
  }

  return {
    async prepare(plan) {
      roundMs = (plan.seconds + (plan.openLoop?.graceSeconds ?? 0)) * 1000;
      running = null;
      const taking = sharesOf(plan, agents);
      const deadlineMs = plan.warmUpSeconds * 1000 + GRACE_MS;
      await allOrNone(
        taking.map(({ name, share }) =>
          ask(name, 'prepare', { plan: share, threads: Math.min(threads, share.connections) }, deadlineMs),
        ),
      );
      const before = await allOrNone(taking.map(({ name }) => clocks.before(name)));
      members = taking.map(({ share: { connections }, ...agent }, index) => ({
        ...agent,
        connections,
        clock: before[index],
      }));
    },
    async aim() {
      startMs = clockMs() + LEAD_MS;
      running = allOrNone(
        members.map(({ name, clock }) =>
          ask(name, 'go', { startAtMs: startMs + clock.monotonicMs }, LEAD_MS + roundMs + GRACE_MS),
        ),
      );
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
      const after = await allOrNone(members.map(({ name }) => clocks.read(name)));
      return members.map(({ clock, ...member }, index) => {
        const { sample, startedAtMs, machineCpu } = replies[index];
        const skewMs = startedAtMs - clock.monotonicMs - startMs;
        return { ...member, sample, machineCpu, skewMs, clock: clockOver(clock, after[index]) };
      });
    },
    stop() {
      for (const { name } of members) ask(name, 'finish', {}).catch(() => {});
    },
    elsewhere: true,
    machines: agents,
    repeatable: (error) => (error instanceof AgentLost ? (signal) => waitForAgents(controller, signal) : null),
    close: stopAll,
  };
}

/** The clocks of agents against ours. */
class Clocks {
  #controller;
  /** The last of each agent. @type {Map<string, ClockOffset & {atMs: number}>} */
  #readings = new Map();

  /** @param {Controller} controller */
  constructor(controller) {
    this.#controller = controller;
  }

  /** @param {string} name of the agent */
  async read(name) {
    const reading = { ...(await this.#controller.clock(name)), atMs: clockMs() };
    this.#readings.set(name, reading);
    return reading;
  }

  /** @param {string} name @returns {Promise<ClockOffset>} the reading after one round is the one before the next */
  async before(name) {
    const last = this.#readings.get(name);
    return last && clockMs() - last.atMs < FRESH_MS ? last : this.read(name);
  }
}

/**
 * @param {RoundPlan} plan
 * @param {readonly AgentDescription[]} agents
 * @returns those that take part: each has a connection. Reads that race a write need its replies, so one machine makes all of them
 */
function sharesOf(plan, agents) {
  const count = plan.generator === 'read-after-write' ? 1 : Math.min(agents.length, plan.connections);
  return agents
    .slice(0, count)
    .map(({ name, cores }, index) => ({ name, cores, share: partOf({ ...plan, progress: false }, index, count) }));
}

/** How long a lost agent has for coming back, before its round is repeated. */
const COME_BACK_MS = 30_000;
const LOOK_MS = 1000;

/**
 * @param {Controller} controller
 * @param {AbortSignal} signal
 * @throws {Error} an agent did not come back
 */
export async function waitForAgents(controller, signal) {
  const deadline = clockMs() + COME_BACK_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await controller.renew();
    } catch (error) {
      if (clockMs() > deadline) throw error;
      await delay(LOOK_MS, undefined, { signal });
    }
  }
}
