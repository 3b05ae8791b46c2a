/** The commands that read results, as a user runs them: what they print where, and their exit status. What they say has unit tests. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { sweepResultOf } from '../../bench/sweep/decision-fixture.js';
import { saveLedger, saveReadings } from '../audit/files.js';
import { FACTS, ledgerOf, readingOf } from '../audit/fixture.js';
import { auditOf } from '../audit/verdict.js';
import { resultOf } from '../report/fixture.js';
import { jsonSchemaText } from '../result/schema.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { runCli } from './fixture.js';

/** @import { AuditResult } from '../result/failure-schema.js' */

const tmp = await ownTemporaryFolder();
const run = resultOf();
/** @param {string[]} args */
const cli = (...args) => runCli(args, { tmp, env: { NO_COLOR: '1' } });

/** @param {string} folder @param {object} result */
function write(folder, result) {
  mkdirSync(join(tmp, folder), { recursive: true });
  writeFileSync(join(tmp, folder, 'result.json'), JSON.stringify(result));
}

before(() => {
  const [again, slower, elsewhere, damaged, article] = [run, run, run, run, run].map((one) => structuredClone(one));
  again.startedAt = again.finishedAt;
  for (const round of slower.benchmarks[0].cases[1].rounds) round.throughput *= 0.8;
  Object.assign(elsewhere.stack.config['redis-1'], { appendonly: 'yes', hz: '77' });
  Object.assign(elsewhere.environment, { cpuModel: 'another', cores: 64 });
  Object.assign(elsewhere.profile, { seconds: 77 });
  damaged.benchmarks[0].cases[1].rounds[2].histogram = 'aGVsbG8gd29ybGQ=';
  article.benchmarks[0].name = 'first-article';
  for (const { params } of article.benchmarks[0].cases)
    Object.assign(params, { client: 'redis', waitMode: 'sequential', payloadBytes: 256 });
  const results = { run, again, slower, elsewhere, damaged, sweep: sweepResultOf() };
  for (const [name, result] of Object.entries(results)) write(name, result);
  for (const day of [1, 2, 3])
    write(`runs/below/run-${day}`, { ...article, startedAt: `2026-01-0${day}T10:00:00.000Z` });
  const text = readFileSync(join(tmp, 'runs/below/run-1/result.json'), 'utf8');
  // A stored baseline that is also one of the runs counts once.
  writeFileSync(join(tmp, 'runs', 'baseline.json'), text);
  writeFileSync(join(tmp, 'runs', 'cut.json'), text.slice(0, 500));
  symlinkSync('run-3', join(tmp, 'runs', 'below', 'latest'));
});

