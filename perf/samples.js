/**
 * Makes the reports of results/sample again with this version, from their figures.
 *
 *     node perf/samples.js                   every sample
 *     node perf/samples.js FOLDER NAME       puts the run in FOLDER in the place of that sample first
 *
 * Questions and findings get the words of this version. To keep the samples small, results with hundreds of rounds leave out what each
 * node used, except in benchmarks with a claim that is judged by it; trials leave out the histograms of their response times, charts are minified, and a large result.json is compressed. There
 * is no report.html and no histograms folder.
 */

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { optimize } from 'svgo';
import { allBenchmarks, articles, ResultSchema, suites } from '../bench/index.js';
import { writeWhole } from '../src/files.js';
import { experimentsOf } from '../src/report/claims/index.js';
import { makeReport } from '../src/report/document.js';
import { readableJson, writeDocument } from '../src/report/write.js';
import { PACKED_FILE, RESULT_FILE, readResult } from '../src/result/read.js';
import { encodeHistogram, newHistogram } from '../src/stats/histogram.js';

/** @import { BenchmarkResult, Result } from '../src/result/schema.js' */

const SAMPLES = fileURLToPath(new URL('../results/sample/', import.meta.url));
/** With more rounds than this a sample leaves out what each node used. */
const MANY_ROUNDS = 150;
/** A longer result.json is compressed. */
const LONG_BYTES = 200_000;
const EMPTY = encodeHistogram(newHistogram());
/** Benchmarks with a claim that is judged by what nodes used. */
const WITH_NODES = experimentsOf(articles(), /^(primary|replica)-/);

/** @param {Result} result @returns {Result} */
function small(result) {
  const rounds = result.benchmarks.flatMap(({ cases }) => cases.flatMap((one) => one.rounds));
  if (rounds.length > MANY_ROUNDS) {
    for (const { name, cases } of result.benchmarks) {
      for (const round of cases.flatMap((one) => one.rounds)) {
        if (!WITH_NODES.has(name)) round.nodes = [];
        delete round.load.process;
      }
    }
  }
  for (const { audit, cases } of result.benchmarks) {
    if (audit) for (const { rounds: trials } of cases) for (const trial of trials) trial.histogram = EMPTY;
  }
  return { ...result, benchmarks: result.benchmarks.map((each) => inOurWords(each, result)) };
}

/** @param {BenchmarkResult} measured @param {Result} result @returns {BenchmarkResult} */
function inOurWords(measured, { command, storage }) {
  const benchmark = allBenchmarks.get(measured.name);
  if (!benchmark || measured.cases.length === 0) return measured;
  // The limit of --slo is not in the result, so findings about it cannot be computed again.
  const findings = command.includes('--slo')
    ? measured.findings
    : (benchmark.findings?.(measured, { storages: storage }) ?? []);
  return { ...measured, question: benchmark.question, findings };
}

const [from, sample] = process.argv.slice(2);
for (const name of sample ? [sample] : await readdir(SAMPLES)) {
  const folder = path.join(SAMPLES, name);
  const result = small(await readResult(from ?? folder, ResultSchema));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeDocument(folder, 'report', makeReport(result, suites));
  await rm(path.join(folder, 'report.html'));
  const charts = path.join(folder, 'charts');
  for (const file of existsSync(charts) ? await readdir(charts) : []) {
    const chart = await readFile(path.join(charts, file), 'utf8');
    await writeWhole(path.join(charts, file), optimize(chart, { multipass: true }).data);
  }
  const text = `${readableJson(result)}\n`;
  if (text.length <= LONG_BYTES) await writeWhole(path.join(folder, RESULT_FILE), text);
  else await writeWhole(path.join(folder, PACKED_FILE), gzipSync(text, { level: 9 }));
  console.log(folder);
}
