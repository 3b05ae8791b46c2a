import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { demandChecks } from './demand.js';

/**
 * @import { BenchmarkResult, CaseParams, CaseResult, RoundResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

const WRITES = 1000;

/**
 * @param {string} id
 * @param {Partial<CaseParams>} params
 * @param {Partial<LinkFigures> & {perWrite: number}} link
 * @param {Partial<RoundResult>} [round]
 */
function demandCase(id, params, { perWrite, ...link }, round) {
  const streamBytes = Math.round(perWrite * WRITES);
  const figures = {
    writes: WRITES,
    streamBytes,
    demandBytesPerSecond: streamBytes,
    executed: { set: WRITES },
    wire: {
      toReplicaBytes: streamBytes,
      toPrimaryBytes: 0,
      seconds: 1,
      counts: /** @type {const} */ ('stream'),
      primaryEndCpu: null,
      replicaEndCpu: null,
    },
    ...link,
  };
  return caseOf(id, { pattern: 'regular', ...params }, [roundOf({ writes: WRITES, link: figures, ...round })]);
}

const single = (/** @type {number} */ payloadBytes, /** @type {number} */ perWrite) =>
  demandCase(`single-${payloadBytes}`, { grouping: 'single', payloadBytes }, { perWrite });
const multi = demandCase(
  'multi',
  { grouping: 'multi', payloadBytes: 64, pipeline: 10 },
  { perWrite: 141.9, executed: { set: WRITES, multi: 100, exec: 100 } },
);
/** @param {Partial<LinkFigures> & {perWrite: number}} link */
const script = (link) =>
  demandCase('script', { grouping: 'script', payloadBytes: 64, pipeline: 10 }, { requestBytes: 20_000, ...link });
/** @param {number} operations a second, of which 620 in 1,000 write */
const mix = (operations, perWrite = 94.5) =>
  demandCase(
    `mix-${operations}`,
    { rate: 30_000, writeShare: 0.62, payloadBytes: 16 },
    { perWrite, demandBytesPerSecond: operations * 0.62 * perWrite },
    { operations },
  );

/** @param {CaseResult[]} cases */
const benchmarkOf = (...cases) =>
  /** @type {BenchmarkResult} */ ({
    name: 'link-demand',
    question: 'How much?',
    status: 'ok',
    cases,
    findings: [],
    checks: [],
  });

/** @param {CaseResult[]} cases */
const failed = (...cases) =>
  demandChecks(benchmarkOf(...cases)).flatMap(({ ok, name, detail }) => (ok ? [] : `${name}: ${detail}`));

test('the checks hold, and each of them can fail', () => {
  assert.deepEqual(failed(single(64, 139), multi, mix(30_000), mix(12_000)), []);
  assert.match(failed(single(64, 60), mix(30_000)).join(), /at least what was written: single-64: 60\.0 B/);
  assert.match(
    failed(script({ perWrite: 141.9, executed: { set: 999 } }), mix(30_000)).join(),
    /executed every write: script: 999 of 1,000/,
  );
  const { wire, ...rest } = /** @type {LinkFigures} */ (single(64, 139).rounds[0].link);
  assert.ok(wire);
  const short = demandCase(
    'short',
    { grouping: 'single' },
    { ...rest, perWrite: 139, wire: { ...wire, toReplicaBytes: 69_500 } },
  );
  assert.match(failed(short, mix(30_000)).join(), /the wire carried the stream: short: 50% of it/);
  const aPing = { ...wire, toReplicaBytes: wire.toReplicaBytes - 14 };
  const between = demandCase('between', { grouping: 'single' }, { ...rest, perWrite: 139, wire: aPing });
  assert.deepEqual(failed(between, mix(30_000)), []);
  assert.match(failed(mix(30_000), mix(12_000, 97)).join(), /same at every rate: 94\.5 B to 97\.0 B/);
  assert.equal(
    demandChecks(benchmarkOf()).filter(({ ok, skipped }) => ok && !skipped).length,
    0,
    'nothing was measured',
  );
});