/** @type {readonly [words: string, status: number, stdout: RegExp, stderr?: RegExp][]} */
const ROWS = [
  ['compare run again', 0, /^A: run\nB: again\n[\s\S]*0 worse, 0 better, 2 no difference/],
  ['compare run slower', 1, /1 worse, 0 better, 1 no difference/],
  ['compare slower/result.json run', 0, /0 worse, 1 better, 1 no difference/],
  ['compare run run', 0, /0 worse/, /^run and run are the same run, so nothing differs\./],
  ['compare run elsewhere', 2, /^$/, /same conditions \(A, B\): CPU model \(.*, another\), cores .*\n.*--anyway/],
  ['compare run elsewhere --anyway', 0, /appendonly of the primary \(no, yes\)/],
  ['recommend sweep', 0, /^mode +lost at most[\s\S]*\(3 of 7\), the cheapest first, .*:\n1\. WAIT 1: /],
  ['history runs', 0, /first-article: acked operations a second, 3 runs\n/, /^left out: runs\/cut\.json is not whole/],
  ['claims runs --format markdown', 0, /^\|/m, /^left out: runs\/cut\.json is not whole/],
  ['claims nowhere', 2, /^$/, /There is no nowhere\.\nName a folder/],
  ['facts run --metric cost', 0, /^run,suite,[^\n]*\r\n[^\n]*,cost,share,[^\n]*\r\n$/],
  ['export run --format openmetrics --timestamps', 0, /^# TYPE sentinel_bench_run info\n[\s\S]* 1763663106\n# EOF\n$/],
];

describe('commands that read results', { concurrency: 2 }, () => {
  for (const [words, expected, out, err = /^$/] of ROWS)
    test(words, async () => {
      const { status, stdout, stderr } = await cli(...words.split(' '));
      assert.equal(status, expected, stderr);
      assert.match(stdout, out);
      assert.match(stderr, err);
    });

  test('claims --format json: the latest run counts, and copies count once', async () => {
    const { stdout } = await cli('claims', 'runs', 'runs/below/run-1/result.json', '--format', 'json');
    const { schema, runs, claims } = JSON.parse(stdout);
    assert.deepEqual([schema, runs.length], ['sentinel-bench/claims@3', 3]);
    const cost = claims.find((/** @type {{id: string}} */ { id }) => id === 'synchronous.wait1-cost');
    assert.deepEqual([cost.answer, cost.evidence[0].run], ['same', '2026-01-03T10:00:00.000Z']);
  });

  test('export: to standard output, and to a file that it replaces only with --force', async () => {
    const metrics = (await cli('export', 'run', '--format', 'openmetrics')).stdout;
    assert.match(metrics, /# EOF\n$/);
    assert.equal((await cli('export', '--format', 'json-schema')).stdout, jsonSchemaText(ResultSchema));
    const args = ['export', 'run', '--format', 'openmetrics', '--out', 'run.om'];
    const file = join(tmp, 'run.om');
    writeFileSync(file, 'mine');
    const refused = await cli(...args);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /run.om exists already\.\n.*--force/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    const replaced = await cli(...args, '--force');
    assert.deepEqual([replaced.status, replaced.stdout], [0, '']);
    assert.equal(readFileSync(file, 'utf8'), metrics);
  });

  for (const words of ['report damaged', 'export damaged --format openmetrics --out never'])
    test(`${words}: refused by the place of the damage, and nothing is written`, async () => {
      const { status, stdout, stderr } = await cli(...words.split(' '));
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(
        stderr,
        /^error: damaged.result\.json is damaged at benchmarks\[0\]\.cases\[1\]\.rounds\[2\]\.histogram: [^\n]+\.\n[^\n]+\.\n$/,
      );
      assert.deepEqual(readdirSync(join(tmp, 'damaged')), ['result.json']);
      assert.ok(!readdirSync(tmp).includes('never'));
    });
});

describe('audit', () => {
  const ledger = ledgerOf([
    { is: 'acked', at: 1 },
    { is: 'acked', at: 12 },
    { is: 'rejected', at: 30 },
    { is: 'unsent' },
  ]);
  const facts = { ...FACTS, benchmark: 'primary-killed', writes: 4 };

  /**
   * @param {string} name of the folder
   * @param {(audit: AuditResult) => void} [change] to the audit in result.json; absent: there is none
   */
  async function audited(name, change) {
    const readings = { readings: new Map([['redis-1', readingOf('r...')]]), primaryId: 'redis-1' };
    await saveLedger(join(tmp, name), facts, ledger);
    await saveReadings(join(tmp, name), facts, readings);
    if (change) {
      const audit = auditOf({ ...facts, ...readings, ledger });
      change(audit);
      const result = resultOf();
      Object.assign(result.benchmarks[0], { name: 'primary-killed', audit: [audit] });
      write(name, result);
    }
    return cli('audit', name);
  }

  test('counts that agree: a table and exit status 0', async () => {
    const { status, stdout, stderr } = await audited('well', () => {});
    assert.deepEqual([status, stderr], [0, '']);
    const row = stdout.split('\n').find((line) => line.includes('sticky'));
    assert.deepEqual(row?.trim().split(/ {2,}/), ['wait1 1', 'sticky', '2', '1', '0', '1', '0', '1', 'agrees']);
    assert.match(stdout, /4 writes of 1 ledger audited again; all counts agree .*; every safety claim holds\.\n$/);
  });

  test('counts that differ: both are shown, exit status 1', async () => {
    const { status, stdout } = await audited('changed', (counts) => {
      counts.ackedLost = 0;
    });
    assert.equal(status, 1);
    assert.match(stdout, /primary-killed\/wait1, round 1, sticky: ackedLost is 1, result\.json says 0\n/);
    assert.match(stdout, /not all counts agree with result\.json; every safety claim holds/);
  });

  test('a missing result.json or audit: exit status 2', async () => {
    const unfinished = await audited('unfinished');
    assert.equal(unfinished.status, 2);
    assert.match(unfinished.stdout, /missing/);
    assert.match(unfinished.stderr, /unfinished has no result\.json to compare the audit with\.\n/);
    const none = await cli('audit', 'nowhere');
    assert.deepEqual([none.status, none.stdout], [2, '']);
    assert.match(none.stderr, /nowhere has no audit\.\nName the folder of a run/);
  });
});
