/**
 * An agent: serves operations on its machine to a controller. It does what its command line allows, and nothing else.
 *
 * It works for one run at a time. Without a heartbeat of that run's controller for 3 s it stops what it does for it, whether the
 * controller, NATS or the network between them is gone.
 */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { messageOf, UserError } from '../errors.js';
import { toolVersion } from '../measure/environment.js';
import { readClock } from './clock.js';
import { AgentName, ClockRequest, LOST_MS, Nothing, Request, subjects, VERSION } from './protocol.js';
import { stallMeter, TICK_MS } from './stalls.js';

/**
 * @import { Msg, NatsConnection } from '@nats-io/nats-core'
 * @import { z } from 'zod'
 * @import { ALLOWABLE, AgentDescription } from './protocol.js'
 */

/**
 * @typedef {(typeof ALLOWABLE)[number]} Allowable
 *
 * @typedef {Object} Operation
 * @property {z.ZodType} request schema of its body
 * @property {Allowable} allow what the command line has to allow
 * @property {boolean} [anyRun] it needs no run, and carrying it out again does no harm; default: the agent has to work for the run that asks
 * @property {(request: any, context: {run: string, deadlineMs: number}) => Promise<unknown>} run resolves to the body of the reply
 *
 * @typedef {Object} Work what an agent offers
 * @property {Record<string, Operation>} operations by name
 * @property {() => Promise<void>} stop ends what is under way for the run; idempotent
 *
 * @typedef {Object} Agent
 * @property {() => Promise<void>} close stops its work and leaves
 */

/** Replies that are kept for requests which arrive again. */
const MOST_REPLIES = 256;

/**
 * @param {Object} options
 * @param {NatsConnection} options.nats
 * @param {string} options.name
 * @param {readonly Allowable[]} options.allow
 * @param {readonly Work[]} options.works
 * @param {(line: string) => void} options.tell
 * @returns {Agent}
 */
