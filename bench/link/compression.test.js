import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { compressionChecks } from './compression.js';

/**
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

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

/** @param {ReturnType<typeof measured>[]} cases @returns {BenchmarkResult} */
function benchmarkOf(cases) {
  return { name: 'link-compression', question: 'How much?', status: 'ok', cases, findings: [], checks: [] };
}

const GOOD = [
  measured('none', STREAM + 100, { link: { primaryEndCpu: null } }),
  measured('ssh', STREAM * 1.1),
  measured('ssh-C', STREAM / 5),
  measured('ssh-C', STREAM / 2, { pattern: 'random' }),
];

describe('checks of a compressed link', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) =>
    compressionChecks(benchmarkOf(cases))
      .filter(({ ok }) => !ok)
      .map(({ name }) => name);

  test('pass with good figures', () => {
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
