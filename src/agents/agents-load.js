/**
 * Rounds whose load several agents make, behind the interface of the load thread. The samples are merged as those of threads are:
 * histograms are added, which loses nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ExitStatus, UserError } from '../errors.js';
import { mergeSamples, partOf } from '../load/load-thread.js';
import { clockMs } from '../stats/clock.js';
import { clockOver } from './clock.js';
import { connectNats } from './connection.js';
import { AgentLost, openController } from './controller.js';
import { GoReply, Nothing } from './protocol.js';

/**
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { RoundPlan, RoundSample } from '../load/types.js'
 * @import { ClockOffset } from './clock.js'
 * @import { NatsOptions } from './connection.js'
 * @import { Controller } from './controller.js'
 */

/** Between the request to start and the start: longer than a round trip. */
const LEAD_MS = 300;
/** Beside warm-up and timed part; as long as a load thread has, and a little more. */
const GRACE_MS = 22_000;
const STOP_MS = 10_000;

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
 * @typedef {Object} MoreOfAgents
 * @property {() => readonly AgentPart[]} parts of the last round
 * @property {(error: unknown) => ((signal: AbortSignal) => Promise<void>) | null} repeatable after such an error of a round, what to
 *   await before it is repeated; null: it is of no use
 *
 * @typedef {LoadThread & MoreOfAgents} AgentsLoad
 */

/**
 * @param {{nats: NatsOptions, wanted: readonly string[]}} agents
 * @param {{threads: number, connections: number}} load threads: of each agent
 * @returns {Promise<AgentsLoad>}
 * @throws {UserError} an agent is missing or unfit, or there are fewer connections than agents
 */
export async function openAgentsLoad({ nats, wanted }, { threads, connections }) {
  const controller = await openController({
    nats: await connectNats(nats, { reconnect: true }),
    wanted,
    allow: 'load',
  });
  const { length } = controller.agents;
  if (connections < length) {
    await controller.close();
    throw new UserError(
      `${length} agents cannot share ${connections} connections.`,
      'Use at least as many --connections as agents.',
      ExitStatus.badInput,
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
 * @param {Controller} controller
 * @param {number} threads of each agent
 * @returns {AgentsLoad} `prepare` and `go` reject when one agent fails or is lost: a round is never smaller than planned
 */
export function startAgentsLoad(controller, threads) {
  const { agents, ask } = controller;
  const names = agents.map(({ name }) => name);
  /** @type {ClockOffset[]} */
  let clocks = [];
  /** @type {AgentPart[]} */
  let parts = [];
  /** @type {number[]} */
  let connections = [];
  let roundMs = 0;

  async function stopAll() {
    await Promise.all(names.map((name) => ask(name, 'stop', {}, Nothing, STOP_MS).catch(() => {})));
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
      connections = names.map((_, index) => partOf(plan, index, names.length).connections);
      const deadlineMs = plan.warmUpSeconds * 1000 + GRACE_MS;
      await allOrNone(
        names.map((name, index) => {
          const part = partOf({ ...plan, progress: false }, index, names.length);
          return ask(
            name,
            'prepare',
            { plan: part, threads: Math.min(threads, part.connections) },
            Nothing,
            deadlineMs,
          );
        }),
      );
      clocks = [];
      for (const name of names) clocks.push(await controller.clock(name));
    },
    async go() {
      const startMs = clockMs() + LEAD_MS;
      const replies = await allOrNone(
        names.map((name, index) =>
          ask(name, 'go', { startAtMs: startMs + clocks[index].monotonicMs }, GoReply, LEAD_MS + roundMs + GRACE_MS),
        ),
      );
      parts = [];
      for (const [index, { sample, startedAtMs, machineCpu }] of replies.entries()) {
        const after = await controller.clock(names[index]);
        parts.push({
          name: names[index],
          cores: agents[index].cores,
          connections: connections[index],
          sample,
          machineCpu,
          skewMs: startedAtMs - clocks[index].monotonicMs - startMs,
          clock: clockOver(clocks[index], after),
        });
      }
      const merged = mergeSamples(parts.map(({ sample }) => sample));
      // This process made no load, so what it used says nothing.
      return { ...merged, load: { ...merged.load, cpuPerOperationNs: null, peakMemoryBytes: null } };
    },
    elsewhere: true,
    parts: () => parts,
    repeatable: (error) => (error instanceof AgentLost ? (signal) => waitForAgents(controller, signal) : null),
    close: stopAll,
  };
}

/** How long a lost agent has for coming back, before its round is repeated. */
const COME_BACK_MS = 30_000;
const LOOK_MS = 1000;

/**
 * @param {Controller} controller
 * @param {AbortSignal} signal
 * @throws {Error} an agent did not come back
 */
async function waitForAgents(controller, signal) {
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
