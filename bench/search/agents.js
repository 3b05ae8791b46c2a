/**
 * Tries schedules on the machines of agents, behind the interface of one try. Agents may die and come back meanwhile: a schedule whose agent
 * is gone is given to another one, and what it shows counts once.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connectNats } from '../../src/agents/connection.js';
import { AgentLost, discoverAgents, openController } from '../../src/agents/controller.js';
import { jsonOf } from '../../src/agents/protocol.js';
import { messageOf, UserError } from '../../src/errors.js';
import { untilAborted } from '../../src/run/interruption.js';
import { fromOutside } from '../../src/untrusted.js';
import { agentOf, consumer, queueOf, SearchReply, TO_TRY, TRIED, Tried } from './queue.js';
import { scheduleText } from './schedule.js';

/**
 * @import { JetStreamManager } from '@nats-io/jetstream'
 * @import { NatsConnection } from '@nats-io/nats-core'
 * @import { z } from 'zod'
 * @import { WantedAgents } from '../../src/agents/agents-load.js'
 * @import { NatsOptions } from '../../src/agents/connection.js'
 * @import { Controller } from '../../src/agents/controller.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { Attempt, Try } from './explore.js'
 */

/** @typedef {Attempt & {by: string}} AttemptBy by: the agent */

/** For starting; an agent recovers first what a killed one left. */
const BEGIN_MS = 60_000;
/** Before a lost agent is looked for again. */
const LOOK_MS = 2000;
/** A search without any agent for so long ends. */
const NOBODY_MS = 60_000;

/**
 * @typedef {Object} SearchSetting
 * @property {string} mode
 * @property {Placement} placement
 * @property {number} downAfterMs
 * @property {boolean} disks schedules need disks of their own
 * @property {number} [lanes] of each agent; default: as many as suit its machine
 *
 * @typedef {Object} AgentsTry
 * @property {Try} attempt resolves to an {@link AttemptBy}
 * @property {{name: string, lanes: number, server: {name: string, version: string | null}}[]} agents
 * @property {() => Promise<void>} close
 */

/**
 * @param {WantedAgents} agents
 * @param {SearchSetting} how
 * @param {(line: string) => void} tell
 * @returns {Promise<AgentsTry>}
 * @throws {UserError} an agent is missing or unfit, agents run different servers, or NATS has no JetStream
 */
