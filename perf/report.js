/**
 * Measures how fast reports are made on this machine. `node perf/report.js [cases]` makes the report of a run with that many cases of
 * five rounds each, and the report of a trial of one hour.
 */

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ResultSchema, suites } from '../bench/index.js';
import { bytes, count } from '../src/format.js';
import { makeReport } from '../src/report/document.js';
import { readResult } from '../src/result/read.js';
import { hourOf, manyCasesOf } from './large-results.js';

/** @import { Result } from '../src/result/schema.js' */

const [cases = 1000] = process.argv.slice(2).map(Number);

/** @param {string} line */
const print = (line) => void process.stdout.write(`${line}\n`);

const folder = await mkdtemp(path.join(os.tmpdir(), 'report-speed-'));
try {
  await measure(`${count(cases)} cases of 5 rounds`, manyCasesOf(cases));
  await measure('a trial of an hour, in steps of 100 ms', hourOf());
} finally {
  await rm(folder, { recursive: true });
}

/**
 * @param {string} what
 * @param {Result} result
 */
async function measure(what, result) {
  print(`${what}:`);
  const file = path.join(folder, 'result.json');
  await writeFile(file, JSON.stringify(result));
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const read = await readResult(folder, ResultSchema);
  const middle = performance.now();
  const { markdown, html, pictures } = makeReport(read, suites);
  const end = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(2)} s`;
  const drawn = [...pictures.values()].reduce((sum, svg) => sum + svg.length, 0);
  print(`  read ${seconds(middle - begin)} (${bytes((await stat(file)).size)}), made ${seconds(end - middle)}`);
  print(`  together ${seconds(end - begin)}, ${seconds((user + system) / 1000)} of CPU time`);
  print(
    `  report.md ${bytes(markdown.length)}, report.html ${bytes(html.length)}, ${pictures.size} pictures ${bytes(drawn)}`,
  );
}
