/**
 * The protocol of workloads for Node.js, which docs/drivers.md describes. A library gives one function, which makes what a
 * process of a role needs: a holder, a client of a limiter, or a queue.
 */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInput, fail, NOT_WRITTEN } from './protocol.js';

const PROTOCOL = 'sentinel-bench/workload@1';
const CONNECT_MS = 15_000;
const ALIVE_MS = 1000;
/** Jobs of the backlog that are added side by side. */
const SIDE_BY_SIDE = 20;
const LOOK_MS = 500;

/** Microseconds of CLOCK_MONOTONIC. */
const now = () => Number(process.hrtime.bigint() / 1000n);
const between = ([least, most]) => least + Math.random() * (most - least);
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** What ioredis needs to find the primary. */
export const sentinelOptions = ({ sentinels, masterName }) => ({ sentinels, name: masterName });

/** Sends WAIT on the connection of the operation before it. The operation is in doubt if too few replicas confirm it. */
export async function confirm(redis, { wait }) {
  if (wait === null) return;
  const count = await redis.wait(wait.replicas, wait.timeoutMs);
  if (count < wait.replicas) throw new Error(`WAIT counted ${count} of ${wait.replicas}`);
}

/**
 * @param library {title, npmPackage, workload, variants, visibilityMs, open}. `open(task)` makes a holder {acquire, renew, release},
 *   a client {allow}, or a queue {add, work, held}. A queue is made once, the others for each process of the role.
 */
export function runWorkload(library) {
  // Each operation reports its own error.
  process.on('unhandledRejection', () => {});
  converse(library).catch((error) => fail(1, error.stack));
}

async function converse(library) {
  process.stdout.on('error', () => process.exit(1)); // nobody reads
  const nextLine = createInput('end');
  const task = readTask(await nextLine(), library);
  if (task.localAddress !== null) dialFrom(task.localAddress);
  setInterval(() => print({ process: task.name, op: 'alive' }), ALIVE_MS).unref();

  const history = createHistory();
  const roles = await inTime(ROLES[library.workload](library, task, history));
  await roles.prepare?.();
  // Not every library lets its package.json be imported.
  const { version } = JSON.parse(
    readFileSync(new URL(`node_modules/${library.npmPackage}/package.json`, import.meta.url)),
  );
  const language = `Node.js ${process.versions.node.split('.')[0]}`;
  print({
    op: 'ready',
    library: library.title,
    version: version.replace(/^v/, ''),
    language,
    visibilityMs: library.visibilityMs ?? null,
  });

  const running = [];
  for (;;) {
    const [word, ms] = (await nextLine()).split(' ');
    if (word === 'start') running.push(...roles.start());
    else if (word === 'stop') history.stopping.abort();
    else if (word === 'drain') {
      const deadline = now() + Number(ms) * 1000;
      await Promise.race([Promise.all(running), sleep(Number(ms))]);
      await roles.drain?.(deadline);
      print({ process: task.name, op: 'drained' });
    } else if (word === 'end') break;
  }
  history.close();
  process.stdout.write('', () => process.exit(0));
}

function readTask(line, { variants, workload }) {
  let task;
  try {
    task = JSON.parse(line);
  } catch {
    fail(2, 'The task is not JSON.');
  }
  if (task?.protocol !== PROTOCOL) fail(2, `The task is of another protocol than ${PROTOCOL}.`);
  if (!Object.hasOwn(variants, task.variant)) fail(2, `The variants are ${Object.keys(variants).join(', ')}.`);
  if (task.workload !== workload) fail(3, `The library has the workload ${workload} only.`);
  return task;
}

/** What happened: one line for each operation, when it has ended. */
function createHistory() {
  const open = new Set();
  const stopping = new AbortController();

  function begin(line) {
    const entry = { ...line, begin: now(), end: null, outcome: 'unknown' };
    open.add(entry);
    return entry;
  }

  function end(entry, changes = {}) {
    if (!open.delete(entry)) return;
    print(Object.assign(entry, { end: now() }, changes));
  }

  /** Resolves to the line. `call(begin)` resolves to what the line says besides, such as its outcome and its value. */
  async function record(line, call) {
    const entry = begin(line);
    try {
      end(entry, { outcome: 'ok', ...(await call(entry.begin)) });
    } catch (error) {
      const [word] = String(error.message).split(' ');
      const error_ = String(error.message).slice(0, 200);
      end(entry, { outcome: NOT_WRITTEN.has(word) ? 'refused' : 'unknown', error: error_ });
    }
    return entry;
  }

  return {
    begin,
    end,
    record,
    stopping,
    get stopped() {
      return stopping.signal.aborted;
    },
    /** Ends early when no new work is wanted. */
    pause: (ms, signal = stopping.signal) =>
      sleep(Math.max(0, ms), undefined, { signal: AbortSignal.any([signal, stopping.signal]) }).catch(() => {}),
    close: () => [...open].forEach((entry) => void print(entry)),
  };
}

/** Calls `step` at the rate of one of `count` processes that share `rate` operations a second. */
async function repeat(history, { rate }, count, step) {
  const periodMs = (1000 * count) / rate;
  let due = performance.now() + Math.random() * periodMs;
  while (!history.stopped) {
    await history.pause(due - performance.now());
    if (!history.stopped) await step();
    due = Math.max(due + periodMs, performance.now());
  }
}

const names = ({ name, roles }, role) =>
  Array.from({ length: roles[role] }, (_, index) => `${name}.${role}-${index + 1}`);
