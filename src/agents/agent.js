/**
 * An agent: serves operations on its machine to a controller. It does what its command line allows, and nothing else.
 * It works for one run at a time. Without a heartbeat of that run's controller for 3 s it stops what it does for it, whether the
 * controller, NATS or the network between them is gone.
 */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { messageOf, UserError } from '../errors.js';
import { toolVersion } from '../measure/environment.js';
import { readClock } from './clock.js';
import { OPERATIONS } from './operations.js';
import { AgentName, jsonOf, LOST_MS, Request, stallMeter, subjects, TICK_MS, VERSION } from './protocol.js';

/**
 * @import { Msg, NatsConnection } from '@nats-io/nats-core'
 * @import { z } from 'zod'
 * @import { AgentWork, Allowable, Handlers } from './operations.js'
 * @import { AgentDescription } from './protocol.js'
 */

const SAME_VERSION = 'Use the same version on all machines.';

/**
 * @param {Object} options @param {NatsConnection} options.nats @param {string} options.name @param {readonly Allowable[]} options.allow
 * @param {readonly AgentWork[]} options.works @param {(line: string) => void} options.tell
 * @returns {{close: () => Promise<void>}} close: stops its work and leaves
 */
export function serveAgent({ nats, name, allow, works, tell }) {
  AgentName.parse(name);
  const incarnation = randomBytes(8).toString('hex');
  const run = new CurrentRun(works, tell);
  const carryOut = openRequests(works, allow, run);

  async function onRequest(/** @type {Msg} */ message) {
    const operation = message.subject.slice(subjects.request(name, '').length);
    const { data } = Request.safeParse(jsonOf(message));
    const carriedOut =
      data && message.reply
        ? carryOut(operation, data)
        : Promise.reject(new UserError('The request is malformed.', SAME_VERSION));
    const reply = JSON.stringify(await carriedOut.then((body = {}) => ({ ok: true, body }), refusalOf));
    const fits = Buffer.byteLength(reply) <= (nats.info?.max_payload ?? 2 ** 20);
    message.respond(fits ? reply : JSON.stringify(refusalOf('Its reply is too long for NATS.')));
  }

  /** @param {string} subject @param {(message: Msg) => unknown} onMessage */
  const subscribe = (subject, onMessage) =>
    nats.subscribe(subject, { callback: (error, message) => void (error ?? onMessage(message)) });

  subscribe(subjects.discover, (message) => {
    /** @type {AgentDescription} */
    const description = {
      version: VERSION,
      name,
      incarnation,
      allow: [...allow],
      cores: os.cpus().length,
      memoryBytes: os.totalmem(),
      os: `${os.type()} ${os.release()}`,
      node: process.versions.node,
      tool: toolVersion,
      busy: run.id,
    };
    message.respond(JSON.stringify(description));
  });
  subscribe(subjects.request(name, '*'), onRequest);
  subscribe(subjects.controller('*'), ({ subject }) => {
    if (subject === subjects.controller(String(run.id))) run.heard();
  });
  const stalledMs = stallMeter();
  const beat = setInterval(() => {
    run.look(stalledMs());
    if (!nats.isClosed()) nats.publish(subjects.heartbeat(name), JSON.stringify({ incarnation }));
  }, TICK_MS);

  return {
    async close() {
      clearInterval(beat);
      await run.release('the agent ends');
      await nats.close();
    },
  };
}

/** The run that an agent works for. */
class CurrentRun {
  id = /** @type {string | null} */ (null);
  #works;
  #tell;
  #heardMs = 0;
  /** The end of a run; its successor waits for it. @type {Promise<void> | null} */
  #stopping = null;

  /** @param {readonly AgentWork[]} works @param {(line: string) => void} tell */
  constructor(works, tell) {
    this.#works = works;
    this.#tell = tell;
  }

  isServed(/** @type {string} */ id) {
    return this.id === id && !this.#stopping;
  }

  async begin(/** @type {string} */ id) {
    await this.#stopping;
    if (this.id !== null && this.id !== id)
      throw new UserError(`It works for the run ${this.id}.`, 'Wait for its end, or stop that run.');
    if (this.id === null) this.#tell(`run ${id}: begins`);
    this.id = id;
    this.heard();
  }

  /** Its controller is there. */
  heard() {
    this.#heardMs = performance.now();
  }

  /** @param {number} stalledMs in which this process could not hear its controller */
  look(stalledMs) {
    this.#heardMs += stalledMs;
    if (performance.now() - this.#heardMs > LOST_MS) this.release('its controller is lost; everything is stopped');
  }

  release(/** @type {string} */ why) {
    if (this.#stopping || this.id === null) return this.#stopping;
    this.#tell(`run ${this.id}: ${why}`);
    this.#stopping = Promise.allSettled(this.#works.map((work) => work.stop())).then((ends) => {
      for (const end of ends) if (end.status === 'rejected') this.#tell(`cannot stop: ${messageOf(end.reason)}`);
      this.id = null;
      this.#stopping = null;
    });
    return this.#stopping;
  }
}

/** @param {readonly AgentWork[]} works @param {readonly Allowable[]} allowed @param {CurrentRun} run */
function openRequests(works, allowed, run) {
  /** @type {Handlers} */
  const handlers = {
    clock: async () => readClock(),
    begin: (_body, { run: id }) => run.begin(id),
    end: async (_body, { run: id }) => void (run.id === id && (await run.release('ended'))),
    ...Object.assign({}, ...works.map((work) => work.handlers)),
  };

  /** @param {string} operation @param {z.infer<typeof Request>} request @returns {Promise<object | void>} the body of its reply */
  return async (operation, { run: asking, body }) => {
    const rule = OPERATIONS.get(operation);
    if (!rule) throw new UserError('It knows no operation of this name.', SAME_VERSION);
    const { allow, anyRun } = rule;
    if (allow !== null && !allowed.includes(allow))
      throw new UserError(`It does not allow ${allow}.`, `Start it with --allow ${allow}.`);
    const { data, error: wrong } = rule.request.safeParse(body);
    if (wrong) {
      const place = wrong.issues[0].path.join('.') || 'its top';
      throw new UserError(`The request ${operation} is malformed at ${place}.`, SAME_VERSION);
    }
    const worksForIt = () => anyRun || run.isServed(asking);
    if (!worksForIt()) throw new NoSuchRun('It does not work for this run.', 'Start the run again.');
    try {
      return await handlers[/** @type {keyof Handlers} */ (operation)]?.(/** @type {any} */ (data), { run: asking });
    } catch (error) {
      // It ended the run in the middle of this.
      if (!worksForIt()) throw new NoSuchRun(messageOf(error), 'Start the run again.', { cause: error });
      throw error;
    }
  };
}

/** The controller takes an agent that has stopped its run by itself for lost, and may begin anew with it. */
class NoSuchRun extends UserError {}

function refusalOf(/** @type {unknown} */ error) {
  const remedy = error instanceof UserError ? error.remedy : 'Look at the log of the agent.';
  const refused = { ok: false, message: messageOf(error).slice(0, 2000), remedy: remedy.slice(0, 2000) };
  return error instanceof NoSuchRun ? { ...refused, stopped: true } : refused;
}
