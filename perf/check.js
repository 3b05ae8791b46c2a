/**
 * Do clients notice a check every second? `node perf/check.js [pairs] [rate]` starts two deployments on loopback, loads the primary of the first with that
 * many writes a second, and prints the clients' p99 with and without a check as a ratio with a 95% interval over pairs of rounds in random order. Then it
 * prints what one check costs the primary. The primary has a core of its own; everything else shares the others. In production a check runs elsewhere and takes
 * no core from the clients; so a round without a check checks the second deployment, which has no load.
 */
import { execFile, execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { evidence } from '../bench/evidence.js';
import { deploy } from '../src/check/deployments-fixture.js';
import { judge } from '../src/check/judge.js';
import { readDeployments } from '../src/check/read.js';
import { median, pairedRatio, sum } from '../src/stats/statistics.js';

const [pairs = '12', rate = '50000'] = process.argv.slice(2);
const CLI = fileURLToPath(new URL('../src/cli/index.js', import.meta.url));
const LOAD = ['--connections', '10', '--pipeline', '10', '--rate', rate, '--duration', '5s', '--json'];
const CHECK_EVERY_MS = 1000;
/** What a check sends to a node. */
const OURS = ['info', 'config|get', 'command|info', 'latency|histogram', 'client|list', 'auth'];
const print = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

/** @type {(() => unknown)[]} */
const undo = [];
const [deployed, other] = [await start(), await start()];
const primary = await deployed.control('nodes', 0);
try {
  const others = `1-${availableParallelism() - 1}`;
  execFileSync('taskset', ['-acp', '0', (await primary.info('server')).process_id]);
  execFileSync('taskset', ['-acp', others, String(process.pid)]);
  for (const index of [1, 2]) {
    const replica = await deployed.control('nodes', index);
    execFileSync('taskset', ['-acp', others, (await replica.info('server')).process_id]);
    replica.close();
  }
  /** @type {Record<'with' | 'without', number[]>} */
  const p99 = { with: [], without: [] };
  for (let pair = 0; pair < Number(pairs); pair++) {
    /** @type {('with' | 'without')[]} */
    const order = Math.random() < 0.5 ? ['with', 'without'] : ['without', 'with'];
    for (const side of order) p99[side].push(await round(side === 'with'));
    print(
      `pair ${pair + 1}: p99 ${(p99.without[pair] / 1e6).toFixed(3)} ms without, ${(p99.with[pair] / 1e6).toFixed(3)} ms with a check`,
    );
  }
  const { median: ratio, low, high } = pairedRatio(p99.with, p99.without);
  print(
    `p99 without a check ${(median(p99.without) / 1e6).toFixed(3)} ms; with one every second ${ratio.toFixed(3)} times that (${low.toFixed(3)}–${high.toFixed(3)})`,
  );
  print(await costOfOne());
} finally {
  primary.close();
  for (const each of undo) each();
}

async function start() {
  return deploy(
    { after: (each) => undo.push(each) },
    {
      nodes: [{ on: 1 }, { on: 2, follows: 0 }, { on: 3, follows: 0 }],
      sentinels: [{ on: 1 }, { on: 2 }, { on: 3 }],
      conf: ['save ""', 'maxmemory 1gb', 'client-output-buffer-limit replica 0 0 0'],
    },
  );
}

/** @param {boolean} isChecked @returns {Promise<number>} p99, ns */
async function round(isChecked) {
  const stop = setInterval(() => void check(isChecked ? deployed : other).catch(() => {}), CHECK_EVERY_MS);
  const { host, port } = deployed.nodes[0];
  const words = [CLI, 'load', '--target', `${host}:${port}`, ...LOAD];
  const env = { ...process.env, SENTINEL_BENCH_PASSWORD: deployed.login.password };
  // A load that fell behind ends with an exit status, and has its figures all the same.
  const { stdout } = await promisify(execFile)(process.execPath, words, { env, maxBuffer: 2 ** 26 })
    .catch((error) => error)
    .finally(() => clearInterval(stop));
  const { operations, seconds, latencyNs } = JSON.parse(stdout).round;
  if (operations / seconds < 0.98 * Number(rate)) print(`only ${Math.round(operations / seconds)} writes/s`);
  return latencyNs.p99;
}

/** @param {typeof deployed} checked */
async function check({ sentinels, login }) {
  const found = await readDeployments([sentinels[0]], { credentials: login });
  return found.map((each) => judge(each, { wait: 1, evidence, now: new Date() }));
}

/** @returns {Promise<string>} as the primary counts it */
async function costOfOne() {
  await primary.call('CONFIG', 'RESETSTAT');
  await check(deployed);
  const stats = await primary.info('commandstats');
  const costs = OURS.map((name) => ({
    name,
    ...Object.fromEntries((stats[`cmdstat_${name}`] ?? '').split(',').map((pair) => pair.split('='))),
  }));
  const text = costs.map(({ name, calls, usec }) => `${name} ${calls} × ${Math.round(usec / calls)} µs`).join(', ');
  return `One check costs the primary ${sum(costs.map(({ usec = 0 }) => Number(usec)))} µs: ${text}`;
}