const anyKey = ({ keyPrefix, keys }, kind) => `${keyPrefix}${kind}:${Math.floor(Math.random() * keys)}`;

const ROLES = {
  async lock({ open }, task, history) {
    const all = await Promise.all(
      names(task, 'holder').map(async (process) => ({ process, holder: await open(task) })),
    );
    return {
      start: () =>
        all.map(async (each) => {
          while (!history.stopped) await holdOnce(task, history, each);
        }),
    };
  },

  async limiter({ open }, task, history) {
    const { limit, windowMs } = task;
    const all = await Promise.all(
      names(task, 'client').map(async (process) => ({ process, client: await open(task) })),
    );
    const ask = (process, client) => {
      const key = anyKey(task, 'limit');
      return history.record({ process, role: 'client', op: 'allow', key, limit, windowMs }, async () => ({
        outcome: (await client.allow(key)) ? 'ok' : 'no',
      }));
    };
    return {
      start: () => all.map(({ process, client }) => repeat(history, task, all.length, () => ask(process, client))),
    };
  },

  async queue({ open }, task, history) {
    const queue = await open(task);
    let next = 0;
    const add = (process) => {
      const value = `${task.name}-${next++}`;
      return history.record({ process, role: 'producer', op: 'add', value }, async () => ({
        libraryId: await queue.add(value),
      }));
    };
    const jobs = createJobs(task, history);
    const producers = names(task, 'producer');
    return {
      async prepare() {
        const fill = async () => {
          while (next < task.backlog) await add(`${task.name}.producer-1`);
        };
        await Promise.all(Array.from({ length: SIDE_BY_SIDE }, fill));
      },
      start() {
        queue.work(task.roles.worker, jobs);
        return producers.map((process) => repeat(history, task, producers.length, () => add(process)));
      },
      async drain(deadline) {
        let held = await heldBy(queue, deadline);
        while (held?.length !== 0 && now() < deadline) {
          await sleep(LOOK_MS);
          held = await heldBy(queue, deadline);
        }
        for (const value of held ?? []) print({ process: task.name, op: 'stuck', value });
      },
    };
  },
};

/** Ids of ours that the library still has in Redis; null: it did not say. */
const heldBy = (queue, deadline) =>
  Promise.race([queue.held(), sleep(Math.max(LOOK_MS, (deadline - now()) / 1000)).then(() => null)]).catch(() => null);

/** Runs of jobs. A run that the library does not acknowledge stays unknown. */
function createJobs(task, history) {
  const process = `${task.name}.worker-1`;
  return {
    /** Does the work of a job, and resolves to its run. */
    async run(value) {
      const entry = history.begin({ process, role: 'worker', op: 'run', value });
      await sleep(between(task.workMs));
      return Object.assign(entry, { end: now() });
    },
    acknowledged: (entry) => history.end(entry, { outcome: 'ok', end: entry.end }),
    failed: (entry, error) => history.end(entry, { error: String(error?.message).slice(0, 200), end: entry.end }),
  };
}

/** Takes a lock, renews it at each third of its lease, and releases it. */
async function holdOnce(task, history, { process, holder }) {
  const { leaseMs } = task;
  const line = { process, role: 'holder', key: anyKey(task, 'lock') };
  const told = new AbortController();
  let lock = null;
  const acquired = await history.record({ ...line, op: 'acquire', leaseMs }, async (begin) => {
    lock = await holder.acquire(line.key, leaseMs, () => told.abort());
    return lock === null ? { outcome: 'no' } : { value: lock.token, leaseMs: leaseOf(lock, begin) };
  });
  if (acquired.outcome !== 'ok') return history.pause(between([10, 100]));
  line.value = acquired.value;
  const until = performance.now() + between(task.workMs);
  let held = acquired;
  while (!history.stopped && !told.signal.aborted && performance.now() < until) {
    await history.pause(Math.min(until - performance.now(), leaseMs / 3), told.signal);
    if (held.leaseMs === null) continue; // The library renews it by itself.
    if (now() >= held.begin + held.leaseMs * 1000) break;
    if (history.stopped || performance.now() >= until) break;
    const renewed = await history.record({ ...line, op: 'renew', leaseMs }, async (begin) =>
      (await holder.renew(lock, leaseMs)) ? { leaseMs: leaseOf(lock, begin) } : { outcome: 'no' },
    );
    if (renewed.outcome === 'ok') held = renewed;
    if (renewed.outcome === 'no') told.abort();
  }
  if (told.signal.aborted) return print({ ...line, op: 'lost', begin: now(), end: now(), outcome: 'ok' });
  await history.record({ ...line, op: 'release' }, async () => ((await holder.release(lock)) ? {} : { outcome: 'no' }));
}

/** The lease from the begin of the operation to the end that the library tells; null: until the library says that it is lost. */
const leaseOf = ({ leftMs }, begin) => (leftMs === null ? null : Math.round((now() - begin) / 1000 + leftMs()));

/** All connections come from this address, because no library has an option for those to Sentinels and to nodes. */
function dialFrom(localAddress) {
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...args) {
    // `net.connect` passes its arguments as one list.
    const options = Array.isArray(args[0]) ? args[0][0] : args[0];
    options.localAddress ??= localAddress;
    return Reflect.apply(connect, this, args);
  };
}

async function inTime(promise) {
  const late = sleep(CONNECT_MS, undefined, { ref: false }).then(() => {
    throw new Error('it timed out');
  });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    return fail(4, `No connection to the primary within ${CONNECT_MS / 1000} s: ${error.message}.`);
  }
}
