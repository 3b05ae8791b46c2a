/**
 * Measures samples anew, one after the other, and puts each in its place in results/sample. What is made from samples is made again. Let
 * nothing else run on the machine.
 *
 *     node perf/take.js NAME…     of perf/samples.yaml; SENTINEL_BENCH_VALKEY_9 and the like name servers
 *
 * Ends with 1 if a run failed, which leaves its sample as it was.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filled } from '../src/sentences.js';
import { readYaml } from '../src/yaml.js';

const PREFIX = 'SENTINEL_BENCH_';
/** Status of a run with a failed check. Its figures count. */
const CHECKS_FAILED = 1;

/** @type {Readonly<Record<string, string>>} */
const commands = readYaml(new URL('samples.yaml', import.meta.url));
const servers = Object.fromEntries(
  Object.entries(process.env).map(([name, value]) => [name.replace(PREFIX, ''), value]),
);

/** @param {string} script of this project @param {string[]} args */
const node = (script, args) =>
  spawnSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], { stdio: 'inherit' });

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in commands));
if (names.length === 0 || unknown !== undefined) {
  console.error(`${unknown ?? 'Nothing'} is not a sample. Name some of: ${Object.keys(commands).join(', ')}.`);
  process.exit(2);
}

for (const name of names) {
  const out = mkdtempSync(join(tmpdir(), 'sentinel-bench-sample-'));
  const began = performance.now();
  const { status } = node('../src/cli/index.js', [...filled(commands[name], servers).split(' '), '--out', out]);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  console.log(`${name}: ${minutes} minutes, status ${status}, ${out}`);
  const run = readdirSync(out).find((folder) => folder !== 'latest');
  if ((status === 0 || status === CHECKS_FAILED) && run) node('samples.js', [join(out, run), name]);
  else process.exitCode = 1;
}
for (const script of ['docs.js', 'evidence.js']) node(script, []);
