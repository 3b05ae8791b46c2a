import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { cellsOf } from '../../src/table.js';
import { claims } from './claims.js';
import { CopyFigures } from './document.js';
import { copied, copyCaseOf, copyOf, wrote } from './fixture.js';
import copy from './index.js';
import { copyChecks, copyFindings } from './report.js';
import { COPY_COLUMNS, copyDetails, EFFECT_COLUMNS, USE_COLUMNS } from './tables.js';

/**
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Column } from '../../src/run/types.js'
 */

/**
 * @param {readonly Column[]} columns
 * @param {string} title
 * @param {CaseResult | undefined} result
 */
function cell(columns, title, result) {
  const column = columns.find((one) => one.title === title);
  assert.ok(column && result, title);
  return column.cell(result);
}

const KEYS_OF_A_BROKEN_ONE = 50_000;

/** @param {string} id */
const measured = (id) => copyOf().cases.find((result) => result.id === id);

/** @param {CaseResult[]} cases */
const benchmarkOf = (cases) => ({ ...copyOf(), cases });

/**
 * @param {BenchmarkResult} benchmark
 * @param {string} start
 */
function finding(benchmark, start) {
  const found = copyFindings(benchmark).find(({ text }) => text.startsWith(start));
  assert.ok(found, `nothing starts with: ${start}`);
  return found;
}

test('the fixture is what the schema says', () => {
  assert.ok(CopyFigures.parse(copied({ writers: wrote(5) })));
});

describe('the tables of copying', () => {
  test('rates, times and scaling', () => {
    assert.equal(cell(COPY_COLUMNS, 'copied', measured('sync-rdb-1')), '200 k/s');
    assert.equal(cell(COPY_COLUMNS, 'took', measured('sync-rdb-1')), '500 ms');
    assert.equal(cell(COPY_COLUMNS, 'source writes', measured('sync-rdb-1')), '0 /s');
    assert.equal(cell(COPY_COLUMNS, 'copied, to 1 pair', measured('sync-rdb-2')), '1.67 ×');
    assert.equal(cell(COPY_COLUMNS, 'copied, to 1 pair', measured('sync-rdb-1')), '');
    assert.equal(cell(COPY_COLUMNS, 'mode', measured('scan-1')), 'scan (COUNT 10)');
  });

  test('the share of copied writes in incremental modes, and the delay under writes', () => {
    assert.equal(cell(COPY_COLUMNS, 'copy rate / write rate', measured('sync-aof-1')), '97%');
    assert.equal(cell(COPY_COLUMNS, 'copy rate / write rate', measured('sync-rdb-writes-1')), '');
    assert.equal(cell(COPY_COLUMNS, 'behind after the last write', measured('scan-ksn-1')), '2.00 s');
    assert.equal(cell(COPY_COLUMNS, 'behind after the last write', measured('scan-1')), '');
    const never = copyCaseOf({ copyMode: 'scan-ksn' }, { behindSeconds: null, sourceRate: 10 });
    assert.equal(cell(COPY_COLUMNS, 'behind after the last write', never), 'never');
  });

  test('differences are counted by kind', () => {
    const title = 'differences';
    assert.equal(cell(COPY_COLUMNS, title, measured('scan-1')), '0');
    assert.equal(cell(COPY_COLUMNS, title, measured('scan-writes-1')), '1,503 (missing 400, value 1,100, expiry 3)');
  });

  test('an unknown figure is not shown as zero', () => {
    const title = 'CPU source / copy / mover';
    assert.equal(cell(USE_COLUMNS, title, measured('sync-rdb-1')), '40% / 40% / none');
    assert.equal(cell(USE_COLUMNS, title, measured('scan-1')), '40% / 40% / 80%');
    const unknown = { cpu: null, networkInBytes: null, networkOutBytes: null, blockOutBytes: null };
    const lacking = copyCaseOf({ copyMode: 'scan' }, { use: { source: unknown, copy: unknown, mover: unknown } });
    assert.equal(cell(USE_COLUMNS, title, lacking), 'not counted / not counted / not counted');
    assert.equal(cell(USE_COLUMNS, 'source sent', lacking), 'not counted');
    assert.equal(cell(USE_COLUMNS, 'copy to disk', lacking), 'not counted');
    assert.equal(cell(USE_COLUMNS, 'source sent', measured('sync-rdb-1')), '192 Mbit/s');
    assert.equal(cell(USE_COLUMNS, 'copy to disk', measured('sync-rdb-1')), '0 B');
    assert.equal(cell(USE_COLUMNS, 'copy-on-write', measured('scan-1')), 'no fork');
  });

  test('a p99 of too few writes is not shown', () => {
    assert.equal(cell(EFFECT_COLUMNS, 'p99', measured('sync-rdb-writes-1')), '1.00 ms / 40.0 ms / 1.10 ms');
    const writers = wrote(40);
    writers.during.writes = 999;
    const few = copyCaseOf({ copyMode: 'sync-rdb-writes' }, { writers, sourceRate: 4000 });
    assert.equal(cell(EFFECT_COLUMNS, 'p99', few), '1.00 ms / – / 1.10 ms');
  });

  test('limited by: the machine first, then the busy part', () => {
    const title = 'limited by';
    const use = copied().use;
    const mover = { ...use.source, cpu: 1.9 };
    const busy = copyCaseOf({ copyMode: 'scan', pairs: 2 }, { use: { ...use, mover } });
    assert.equal(cell(COPY_COLUMNS, title, busy), 'mover');
    const shared = copyCaseOf({ copyMode: 'scan', pairs: 4 }, { use: { ...use, mover } });
    assert.equal(cell(COPY_COLUMNS, title, shared), 'no single part');
    const machine = copyCaseOf({ copyMode: 'scan' }, { use: { ...use, mover } }, { round: { machineCpu: 0.95 } });
    assert.equal(cell(COPY_COLUMNS, title, machine), 'machine');
  });

  test('details: resources of all cases, latency of cases with writers', () => {
    const rows = copyDetails(copyOf()).flatMap((block) => (block.kind === 'table' ? cellsOf(block) : []));
    const named = (/** @type {string} */ mode) => rows.filter(([name]) => name === mode);
    assert.equal(named('sync-rdb').length, 2, 'two numbers of pairs, without writers: in one table only');
    assert.equal(named('sync-rdb-writes').length, 2, 'in both tables');
    assert.deepEqual(copyDetails(benchmarkOf([])), []);
  });
});

