import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLedger, enterAnswer, enterSent } from '../../src/audit/ledger.js';
import { Outcome } from '../../src/clients/types.js';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy } from './checks-fixture.js';
import linkDark, { answersBetween, darkChecks } from './dark.js';

/** @import { LinkFigures } from './document.js' */

const [short, minimum] = linkDark.cases(/** @type {any} */ ({}));

/** @param {typeof short} theCase @param {Partial<NonNullable<LinkFigures['dark']>>} dark @param {number} [reached] by WAIT */
function darkOf({ id, params }, dark, reached = 0) {
  const waits = { asked: 9, reached, timeoutMs: 500, latencyNs: { p50: 5e8, p99: 5e8, max: 5e8 } };
  const figures = { acked: 2400, ackedSeconds: 4.9, refusedMs: null, backMs: 1100 };
  const noticed = { replicaNoticedMs: 4600, primaryNoticedMs: 4900 };
  const link = { writes: 9000, streamBytes: 1e6, demandBytesPerSecond: 1e5, waits };
  return caseOf(id, params, [roundOf({ link: { ...link, dark: { ...figures, ...noticed, ...dark } } })]);
}

const LATE = { replicaNoticedMs: 8500, primaryNoticedMs: 8900, acked: 4450, ackedSeconds: 8.9 };
const failed = failedBy(darkChecks);

test('the answers in the dark: those before and after it do not count', () => {
  const ledger = createLedger(5);
  const answers = [
    [50, Outcome.acked],
    [150, Outcome.acked],
    [180, Outcome.acked],
    [190, Outcome.rejected],
    [350, Outcome.acked],
  ];
  for (const [number, [afterMs, outcome]] of answers.entries()) {
    enterSent(ledger, number, 1);
    enterAnswer(ledger, number, { outcome, afterMs, waitCount: -1 });
  }
  assert.deepEqual(answersBetween(ledger, 100, 300), { acked: 2, ackedSeconds: 0.08, refusedMs: 90 });
  assert.deepEqual(answersBetween(ledger, 200, 300), { acked: 0, ackedSeconds: 0, refusedMs: null });
});

test('checks fail when a node noticed too early or never, writes were refused without min-replicas, or WAIT was confirmed', () => {
  assert.deepEqual(failed(darkOf(short, {}), darkOf(minimum, { ...LATE, acked: 1400, refusedMs: 2900 })), []);
  assertEachFails(failed, [
    [/after 200 ms/, darkOf(short, { replicaNoticedMs: 200 })],
    [/the primary never noticed/, darkOf(short, { primaryNoticedMs: null })],
    [/never came back/, darkOf(short, { backMs: null })],
    [/one was refused/, darkOf(short, { refusedMs: 100 })],
    [/none was refused/, darkOf(minimum, LATE)],
    [/3 were/, darkOf(short, {}, 3)],
  ]);
});
