/**
 * Measures what agents cost on this machine. `node perf/agents.js [agents…]`, such as `node perf/agents.js 10 50`, starts nats-server, that
 * many agents and a Redis server, and prints control messages and bytes a second, the memory of an agent, the bytes of a result, and the time
 * to merge. Needs nats-server and redis-server on PATH.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openAgentsLoad } from '../src/agents/agents-load.js';
import { connectNats } from '../src/agents/connection.js';
import { discoverAgents } from '../src/agents/controller.js';
import { saveLedger } from '../src/audit/files.js';
import { FACTS } from '../src/audit/fixture.js';
import { createLedger, enterAnswer, enterSent } from '../src/audit/ledger.js';
import { startNode } from '../src/clients/conformance/nodes.js';
import { KEY_NAMESPACE, Outcome } from '../src/clients/types.js';
import { bytes, count } from '../src/format.js';
import { mergeSamples } from '../src/load/load-thread.js';
import { freePort } from '../src/stacks/ports.js';
import { waitFor } from '../src/wait.js';

/** @import { RoundPlan, RoundSample } from '../src/load/types.js' */

const CLI = fileURLToPath(new URL('../src/cli/index.js', import.meta.url));
const WATCHED_SECONDS = 15;
const READY_MS = 180_000;
const MERGED = [10, 50, 100];
const MERGES = 5;
const HOUR_SECONDS = 3600;
/** Writes a second of a writer of failures, and of one that is pushed. */
const RATES = [500, 5000];

const counts = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'sentinel-bench-agents-cost-'));
const print = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

try {
  /** @type {RoundSample[]} */
  const samples = [];
  for (const agents of counts.length > 0 ? counts : [10, 50]) samples.push(...(await measure(agents)));
  for (const agents of MERGED)
    mergingTime(Array.from({ length: agents }, (_, index) => samples[index % samples.length]));
  await ledgerSizes();
} finally {
  rmSync(folder, { recursive: true });
}