describe('the findings of copying', () => {
  test('filling a node: the fastest quiet full sync and SCAN of one pair', () => {
    const { text, evidence } = finding(copyOf(), 'Fastest ways to fill');
    assert.match(text, /100,000 keys: sync-rdb at 200 k\/s, scan \(COUNT 10\) at 50\.0 k\/s \(one round\)$/);
    assert.deepEqual(evidence, ['sync-rdb-1', 'scan-1']);
  });

  test('keeping up: the share of what was written, and that the rest never arrived', () => {
    assert.match(
      finding(copyOf(), 'scan-ksn copied').text,
      /48% of 50\.0 k writes\/s in the same time; the last arrived 2\.00 s after the writers stopped/,
    );
    const lost = copyCaseOf({ copyMode: 'scan-ksn' }, { behindSeconds: null, sourceRate: 10 });
    assert.match(finding(benchmarkOf([lost]), 'scan-ksn copied').text, /the rest never arrived/);
  });

  test('what a key costs is CPU seconds by keys, not CPU shares', () => {
    const { text } = finding(copyOf(), 'A key costs');
    assert.match(text, /sync-rdb 4\.00 µs of CPU and 120 B sent by the source/);
    assert.match(text, /scan \(COUNT 10\) 32\.0 µs of CPU and 150 B/);
  });

  test('latency of the writers, and writes that were due and never left', () => {
    const benchmark = copyOf();
    assert.match(
      finding(benchmark, 'Writers at').text,
      /4\.00 k\/s notice sync-rdb-writes most: .*p99 1\.00 ms before, 40\.0 ms during, longest 80\.0 ms/,
    );
    benchmark.cases[3].rounds[0].errors = { UNSENT: 120 };
    assert.match(finding(benchmark, '120 writes were due').text, /in no percentile/);
  });

  test('pairs side by side', () => {
    assert.match(finding(copyOf(), '2 pairs on one machine').text, /sync-rdb 1\.67× \(limited by: no single part\)/);
  });

  test('an unfinished copy is in no comparison of speeds', () => {
    const [sync, , scan] = copyOf().cases;
    const broken = copyCaseOf(
      { copyMode: 'scan', mover: 'scan' },
      { seconds: 0.1, copiedKeys: KEYS_OF_A_BROKEN_ONE, behindSeconds: null },
    );
    const disk = copyCaseOf({ copyMode: 'sync-rdb-disk' }, { seconds: 1 });
    const both = copyCaseOf({ copyMode: 'sync-rdb', pairs: 2 }, { behindSeconds: null }, { baseline: sync });
    const texts = (/** @type {CaseResult[]} */ cases) => copyFindings(benchmarkOf(cases)).map(({ text }) => text);
    assert.match(finding(benchmarkOf([sync, disk, scan]), 'Fastest ways to fill').text, /scan/);
    assert.doesNotMatch(texts([sync, disk, broken, both]).join('\n'), /\bscan\b|SCAN|pairs on one machine/);
  });

  test('missed changes are counted, and so are unexpected differences', () => {
    assert.match(
      finding(copyOf(), 'SCAN without notifications').text,
      /left 1,503 of 110,000 keys different while 4,000 writes were made$/,
    );
    assert.match(finding(copyOf(), 'Full sync, replication').text, /left 0 of 300,000 keys different/);
    const benchmark = copyOf();
    const aof = benchmark.cases.find(({ id }) => id === 'sync-aof-1')?.rounds[0].copy;
    assert.ok(aof);
    aof.comparison = { ...aof.comparison, value: 1 };
    assert.match(finding(benchmark, 'Modes that notice').text, /still left differences: sync-aof-1/);
  });

  test('a finding fits on two lines', () => {
    for (const { text } of copyFindings(copyOf())) assert.ok(text.length <= 160, text);
  });

  test('without measurements there is no finding', () => {
    assert.deepEqual(copyFindings(benchmarkOf([])), []);
    assert.deepEqual(copyChecks(benchmarkOf([])), []);
  });
});

