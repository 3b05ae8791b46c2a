import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from './fixture.js';
import { COMPRESSION_COLUMNS, compressionOf, limitOf } from './link-compression.js';
import { compressionChecks, compressionFindings } from './link-compression-findings.js';

/** @typedef {import('./schema.js').LinkFigures} LinkFigures */

const STREAM = 3_000_000;
const RATE = 1000;

/**
 * @param {number} toReplicaBytes
 * @param {Partial<LinkFigures> & {primaryEndCpu?: number | null}} [more]
 * @returns {LinkFigures} of three seconds
 */
function linkOf(toReplicaBytes, { primaryEndCpu = 0.25, ...more } = {}) {
  return {
    writes: 30_000,
    streamBytes: STREAM,
    demandBytesPerSecond: STREAM / 3,
    by: 'a tunnel',
    wire: {
      toReplicaBytes,
      toPrimaryBytes: 3000,
      seconds: 3,
      counts: 'stream',
      primaryEndCpu,
      replicaEndCpu: primaryEndCpu === null ? null : 0.125,
    },
    maxLagBytes: 2000,
    behindBytes: 1000,
    catchUpMs: 12,
    waits: { asked: 60, reached: 60, timeoutMs: 1000, latencyNs: { p50: 800_000, p99: 2e6, max: 3e6 } },
    ...more,
  };
}

/**
 * @param {string} tunnel
 * @param {number} toReplicaBytes
 * @param {{pattern?: 'regular' | 'random', pipeline?: number, link?: Parameters<typeof linkOf>[1], operations?: number}} [more]
 */
function measured(tunnel, toReplicaBytes, { pattern = 'regular', pipeline = 10, link, operations = RATE } = {}) {
  return caseOf(`${tunnel}-${pattern}-${pipeline}`, { tunnel, pattern, pipeline, rate: RATE }, [
    roundOf({ link: linkOf(toReplicaBytes, link), operations }),
  ]);
}

/** @param {ReturnType<typeof measured>[]} cases @returns {import('./schema.js').BenchmarkResult} */
function benchmarkOf(cases) {
  return { name: 'link-compression', question: 'How much?', status: 'ok', cases, findings: [], checks: [] };
}

const GOOD = [
  measured('none', STREAM + 100, { link: { primaryEndCpu: null } }),
  measured('ssh', STREAM * 1.1),
  measured('ssh-C', STREAM / 5),
  measured('zstd-1', STREAM / 8),
  measured('zstd-9', STREAM / 10),
  measured('ssh-C', STREAM / 2, { pattern: 'random' }),
];

/** @param {import('./schema.js').CaseResult[]} cases */
function textOf(cases) {
  return compressionFindings(benchmarkOf(cases))
    .map(({ text }) => text)
    .join('\n');
}

describe('figures of a compressed link', () => {
  test('the ratio is the stream for what went to the replica, and rates are of the seconds each took', () => {
    const figures = compressionOf(measured('ssh-C', STREAM / 5));
    assert.ok(figures);
    assert.equal(figures.ratio, 5);
    assert.equal(figures.stream, 1_000_000);
    assert.equal(figures.wire, 200_000);
    assert.equal(figures.back, 1000);
    assert.equal(figures.primaryEndCpu, 0.25);
  });

  test('the limit: who was on a CPU all the while, and only when something was not as asked', () => {
    assert.equal(limitOf(measured('zstd-9', 1000, { link: { primaryEndCpu: 0.99 } })), 'nothing', 'all was kept');
    assert.equal(
      limitOf(measured('zstd-9', 1000, { link: { primaryEndCpu: 0.99, catchUpMs: 900 } })),
      'tunnel, primary’s end',
    );
    assert.equal(limitOf(measured('zstd-9', 1000, { operations: RATE / 2 })), 'not known');
  });

  test('a cell for each column, also of a case without rounds that have a wire', () => {
    const without = caseOf('none-regular', { tunnel: 'none', pattern: 'regular' }, [roundOf()]);
    for (const { title, cell } of COMPRESSION_COLUMNS) {
      for (const result of [...GOOD, without]) assert.equal(typeof cell(result), 'string', title);
    }
    const ratio = COMPRESSION_COLUMNS.find(({ title }) => title === 'ratio');
    assert.deepEqual(
      [GOOD[2], GOOD[4]].map((result) => ratio?.cell(result)),
      ['5.00', '10.0'],
    );
  });
});

