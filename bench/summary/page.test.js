import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { MODES } from '../modes.js';
import { sweepResultOf } from '../sweep/decision-fixture.js';
import { summaryPage } from './page.js';

/**
 * @import { Result, RoundResult } from '../../src/result/schema.js'
 * @import { ModeName } from '../modes.js'
 */

const MOST_LINES = 45;
const SEEDS = [1, 2, 3, 4, 5];

/** @returns {Result} of the suite main, with the latencies of two modes at three distances and of three modes at one rate */
function mainResult() {
  const rounds = (/** @type {number} */ medianMs) =>
    SEEDS.map((seed) => roundOf({ writes: 500, medianNs: medianMs * 1e6 * (1 + seed / 100), seed }));
  const distance = [0, 1, 5].flatMap((linkLatencyMs) =>
    [0, 1].map((wait) =>
      caseOf(`at${linkLatencyMs}-wait${wait}`, { wait, linkLatencyMs }, rounds(0.1 + wait * (0.1 + linkLatencyMs))),
    ),
  );
  const response = [0, 1, 2].map((wait) =>
    caseOf(`wait${wait}`, { wait, rate: 5000, connections: 10 }, rounds(0.2 + wait / 10)),
  );
  for (const round of response.flatMap(({ rounds: measured }) => measured)) round.openLoop = keptUp(round);
  const result = resultOf();
  const [{ question }] = result.benchmarks;
  const benchmark = { question, status: /** @type {const} */ ('ok'), findings: [], checks: [] };
  return {
    ...result,
    benchmarks: [
      { ...benchmark, name: 'distance', cases: distance },
      { ...benchmark, name: 'response-time', cases: response },
    ],
  };
}

/**
 * @param {RoundResult} round
 * @returns {NonNullable<RoundResult['openLoop']>} that sent all writes on time
 */
function keptUp({ latencyNs, histogram }) {
  return {
    askedRate: 5000,
    achievedRate: 5000,
    arrivals: 'poisson',
    due: 500,
    unsent: 0,
    sustained: true,
    serviceNs: latencyNs,
    serviceHistogram: histogram,
    latenessNs: latencyNs,
    latenessHistogram: histogram,
  };
}

/**
 * @param {Partial<Record<ModeName, number>>} lost acknowledged writes of 16,000 in a planned failover, by mode
 * @param {string} [benchmark]
 * @returns {Result} of the suite failure
 */
function failureResult(lost, benchmark = 'planned-failover') {
  const planned = failureBenchmarkOf(
    benchmark,
    Object.entries(lost).map(([mode, ackedLost]) => ({
      mode,
      audits: [auditOf(mode, { acked: 16_000, ackedLost })],
      trials: [trialOf(mode)],
    })),
  );
  for (const { params } of planned.cases) {
    const { wait, settings } = MODES[/** @type {ModeName} */ (params.mode)];
    Object.assign(params, { wait, settings: { ...settings }, writers: ['sticky'], rate: 1000 });
  }
  return { ...resultOf(), suite: 'failure', benchmarks: [planned] };
}

/** @param {Result[]} results */
function pageOf(...results) {
  return summaryPage(new Map(results.map((result) => [result.suite, { folder: `runs/${result.suite}`, result }])));
}

/**
 * @param {string} page
 * @param {string} mode
 * @returns {string[]} cells
 */
