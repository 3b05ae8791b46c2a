/** The controller's side: finds agents, watches their heartbeats, and sends requests. */
import { randomBytes } from 'node:crypto';
import pTimeout from 'p-timeout';
import { messageOf, UserError } from '../errors.js';
import { fromOutside } from '../untrusted.js';
import { orUndo, waitFor } from '../wait.js';
import { measureOffset } from './clock.js';
import { connectNats } from './connection.js';
import { OPERATIONS } from './operations.js';
import { Description, Heartbeat, jsonOf, LOST_MS, Reply, stallMeter, subjects, TICK_MS, VERSION } from './protocol.js';
import { refusal } from './refusals.js';

/**
 * @import { NatsConnection } from '@nats-io/nats-core'
 * @import { ClockOffset } from './clock.js'
 * @import { NatsOptions } from './connection.js'
 * @import { Allowable, Answered, Asked, OperationName } from './operations.js'
 * @import { AgentDescription } from './protocol.js'
 */

/** How long agents have for saying that they are there. */
const DISCOVER_MS = 1500;
/** For those that are named. */
const NAMED_MS = 5000;
const DEADLINE_MS = 10_000;
/** A reply travels, too. */
const REPLY_MS = 2000;
/** How long a lost agent has for coming back, before its round or trial is repeated. */
const COME_BACK_MS = 30_000;
const LOOK_MS = 1000;

/** An agent stopped answering: whatever it did in the round is incomplete. */
class AgentLost extends UserError {
  /** @param {string} name @param {string} why */
  constructor(name, why) {
    super(`The agent ${name} is lost: ${why}.`, 'Start it again, or leave it out of --agents.');
  }
}

/**
 * @typedef {{nats: NatsOptions, wanted: readonly string[]}} WantedAgents how to reach them, and their names, or `all`
 * @typedef {Object} Controller
 * @property {string} run
 * @property {readonly AgentDescription[]} agents those chosen, in the order of their names on the command line
 * @property {<N extends OperationName>(agent: string, operation: N, body: Asked<N>, deadlineMs?: number) => Promise<Answered<N>>} ask
 *   rejects with {@link AgentLost} when the agent is lost or misses the deadline, with a UserError when it refuses
 * @property {(agent: string) => Promise<ClockOffset>} clock
 * @property {(names: readonly string[]) => AbortSignal} lost aborted with an {@link AgentLost} when one of them is lost
 * @property {(signal?: AbortSignal) => Promise<void>} renew waits for lost agents; rejects with {@link AgentLost} if one does not come back in time
 * @property {(error: unknown) => Controller['renew'] | null} repeatable after such an error of a round or a trial, what to await before it is
 *   repeated; null: it is of no use
 * @property {() => Promise<void>} close ends the run on all agents
 */

/**
 * @param {NatsConnection} nats @param {readonly string[]} [wanted] names, or `all`; default: all
 * @returns {Promise<AgentDescription[]>} all agents that answer in time, by name; ends early once all names have answered
 * @throws {UserError} two agents have the same name
 */
