import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { shortfallChecks } from './shortfall.js';

/**
 * @import { CaseResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

const MIB = 2 ** 20;
const DEMAND = 4_000_000;
const RATE = 4000;
const LIMIT = { hardBytes: 4 * MIB, softBytes: MIB, softSeconds: 2, backlogBytes: MIB };

/**
 * A sample each second.
 * @param {(number | 'away' | 'syncing')[]} lags bytes, or why there are none
 * @returns {NonNullable<LinkFigures['samples']>}
 */
function samplesOf(lags) {
  return lags.map((lag, i) => ({
    afterMs: i * 1000,
    state: typeof lag === 'number' ? 'online' : lag,
    lagBytes: typeof lag === 'number' ? lag : null,
    lagSeconds: typeof lag === 'number' ? i % 2 : null,
    // The sockets hold the first two of them.
    bufferBytes: typeof lag === 'number' ? Math.max(0, lag - 2_000_000) : null,
    senderMemoryBytes: 1_000_000,
  }));
}

/** @param {string} id @param {Partial<CaseResult['params']>} params @param {Partial<LinkFigures>} link */
function shortfallCase(id, params, link) {
  return caseOf(id, { rate: RATE, payloadBytes: 1000, replicas: 1, ...params }, [
    roundOf({
      writes: RATE,
      link: {
        writes: RATE,
        streamBytes: DEMAND,
        demandBytesPerSecond: DEMAND,
        by: 'relay of this tool',
        ...(params.linkShare !== undefined && { limitBytesPerSecond: params.linkShare * DEMAND }),
        samples: samplesOf([0, 0, 0]),
        growthBytesPerSecond: 0,
        maxLagBytes: 10_000,
        maxBufferBytes: 20_000,
        memoryGrowthBytes: 10 * MIB,
        outputLimit: LIMIT,
        disconnects: 0,
        fullResyncs: 0,
        partialResyncs: 0,
        refusedPartials: 0,
        missedBytes: null,
        waits: { asked: 30, reached: 30, timeoutMs: 500, latencyNs: { p50: 2e6, p99: 3e6, max: 4e6 } },
        promotion: { acked: RATE, missing: 0 },
        ...link,
      },
    }),
  ]);
}

const enough = () => shortfallCase('share-125', { linkShare: 1.25 }, {});
const short = (/** @type {Partial<LinkFigures>} */ link = {}) =>
  shortfallCase(
    'share-75',
    { linkShare: 0.75 },
    {
      samples: samplesOf([0, 1e6, 2e6, 3e6, 'away', 'syncing', 'away', 'syncing']),
      growthBytesPerSecond: 1_000_000,
      maxLagBytes: 12_000_000,
      disconnects: 2,
      fullResyncs: 2,
      refusedPartials: 1,
      missedBytes: 9 * MIB,
      waits: { asked: 30, reached: 6, timeoutMs: 500, latencyNs: { p50: 5e8, p99: 5e8, max: 5e8 } },
      promotion: { acked: RATE, missing: 2000 },
      ...link,
    },
  );
const large = (/** @type {Partial<LinkFigures>} */ link = {}) =>
  shortfallCase(
    'share-75-backlog',
    { linkShare: 0.75, settings: { 'repl-backlog-size': '64mb' } },
    {
      growthBytesPerSecond: 1_000_000,
      outputLimit: { ...LIMIT, backlogBytes: 64 * MIB },
      disconnects: 2,
      partialResyncs: 2,
      missedBytes: 12 * MIB,
      memoryGrowthBytes: 70 * MIB,
      ...link,
    },
  );
const chain = () =>
  shortfallCase(
    'share-75-chain',
    { linkShare: 0.75, chain: true, replicas: 2 },
    { growthBytesPerSecond: 1_000_000, maxBufferBytes: 4 * MIB, maxLagBytes: 8 * MIB, disconnects: 1 },
  );

/** @param {CaseResult[]} cases */
const benchmarkOf = (cases) => ({
  name: 'link-shortfall',
  question: 'What?',
  status: /** @type {const} */ ('ok'),
  cases,
  findings: [],
  checks: [],
});

describe('the checks', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) =>
    shortfallChecks(benchmarkOf(cases))
      .filter(({ ok }) => !ok)
      .map(({ detail }) => detail);

  test('hold when the figures agree', () => {
    assert.deepEqual(failed([enough(), short(), large(), chain()]), []);
  });

  test('fail when a sufficient link disconnects or lags, and when a shortfall does not show', () => {
    const lost = shortfallCase('share-125', { linkShare: 1.25 }, { disconnects: 1 });
    assert.match(failed([lost, short()])[0], /disconnected or resynced/);
    const lags = shortfallCase('latency-80ms', { linkLatencyMs: 80 }, { maxLagBytes: 5_000_000 });
    assert.match(failed([lags, short()])[0], /behind by up to 4\.77 MiB/);
    assert.match(
      failed([enough(), short({ growthBytesPerSecond: 200_000 })])[0],
      /by 195 KiB a second instead of 977 KiB/,
    );
    assert.match(failed([enough(), short({ growthBytesPerSecond: null })])[0], /not known/);
  });

  test('fail when the demand was different, or no replica was promoted', () => {
    assert.match(failed([enough(), short({ demandBytesPerSecond: 3_000_000 })])[0], /75% of the demand/);
    assert.match(failed([enough(), short({ promotion: undefined })])[0], /not in every round/);
  });
});