function rowOf(page, mode) {
  const line = page.split('\n').find((each) => each.startsWith(`| ${mode} |`)) ?? '';
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the executive page', () => {
  test('has at most 45 lines, whichever runs there are', () => {
    const all = [mainResult(), sweepResultOf(), failureResult({ async: 11_000, wait1: 900 })];
    const changed = all.map((result) => structuredClone(result));
    changed[0].stack.server.version = '8.0.2';
    changed[1].stack.backend = 'docker';
    const aof = sweepResultOf([
      { mode: 'async', throughput: [20_000, 300_000], lostOnKill: [9], lostOnPartition: [9] },
      { mode: 'wait1-min1-aof', throughput: [9000, 100_000], lostOnKill: [0], lostOnPartition: [0] },
    ]);
    const other = { ...resultOf(), suite: 'persistence' };
    for (const runs of [all, changed, [aof, other], [all[0]], [all[1]], [all[2]], [other]]) {
      const page = pageOf(...runs);
      const lines = page.trimEnd().split('\n').length;
      assert.ok(lines <= MOST_LINES, `${lines} lines of ${runs.map(({ suite }) => suite).join(', ')}`);
      assert.doesNotMatch(page, /undefined|NaN|\[object/);
    }
  });

  test('answers first, then shows four modes with their losses first', () => {
    const page = pageOf(mainResult(), sweepResultOf());
    assert.match(
      page,
      /^\*\*Answer\.\*\* Use WAIT 1 if no confirmed write may be lost and writes may stop while any node is away\. Of 4 modes (?:it alone|\d) lost nothing in all 2 faults(?:; it is the cheapest)? \(0 of 32,000 /m,
    );
    const header = page.split('\n').find((line) => line.startsWith('| mode |')) ?? '';
    assert.match(header, /^\| mode \| acknowledged writes lost \| longest outage \| .* \| p50 at \+1 ms \| p99 \|$/);
    assert.equal(page.split('\n').filter((line) => line.startsWith('|')).length, 6);
    const [, lost, , , p50, p99] = rowOf(page, 'async');
    assert.equal(lost, '13,769 (13.8 s) network partition; 0 in 1 of 2 faults');
    assert.match(p50, /^10\d µs \(10\d–10\d\)$/);
    assert.match(p99, / \(.*\)$/);
    assert.match(rowOf(page, 'WAIT 1')[4], /^1\.2\d ms/);
    assert.deepEqual(rowOf(page, 'WAIT 2').slice(1, 2), ['0 in 2 of 2 faults']);
    // The distance was measured without and with WAIT 1 only, and a mode that no run had shows no figure.
    assert.equal(rowOf(page, 'WAIT 2')[4], '–');
    assert.deepEqual(rowOf(page, 'WAIT 1 + min-replicas 1').slice(1, 4), ['–', '–', '–']);
    assert.match(page, /from `config-sweep`\. /);
  });

  test('shows what to paste, and the documentation', () => {
    const page = pageOf(sweepResultOf());
    assert.match(page, /```sh\n# WAIT 1: the servers need no setting for it\n```/);
    assert.match(page, /With WAIT 1: `WAIT 1 1000` sent with each write/);
    assert.match(page, /\[examples\/\]\(examples\/README\.md\)/);
    assert.match(page, /planned-failover\.sh --sentinel SENTINEL-HOST:26379 --name mymaster/);
    assert.match(page, /https:\/\/redis\.io\/docs\/latest\/commands\/wait\//);
    assert.match(page, /Reproduce\.\*\* `sentinel-bench run .* --seed 42`/);
    assert.match(page, /\[config-sweep\]\(<runs\/config-sweep\/report\.md>\) \(2025-11-20, quick\)/);
  });

  test('a fault that the sweep did not test comes from the failure run, and counts in the answer', () => {
    const page = pageOf(sweepResultOf(), failureResult({ async: 11_000, wait1: 900, wait2: 950, min1: 900 }));
    assert.match(
      page,
      /Closest: WAIT 1\. It lost 900 acknowledged writes \(900 ms, SENTINEL FAILOVER\), and nothing in 2 other faults/,
    );
    assert.equal(rowOf(page, 'WAIT 1')[1], '900 (900 ms) SENTINEL FAILOVER; 0 in 2 of 3 faults');
    assert.match(page, /from `config-sweep`, and from `failure` for: SENTINEL FAILOVER\./);
    assert.match(
      page,
      /A bare `SENTINEL FAILOVER` lost 900 of 16,000 \(900 ms\) acknowledged writes with WAIT 1 \(1 trial\)/,
    );
  });

  test('a mode that was tested in one fault only is not the closest', () => {
    const page = pageOf(sweepResultOf(), failureResult({ async: 11_000, wait1: 900, wait2: 950, 'aof-always': 0 }));
    assert.match(page, /Closest: WAIT 1\./);
  });

  test('missing suites are named with the command that measures them', () => {
    const command = (/** @type {string} */ suite) => new RegExp(`\`sentinel-bench run --suite ${suite}\``);
    const onlyMain = pageOf(mainResult());
    assert.match(onlyMain, /\*\*Answer\.\*\* Unknown: no mode went through a failure/);
    assert.match(onlyMain, /\*\*Residual risk\.\*\* Unknown: no failure was measured\./);
    for (const suite of ['config-sweep', 'failure']) assert.match(onlyMain, command(suite));
    assert.doesNotMatch(onlyMain, command('main'));
    assert.doesNotMatch(onlyMain, /```conf/);
    const onlyFailure = pageOf(failureResult({ async: 11_000, wait1: 900 }));
    assert.match(
      onlyFailure,
      /No mode is recommended, because no configuration sweep was found\. Most lost: async, 11,000 /,
    );
    assert.equal(rowOf(onlyFailure, 'async')[1], '11,000 (11.0 s) SENTINEL FAILOVER; 0 in 0 of 1 fault');
    for (const suite of ['config-sweep', 'main']) assert.match(onlyFailure, command(suite));
    assert.doesNotMatch(pageOf(mainResult(), sweepResultOf(), failureResult({ async: 1 })), /Not measured\./);
    assert.match(pageOf(resultOf()), /`sentinel-bench run distance response-time`/);
  });

  test('disagreeing servers and backends are named, and failed checks', () => {
    const main = mainResult();
    const sweep = sweepResultOf();
    assert.doesNotMatch(pageOf(main, sweep), /The runs differ|failed/);
    main.stack.server = { name: 'valkey', version: '8.0.1' };
    main.stack.backend = 'docker';
    assert.match(
      pageOf(main, sweep),
      /The runs differ in servers \(config-sweep: redis 7\.0\.15, main: valkey 8\.0\.1\); backends \(config-sweep: local, main: docker\)\. Do not compare/,
    );
    main.benchmarks[0].checks = [{ name: 'counts', ok: false, detail: '' }];
    assert.match(pageOf(main), /Failures, see the reports: main: 1 failed check, 0 failed benchmarks\./);
  });

  test('texts of a result are shown as text', () => {
    const sweep = sweepResultOf();
    sweep.stack.masterName = '$(rm -r x)';
    sweep.stack.server.version = '7 <b>|[a](b)';
    const page = pageOf(sweep);
    assert.doesNotMatch(page, /\$\(rm/);
    assert.match(page, /redis 7 \\<b\\>\\\|\\\[a\\\]\(b\)/);
  });
});