export async function discoverAgents(nats, wanted = ['all']) {
  const { createInbox } = await import('@nats-io/transport-node');
  const inbox = createInbox();
  const found = /** @type {AgentDescription[]} */ ([]);
  const subscription = nats.subscribe(inbox, {
    callback(error, message) {
      const parsed = Description.safeParse(error ? undefined : jsonOf(message));
      if (parsed.success) found.push(parsed.data);
    },
  });
  nats.publish(subjects.discover, '', { reply: inbox });
  const all = wanted.includes('all');
  const allThere = () => !all && wanted.every((name) => found.some((agent) => agent.name === name));
  await waitFor(allThere, { deadlineMs: all ? DISCOVER_MS : NAMED_MS });
  subscription.unsubscribe();
  const names = found.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw refusal('agents-alike', { name: twice });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * @param {readonly AgentDescription[]} found @param {readonly string[]} wanted names, or `all`
 * @param {readonly Allowable[]} allow what each has to allow
 * @param {readonly Allowable[]} [or] those that allow one of these instead are taken, too
 * @returns {AgentDescription[]} in the order of the names @throws {UserError} one is missing or unfit
 */
function chooseAgents(found, wanted, allow, or = []) {
  const lacks = (/** @type {AgentDescription} */ agent) =>
    or.some((each) => agent.allow.includes(each)) ? [] : allow.filter((each) => !agent.allow.includes(each));
  const all = wanted.includes('all');
  const missing = all ? undefined : wanted.find((name) => !found.some((agent) => agent.name === name));
  if (missing) throw refusal('agent-missing', { name: missing });
  const chosen = all
    ? found.filter((agent) => lacks(agent).length === 0)
    : [...new Set(wanted)].flatMap((name) => found.filter((agent) => agent.name === name));
  if (chosen.length === 0) throw refusal('none-allows', { what: allow.join(' and ') });
  for (const agent of chosen) {
    const { name, version, busy } = agent;
    const [lacking] = lacks(agent);
    if (version !== VERSION) throw refusal('other-version', { name, version, own: VERSION });
    if (lacking) throw refusal('not-allowed', { name, lacking, all: [...agent.allow, ...lacks(agent)].join(',') });
    if (busy) throw refusal('agent-busy', { name, busy });
  }
  return chosen;
}

/**
 * @param {WantedAgents} wantedAgents @param {readonly Allowable[]} allow what each has to allow
 * @param {readonly Allowable[]} [or] agents that allow one of these instead are chosen, too
 * @returns {Promise<Controller>} with agents that work for this run, and whose clocks tick
 * @throws {UserError} an agent is missing or unfit; nothing is left open
 */
export async function openController({ nats: options, wanted }, allow, or) {
  const run = newRunId();
  const nats = await connectNats(options, { reconnect: true });
  const choosing = discoverAgents(nats, wanted).then((found) => chooseAgents(found, wanted, allow, or));
  // An open connection would keep the process alive.
  const agents = await orUndo(choosing, () => nats.close());
  const names = agents.map(({ name }) => name);
  const heartbeats = watchHeartbeats(nats, run, agents);

  /** @template T @param {string} agent @param {Promise<T>} answer */
  const untilLost = (agent, answer) =>
    pTimeout(answer, { milliseconds: Number.POSITIVE_INFINITY, signal: heartbeats.lostOf(agent) });

  /** @type {Controller['ask']} */
  async function ask(agent, operation, body, deadlineMs) {
    heartbeats.lostOf(agent).throwIfAborted();
    return untilLost(agent, askAgent(nats, { run, agent, operation, body, deadlineMs }));
  }

  async function clock(/** @type {string} */ agent) {
    const offset = await untilLost(agent, offsetOf(nats, agent, run));
    if (offset.ticks) return offset;
    throw refusal('clock-unfit', { agent });
  }

  /** @param {'begin' | 'end'} operation */
  const tellAll = (operation) => names.map((name) => ask(name, operation, {}));

  async function close() {
    await Promise.allSettled(tellAll('end'));
    heartbeats.close();
    await nats.close();
  }

  async function beginAgain() {
    const found = await discoverAgents(nats, names);
    for (const name of names) {
      const agent = found.find((one) => one.name === name);
      if (!agent) throw new AgentLost(name, 'it does not answer');
      heartbeats.watch(agent);
    }
    await Promise.all(tellAll('begin'));
  }

  try {
    await Promise.all(tellAll('begin'));
    await Promise.all(names.map(clock));
  } catch (error) {
    await close();
    throw error instanceof UserError ? error : new UserError(messageOf(error), 'See the logs.');
  }
  /** @type {Controller['renew']} */
  const renew = (signal) => triedAgain(beginAgain, signal);
  const lost = (/** @type {readonly string[]} */ some) => AbortSignal.any(some.map(heartbeats.lostOf));
  /** @type {Controller['repeatable']} */
  function repeatable(error) {
    const causes = [error, error instanceof Error && error.cause];
    return causes.some((each) => each instanceof AgentLost) ? renew : null;
  }
  return { run, agents, ask, clock, lost, renew, repeatable, close };
}

/** @param {() => Promise<void>} work @param {AbortSignal} [signal] @throws {unknown} what it threw the last time */
async function triedAgain(work, signal) {
  /** @type {unknown} */
  let failure;
  const succeeds = () =>
    work().then(
      () => true,
      (error) => {
        failure = error;
      },
    );
  if (!(await waitFor(succeeds, { deadlineMs: COME_BACK_MS, pollMs: LOOK_MS, signal }))) throw failure;
}

/**
 * Watches the heartbeats of agents, and sends them that of the run.
 * @param {NatsConnection} nats @param {string} run @param {readonly AgentDescription[]} agents
 */
function watchHeartbeats(nats, run, agents) {
  /** @type {Map<string, {name: string, incarnation: string, heardMs: number, lost: AbortController}>} by subject */
  const watched = new Map();
  function watch(/** @type {AgentDescription} */ { name, incarnation }) {
    const known = watched.get(subjects.heartbeat(name));
    if (known?.incarnation === incarnation && !known.lost.signal.aborted) return;
    known?.lost.abort(new AgentLost(name, 'it was started again'));
    const lost = new AbortController();
    watched.set(subjects.heartbeat(name), { name, incarnation, heardMs: performance.now(), lost });
  }

  for (const agent of agents) watch(agent);
  const subscription = nats.subscribe(subjects.heartbeat('*'), {
    callback(error, message) {
      const state = watched.get(message.subject);
      const { data } = Heartbeat.safeParse(error ? undefined : jsonOf(message));
      if (!state || !data) return;
      if (data.incarnation === state.incarnation) state.heardMs = performance.now();
      else state.lost.abort(new AgentLost(state.name, 'it was started again'));
    },
  });
  const stalledMs = stallMeter();
  const timer = setInterval(() => {
    const now = performance.now();
    const stalled = stalledMs();
    if (!nats.isClosed()) nats.publish(subjects.controller(run), '');
    for (const state of watched.values()) {
      state.heardMs += stalled;
      if (now - state.heardMs > LOST_MS)
        state.lost.abort(new AgentLost(state.name, `no heartbeat for ${LOST_MS / 1000} s`));
    }
  }, TICK_MS);
  return {
    watch,
    /** @param {string} name @returns {AbortSignal} aborted when that agent is lost */
    lostOf(name) {
      const state = watched.get(subjects.heartbeat(name));
      if (!state) throw new Error(`${name} was not chosen`);
      return state.lost.signal;
    },
    close() {
      clearInterval(timer);
      subscription.unsubscribe();
    },
  };
}

/** @param {NatsConnection} nats @param {string} agent @param {string} [run] @returns {Promise<ClockOffset>} */
export function offsetOf(nats, agent, run = newRunId()) {
  return measureOffset(() => askAgent(nats, { run, agent, operation: 'clock', body: {} }));
}

export function newRunId() {
  return randomBytes(8).toString('hex');
}

/**
 * Asks without watching the agent.
 * @template {OperationName} N @param {NatsConnection} nats
 * @param {{run: string, agent: string, operation: N, body: Asked<N>, deadlineMs?: number}} request deadlineMs:
 *   default: that of the operation
 * @returns {Promise<Answered<N>>}
 */
export async function askAgent(nats, { run, agent, operation, body, deadlineMs }) {
  const rule = OPERATIONS.get(operation);
  const timeout = (deadlineMs ?? rule?.deadlineMs ?? DEADLINE_MS) + REPLY_MS;
  const answer = await nats
    .request(subjects.request(agent, operation), JSON.stringify({ version: VERSION, run, body }), { timeout })
    .catch((error) => {
      throw new AgentLost(agent, messageOf(error));
    });
  const parsed = Reply.safeParse(jsonOf(answer));
  if (!parsed.success) throw new AgentLost(agent, 'its reply is malformed');
  if (!parsed.data.ok) {
    const { message, remedy, stopped } = parsed.data;
    if (stopped) throw new AgentLost(agent, 'it had stopped by itself');
    throw new UserError(`The agent ${agent} says: ${fromOutside(message)}`, fromOutside(remedy));
  }
  const content = rule?.reply.safeParse(parsed.data.body);
  if (!content?.success) throw new AgentLost(agent, `its reply to ${operation} is malformed`);
  return /** @type {any} */ (content.data);
}
