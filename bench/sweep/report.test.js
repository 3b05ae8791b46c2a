import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { renderBlocks } from '../../src/report/blocks.js';
import { caseOf, NAMED_FIGURES, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { terminalText, WIDTH } from '../../src/report/terminal.js';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
import { MODES } from '../modes.js';
import { WITH_DISTANCE } from '../pages/published-costs.js';
import { pauseTrialOf, sweepResultOf } from './decision-fixture.js';
import { sweepDetails } from './details.js';
import sweep from './index.js';
import { recommend } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';
import responseTime from './response-time.js';
import { decisionBlocks } from './terminal.js';

/**
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { Configuration } from './decision-fixture.js'
 */

/** @param {Result} result */
const renderDecision = (result) => renderBlocks(sweepDetails(result), NAMED_FIGURES);

/**
 * @param {Partial<Record<keyof typeof MODES, boolean>>} sustained by mode
 * @returns {BenchmarkResult} response times at one rate
 */
function responseBenchmark(sustained) {
  const cases = Object.entries(sustained).map(([mode, kept]) => {
    const { wait, settings } = MODES[/** @type {keyof typeof MODES} */ (mode)];
    const rounds = [1, 2, 3, 4, 5].map((seed) => ({
      ...roundOf({ writes: 500, throughput: 1000, medianNs: 90_000, seed }),
      openLoop: { rate: 1000, scheduled: 500, sent: kept ? 500 : 200, missed: kept ? 0 : 300, sustained: kept },
    }));
    const params = { mode, wait, settings: { ...settings }, connections: 10, rate: 1000 };
    return caseOf(`${mode}-1000ps`, params, /** @type {any} */ (rounds));
  });
  return { name: 'sweep-response-time', question: 'How long?', status: 'ok', cases, findings: [], checks: [] };
}

/** @param {Result} result */
function decisionText(result) {
  const blocks = [...decisionBlocks(result), ...recommendationBlocks(recommend(result))];
  return stripVTControlCharacters(terminalText(blocks, { columns: WIDTH }));
}

/**
 * @param {string} markdown
 * @param {string} title
 * @returns {string[]} cells of the first row that begins with it
 */
function cellsOf(markdown, title) {
  const line = markdown.split('\n').find((each) => each.startsWith(`| ${title} `));
  assert.ok(line, `no row ${title}`);
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the decision table in a report', () => {
  test('cost, losses, outages, and what is still acked', () => {
    const markdown = renderDecision(sweepResultOf());
    assert.deepEqual(
      cellsOf(markdown, 'min-replicas 1').map((cell) => cell.replace(/ \(9\d–1?\d+\)/, ' (…)')),
      ['min-replicas 1', '19.0 k/s', '94% (…)', '118 µs', '98% (…)', '118 µs', '100%', '90%, refused'],
    );
    assert.equal(cellsOf(markdown, 'WAIT 2')[7], '0%, short');
    const lost = markdown.slice(markdown.indexOf('### Lost, by fault'));
    assert.deepEqual(cellsOf(lost, 'min-replicas 1'), ['min-replicas 1', '0', '8,045 (8.04 s)']);
    const outages = markdown.slice(markdown.indexOf('### Unavailable, by fault'));
    assert.deepEqual(cellsOf(outages, 'WAIT 2').slice(1), ['to the end', 'to the end']);
  });

  test('a dash where nothing was measured, never a zero', () => {
    const markdown = renderDecision(sweepResultOf());
    assert.deepEqual(cellsOf(markdown, 'WAIT 1 (sequential)').slice(6), ['–', '–']);
    assert.deepEqual(cellsOf(markdown, 'WAIT 1 (down-after 1 s)').slice(1, 6), ['–', '–', '–', '–', '–']);
  });

  test('several trials show what each had', () => {
    const configurations = /** @type {Configuration[]} */ ([
      { mode: 'async', lostOnKill: [0, 160, 0], lostOnPartition: [0, 0, 0] },
    ]);
    const markdown = renderDecision(sweepResultOf(configurations));
    const lost = markdown.slice(markdown.indexOf('### Lost, by fault'));
    assert.deepEqual(cellsOf(lost, 'async').slice(1), ['160 (160 ms), 1/3', '0, 0/3']);
    assert.match(markdown, /- Failures: [13–]+ trials each\./);
    assert.doesNotMatch(markdown, /lost nothing in any mode/);
  });

  test('single rounds and trials are named; a kill without a loss is explained', () => {
    const markdown = renderDecision(sweepResultOf());
    assert.match(markdown, /one trial each, so no interval/);
    assert.match(markdown, /freeze of 10\.0 s or longer/);
    assert.doesNotMatch(markdown, /median of the trials/);
    assert.match(
      markdown,
      /These faults lost nothing in any mode, so they do not rank the modes: primary killed \(the kernel still delivers what a killed process had sent\)\./,
    );
    assert.match(markdown, /Not tested: machine lost, .*, power loss, .*\. The answer below says nothing about them\./);
  });

  test('several trials of a pause show their range; a trial without a promotion is left out', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [500, 1000], lostOnKill: [0, 0], lostOnPartition: [0, 0] },
    ]);
    const [, killed, , paused] = result.benchmarks;
    paused.timeline?.push(pauseTrialOf('async', [{ writer: 'sticky', outcome: 'rejected' }], 2));
    assert.equal(cellsOf(renderDecision(result), 'async')[6], '50% (0–100), refused');
    assert.match(renderDecision(result), /WAIT count too low\); median of the trials, and their range\.$/m);
    assert.doesNotMatch(renderDecision(result), /left out/);
    for (const trial of killed.timeline ?? []) if (trial.round === 2) trial.marks = [];
    assert.match(renderDecision(result), /1 trial without a promotion is left out/);
  });

  test('the limits of the trials and of this stack are named', () => {
    const result = sweepResultOf();
    result.stack.config['redis-1'] = { appendonly: 'no', save: '' };
    result.stack.nodes = ['redis-1', 'redis-2', 'redis-3'].map((id) => ({ id, kind: 'redis', role: 'replica' }));
    const markdown = renderDecision(result);
    assert.match(markdown, /Acknowledgements count here even if the write was lost later\./);
    assert.match(markdown, /The failed primary was away for 3\.00 s\. /);
    assert.match(markdown, /the nodes ran with `appendonly no`, `save ""`\.$/m);
    assert.match(markdown, /Costs are those of this stack/);
    assert.match(markdown, /A write that only one replica confirmed is lost when a partition takes that replica along/);
    result.benchmarks[0].cases[1].summary.limitedBy = 'machine';
    assert.match(renderDecision(result), /The CPUs limited 1 of 12 throughputs: nodes and load share \d+ cores/);
    const others = sweepResultOf([{ mode: 'async', lostOnKill: [0] }]);
    assert.doesNotMatch(renderDecision(others), /only one replica confirmed|Costs are those/);
    others.benchmarks.splice(0, 3);
    assert.doesNotMatch(renderDecision(others), /What this cannot show/);
  });

  test('figures limited by the client or with writes not acked are marked and explained', () => {
    const plain = renderDecision(sweepResultOf());
    assert.doesNotMatch(plain, /\u2020|the load client/);
    const result = sweepResultOf();
    const [async] = result.benchmarks[0].cases;
    async.summary.limitedBy = 'client';
    async.rounds[0].outcomes.rejected = 5;
    const marked = renderDecision(result);
    assert.equal(cellsOf(marked, 'async')[1], '20.0 k/s\\*†');
    assert.match(marked, /^- \\\* the load client, not Redis, limited this figure/m);
    assert.match(marked, /^- † some writes were not acked as asked/m);
    assert.match(decisionText(result), /20\.0k\/s\*†/);
  });

  test('what each configuration is: settings and what the client has to do', () => {
    const markdown = renderDecision(sweepResultOf());
    const meanings = markdown.slice(markdown.indexOf('### What each configuration is'));
    const [, set, client] = cellsOf(meanings, 'WAIT 1 (down-after 1 s)');
    assert.equal(
      set,
      '`min-replicas-to-write 0` on every Redis node; `down-after-milliseconds 1000` on every Sentinel',
    );
    assert.match(client, /^`WAIT 1 1000` sent with each write or pipeline, on the same connection; read its count/);
    assert.match(cellsOf(meanings, 'min-replicas 1')[2], /`NOREPLICAS` was not applied$/);
    assert.doesNotMatch(cellsOf(meanings, 'WAIT 1')[1], /down-after/);
    // Without the healthy half only failure cases remain, which record the Sentinels' settings.
    const failures = renderDecision(sweepResultOf([{ mode: 'async', lostOnKill: [0] }]));
    assert.doesNotMatch(failures, /down-after-milliseconds/);
  });

  test('a failed or skipped benchmark is named with its reason', () => {
    const result = sweepResultOf();
    Object.assign(result.benchmarks[2], {
      status: 'skipped',
      reason: 'partition needs a relay.',
      cases: [],
      audit: [],
      timeline: [],
    });
    result.benchmarks.splice(4, 1);
    const markdown = renderDecision(result);
    assert.match(
      markdown,
      /in part: .*sweep-partition \(skipped: partition needs a relay\); .*sweep-both-replicas-paused \(not run\)\./,
    );
    const lost = markdown.slice(markdown.indexOf('### Lost, by fault'));
    assert.deepEqual(cellsOf(lost, 'async'), ['async', '0']);
  });

  test('names and settings from a result are shown as text', () => {
    const result = sweepResultOf();
    for (const { params } of result.benchmarks.flatMap(({ cases }) => cases)) {
      if (params.variant !== undefined) params.variant = 'a|b <i>*c*';
      if (params.mode === 'min1') params.settings = { ...params.settings, x: '`|\n' };
    }
    const markdown = renderDecision(result);
    assert.equal(cellsOf(markdown, 'WAIT 1 (a\\|b \\<i\\>\\*c\\*)').length, 8);
    assert.match(markdown, /a\\\|b \\<i\\>\\\*c\\\*/);
    assert.equal(cellsOf(markdown.slice(markdown.indexOf('### What each')), 'min-replicas 1').length, 3);
  });

  test('a result without a sweep has no table', () => {
    const result = { ...sweepResultOf(), benchmarks: [] };
    assert.equal(renderDecision(result), '');
  });
});

