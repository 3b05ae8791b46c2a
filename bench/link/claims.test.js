/**
 * The claims about the link, from figures whose units are known: bytes a second and bits a second must not be mixed up.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { claims } from './claims.js';

/**
 * @import { BenchmarkResult, CaseParams, RoundResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

const ROUNDS = 5;
/** The article's 23 Mbit/s. */
const BYTES_A_SECOND = 23e6 / 8;
const SECONDS = 10;

/**
 * @param {string} name
 * @param {Partial<CaseParams>} params
 * @param {Partial<LinkFigures>} link
 * @param {Partial<RoundResult>} [round]
 * @returns {BenchmarkResult} one case of five equal rounds
 */
function benchmarkOf(name, params, link, round = {}) {
  const figures = {
    writes: 186_000,
    streamBytes: BYTES_A_SECOND * SECONDS,
    demandBytesPerSecond: BYTES_A_SECOND,
    ...link,
  };
  const rounds = Array.from({ length: ROUNDS }, () =>
    roundOf({ writes: 300_000, seconds: SECONDS, link: figures, ...round }),
  );
  return { name, question: '?', status: 'ok', cases: [caseOf('one', params, rounds)], findings: [], checks: [] };
}

/**
 * @param {string} id without the article
 * @param {BenchmarkResult} result
 */
function examine(id, result) {
  const examined = claims.find((claim) => claim.id === `link.${id}`)?.examine(result, {}) ?? null;
  return { ours: examined?.ours, verdict: verdictOf(examined), allowed: examined?.allowed };
}

describe('the demand of 30,000 requests a second', () => {
  /** @param {number} share of the article's */
  const demand = (share) =>
    benchmarkOf(
      'link-demand',
      { rate: 30_000 },
      { streamBytes: share * BYTES_A_SECOND * SECONDS, demandBytesPerSecond: share * BYTES_A_SECOND },
    );

  test('an eighth or eight times as much reproduces neither: bits are not bytes', () => {
    for (const share of [1 / 8, 8])
      for (const id of ['demand', 'month']) assert.equal(examine(id, demand(share)).verdict, 'undecided', id);
  });

  test('both claims have the same limits', () => {
    for (const share of [0.6, 0.64, 0.66, 1, 1.34, 1.36])
      assert.equal(examine('demand', demand(share)).verdict, examine('month', demand(share)).verdict, `${share}`);
  });
});

describe('compression', () => {
  /**
   * @param {number} cpu of the primary's end
   * @param {number} bytesPerSecond of the stream
   */
  const tunnel = (cpu, bytesPerSecond) =>
    benchmarkOf(
      'link-compression',
      { tunnel: 'ssh-C', pattern: 'regular', rate: 30_000 },
      {
        streamBytes: bytesPerSecond * SECONDS,
        wire: {
          toReplicaBytes: (bytesPerSecond * SECONDS) / 12,
          toPrimaryBytes: 1000,
          seconds: SECONDS,
          counts: 'stream',
          primaryEndCpu: cpu,
          replicaEndCpu: cpu,
        },
        catchUpMs: 10,
        fullResyncs: 0,
        behindBytes: 0,
        waits: { asked: 10, reached: 10, timeoutMs: 1000, latencyNs: { p50: 1e6, p99: 1e6, max: 1e6 } },
      },
    );

  test('CPU is scaled to the article’s 23.7 Mbit/s, which are bits', () => {
    assert.equal(examine('compression-cpu', tunnel(0.2, 23.7e6 / 8)).ours, '20% of a core at the primary’s end');
    assert.equal(examine('compression-cpu', tunnel(0.2, 23.7e6 / 8)).verdict, 'reproduced');
    assert.equal(examine('compression-cpu', tunnel(0.2, 23.7e6 / 16)).ours, '40% of a core at the primary’s end');
    assert.equal(examine('compression-cpu', tunnel(0.2, 23.7e6 / 16)).verdict, 'undecided', 'another machine');
  });

  test('tenfold is a factor of 10, give or take 1.5, shown for every length of pipelines, and the keys decide', () => {
    const at = (/** @type {number} */ pipeline, /** @type {number} */ ratio) => {
      const [one] = tunnel(0.2, 1e6).cases;
      Object.assign(one, { id: `${pipeline}`, params: { ...one.params, pipeline } });
      for (const { link } of one.rounds) if (link?.wire) link.wire.toReplicaBytes = (1e6 * SECONDS) / ratio;
      return one;
    };
    const both = (/** @type {number} */ short, /** @type {number} */ long) =>
      examine('compression', { ...tunnel(0.2, 1e6), cases: [at(100, long), at(10, short)] });
    assert.deepEqual(both(7, 11), {
      ours: '7.00:1 (pipelines of 10); 11.0:1 (pipelines of 100)',
      verdict: 'undecided',
      allowed: '6.67:1 to 15.0:1',
    });
  });

  test('levels: fewer bytes for more CPU', () => {
    const levels = (/** @type {number} */ ratio, /** @type {number} */ cpuMs) =>
      examine(
        'compression-level',
        benchmarkOf(
          'link-compression',
          { tunnel: 'none', pattern: 'regular' },
          {
            file: {
              bytes: 8e6,
              compressedBytes: 8e5,
              levels: [
                { level: 1, compressedBytes: 1e6, cpuMs: 50 },
                { level: 9, compressedBytes: 8e6 / ratio, cpuMs },
              ],
            },
          },
        ),
      );
    assert.equal(levels(12, 400).ours, 'level 1 to 9: 8.00:1 to 12.0:1, 50.0 ms to 400 ms of CPU for 7.63 MiB');
    assert.equal(levels(12, 400).verdict, 'undecided', 'the option of ssh was not tried');
  });
});

describe('kills of a tunnel', () => {
  /** @param {number[]} rounds of each of two cases */
  const kills = (...rounds) => {
    const cases = rounds.map((number, i) => {
      const [one] = benchmarkOf(
        'link-loss',
        { tunnel: 'ssh-C' },
        { outage: { noticedMs: 1, tunnelMs: 1, awayMs: 1, behindMs: 1, resync: 'partial', restarts: 1 } },
      ).cases;
      return { ...one, id: `case ${i}`, rounds: one.rounds.slice(0, number) };
    });
    return examine('tunnel-breaks', { ...benchmarkOf('link-loss', {}, {}), cases });
  };

  test('cases differ, so the fewest kills of a case count as trials', () => {
    assert.equal(kills(2, 2).ours, 'the replica lost its link after 4 of 4 kills');
    assert.equal(kills(2, 2).verdict, 'undecided');
    assert.equal(kills(3, 3).verdict, 'reproduced');
  });
});
