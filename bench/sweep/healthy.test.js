import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweepFindings } from './sweep-findings.js';

/**
 * @param {string} id
 * @param {Object} params
 * @param {[low: number, median: number, high: number]} [ratio] none: the baseline
 * @param {number} [rounds]
 * @returns {any}
 */
const caseOf = (id, params, ratio, rounds = 9) => ({
  id,
  params: { pipeline: 1, wait: 0, habit: 'one-flush', settings: {}, ...params },
  rounds: Array(rounds).fill({}),
  summary: ratio
    ? { relativeToBaseline: { baseline: 'async', throughput: { low: ratio[0], median: ratio[1], high: ratio[2] } } }
    : {},
});

test('one sentence a batch: what costs something, the most first, and what could not be shown to', () => {
  const cases = [
    caseOf('async', {}),
    caseOf('wait1', { wait: 1 }, [0.5, 0.54, 0.6]),
    caseOf('wait1-awaited', { wait: 1, habit: 'awaited' }, [0.3, 0.35, 0.4]),
    caseOf('min1', { settings: { 'min-replicas-to-write': '1' } }, [0.8, 0.97, 1.2]),
    caseOf('wait2', { wait: 2, pipeline: 100 }, [1.1, 1.2, 1.3]),
  ];
  const findings = sweepFindings(/** @type {any} */ ({ cases }));
  assert.deepEqual(
    findings.map(({ text }) => text),
    [
      'Of the throughput of async, at batch 1 (95 % interval): WAIT 1 awaited costs 65 % (60–70 %); WAIT 1 costs 46 % (40–50 %); no cost could be shown for min-replicas 1',
      'Of the throughput of async, at batch 100 (95 % interval): WAIT 2 gains 20 % (10–30 %)',
    ],
  );
  assert.deepEqual(findings[1].evidence, ['async', 'wait2']);
});

test('what the client limited is named, the baseline too', () => {
  const cases = [caseOf('async', {}), caseOf('wait1', { wait: 1 }, [0.5, 0.54, 0.6])];
  cases[0].summary.limitedBy = 'client';
  const [{ text }] = sweepFindings(/** @type {any} */ ({ cases }));
  assert.match(text, /: WAIT 1 costs 46 % \(40–50 %\); the client, not Redis, limited async$/);
});

test('one round shows nothing', () => {
  assert.deepEqual(
    sweepFindings(/** @type {any} */ ({ cases: [caseOf('wait1', { wait: 1 }, [0.5, 0.5, 0.5], 1)] })),
    [],
  );
});
