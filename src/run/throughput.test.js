/** Throughput counts acknowledged writes only, and latencies are those of answered writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recorder } from '../load/recorder.js';
import { encodeHistogram, latencyOf } from '../stats/histogram.js';
import { roundAround, timeRound } from './round.js';

/**
 * @import { LoadConnection } from '../clients/types.js'
 * @import { RoundPlan } from '../load/types.js'
 */

const OUTCOMES = { acked: 600, underAcked: 200, rejected: 150, unknown: 50 };
const SECONDS = 2;

/** The sample of a load in which a part of the writes was acknowledged. */
function sample() {
  const { histogram } = new Recorder();
  histogram.recordValueWithCount(1000, OUTCOMES.acked + OUTCOMES.underAcked);
  return {
    seconds: SECONDS,
    operations: Object.values(OUTCOMES).reduce((sum, count) => sum + count, 0),
    outcomes: OUTCOMES,
    errors: {},
    firstError: null,
    histogram: encodeHistogram(histogram),
    latencyNs: latencyOf(histogram),
    load: { cpu: 0.5, eventLoopUtilization: 0.5 },
  };
}

/** The rounds are of a stack whose nodes are not sampled. */
const NO_NODES = { system: /** @type {any} */ ({}), controls: new Map() };

test('a round of load: under-acked, rejected and unknown writes are operations, and no throughput', async () => {
  const { throughput, operations, outcomes } = await timeRound({
    ...NO_NODES,
    loadThread: { prepare: async () => {}, go: async () => sample(), close: async () => {} },
    plan: /** @type {RoundPlan} */ ({ client: 'native' }),
    primaryId: 'redis-1',
    signal: new AbortController().signal,
  });
  assert.equal(throughput, OUTCOMES.acked / SECONDS);
  assert.equal(operations, 1000);
  assert.deepEqual(outcomes, OUTCOMES);
});

test('a round that a benchmark measures itself likewise', async () => {
  const { firstError: _, latencyNs: __, ...figures } = sample();
  const stack = /** @type {any} */ ({ database: {}, can: new Set() });
  const { throughput } = await roundAround({ stack, controls: new Map() }, async () => figures);
  assert.equal(throughput, OUTCOMES.acked / SECONDS);
});