describe('the decision table in a terminal', () => {
  test('no line is wider than it may be, with the longest names and figures', () => {
    const most = /** @type {const} */ ([1_234_567, 9_876_543]);
    const configurations = /** @type {Configuration[]} */ (
      ['waitaof', 'waitaof-local', 'wait1-min1', 'min2-lag5'].flatMap((mode) => [
        {
          mode,
          throughput: most,
          medianMs: 0.999,
          lostOnKill: [15_999],
          lostOnPartition: [15_999],
          unavailableMs: null,
        },
        { mode, sequential: true, throughput: most },
        { mode, variant: 'down-after-30s', lostOnKill: [15_999], lostOnPartition: [9999], unavailableMs: 999 },
      ])
    );
    const result = sweepResultOf(configurations);
    for (const { summary } of result.benchmarks[0].cases) summary.limitedBy = 'client';
    const lines = decisionText(result).split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > WIDTH),
      [],
    );
    assert.ok(lines.some((line) => line.startsWith('WAITAOF 1 1')));
  });

  test('a ratio whose interval includes 100% is marked', () => {
    const marked = decisionText(
      sweepResultOf([
        { mode: 'async', throughput: [1000, 1000] },
        { mode: 'min1', throughput: [990, 500] },
      ]),
    );
    assert.match(marked, /^min-replicas 1 +990\/s +~\d+% +\d+ µs +\d+% /m);
    assert.match(marked, /^~ no measurable difference from async/m);
    assert.doesNotMatch(decisionText(sweepResultOf([{ mode: 'async', throughput: [1000, 1000] }])), /~/);
  });

  test('the same figures with fewer digits, then the notes and the recommendation', () => {
    const text = decisionText(sweepResultOf());
    assert.match(text, /^async +20\.0k\/s +100% +120 µs +100% +120 µs +13\.8k +1\/2 +62 ms +100% +100%$/m);
    assert.match(text, /^WAIT 2 .* 0\/2 +to end +0% +0%$/m);
    assert.match(text, /^Limits: /m);
    assert.match(text, /^1\. WAIT 1: /m);
  });
});

