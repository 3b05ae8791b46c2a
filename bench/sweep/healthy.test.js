import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costFindings } from './healthy.js';

/**
 * @param {string} id
 * @param {Object} params
 * @param {[low: number, median: number, high: number]} [ratio] none: the baseline
 * @param {number} [rounds]
 * @returns {any}
 */
const caseOf = (id, params, ratio, rounds = 9) => ({
  id,
  params: { pipeline: 1, wait: 0, waitMode: 'pipelined', settings: {}, ...params },
  rounds: Array(rounds).fill({}),
  summary: ratio
    ? { relativeToBaseline: { baseline: 'async', throughput: { low: ratio[0], median: ratio[1], high: ratio[2] } } }
    : {},
});

test('one sentence for each depth: decided costs, the largest first, and the numbers of the others', () => {
  const cases = [
    caseOf('async', {}),
    caseOf('wait1', { wait: 1 }, [0.5, 0.54, 0.6]),
    caseOf('wait1-sequential', { wait: 1, waitMode: 'sequential' }, [0.3, 0.35, 0.4]),
    caseOf('min1', { settings: { 'min-replicas-to-write': '1' } }, [0.95, 0.97, 1.1]),
    caseOf('min2', { settings: { 'min-replicas-to-write': '2' } }, [0.8, 0.97, 1.2]),
    caseOf('aof', { settings: { appendonly: 'yes' } }, [0.4, 0.6, 0.8]),
    caseOf('wait2', { wait: 2, pipeline: 100 }, [1.1, 1.2, 1.3]),
  ];
  const findings = costFindings(/** @type {any} */ ({ cases }));
  assert.deepEqual(
    findings.map(({ text }) => text),
    [
      'Throughput cost at pipeline depth 1: WAIT 1 (sequential) 65% (60–70), WAIT 1 46% (40–50); no measurable cost: 1 of 5; undecided: 2 of 5 (95% interval)',
      'Throughput cost at pipeline depth 100: WAIT 2 −20% (−30 to −10) (95% interval)',
    ],
  );
  assert.deepEqual(findings[1].evidence, ['async', 'wait2']);
});

test('cases that the client limited are counted, the baseline too', () => {
  const cases = [caseOf('async', {}), caseOf('wait1', { wait: 1 }, [0.5, 0.54, 0.6])];
  cases[0].summary.limitedBy = 'client';
  const [{ text }] = costFindings(/** @type {any} */ ({ cases }));
  assert.match(text, /: WAIT 1 46% \(40–50\); limited by the client: 1 \(95% interval\)$/);
});

test('one round shows nothing', () => {
  assert.deepEqual(
    costFindings(/** @type {any} */ ({ cases: [caseOf('wait1', { wait: 1 }, [0.5, 0.5, 0.5], 1)] })),
    [],
  );
});
