import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLedger, enterAnswer, enterSent, State } from '../../src/audit/ledger.js';
import { Outcome } from '../../src/clients/types.js';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy } from './checks-fixture.js';
import { shortfallChecks } from './shortfall.js';
import { until } from './writers.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

const DEMAND = 4_000_000;
const RATE = 4000;

/** @param {Partial<CaseParams>} params @param {Partial<LinkFigures>} [link] */
function shortfallOf(params, link) {
  return caseOf('case', { rate: RATE, payloadBytes: 1000, replicas: 1, ...params }, [
    roundOf({
      writes: RATE,
      link: {
        writes: RATE,
        streamBytes: DEMAND,
        demandBytesPerSecond: DEMAND,
        ...(params.linkShare !== undefined && { limitBytesPerSecond: params.linkShare * DEMAND }),
        growthBytesPerSecond: 0,
        maxLagBytes: 10_000,
        disconnects: 0,
        fullResyncs: 0,
        promotion: { acked: RATE, missing: 0 },
        ...link,
      },
    }),
  ]);
}

const failed = failedBy(shortfallChecks);
const enough = shortfallOf({ linkShare: 1.25 });
const short = (/** @type {Partial<LinkFigures>} */ link = {}) =>
  shortfallOf(
    { linkShare: 0.75 },
    { growthBytesPerSecond: 1_000_000, maxLagBytes: 12_000_000, disconnects: 2, fullResyncs: 2, ...link },
  );

test('checks fail when a sufficient link disconnects or lags, a shortfall does not show, or the demand was another', () => {
  assert.deepEqual(failed(enough, short()), []);
  assertEachFails(failed, [
    [/disconnected or resynced/, shortfallOf({ linkShare: 1.25 }, { disconnects: 1 }), short()],
    [/behind by up to 4\.77 MiB/, shortfallOf({ linkLatencyMs: 80 }, { maxLagBytes: 5_000_000 }), short()],
    [/by 195 KiB a second instead of 977 KiB/, enough, short({ growthBytesPerSecond: 200_000 })],
    [/not known/, enough, short({ growthBytesPerSecond: null })],
    [/75% of the demand/, enough, short({ demandBytesPerSecond: 3_000_000 })],
    [/not in every round/, enough, short({ promotion: undefined })],
  ]);
});

test('a ledger cut at a moment lacks later acknowledgements, and the original stays', () => {
  const ledger = createLedger(3);
  for (const number of [0, 1, 2]) enterSent(ledger, number, 1);
  enterAnswer(ledger, 0, { outcome: Outcome.acked, afterMs: 10, waitCount: -1 });
  enterAnswer(ledger, 1, { outcome: Outcome.acked, afterMs: 30, waitCount: -1 });
  assert.deepEqual([...until(ledger, 20).states], [State.acked, State.unknown, State.unknown]);
  assert.equal(ledger.states[1], State.acked);
});
