/** The thread in which the native client runs the roles of workloads. */
/** @import { Operation, Setting, ProcessSite, Workload } from '../types.js' */
import { once, setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { dialFrom } from '../../../src/load/dial-from.js';
import { sum } from '../../../src/stats/statistics.js';
import { answerQuestions } from '../../../src/worker-thread.js';
import { nowUs } from '../history.js';
import { workloadNamed } from '../index.js';
import { CommandClient } from './client.js';

const STOP_MS = 5000;
const LINGER_MS = 500;
const NOTICE_MS = 50;
/** What a draining process does is not waited for. */
const NO_WAIT = { waitReplicas: 0, waitTimeoutMs: 0 };
const PREPARING = 8;

/** @param {Setting & {failoverAware: readonly boolean[]}} setting failoverAware: of the two clients; processes take turns */
async function begin(setting) {
  const workloads = setting.workloads.map(workloadNamed);
  const stopping = new AbortController();
  // Each process that pauses listens to it.
  setMaxListeners(0, stopping.signal);
  /** @type {Record<string, Operation[]>} */
  const histories = Object.fromEntries(setting.workloads.map((name) => [name, []]));
  /** @type {NonNullable<Operation['side']>[]} */
  const sides = setting.from.majority === undefined ? ['all', 'all'] : ['minority', 'majority'];
  const { clients, close } = await openClients(setting, workloads);

  /** @param {Workload} workload @param {string} role @param {{index: number, client: CommandClient, side?: Operation['side']}} place */
  const siteOf = ({ name }, role, place) => {
    const shared = { prefix: `${setting.prefix}${name}:`, history: histories[name], signal: stopping.signal };
    return makeSite({ ...place, process: `${role}-${place.index}`, role, ...shared });
  };

  try {
    for (const each of workloads) await each.prepare?.(siteOf(each, 'preparer', { index: 0, client: clients[1] }));
  } catch (error) {
    close();
    throw error;
  }
  const running = workloads.flatMap((workload) =>
    processesOf(workload).map(({ role, index, run }) => {
      const half = index % clients.length;
      return run(siteOf(workload, role, { index, client: clients[half], side: sides[half] }));
    }),
  );

  return {
    async stop() {
      stopping.abort();
      await Promise.race([Promise.all(running), delay(STOP_MS)]);
      close();
      await Promise.all(running);
      return histories;
    },
    async drain() {
      const client = new CommandClient(setting.trial, { places: 1, failoverAware: false, wait: NO_WAIT });
      try {
        await client.open();
        for (const workload of workloads) {
          const processes = processesOf(workload).map(({ role, index }) => `${role}-${index}`);
          await workload.drain?.(siteOf(workload, 'drainer', { index: 0, client }), processes);
        }
      } finally {
        client.close();
      }
      return histories;
    },
  };
}

/** @param {Workload} workload */
function processesOf({ roles }) {
  return Object.entries(roles).flatMap(([role, { processes, run }]) =>
    Array.from({ length: processes }, (_, index) => ({ role, index, run })),
  );
}

/**
 * @param {Setting & {failoverAware: readonly boolean[]}} setting @param {readonly Workload[]} workloads
 * @returns {Promise<{clients: CommandClient[], close: () => void}>} connected, each from the address of its side
 */
async function openClients({ trial, from, wait, failoverAware }, workloads) {
  const halves = workloads.flatMap(({ roles }) =>
    Object.values(roles).map(({ processes }) => Math.ceil(processes / 2)),
  );
  const places = Math.max(PREPARING, sum(halves));
  const addresses = [from.minority, from.majority];
  const clients = failoverAware.map((aware, i) =>
    dialFrom(addresses[i], () => new CommandClient(trial, { places, failoverAware: aware, wait })),
  );
  const ticker = setInterval(() => {
    for (const client of clients) client.notice();
  }, NOTICE_MS);
  const close = () => {
    clearInterval(ticker);
    for (const client of clients) client.close();
  };
  try {
    await Promise.all(clients.map((client, i) => dialFrom(addresses[i], () => client.open())));
  } catch (error) {
    close();
    throw error;
  }
  return { clients, close };
}

/**
 * @param {{process: string, role: string, index: number, side?: Operation['side'], client: CommandClient, prefix: string, history: Operation[],
 *   signal: AbortSignal}} place
 * @returns {ProcessSite}
 */
function makeSite({ process, role, index, side, client, prefix, history, signal }) {
  /** @type {ProcessSite['line']} */
  const line = (more) => {
    /** @type {Operation} */
    const operation = { process, role, end: nowUs(), outcome: 'ok', ...(side && { side }), ...more };
    history.push(operation);
    return operation;
  };
  /**
   * @param {Parameters<ProcessSite['write']>[0]} what @param {Promise<import('./client.js').CommandAnswer>} answering
   * @param {Parameters<ProcessSite['write']>[2]} [judge]
   */
  const enter = async (what, answering, judge) => {
    const begin = nowUs();
    const { outcome, answered, reply, error } = await answering;
    return line({ begin, ...what, outcome, ...(error !== undefined && { error }), ...(answered && judge?.(reply)) });
  };
  // A subscriber still gets what was published just before the end.
  const lingering = once(signal, 'abort').then(() => delay(LINGER_MS));
  return {
    process,
    index,
    prefix,
    stopped: () => signal.aborted,
    async pause(ms) {
      if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
    },
    line,
    ask: (...words) => client.ask(...words),
    write: (what, command, judge) => enter(what, client.write(command), judge),
    compared: (what, token, command) => enter(what, client.compared(what.key ?? '', token, command)),
    subscribe: (channel, onMessage) => client.subscribe(channel, onMessage, lingering),
  };
}

/** @type {Awaited<ReturnType<typeof begin>> | null} */
let job = null;

answerQuestions(async (/** @type {{begin?: Parameters<typeof begin>[0], drain?: true}} */ question) => {
  if (question.begin) {
    job = await begin(question.begin);
    return {};
  }
  if (!job) throw new Error('no workload has begun');
  return question.drain ? job.drain() : job.stop();
});
