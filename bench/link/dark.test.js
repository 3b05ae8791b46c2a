import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLedger, enterAnswer, enterSent } from '../../src/audit/ledger.js';
import { Outcome } from '../../src/clients/types.js';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import linkDark, { darkChecks } from './dark.js';
import { answersBetween } from './dark-round.js';

/**
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

/** @typedef {NonNullable<LinkFigures['dark']>} Dark */

const [short, minimum] = linkDark.cases(/** @type {any} */ ({}));

/** @param {typeof short} theCase @param {Partial<Dark>} dark @param {number} [reached] by WAIT */
function darkOf({ id, params }, dark, reached = 0) {
  const waits = { asked: 9, reached, timeoutMs: 500, latencyNs: { p50: 5e8, p99: 5e8, max: 5e8 } };
  const figures = { seconds: 5, acked: 2400, ackedSeconds: 4.9, refusedMs: null, backMs: 1100 };
  return caseOf(id, params, [
    roundOf({
      link: {
        writes: 9000,
        streamBytes: 1e6,
        demandBytesPerSecond: 1e5,
        waits,
        dark: { ...figures, replicaNoticedMs: 4600, primaryNoticedMs: 4900, resync: 'partial', ...dark },
      },
    }),
  ]);
}

const LATE = { replicaNoticedMs: 8500, primaryNoticedMs: 8900, seconds: 9, acked: 4450, ackedSeconds: 8.9 };
const all = [darkOf(short, {}), darkOf(minimum, { ...LATE, acked: 1400, ackedSeconds: 2.8, refusedMs: 2900 })];

/** @param {CaseResult[]} cases @returns {BenchmarkResult} */
function benchmarkOf(cases) {
  return { name: 'link-dark', question: 'How long?', status: 'ok', cases, findings: [], checks: [] };
}

/** @param {CaseResult[]} cases */
const failed = (cases) => darkChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);

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

describe('checks', () => {
  test('pass when both noticed by repl-timeout, and only min-replicas refused', () =>
    assert.deepEqual(failed(all), []));

  test('fail when a node noticed too early, never noticed, or did not come back', () => {
    assert.match(failed([darkOf(short, { replicaNoticedMs: 200 })])[0].detail, /after 200 ms/);
    assert.match(failed([darkOf(short, { primaryNoticedMs: null })])[0].detail, /the primary never noticed/);
    assert.match(failed([darkOf(short, { backMs: null })])[0].detail, /never came back/);
  });

  test('fail when writes were refused without min-replicas, or WAIT was confirmed', () => {
    assert.match(failed([darkOf(short, { refusedMs: 100 })])[0].detail, /one was refused/);
    assert.match(failed([darkOf(minimum, LATE)])[0].detail, /none was refused/);
    assert.match(failed([darkOf(short, {}, 3)])[0].detail, /3 were/);
  });
});