describe('the claims about copying', () => {
  /**
   * @param {CaseResult[]} cases
   * @param {string} id without the article
   */
  const examined = (cases, id) =>
    claims.find((claim) => claim.id === `copy.${id}`)?.examine(benchmarkOf(cases), {}) ?? null;
  const shakeOf = (/** @type {'sync' | 'scan'} */ way, /** @type {Parameters<typeof copyCaseOf>[1]} */ figures) =>
    copyCaseOf(
      { copyMode: `redis-shake-${way}`, mover: `redis-shake-${way}`, ...(way === 'scan' && { scanCount: 10 }) },
      figures,
    );

  test('RedisShake is judged only where RedisShake ran', () => {
    // The rate of the writers needs no mover.
    for (const claim of claims.filter(({ id }) => id !== 'copy.bench-cores'))
      assert.equal(claim.examine(copyOf(), {}), null, claim.id);
    assert.equal(examined(copyOf().cases, 'bench-cores')?.holds, null, 'a lower rate decides nothing');
    const slow = [shakeOf('sync', { seconds: 5 }), shakeOf('scan', { seconds: 4 })];
    const examination = examined(slow, 'sync-against-scan');
    assert.deepEqual(
      [examination?.ours, examination?.holds, examination?.evidence],
      ['0.80× (limited by: no single part)', null, ['redis-shake-sync-1', 'redis-shake-scan-1']],
      'other sizes and another machine contradict nothing',
    );
    assert.match(examination?.differs ?? '', /^100,000 keys with values of \d+ B \(theirs: 1 GB/);
    const fast = [shakeOf('sync', { seconds: 1 }), shakeOf('scan', { seconds: 2 })];
    assert.equal(examined(fast, 'sync-against-scan')?.holds, true);
    for (const { rounds } of fast) for (const round of rounds) round.machineCpu = 0.95;
    assert.equal(examined(fast, 'sync-against-scan')?.holds, null, 'limited by the machine');
    for (const { rounds } of fast) for (const round of rounds) round.machineCpu = 0.1;
    assert.equal(verdictOf(examined(fast, 'sync-against-scan')), 'undecided', 'after one round');
  });

  test('figures of the other movers are beside those of RedisShake', () => {
    const cases = [...copyOf().cases, shakeOf('sync', { seconds: 1 }), shakeOf('scan', { seconds: 2 })];
    assert.equal(
      examined(cases, 'sync-against-scan')?.ours,
      '2.00× (limited by: no single part); without RedisShake 4.00×',
    );
    assert.match(examined(cases, 'scan-network')?.ours ?? '', /; without RedisShake 2\.92×$/);
  });

  test('a copy that never finished does not keep pace', () => {
    const writing = { sourceRate: 50_000, seconds: 1, copiedKeys: 49_000 };
    assert.equal(examined([shakeOf('sync', writing)], 'sync-aof')?.holds, true);
    const fell = examined([shakeOf('sync', { ...writing, behindSeconds: null })], 'sync-aof');
    assert.match(fell?.ours ?? '', /^98% of the writes, the rest never arrived/);
    assert.equal(fell?.holds, false);
    const slow = shakeOf('sync', { ...writing, copiedKeys: 30_000 });
    assert.equal(examined([slow], 'sync-aof')?.holds, null, 'a smaller machine');
    const busy = shakeOf('sync', writing);
    for (const round of busy.rounds) round.machineCpu = 0.95;
    assert.equal(examined([busy], 'sync-aof')?.holds, null);
    assert.equal(examined([shakeOf('sync', writing)], 'scan-ksn'), null);
    const scanned = shakeOf('scan', { ...writing, sourceRate: 75_000 });
    assert.equal(examined([shakeOf('sync', { ...writing, sourceRate: 100_000 }), scanned], 'ksn-cost')?.holds, true);
  });

  test('a process for each shard is judged by the cases of shards', () => {
    const shards = (/** @type {number} */ seconds) => {
      const each = { pairs: 3, shards: 3, movers: 3 };
      const [sync, scan] = [
        copyCaseOf({ copyMode: 'redis-shake-sync', mover: 'redis-shake-sync', ...each }, { seconds: 1 }),
        copyCaseOf({ copyMode: 'redis-shake-scan', mover: 'redis-shake-scan', ...each }, { seconds }),
      ];
      const claim = claims.find(({ id }) => id === 'copy.sync-against-scan-shard');
      assert.equal(claim?.benchmark, 'copy-shards');
      return claim?.examine(benchmarkOf([sync, scan]), {});
    };
    assert.equal(shards(4)?.holds, true);
    assert.match(shards(4)?.ours ?? '', /^4\.00×/);
    assert.equal(shards(1)?.holds, null);
  });

  test('notifications against the stream: network and CPU for each write', () => {
    const writing = { sourceRate: 50_000, seconds: 1, copiedKeys: 50_000 };
    const node = { cpu: 0.4, networkInBytes: 1e6, networkOutBytes: 1e6, blockOutBytes: 0 };
    const use = (/** @type {number} */ factor) => ({
      source: node,
      copy: node,
      mover: { ...node, cpu: 0.4 * factor, networkOutBytes: 1e6 * factor },
    });
    const cases = [shakeOf('sync', { ...writing, use: use(1) }), shakeOf('scan', { ...writing, use: use(4) })];
    assert.equal(examined(cases, 'ksn-network')?.ours, '2.50× (limited by: mover, no single part)');
    assert.equal(examined(cases, 'ksn-network')?.holds, true);
    assert.equal(examined(cases, 'ksn-cpu')?.ours, '2.00× (limited by: mover, no single part)');
  });

  test('the disk is judged once every mode has its bytes', () => {
    const node = { cpu: 0.4, networkInBytes: 0, networkOutBytes: 0, blockOutBytes: 0 };
    const wroteBytes = (/** @type {number | null} */ blockOutBytes) => ({
      seconds: 1,
      use: { source: node, copy: node, mover: { ...node, blockOutBytes } },
    });
    const stream = shakeOf('sync', { ...wroteBytes(50e6), sourceRate: 50_000, copiedKeys: 49_000 });
    const notices = shakeOf('scan', { ...wroteBytes(1000), sourceRate: 50_000, copiedKeys: 49_000 });
    const scanned = shakeOf('scan', wroteBytes(2000));
    const disk = (/** @type {number | null} */ full) =>
      examined([stream, notices, scanned, shakeOf('sync', wroteBytes(full))], 'sync-aof-disk');
    assert.equal(disk(3000)?.holds, true);
    assert.match(disk(3000)?.ours ?? '', /^47\.7 MiB\/s with sync and the stream, up to 2\.93 KiB\/s with the others$/);
    assert.equal(disk(40e6)?.holds, null, 'theirs are disk rates of the whole server');
    assert.equal(disk(null)?.missing, true);
    assert.match(
      disk(null)?.ours ?? '',
      /^not measured: 47\.7 MiB\/s with .*, but nothing read what redis-shake-sync wrote while it ran; `sentinel-bench run copy/,
    );
    assert.equal(examined([stream, notices, scanned], 'sync-aof-disk'), null);
  });
});

test('the front page: six columns, whole sentences, and the cases that decide', () => {
  const benchmark = copyOf();
  benchmark.findings = copyFindings(benchmark);
  const page = copy.frontPage?.({ ...resultOf(), benchmarks: [benchmark] });
  assert.ok(page);
  assert.ok(page.answer.length >= 3 && page.answer.length <= 6);
  for (const sentence of page.answer) assert.match(sentence, /\.$/);
  const [, deciding] = page.evidence;
  assert.ok(deciding.kind === 'table' && deciding.columns.length === 6);
  assert.deepEqual(
    cellsOf(deciding).map(([mode]) => mode),
    ['sync-rdb', 'scan (COUNT 10)', 'sync-rdb-writes', 'scan-writes (COUNT 10)', 'sync-aof', 'scan-ksn (COUNT 10)'],
  );
});

test('report.md keeps its budget with every mode, and says no sentence twice', () => {
  const more = ['sync-rdb-disk', 'scan-100', 'sync-rdb-disk-writes', 'scan-ksn-writes'].map((mode) =>
    copyCaseOf(
      { copyMode: mode, mover: mode.startsWith('scan') ? 'scan' : 'sync' },
      mode.endsWith('writes') ? { writers: wrote(5), sourceRate: 4000 } : {},
    ),
  );
  const shakes = ['redis-shake-sync', 'redis-shake-scan'].map((mode) => copyCaseOf({ copyMode: mode, mover: mode }));
  const benchmark = benchmarkOf([...copyOf().cases, ...more, ...shakes]);
  benchmark.findings = copyFindings(benchmark);
  const page = renderFrontPage({ ...resultOf(), benchmarks: [benchmark] }, [copy], NAMED_FIGURES);
  // A chart takes four lines.
  const charts = page.match(/^\[chart /gm)?.length ?? 0;
  assert.ok(page.split('\n').length + 3 * charts <= 76, page);
  const sentences = page.match(/^- .+$/gm)?.map((line) => line.replace(/\.$/, '')) ?? [];
  assert.equal(new Set(sentences).size, sentences.length);
});

describe('the checks of copying', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) => copyChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);

  test('pass although plain SCAN under writes misses changes', () => {
    assert.deepEqual(failed(copyOf().cases), []);
  });

  test('one difference fails', () => {
    const comparison = { ...copied().comparison, ttl: 1 };
    assert.deepEqual(
      failed([copyCaseOf({ copyMode: 'sync-rdb' }, { comparison })]).map(({ detail }) => detail),
      ['sync-rdb-1: 1 difference'],
    );
  });

  test('differences left by another program are reported, and fail no check', () => {
    const comparison = { ...copied().comparison, ttl: 7 };
    const shake = (/** @type {number} */ value) =>
      copyCaseOf({ copyMode: 'redis-shake-sync', mover: 'redis-shake-sync' }, { comparison: { ...comparison, value } });
    assert.deepEqual(failed([shake(0)]), []);
    assert.deepEqual(failed([shake(2)]), []);
    assert.match(
      finding(benchmarkOf([shake(2)]), 'redis-shake-sync left').text,
      /differences in 100,000 keys: 9 \(value 2, expiry 7\)/,
    );
  });

  test('an unfinished copy fails, with the reason', () => {
    const round = { errors: { 'MOVER: the subscription was lost': 1 } };
    const [check] = failed([copyCaseOf({ copyMode: 'scan-ksn' }, { behindSeconds: null }, { round })]);
    assert.match(check.detail, /scan-ksn-1: 1 round not; MOVER: the subscription was lost/);
  });

  test('too few keys fail, and so do refused writes', () => {
    assert.match(failed([copyCaseOf({ copyMode: 'scan' }, { copiedKeys: 99_999 })])[0].detail, /99,999 of 100,000/);
    const round = { errors: { OOM: 3 } };
    const writing = { writers: wrote(3), sourceRate: 4000 };
    assert.match(failed([copyCaseOf({ copyMode: 'sync-rdb-writes' }, writing, { round })])[0].detail, /OOM/);
    const late = { errors: { 'UNSENT before the copy': 50 } };
    assert.deepEqual(failed([copyCaseOf({ copyMode: 'sync-rdb-writes' }, writing, { round: late })]), []);
  });
});