export async function openAgentsTry({ nats: options, wanted }, how, tell) {
  const search = randomBytes(8).toString('hex');
  const nats = await connectNats(options, { reconnect: true });
  const serving = new Serving({ options, search, how, tell });
  const attempts = new Attempts(serving);
  /** @type {Awaited<ReturnType<typeof makeQueue>> | undefined} */
  let queue;

  async function close() {
    attempts.close();
    await serving.end();
    await queue?.remove();
    await nats.close();
  }

  try {
    const names = await namesOf(nats, wanted);
    queue = await makeQueue(nats, search, (by, { id, attempt }) => attempts.answered(by, id, attempt));
    const agents = await serving.beginAll(names);
    const { publish } = queue;
    return { agents, close, attempt: (schedule, signal) => attempts.make(schedule, signal, publish) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The agents of a search. One that is lost may come back. */
class Serving {
  #site;
  #ending = new AbortController();
  /** @type {Promise<unknown>[]} */
  #background = [];
  /** @type {Set<string>} */
  #names = new Set();

  /** @param {{options: NatsOptions, search: string, how: SearchSetting, tell: (line: string) => void}} site */
  constructor(site) {
    this.#site = site;
  }

  get isSomebody() {
    return this.#names.size > 0;
  }

  /** @param {readonly string[]} names @returns {Promise<AgentsTry['agents']>} all of them have begun */
  async beginAll(names) {
    const begun = await Promise.allSettled(names.map((name) => this.#beginPatiently(name)));
    const failed = begun.find((each) => each.status === 'rejected');
    const good = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const agents = good.map(({ server, lanes }, index) => ({ name: names[index], server, lanes }));
    if (failed || !isAlike(agents)) {
      await Promise.all(good.map(({ controller }) => controller.close()));
      throw failed
        ? /** @type {PromiseRejectedResult} */ (failed).reason
        : new UserError(
            `The agents run different servers: ${agents.map(({ name, server }) => `${name} ${server.name} ${server.version}`).join(', ')}.`,
            'Search with those of one version, by --agents NAME….',
          );
    }
    this.#background = good.map(({ controller }, index) => this.#supervise(names[index], controller));
    return agents;
  }

  async end() {
    this.#ending.abort();
    await Promise.allSettled(this.#background);
  }

  /** @param {string} name */
  async #begin(name) {
    const { options, search, how } = this.#site;
    const connection = await connectNats(options, { reconnect: true });
    const controller = await openController({ nats: connection, wanted: [name], allow: ['search'] }).catch((error) =>
      connection.close().then(() => Promise.reject(error)),
    );
    try {
      const reply = await controller.ask(name, 'search', { search, ...how }, SearchReply, BEGIN_MS);
      this.#names.add(name);
      return { controller, ...reply };
    } catch (error) {
      await controller.close();
      throw error;
    }
  }

  /** An agent that is lost while it begins, on a busy machine, may begin again. @param {string} name */
  async #beginPatiently(name) {
    const deadline = performance.now() + BEGIN_MS;
    for (let wasLost = false; ; ) {
      try {
        return await this.#begin(name);
      } catch (error) {
        wasLost ||= error instanceof AgentLost;
        if (!wasLost || performance.now() > deadline) throw error;
        await delay(LOOK_MS);
      }
    }
  }

  /** Until the search ends. @param {string} name @param {Controller | null} controller of the agent that serves */
  async #supervise(name, controller) {
    const { signal } = this.#ending;
    const { tell } = this.#site;
    while (!signal.aborted) {
      if (controller) {
        const gone = AbortSignal.any([controller.lost([name]), signal]);
        await new Promise((resolve) => (gone.aborted ? resolve(null) : gone.addEventListener('abort', resolve)));
        this.#names.delete(name);
        await controller.close();
        if (signal.aborted) return;
        tell(`${messageOf(controller.lost([name]).reason)} Other agents get its schedules.`);
      }
      controller = await this.#begin(name).then(
        (begun) => begun.controller,
        () => null,
      );
      if (controller) tell(`The agent ${name} is back.`);
      else await delay(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    await controller?.close();
  }
}

/** The schedules that agents are to try, until one has answered. */
class Attempts {
  /** @type {Map<number, {resolve: (attempt: AttemptBy) => void, reject: (error: unknown) => void}>} */
  #waiting = new Map();
  #nextId = 1;
  #lastServedMs = performance.now();
  #watch;

  /** @param {Serving} serving */
  constructor(serving) {
    this.#watch = setInterval(() => {
      if (serving.isSomebody) this.#lastServedMs = performance.now();
      if (performance.now() - this.#lastServedMs < NOBODY_MS) return;
      for (const { reject } of this.#waiting.values())
        reject(new UserError(`No agent has answered for ${NOBODY_MS / 1000} s.`, 'Start agents, then search again.'));
    }, LOOK_MS);
  }

  /** @param {string} by @param {number} id @param {Attempt} attempt */
  answered(by, id, attempt) {
    // A schedule that two agents tried counts once.
    this.#waiting.get(id)?.resolve({ ...attempt, ...(attempt.failed && { failed: fromOutside(attempt.failed) }), by });
  }

  /**
   * @param {Parameters<AgentsTry['attempt']>[0]} schedule
   * @param {AbortSignal} signal
   * @param {(toTry: {id: number, schedule: string}) => Promise<unknown>} publish
   * @returns {Promise<Attempt>} an {@link AttemptBy}, unless it was interrupted
   */
  async make(schedule, signal, publish) {
    const id = this.#nextId++;
    const tried = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    void this.#announce({ id, schedule: scheduleText(schedule) }, publish);
    try {
      return await untilAborted(tried, signal);
    } catch (error) {
      if (signal.aborted) return { acked: 0, lost: 0, seconds: 0, failed: 'interrupted' };
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /**
   * Again after NATS did not answer; it keeps one of each.
   * @param {{id: number, schedule: string}} toTry
   * @param {(toTry: {id: number, schedule: string}) => Promise<unknown>} publish
   */
  async #announce(toTry, publish) {
    while (this.#waiting.has(toTry.id) && !(await publish(toTry).catch(() => null))) await delay(LOOK_MS);
  }

  close() {
    clearInterval(this.#watch);
  }
}

/** @param {NatsConnection} nats @param {readonly string[]} wanted */
async function namesOf(nats, wanted) {
  if (!wanted.includes('all')) return [...new Set(wanted)];
  const found = (await discoverAgents(nats)).filter(({ allow }) => allow.includes('search')).map(({ name }) => name);
  if (found.length === 0)
    throw new UserError('No agent that allows search answers.', 'Start agents with --allow search first.');
  return found;
}

/** @param {readonly {server: {name: string, version: string | null}}[]} agents */
function isAlike(agents) {
  return new Set(agents.map(({ server }) => `${server.name} ${server.version}`)).size === 1;
}

/**
 * @param {NatsConnection} nats
 * @param {string} search
 * @param {(by: string, tried: z.infer<typeof Tried>) => void} onTried
 */
async function makeQueue(nats, search, onTried) {
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
  const queue = queueOf(search);
  const manager = await jetstreamManager(nats, { checkAPI: false });
  try {
    for (const stream of [TO_TRY, TRIED]) await ensureStream(manager, stream);
    await manager.consumers.add(TO_TRY.name, consumer(search, queue.toTry));
    await manager.consumers.add(TRIED.name, consumer(search, queue.tried('*')));
  } catch (error) {
    throw new UserError(
      `NATS has no queue for schedules: ${messageOf(error)}.`,
      'Start nats-server with -js, and give the controller the rights of deploy/nats.',
    );
  }
  const stream = jetstream(nats);
  const messages = await (await stream.consumers.get(TRIED.name, queue.consumer)).consume({
    callback(message) {
      const tried = Tried.safeParse(jsonOf(message));
      if (tried.success) onTried(agentOf(message.subject), tried.data);
      message.ack();
    },
  });
  return {
    /** @param {{id: number, schedule: string}} toTry */
    publish: (toTry) => stream.publish(queue.toTry, JSON.stringify(toTry), { msgID: `${search} ${toTry.id}` }),
    async remove() {
      messages.stop();
      for (const [{ name }, filter] of /** @type {const} */ ([
        [TO_TRY, queue.toTry],
        [TRIED, queue.tried('*')],
      ])) {
        await manager.streams.purge(name, { filter }).catch(() => {});
        await manager.consumers.delete(name, search).catch(() => {});
      }
    },
  };
}

/** @param {JetStreamManager} manager @param {typeof TO_TRY} stream */
async function ensureStream(manager, stream) {
  const there = await manager.streams.info(stream.name).catch(() => null);
  if (!there) await manager.streams.add(stream);
}
