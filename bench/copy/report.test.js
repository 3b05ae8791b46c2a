import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { copyChecks } from './copy-checks.js';
import { COPY_COLUMNS, EFFECT_COLUMNS, USE_COLUMNS } from './copy-columns.js';
import { copyFindings } from './copy-findings.js';
import { copied, copyCaseOf, copyOf, wrote } from './copy-fixture.js';
import { CopyFigures } from './copy-schema.js';
import { renderCopy } from './copy-text.js';

/** @typedef {import('./schema.js').CaseResult} CaseResult */

/**
 * @param {readonly import('../run/types.js').Column[]} columns
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
 * @param {import('./schema.js').BenchmarkResult} benchmark
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

  test('the share of what was written is told where writing is what is copied, and how far it was behind where somebody wrote', () => {
    assert.equal(cell(COPY_COLUMNS, 'copy rate / write rate', measured('sync-aof-1')), '97 %');
    assert.equal(cell(COPY_COLUMNS, 'copy rate / write rate', measured('sync-rdb-writes-1')), '');
    assert.equal(cell(COPY_COLUMNS, 'behind after the last write', measured('scan-ksn-1')), '2.00 s');
    assert.equal(cell(COPY_COLUMNS, 'behind after the last write', measured('scan-1')), '');
    const never = copyCaseOf({ mode: 'scan-ksn' }, { behindSeconds: null, sourceRate: 10 });
    assert.equal(cell(COPY_COLUMNS, 'behind after the last write', never), 'never had it');
  });

  test('differences are told by kind', () => {
    const title = 'differences';
    assert.equal(cell(COPY_COLUMNS, title, measured('scan-1')), '0');
    assert.equal(cell(COPY_COLUMNS, title, measured('scan-writes-1')), '1,503 (missing 400, value 1,100, expiry 3)');
  });

  test('what is not counted is not shown as nothing', () => {
    const title = 'CPU source / copy / mover';
    assert.equal(cell(USE_COLUMNS, title, measured('sync-rdb-1')), '40 % / 40 % / none');
    assert.equal(cell(USE_COLUMNS, title, measured('scan-1')), '40 % / 40 % / 80 %');
    const unknown = { cpu: null, networkInBytes: null, networkOutBytes: null, blockOutBytes: null };
    const lacking = copyCaseOf({ mode: 'scan' }, { use: { source: unknown, copy: unknown, mover: unknown } });
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
    const few = copyCaseOf({ mode: 'sync-rdb-writes' }, { writers, sourceRate: 4000 });
    assert.equal(cell(EFFECT_COLUMNS, 'p99', few), '1.00 ms / – / 1.10 ms');
  });

  test('who limited it: the machine first, then whoever is busy', () => {
    const title = 'limited by';
    const use = copied().use;
    const mover = { ...use.source, cpu: 1.9 };
    const busy = copyCaseOf({ mode: 'scan', pairs: 2 }, { use: { ...use, mover } });
    assert.equal(cell(COPY_COLUMNS, title, busy), 'mover');
    const shared = copyCaseOf({ mode: 'scan', pairs: 4 }, { use: { ...use, mover } });
    assert.equal(cell(COPY_COLUMNS, title, shared), 'nothing alone');
    const machine = copyCaseOf({ mode: 'scan' }, { use: { ...use, mover } }, { round: { machineCpu: 0.95 } });
    assert.equal(cell(COPY_COLUMNS, title, machine), 'machine');
  });

  test('in Markdown: what it used of all cases, what writers noticed of those that have some', () => {
    const text = renderCopy(copyOf());
    assert.equal(text.match(/^\| sync-rdb /gm)?.length, 2, 'without writers: in one table only');
    assert.equal(text.match(/^\| sync-rdb-writes /gm)?.length, 2);
    assert.equal(renderCopy(benchmarkOf([])), '');
  });
});

describe('the findings of copying', () => {
  test('filling a node: quiet full copies of one pair, the quickest first', () => {
    const { text, evidence } = finding(copyOf(), 'Filling an empty node');
    assert.match(text, /100,000 keys .*: sync-rdb 500 ms \(200 k\/s, .*; scan \(COUNT 10\) 2\.00 s \(50\.0 k\/s/);
    assert.deepEqual(evidence, ['sync-rdb-1', 'scan-1']);
  });

  test('keeping up: every number of pairs, and that something never came', () => {
    assert.match(
      finding(copyOf(), 'How scan-ksn keeps up').text,
      /with 1 pair 50\.0 k\/s written \(4\.00 k\/s before\) and 24\.0 k\/s .*48 %.* 2\.00 s after/,
    );
    const lost = copyCaseOf({ mode: 'scan-ksn' }, { behindSeconds: null, sourceRate: 10 });
    assert.match(finding(benchmarkOf([lost]), 'How scan-ksn keeps up').text, /not all of it ever/);
  });

  test('what a key costs is CPU seconds by keys, not CPU shares', () => {
    const { text } = finding(copyOf(), 'CPU time and network');
    assert.match(text, /sync-rdb 2\.00 µs of the source’s, 2\.00 µs of the copy’s, and 120 B sent/);
    assert.match(
      text,
      /scan \(COUNT 10\) 8\.00 µs of the source’s, 8\.00 µs of the copy’s, 16\.0 µs of the mover’s, and 150 B/,
    );
  });

  test('what writers notice, and what was due and did not leave', () => {
    const benchmark = copyOf();
    assert.match(
      finding(benchmark, 'What writers').text,
      /sync-rdb-writes 1\.00 ms before, 40\.0 ms during \(the longest 80\.0 ms\), 1\.10 ms after, 2\.86 MiB/,
    );
    benchmark.cases[3].rounds[0].errors = { UNSENT: 120 };
    assert.match(finding(benchmark, 'What writers').text, /120 writes had been due/);
  });

  test('a copy that was never finished was not quick: it is in no comparison of speeds', () => {
    const [sync, , scan] = copyOf().cases;
    const broken = copyCaseOf(
      { mode: 'scan' },
      { seconds: 0.1, copiedKeys: KEYS_OF_A_BROKEN_ONE, behindSeconds: null },
    );
    const disk = copyCaseOf({ mode: 'sync-rdb-disk' }, { seconds: 1 });
    const both = copyCaseOf({ mode: 'sync-rdb', pairs: 2 }, { behindSeconds: null }, { baseline: sync });
    const texts = (/** @type {CaseResult[]} */ cases) => copyFindings(benchmarkOf(cases)).map(({ text }) => text);
    assert.match(finding(benchmarkOf([sync, disk, scan]), 'Filling an empty node').text, /scan/);
    assert.doesNotMatch(texts([sync, disk, broken, both]).join('\n'), /\bscan\b|SCAN|Pairs side by side/);
    const fell = copyCaseOf(
      { mode: 'sync-aof' },
      { sourceRate: 50_000, seconds: 1, copiedKeys: 50_000, behindSeconds: null },
    );
    assert.match(
      finding(benchmarkOf([fell]), 'The claim that sync with').text,
      /does not hold here: 100 % with one pair, and the rest never came/,
    );
  });

  test('missed changes are counted, and so are differences where there should be none', () => {
    assert.match(
      finding(copyOf(), 'scan-writes').text,
      /left 1,503 of 110,000 keys different, of 4,000 writes.*every mode that notices changes ended equal/,
    );
    const benchmark = copyOf();
    const aof = benchmark.cases.find(({ id }) => id === 'sync-aof-1')?.rounds[0].copy;
    assert.ok(aof);
    aof.comparison = { ...aof.comparison, value: 1 };
    assert.match(finding(benchmark, 'scan-writes').text, /did not end equal: sync-aof-1/);
  });

  test('claims hold or not by the numbers', () => {
    const claim = 'The claim that a full sync';
    assert.match(finding(copyOf(), claim).text, /holds here: 4\.0 times/);
    const [sync, , scan] = copyOf().cases;
    const slow = copyCaseOf({ mode: 'sync-rdb' }, { seconds: 1.9 });
    assert.match(finding(benchmarkOf([slow, scan]), claim).text, /does not hold here: 1\.1 times/);
    assert.equal(
      copyFindings(benchmarkOf([sync])).some(({ text }) => text.startsWith(claim)),
      false,
    );
    const shakes = [
      copyCaseOf({ mode: 'redis-shake-sync', mover: 'redis-shake-sync' }, { seconds: 5 }),
      copyCaseOf({ mode: 'redis-shake-scan', mover: 'redis-shake-scan', scanCount: 10 }, { seconds: 4 }),
    ];
    assert.match(
      finding(benchmarkOf(shakes), claim).text,
      /does not hold here of its own tool, RedisShake: 0\.8 times/,
    );
    assert.match(
      finding(copyOf(), 'The claim that SCAN needs').text,
      /holds here: 350 B a key .*against 120 B .*2\.9 times/,
      'both ways that a mover’s keys go',
    );
    assert.match(finding(copyOf(), 'The claim that sync with').text, /holds here: 97 %/);
    assert.match(finding(copyOf(), 'The claim that SCAN with').text, /does not hold here: 48 %/);
  });

  test('nothing measured, nothing found', () => {
    assert.deepEqual(copyFindings(benchmarkOf([])), []);
    assert.deepEqual(copyChecks(benchmarkOf([])), []);
  });
});

