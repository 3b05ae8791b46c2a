/**
 * Is this checkout slower than an earlier commit? `node perf/earlier.js FOLDER [pairs]`, in which FOLDER has the earlier commit:
 *
 *     git worktree add --detach FOLDER COMMIT && npm ci --prefix FOLDER
 *
 * Both send the same load to one Redis server, in pairs whose order is drawn at random. Prints this checkout's throughput, p99 and CPU time of an
 * operation as a ratio of the earlier commit's, with 95% intervals over pairs. 30 pairs take about 3 minutes.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startNode } from '../src/clients/conformance/nodes.js';
import { pairedRatio } from '../src/stats/statistics.js';

const [earlier, pairs = '30'] = process.argv.slice(2);
if (!earlier) throw new Error('Name the folder of the earlier commit: node perf/earlier.js FOLDER [pairs]');
const SIDES = { now: fileURLToPath(new URL('..', import.meta.url)), earlier: resolve(earlier) };
const LOADS = [
  { name: '1 connection, one write at a time', args: ['--connections', '1'] },
  { name: '10 connections, pipeline depth 100', args: ['--connections', '10', '--pipeline', '100'] },
];
/** @type {Record<string, (round: any) => number>} */
const FIGURES = {
  throughput: ({ operations, seconds }) => operations / seconds,
  p99: ({ latencyNs }) => latencyNs.p99,
  'CPU of an operation': ({ load }) => load.cpuPerOperationNs,
};
const print = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

const redis = await startNode();
try {
  const target = `127.0.0.1:${redis.address.port}`;
  for (const { name, args } of LOADS) {
    /** @type {Record<'now' | 'earlier', any[]>} */
    const rounds = { now: [], earlier: [] };
    for (let pair = 0; pair < Number(pairs); pair++) {
      /** @type {('now' | 'earlier')[]} */
      const order = Math.random() < 0.5 ? ['now', 'earlier'] : ['earlier', 'now'];
      for (const side of order) rounds[side].push(await measure(SIDES[side], [...args, '--target', target]));
    }
    print(`${name}, ${pairs} pairs:`);
    for (const [figure, of] of Object.entries(FIGURES)) {
      const { median, low, high } = pairedRatio(rounds.now.map(of), rounds.earlier.map(of));
      print(`  ${figure}: ${median.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)}) of the earlier`);
    }
  }
} finally {
  await redis.close();
}

/** @param {string} folder @param {string[]} args @returns {Promise<any>} the round of `load --json` */
async function measure(folder, args) {
  const common = ['load', '--json', '--duration', '500ms', '--warmup', '300ms', '--keys', '10k'];
  const { stdout } = await promisify(execFile)(process.execPath, [`${folder}/src/cli/index.js`, ...common, ...args]);
  return JSON.parse(stdout).round;
}
