import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResultSchema } from '../../../bench/index.js';
import { renderDetails } from '../details.js';
import { NAMED_FIGURES } from '../fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from './fixture.js';

/**
 * @import { BenchmarkResult } from '../../result/schema.js'
 * @import { Suite, TrialBenchmark } from '../../run/types.js'
 */

const METHOD = 'The primary gets SIGKILL.';
const NAME = 'primary-killed';
/** @type {Suite} a suite whose titles differ from its names */
const SUITE = {
  name: 'failure',
  benchmarks: [
    /** @type {TrialBenchmark} */ (
      /** @type {unknown} */ ({
        name: NAME,
        method: METHOD,
        kind: 'trial',
        table: [],
        titles: {
          case: (/** @type {any} */ { mode }) => `mode ${mode}`,
          writer: (/** @type {string} */ name) => `writer ${name}`,
        },
      })
    ),
  ],
};

/** @param {...BenchmarkResult} benchmarks */
function rendered(...benchmarks) {
  const result = failureResultOf(benchmarks);
  ResultSchema.parse(result);
  const report = renderDetails(result, [SUITE], NAMED_FIGURES);
  assert.doesNotMatch(report, /undefined|NaN|\[object|Infinity|null/);
  return report;
}

/** @param {string} report @param {string} heading @returns {string[]} lines without padding */
function section(report, heading) {
  const [, text] = report.split(`\n${heading}\n`);
  assert.ok(text !== undefined, `no ${heading} in\n${report}`);
  return text.split(/\n#+ /)[0].trim().replaceAll(/ +/g, ' ').split('\n');
}

/** @param {string[]} lines */
function rowsOf(lines) {
  return lines.filter((line) => line.startsWith('|') && !line.startsWith('| :'));
}

test('several trials: sums, and the worst trial', () => {
  const audits = [0, 12, 3].map((ackedLost, i) =>
    auditOf('async', { round: i + 1, ackedLost, unavailableMs: i === 2 ? null : 1000 + i }),
  );
  const trials = [1, 2, 3].map((round) => trialOf('async', { round }));
  const report = rendered(failureBenchmarkOf(NAME, [{ mode: 'async', audits, trials }]));
  assert.match(
    section(report, '### Timeline')[0],
    /^The worst trial: primary-killed, mode async, trial 2: 12 acknowledged writes lost, at most 1\.00 s/,
  );
  assert.match(
    rowsOf(section(report, '### What the nodes hold after healing'))[1],
    /^\| mode async \| writer sticky \| 15 \| 2 /,
  );
});

test('what the nodes hold: every kind of discrepancy has its place', () => {
  const strange = auditOf('wait1', {
    acked: 1000,
    underAcked: 100,
    rejected: 50,
    unknown: 7,
    unsent: 40,
    ackedLost: 1,
    underAckedLost: 2,
    rejectedPresent: 3,
    unknownPresent: 4,
    unknownAbsent: 3,
    unsentPresent: 5,
    wrongValue: 6,
    surplus: 8,
    appliedTwice: 9,
    falseAcks: 10,
    falseAcksLost: 1,
    present: { 'redis-1': 1100, 'redis-2': 1099 },
    formerPrimary: { id: 'redis-1', present: 1150, extra: 60, extraAcked: 45, extraUntold: 15 },
  });
  const report = rendered(failureBenchmarkOf('primary-killed', [{ mode: 'wait1', audits: [strange] }]));
  assert.deepEqual(rowsOf(section(report, '### What the nodes hold after healing')), [
    '| mode | writer | acked, lost | trials with a loss | underAcked, lost | rejected, present | unsent, present | unknown, present | unknown, absent | wrong value | surplus keys | applied twice | false acks | false acks, lost | missing on a node | only on the former primary | of these acked |',
    '| mode wait1 | writer sticky | 1 | 1 | 2 | 3 | 5 | 4 | 3 | 6 | 8 | 9 | 10 | 1 | 1 | 60 | 45 |',
  ]);
});