describe('the front page', () => {
  const page = (/** @type {Result} */ result) => renderFrontPage(result, [sweep], NAMED_FIGURES);

  test('the best mode, with the faults, the number of trials and its cost', () => {
    const text = page(sweepResultOf());
    assert.match(
      text,
      /Use WAIT 1 if no confirmed write may be lost and writes may stop while any node is away\. Of 4 modes (?:it alone|\d) lost nothing in all 2 faults(?:; it is the cheapest)? \(0 of 32,000 acknowledged writes; 1 trial each: a screening, no proof\)\. Conditions: .*\.\n- Cost in throughput of one connection, against async: \d+% \(\d+–\d+\) at pipeline depth 1 \(10\.8 k\/s of 20\.0 k\/s\); \S+ \(\S+\) at pipeline depth 100 \(290 k\/s of 330 k\/s\)\./,
    );
    assert.doesNotMatch(text, /Most lost/, 'it decides nothing beside a mode that lost nothing');
    assert.match(text, /```sh\n# WAIT 1: the servers need no setting for it\n```/);
    assert.ok(text.includes(`the capacity of the server. On a network it is higher: ${WITH_DISTANCE}.\n`));
    assert.match(text, /planned-failover\.sh --sentinel/);
    assert.match(text, /without a loss still allows a loss in up to 95% of failures \(95% confidence\)/);
  });

  test('with a Sentinel beside each of three nodes: what a cheaper mode lost in the other faults', () => {
    const apart = { 'partition-with-replica': [25_000], 'one-way': [20_000] };
    /** @type {Configuration[]} */
    const modes = [
      { mode: 'async', throughput: [20_000, 330_000], lostOnKill: [0], lost: apart },
      {
        mode: 'wait2-aof',
        throughput: [5000, 90_000],
        lostOnKill: [0],
        lost: { 'partition-with-replica': [0], 'one-way': [0] },
      },
      { mode: 'wait1-min1-aof', throughput: [15_000, 290_000], lostOnKill: [900], lost: apart },
    ];
    const threeNodes = (/** @type {Configuration[]} */ ...more) => {
      const result = sweepResultOf([...modes, ...more]);
      const [node] = result.stack.nodes.filter(({ kind }) => kind === 'redis');
      result.stack.nodes.push({ ...node, id: 'redis-3' });
      return { result, node };
    };
    const tried = (/** @type {number} */ lost) =>
      page(
        threeNodes({ mode: 'wait1-min1-aof', variant: 'colocated', lost: { 'partition-with-replica': [lost] } }).result,
      );
    const { result, node } = threeNodes();
    assert.match(
      page(result),
      /^- With one Sentinel beside each .* should be no danger, .* tries it\)\. In the other faults, most of them measured with Sentinels apart, WAIT 1 \+ .*\) lost 900 acknowledged writes \(900 ms, primary killed\), but it takes writes while one replica is away\.$/m,
    );
    assert.match(
      tried(0),
      /^- With one .* is no danger: it lost 0 of 16,000 acknowledged writes there \(1 trial\)\. In the other faults, most of them measured with Sentinels apart, /m,
    );
    assert.doesNotMatch(tried(5), /With one Sentinel beside/);
    // Of five nodes two may be with a minority of the Sentinels.
    result.stack.nodes.push({ ...node, id: 'redis-4' }, { ...node, id: 'redis-5' });
    assert.doesNotMatch(page(result), /With one Sentinel beside/);
  });

  test('a WAIT for fewer than all replicas: the page and its limits say which partition breaks it', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [20_000, 330_000], lostOnKill: [9], lost: { 'partition-with-replica': [25_000] } },
      { mode: 'wait2-aof', throughput: [5000, 90_000], lostOnKill: [0], lost: { 'partition-with-replica': [0] } },
    ]);
    const [node] = result.stack.nodes.filter(({ kind }) => kind === 'redis');
    const withReplicas = (/** @type {number} */ replicas) => {
      const sentinels = result.stack.nodes.filter(({ kind }) => kind === 'sentinel');
      const nodes = Array.from({ length: replicas + 1 }, (_, i) => ({ ...node, id: `redis-${i + 1}` }));
      return page({ ...result, stack: { ...result.stack, nodes: [...nodes, ...sentinels] } });
    };
    assert.match(
      withReplicas(4),
      /What breaks this: a partition that takes 2 of the 4 replicas along with the primary/,
    );
    assert.match(withReplicas(4), /This stack has 4 replicas\. WAIT 2 \+ AOF everysec lost nothing here, but/);
    assert.doesNotMatch(withReplicas(2), /This stack has|a partition that takes/);
    assert.match(withReplicas(2), /What breaks this: a further replica/);
  });

  test('the deciding table: losses first, the safest mode on top, with writes a second beside the ratio', () => {
    const [, table] = page(sweepResultOf()).split(/^(?=\| mode)/m);
    const rows = table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    assert.deepEqual(rows[0], ['mode', 'worst loss', 'throughput cost', 'writes/s', 'longest outage']);
    assert.deepEqual(
      rows.slice(2).map(([mode, worst, , rate]) => [mode, worst, rate]),
      [
        ['WAIT 1', '0', '10.8 k/s'],
        ['WAIT 2', '0', '10.0 k/s'],
        ['min-replicas 1', '8,045 (8.04 s), network partition', '19.0 k/s'],
        ['async', '13,769 (13.8 s), network partition', '20.0 k/s'],
      ],
    );
  });

  test('p99 at the rate that all modes got, or that a mode did not sustain it', () => {
    const result = sweepResultOf();
    result.benchmarks.push(responseBenchmark({ async: true, wait1: true, wait2: false }));
    const text = page(result);
    assert.match(
      text,
      /^- p99 response time at 1\.00 k\/s on 10 connections(, its WAIT included)?: [\d.]+ µs \(.*\), async [\d.]+ µs/m,
    );
    const [, table] = text.split(/^(?=\| mode)/m);
    const [header] = table.split('\n');
    assert.match(header, /\| +p99 at 1\.00 k\/s \|/);
    assert.equal(header.split('|').length - 2, 6);
    assert.equal(cellsOf(text, 'WAIT 2')[4], 'rate not sustained');
    assert.equal(cellsOf(text, 'min-replicas 1')[4], '–');
    assert.match(cellsOf(text, 'WAIT 1')[4], /^[\d.]+ µs/);
  });

  test('an outage to the end names its cause, by fault and mode', () => {
    const result = sweepResultOf();
    const silent = page(result);
    assert.match(cellsOf(silent, 'WAIT 2').at(-1) ?? '', /^to the end, primary killed/);
    assert.match(
      silent,
      /To the end: until the load ended, because nothing told a sticky client .* dead \(primary killed\)\.$/m,
    );
    // It gets answers, but too few replicas confirm.
    const stuck = result.benchmarks
      .flatMap(({ timeline = [] }) => timeline)
      .filter(({ case: id }) => id.includes('wait2'));
    for (const writer of stuck.flatMap(({ writers }) => writers)) {
      writer.acked = writer.acked.map((acked, step) => (step < 10 ? acked : 0));
      writer.underAcked = writer.acked.map((acked) => (acked > 0 ? 0 : 1));
    }
    assert.match(page(result), /because too few replicas were left for the mode \(primary killed\)\.$/m);
  });

  test('a planned failover uses the script, also in a mode that lost nothing in a bare one', () => {
    const lossless = page(
      sweepResultOf([
        { mode: 'async', throughput: [900, 900], lostOnPartition: [9000], lost: { failover: [900] } },
        { mode: 'wait2', throughput: [500, 900], lostOnPartition: [0], lost: { failover: [0] } },
      ]),
    );
    assert.match(
      lossless,
      /^Planned failover \(not part of the set-up: it fails over at once\): `examples\/planned-failover\.sh --sentinel SENTINEL-HOST:26379 --name mymaster` has/m,
    );
  });

  test('what the safe mode costs in availability, what cheaper modes lost, and what breaks the answer', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [20_000, 330_000], lostOnKill: [0], lostOnPartition: [9000] },
      { mode: 'wait1', throughput: [10_000, 300_000], lostOnKill: [0], lostOnPartition: [400] },
      {
        mode: 'wait2-aof',
        throughput: [8000, 280_000],
        lostOnKill: [0],
        lostOnPartition: [0],
        oneDown: ['underAcked', 0],
      },
    ]);
    result.stack.nodes = ['redis-1', 'redis-2', 'redis-3'].map((id) => ({ id, kind: 'redis', role: 'replica' }));
    const text = page(result);
    assert.match(
      text,
      /^- Use WAIT 2 \+ AOF everysec if no confirmed write may be lost and writes may stop while any node is away\. Of 3 modes it alone lost nothing in all 2 faults \(.*: a screening, no proof\)/m,
    );
    assert.match(
      text,
      /^- Its price: no write is confirmed while one replica is frozen, or any node is away .*, until that node is in sync again\.$/m,
    );
    assert.match(
      text,
      /^- Cheaper, WAIT 1 \(costs .*\): lost 400 acknowledged writes \(400 ms, network partition\); nothing in the other faults\. It (takes writes while one replica is away|confirms nothing while a node is away)\.$/m,
    );
    assert.match(text, /What breaks this: a further replica, unless WAIT asks for it too; a power loss of all nodes/);
    assert.match(text, /Not tested here\. `--profile standard` adds: .*one-way partition/);
  });

  test('trials of a freeze that differ: what the median one acknowledged, and the worst one', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [20_000, 330_000], lostOnKill: [0] },
      { mode: 'wait1', throughput: [10_000, 300_000], lostOnKill: [0] },
    ]);
    const paused = result.benchmarks.find(({ name }) => name === 'sweep-one-replica-paused');
    for (const mode of ['async', 'wait1'])
      for (const [round, outcome] of /** @type {const} */ ([
        [2, 'acked'],
        [3, 'rejected'],
      ]))
        paused?.timeline?.push(pauseTrialOf(mode, [{ writer: 'sticky', outcome }], round));
    assert.match(
      page(result),
      /^- While one replica is frozen, \S.* acknowledges 100% of the writes in the median trial, 0% in the worst one\.$/m,
    );
  });

  test('losses by mode and fault, of the faults that took a write; ALL is no number of seconds', () => {
    const text = page(
      sweepResultOf([
        { mode: 'async', throughput: [900, 900], lostOnKill: [0], lostOnPartition: [9000], lost: { restart: [1000] } },
        { mode: 'wait1', throughput: [500, 900], lostOnKill: [0], lostOnPartition: [0] },
      ]),
    );
    const [, , table] = text.split(/^(?=\| mode)/m);
    assert.deepEqual(cellsOf(table, 'async'), ['async', '9.00 s', 'ALL']);
    assert.deepEqual(cellsOf(table, 'WAIT 1'), ['WAIT 1', '0', '–']);
  });

  test('a mode that is faster than async by an unclear amount is called so', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [500, 900], lostOnKill: [0], lostOnPartition: [0] },
      { mode: 'wait1', throughput: [1000, 900], lostOnKill: [0], lostOnPartition: [0] },
    ]);
    for (const { params, summary } of result.benchmarks[0].cases)
      if (params.mode === 'wait1' && summary.relativeToBaseline)
        summary.relativeToBaseline.throughput = { median: 2.1, low: 1.93, high: 2.36 };
    assert.match(page(result), /faster, by how much is undecided/);
  });

  test('without a mode that meets the limits it says so', () => {
    const text = page(
      sweepResultOf([{ mode: 'async', throughput: [500, 1000], lostOnKill: [0], lostOnPartition: [5] }]),
    );
    assert.match(
      text,
      /The one mode tested did not keep every acknowledged write in every fault\. Conditions: .*\.\n- Closest: async\. It lost 5 acknowledged writes \(5\.00 ms, network partition\), and nothing in 1 other fault \(1 trial each\)/,
    );
  });

  test('stays within its budget', async () => {
    const text = page(await readResult('results/sample/config-sweep', ResultSchema));
    // A chart is one line here and four in report.md.
    const lines = text.trimEnd().split('\n').length + 3;
    assert.ok(lines <= 107, `${lines} lines`);
    assert.ok(Buffer.byteLength(text) <= 20_480);
  });
});

test('the finding about response times names async and the mode that asks every replica', () => {
  const benchmark = responseBenchmark({
    async: true,
    'wait1-min1-aof-always': true,
    'wait2-min2-aof-always': true,
    'waitaof-all': true,
  });
  const named = () => responseTime.findings(benchmark, {}).flatMap(({ evidence }) => evidence);
  assert.deepEqual(named(), ['async-1000ps', 'wait2-min2-aof-always-1000ps']);
  const { params } = benchmark.cases[2];
  Object.assign(params, { mode: 'wait4-min4-aof-always', wait: 4 });
  assert.equal(named().length, 2, 'with four replicas');
});