describe('what is found of a compressed link', () => {
  test('less than tenfold is said, and why as far as the figures tell', () => {
    const text = textOf(GOOD);
    assert.match(text, /saw 23\.7 Mbit\/s → 1\.94 Mbit\/s \(12\.2 to 1\)/);
    assert.match(text, /Here it was 5\.00 to 1 in pipelines of 10: tenfold was not reached/);
    assert.match(text, /uncompressed, the wire carried 10 % more than the stream/);
    assert.match(text, /What carried the stream: none: a tunnel; .* The wire is the payload of TCP/);
    assert.match(text, /From zstd level 1 to zstd level 9 the ratio went from 8\.00 to 1 to 10\.0 to 1/);
  });

  test('tenfold in longer pipelines is told from tenfold in all', () => {
    const long = measured('ssh-C', STREAM / 12, { pipeline: 100 });
    const reached = textOf([...GOOD, long]);
    assert.match(reached, /12\.0 to 1 in pipelines of 100: tenfold was reached only where more leaves together/);
    assert.match(reached, /pipelines of 100\) it was 2\.40 times that/);
    const text = textOf([measured('ssh', STREAM * 1.1), measured('ssh-C', STREAM / 11)]);
    assert.match(text, /11\.0 to 1 in pipelines of 10: tenfold was reached\./);
    assert.doesNotMatch(text, /compresses whatever/);
  });

  test('what was not kept, and WAITs that were not reached, are told', () => {
    const slow = measured('zstd-9', STREAM / 9, { operations: RATE / 2 });
    const told = textOf([slow]);
    assert.match(told, /1 case did not get the requests out/);
    assert.match(told, /9\.00 to 1, at 500 \/s requests only/);
    assert.doesNotMatch(told, /CPU of the tunnel|WAIT 1 beside/);
    const late = linkOf(STREAM).waits;
    assert.ok(late);
    const short = measured('ssh-C', STREAM / 5, { link: { waits: { ...late, reached: 50 } } });
    assert.match(textOf([short]), /10 of 60 without the replica/);
  });

  test('where the wire did not carry what the stream grew by, no ratio is told', () => {
    const ratio = COMPRESSION_COLUMNS.find(({ title }) => title === 'ratio');
    for (const link of [{ catchUpMs: null }, { fullResyncs: 1 }]) {
      const result = measured('ssh-C', STREAM / 30, { link });
      const text = textOf([measured('ssh', STREAM * 1.1), result]);
      assert.match(text, /In 1 case \(ssh-C-regular-10\) the replica did not get everything/);
      assert.doesNotMatch(text, /30\.0 to 1|tenfold/);
      assert.equal(ratio?.cell(result), 'not known');
    }
  });

  test('nothing is said of what was not measured', () => {
    assert.deepEqual(compressionFindings(benchmarkOf([])), []);
    assert.doesNotMatch(textOf([GOOD[0]]), /ssh|zstd/);
  });
});

describe('checks of a compressed link', () => {
  /** @param {import('./schema.js').CaseResult[]} cases */
  const failed = (cases) =>
    compressionChecks(benchmarkOf(cases))
      .filter(({ ok }) => !ok)
      .map(({ name }) => name);

  test('hold of good figures', () => {
    assert.deepEqual(failed(GOOD), []);
    assert.equal(compressionChecks(benchmarkOf(GOOD)).length, 4);
  });

  test('fail when the meter missed bytes, the replica did not catch up, or random keys compressed better', () => {
    assert.match(failed([measured('none', STREAM * 0.9)])[0], /the wire carried the stream/);
    assert.match(failed([measured('ssh', STREAM, { link: { catchUpMs: null } })])[0], /had everything/);
    assert.match(failed([measured('ssh', STREAM, { link: { fullResyncs: 1 } })])[0], /without a full resync/);
    const random = measured('ssh-C', STREAM / 6, { pattern: 'random' });
    assert.match(failed([measured('ssh-C', STREAM / 5), random])[0], /better than random/);
    const broken = caseOf('x', { tunnel: 'none' }, [roundOf({ errors: { OOM: 1 } })]);
    assert.match(failed([broken])[0], /without an error/);
  });
});