/** @param {number} agents @returns {Promise<RoundSample[]>} of a round */
async function measure(agents) {
  const [port, monitor] = [await freePort(), await freePort()];
  const nats = { url: `nats://127.0.0.1:${port}`, name: 'cost' };
  const children = [run('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitor)])];
  const redis = await startNode();
  try {
    for (let number = 1; number <= agents; number++) {
      const name = `agent-${number}`;
      children.push(run(process.execPath, [CLI, 'agent', '--allow', 'load', '--name', name, '--nats', nats.url]));
    }
    await ready(nats, agents);
    print(`${agents} agents:`);
    await traffic('free', monitor);
    const load = await openAgentsLoad({ nats, wanted: ['all'] }, { threads: 1 });
    await traffic('at work for a run, without load', monitor);
    print(`  memory of an agent before its first round: ${bytes(await memoryOf(children.slice(1)))}`);
    const samples = await oneRound(load, redis.address, agents, monitor);
    print(`  memory of an agent after a round: ${bytes(await memoryOf(children.slice(1)))}`);
    print(`  memory of nats-server: ${bytes(await memoryOf(children.slice(0, 1)))}`);
    await load.close();
    return samples;
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
    await redis.close();
  }
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  return spawn(command, args, { stdio: 'ignore', env: { ...process.env, TMPDIR: folder } });
}

/** @param {import('../src/agents/connection.js').NatsOptions} nats @param {number} agents */
async function ready(nats, agents) {
  const answers = async () => {
    const connection = await connectNats(nats, { reconnect: false }).catch(() => null);
    const found = connection ? await discoverAgents(connection) : [];
    await connection?.close();
    return found.length === agents;
  };
  if (!(await waitFor(answers, { deadlineMs: READY_MS, pollMs: 500 }))) throw new Error('not every agent answers');
}

/**
 * @param {number} monitor port
 * @returns {Promise<{messages: number, bytes: number}>} that NATS received and sent since it started
 */
async function seen(monitor) {
  const all = /** @type {any} */ (await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json());
  return { messages: all.in_msgs + all.out_msgs, bytes: all.in_bytes + all.out_bytes };
}

/** @param {string} state @param {number} monitor */
async function traffic(state, monitor) {
  const before = await seen(monitor);
  await delay(WATCHED_SECONDS * 1000);
  const after = await seen(monitor);
  const [messages, size] = [after.messages - before.messages, after.bytes - before.bytes];
  print(
    `  ${state}: ${count(messages / WATCHED_SECONDS)} messages/s and ${bytes(size / WATCHED_SECONDS)}/s through NATS`,
  );
}

/**
 * @param {import('../src/agents/agents-load.js').AgentsLoad} load
 * @param {import('../src/stacks/types.js').Address} address
 * @param {number} agents
 * @param {number} monitor
 */
async function oneRound(load, address, agents, monitor) {
  /** @type {RoundPlan} */
  const plan = {
    generator: 'writes',
    client: 'native',
    primary: address,
    replicas: [],
    shape: {
      payloadBytes: 64,
      pipeline: 1,
      waitReplicas: 0,
      waitTimeoutMs: 1000,
      waitMode: 'pipelined',
      keyPrefix: `${KEY_NAMESPACE}cost:`,
    },
    connections: agents,
    keyspace: 1000,
    seconds: 2,
    openLoop: { rate: 200 * agents, arrivals: 'poisson', graceSeconds: 2 },
    warmUpSeconds: 0,
    backgroundConnections: 0,
    seed: 1,
  };
  const before = await seen(monitor);
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  const began = performance.now();
  let step = 'prepare';
  /** @type {import('../src/agents/agents-load.js').AgentPart[]} */
  let parts;
  try {
    await load.prepare(plan);
    step = `go, after ${((performance.now() - began) / 1000).toFixed(1)} s`;
    await load.aim();
    await load.go();
    step = 'read the clocks';
    parts = await load.parts();
  } finally {
    print(`  last step: ${step}; this process did not run for ${(stalls.max / 1e6).toFixed(0)} ms at most`);
  }
  const after = await seen(monitor);
  print(
    `  a round: ${count(after.messages - before.messages)} messages and ${bytes(after.bytes - before.bytes)} through NATS`,
  );
  const { histogram } = parts[0].sample;
  const part = JSON.stringify({ ...parts[0], sample: { ...parts[0].sample, openLoop: undefined } });
  print(
    `  the part of an agent in a result: ${bytes(part.length)} a round, ${bytes(histogram.length)} of it histogram`,
  );
  const skews = parts.map(({ skewMs }) => Math.abs(skewMs));
  print(`  the latest started ${Math.max(...skews).toFixed(0)} ms from the planned instant`);
  return parts.map(({ sample }) => sample);
}

/** @param {RoundSample[]} samples */
function mergingTime(samples) {
  const times = Array.from({ length: MERGES }, () => {
    const before = process.cpuUsage();
    mergeSamples(samples);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  print(`merging a round of ${samples.length} agents: ${Math.min(...times).toFixed(0)} ms of CPU`);
}

/**
 * One file at a time: a kernel takes long for it, and agents that do not hear their controller for 3 s stop.
 * @param {readonly import('node:child_process').ChildProcess[]} processes
 * @returns {Promise<number>} bytes that each has for itself, on average
 */
async function memoryOf(processes) {
  let sum = 0;
  for (const { pid } of processes) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    sum += 1024 * Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]);
  }
  return sum / processes.length;
}

async function ledgerSizes() {
  for (const rate of RATES) {
    const writes = rate * HOUR_SECONDS;
    const ledger = createLedger(writes);
    for (let number = 0; number < writes; number++) {
      enterSent(ledger, number, 1);
      enterAnswer(ledger, number, {
        outcome: Outcome.acked,
        afterMs: (number * 1000) / rate + (number % 7),
        waitCount: 1,
      });
    }
    const facts = { ...FACTS, benchmark: 'cost', writes, rate };
    const own = mkdtempSync(join(folder, 'ledger-'));
    const began = performance.now();
    await saveLedger(own, facts, ledger);
    const seconds = (performance.now() - began) / 1000;
    const files = readdirSync(own, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(own, name)));
    const size = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    print(
      `ledger of an hour at ${count(rate)} writes/s: ${bytes(size)}, ${(size / writes).toFixed(3)} bytes a write, saved in ${seconds.toFixed(1)} s`,
    );
  }
}