describe('the checks of copying', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) => copyChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);

  test('all is well, though plain SCAN under writes misses changes', () => {
    assert.deepEqual(failed(copyOf().cases), []);
  });

  test('one difference fails', () => {
    const comparison = { ...copied().comparison, ttl: 1 };
    assert.deepEqual(
      failed([copyCaseOf({ mode: 'sync-rdb' }, { comparison })]).map(({ detail }) => detail),
      ['sync-rdb-1: 1 difference'],
    );
  });

  test('what a program of others changes is told, and fails nothing here', () => {
    const comparison = { ...copied().comparison, ttl: 7 };
    const shake = (/** @type {number} */ value) =>
      copyCaseOf({ mode: 'redis-shake-sync', mover: 'redis-shake-sync' }, { comparison: { ...comparison, value } });
    assert.deepEqual(failed([shake(0)]), []);
    assert.deepEqual(failed([shake(2)]), []);
    assert.match(
      finding(benchmarkOf([shake(2)]), 'What a program').text,
      /redis-shake-sync 9 \(value 2, expiry 7\) of 100,000/,
    );
  });

  test('a copy that was never finished fails, with why', () => {
    const round = { errors: { 'MOVER: the subscription was lost': 1 } };
    const [check] = failed([copyCaseOf({ mode: 'scan-ksn' }, { behindSeconds: null }, { round })]);
    assert.match(check.detail, /scan-ksn-1: 1 round not; MOVER: the subscription was lost/);
  });

  test('too few keys fail, and so do writes that were refused', () => {
    assert.match(failed([copyCaseOf({ mode: 'scan' }, { copiedKeys: 99_999 })])[0].detail, /99,999 of 100,000/);
    const round = { errors: { OOM: 3 } };
    const writing = { writers: wrote(3), sourceRate: 4000 };
    assert.match(failed([copyCaseOf({ mode: 'sync-rdb-writes' }, writing, { round })])[0].detail, /OOM/);
    const late = { errors: { 'UNSENT before the copy': 50 } };
    assert.deepEqual(failed([copyCaseOf({ mode: 'sync-rdb-writes' }, writing, { round: late })]), []);
  });
});