export function serveAgent({ nats, name, allow, works, tell }) {
  AgentName.parse(name);
  const incarnation = randomBytes(8).toString('hex');
  /** @type {Record<string, Operation>} */
  const operations = Object.assign({}, ...works.map((work) => work.operations));
  /** @type {Map<string, Promise<object>>} by run and id of the request */
  const replies = new Map();
  /** @type {{id: string, heardMs: number} | null} */
  let run = null;
  /** @type {Promise<void> | null} the end of a run; its successor waits for it */
  let stopping = null;

  /** @param {string} why */
  function release(why) {
    if (stopping || !run) return stopping;
    tell(`run ${run.id}: ${why}`);
    stopping = Promise.allSettled(works.map((work) => work.stop())).then((ends) => {
      for (const end of ends) if (end.status === 'rejected') tell(`cannot stop: ${messageOf(end.reason)}`);
      run = null;
      stopping = null;
    });
    return stopping;
  }

  /** @returns {AgentDescription} */
  const describe = () => ({
    version: VERSION,
    name,
    incarnation,
    allow: [...allow],
    cores: os.cpus().length,
    memoryBytes: os.totalmem(),
    os: `${os.type()} ${os.release()}`,
    node: process.versions.node,
    tool: toolVersion,
    busy: run?.id ?? null,
  });

  /** @type {Record<string, Operation>} */
  const ofEveryAgent = {
    clock: { request: ClockRequest, allow: 'load', run: async () => readClock() },
    begin: {
      request: Nothing,
      allow: 'load',
      async run(_request, context) {
        await stopping;
        if (run && run.id !== context.run) {
          throw new UserError(`It works for the run ${run.id}.`, 'Wait for its end, or stop that run.');
        }
        if (!run) tell(`run ${context.run}: begins`);
        run = { id: context.run, heardMs: performance.now() };
        return {};
      },
    },
    end: {
      request: Nothing,
      allow: 'load',
      async run(_request, context) {
        if (run?.id === context.run) await release('ended');
        return {};
      },
    },
  };

  /**
   * @param {string} operation
   * @param {z.infer<typeof Request>} request
   */
  async function carryOut(operation, { run: asking, deadlineMs, body }) {
    const isOwn = Object.hasOwn(ofEveryAgent, operation);
    const found = isOwn
      ? ofEveryAgent[operation]
      : Object.hasOwn(operations, operation)
        ? operations[operation]
        : undefined;
    if (!found) throw new UserError(`It knows no operation of this name.`, 'Use the same version on all machines.');
    if (!isOwn && !allow.includes(found.allow)) {
      throw new UserError(`It does not allow ${found.allow}.`, `Start it with --allow ${found.allow}.`);
    }
    const parsed = found.request.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new UserError(
        `The request ${operation} is malformed at ${issue.path.join('.') || 'its top'}.`,
        'Use the same version on all machines.',
      );
    }
    const worksForIt = () => isOwn || found.anyRun || (run?.id === asking && !stopping);
    if (!worksForIt()) throw new NoSuchRun('It does not work for this run.', 'Start the run again.');
    try {
      return await found.run(parsed.data, { run: asking, deadlineMs });
    } catch (error) {
      // It ended the run in the middle of this.
      if (!worksForIt()) throw new NoSuchRun(messageOf(error), 'Start the run again.', { cause: error });
      throw error;
    }
  }

  /** @param {Msg} message */
  async function onRequest(message) {
    const operation = message.subject.slice(subjects.request(name, '').length);
    const parsed = Request.safeParse(jsonOf(message));
    if (!parsed.success || !message.reply) return respond(message, refusal('The request is malformed.'));
    const key = `${parsed.data.run} ${parsed.data.id}`;
    // Many clock readings must not push out the replies that matter, and pieces of ledgers are large.
    const reply =
      replies.get(key) ??
      carryOut(operation, parsed.data).then(
        (body) => ({ ok: true, body }),
        (error) => refusalOf(error),
      );
    const again = operation === 'clock' || (Object.hasOwn(operations, operation) && operations[operation].anyRun);
    if (!again) replies.set(key, reply);
    if (replies.size > MOST_REPLIES) replies.delete(/** @type {string} */ (replies.keys().next().value));
    respond(message, await reply);
  }

  /**
   * @param {Msg} message
   * @param {object} reply
   */
  function respond(message, reply) {
    const text = JSON.stringify(reply);
    const most = nats.info?.max_payload ?? 2 ** 20;
    message.respond(
      Buffer.byteLength(text) <= most ? text : JSON.stringify(refusal('Its reply is too long for NATS.')),
    );
  }

  nats.subscribe(subjects.discover, {
    callback(error, message) {
      if (!error) message.respond(JSON.stringify(describe()));
    },
  });
  nats.subscribe(subjects.request(name, '*'), {
    callback(error, message) {
      if (!error) void onRequest(message);
    },
  });
  nats.subscribe(subjects.controller('*'), {
    callback(error, message) {
      if (!error && run && message.subject === subjects.controller(run.id)) run.heardMs = performance.now();
    },
  });
  const stalledMs = stallMeter();
  const beat = setInterval(() => {
    const stalled = stalledMs();
    if (run) run.heardMs += stalled;
    if (!nats.isClosed()) nats.publish(subjects.heartbeat(name), JSON.stringify({ incarnation }));
    if (run && performance.now() - run.heardMs > LOST_MS) release('its controller is lost; everything is stopped');
  }, TICK_MS);

  return {
    async close() {
      clearInterval(beat);
      await release('the agent ends');
      await nats.close();
    },
  };
}

/** @param {Msg} message */
function jsonOf(message) {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}

/** The controller takes an agent that has stopped its run by itself for lost, and may begin anew with it. */
class NoSuchRun extends UserError {}

/** @param {unknown} error */
function refusalOf(error) {
  const refused = refusal(messageOf(error), error instanceof UserError ? error.remedy : undefined);
  return error instanceof NoSuchRun ? { ...refused, stopped: true } : refused;
}

/** @param {string} message @param {string} [remedy] */
function refusal(message, remedy = 'Look at the log of the agent.') {
  return { ok: false, message: message.slice(0, 2000), remedy: remedy.slice(0, 2000) };
}
