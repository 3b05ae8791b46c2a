import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costFinding, costSentence, headlineShare, isDecided, roundsText, withFindings } from './findings.js';
import { caseOf, resultOf, roundOf } from './fixture.js';

/** @import { RoundResult } from '../result/schema.js' */
/** @import { Suite } from '../run/types.js' */

const WORDS = { what: 'WAIT 1', where: 'at pipeline depth 1' };
const BUSY = { load: { cpu: 0.98, eventLoopUtilization: 1 } };

/**
 * @param {number[]} percents of the baseline's throughput, one a round
 * @param {Partial<RoundResult>} [measured]
 * @param {Partial<RoundResult>} [base]
 */
function sentence(percents, measured = {}, base = {}) {
  const baseline = caseOf(
    'none',
    {},
    percents.map(() => roundOf({ writes: 1000, ...base })),
  );
  const result = caseOf(
    'wait1',
    {},
    percents.map((share) => roundOf({ writes: 10 * share, ...measured })),
    baseline,
  );
  return costSentence(result, baseline, WORDS);
}

/** @param {[median: number, low: number, high: number]} values */
const share = ([median, low, high]) => ({ median, low, high });

test('a headline wider than ± 10 points is undecided, and shows its bounds only', () => {
  assert.equal(headlineShare(share([0.46, 0.42, 0.49])), '46% (42–49)');
  assert.equal(headlineShare(share([0.52, 0.42, 0.62])), '52% (42–62)', 'exactly ± 10 points are decided');
  assert.equal(headlineShare(share([0.2, -0.08, 0.43])), 'undecided: −8 to 43%');
  assert.equal(headlineShare(share([0.35, 0.17, 0.374])), '17 to 37%');
  assert.equal(isDecided(share([0.3, 0.1, 0.301])), false);
});

test('a cost has its interval and the number of rounds', () => {
  assert.equal(sentence([54, 51, 58, 55, 53]), 'WAIT 1 costs 46% (42–49) of throughput at pipeline depth 1, n = 5');
});

test('a wide interval is undecided, with or without zero in it', () => {
  assert.equal(
    sentence([50, 91, 100, 92, 120]),
    'The cost of WAIT 1 at pipeline depth 1 is undecided: −20 to 50% of throughput',
  );
  assert.equal(sentence([50, 55, 60, 65, 75]), 'WAIT 1 costs 25 to 50% of throughput at pipeline depth 1, n = 5');
});

test('few rounds are not called a 95% interval', () => {
  assert.match(String(sentence([54, 51, 58])), /46% \(42–49\) of .*, range of 3 rounds$/);
  assert.equal(sentence([54]), 'WAIT 1 costs 46% of throughput at pipeline depth 1, one round');
  assert.equal(roundsText(7), 'n = 7');
});

test('a figure that the client limits says so', () => {
  assert.match(String(sentence([54, 51, 58], BUSY, BUSY)), /; native limited both figures$/);
  assert.match(String(sentence([54, 51, 58], BUSY)), /; native limited this figure$/);
  assert.match(String(sentence([54, 51, 58], {}, BUSY)), /; native limited the baseline's figure$/);
  assert.doesNotMatch(String(sentence([54, 51, 58])), /limited/);
});

test('writes that were not acknowledged are counted', () => {
  const unacked = { outcomes: { acked: 500, underAcked: 500, rejected: 0, unknown: 0 } };
  assert.match(String(sentence([54, 51, 58], unacked)), /; 1,500 of 3,000 writes were not acknowledged$/);
});

test('a finding names its evidence, and needs a baseline', () => {
  const [benchmark] = resultOf().benchmarks;
  const finding = costFinding(benchmark, 'wait1', WORDS);
  assert.match(String(finding?.text), /^WAIT 1 costs 46% \(.+\) of throughput at pipeline depth 1, n = 5$/);
  assert.deepEqual(finding?.evidence, ['none', 'wait1']);
  assert.equal(costFinding(benchmark, 'none', WORDS), null);
  assert.equal(costFinding(benchmark, 'not there', WORDS), null);
  const alone = { ...benchmark, cases: benchmark.cases.filter(({ id }) => id === 'wait1') };
  assert.equal(costFinding(alone, 'wait1', WORDS), null);
});

test('findings are computed anew for known benchmarks, except for one that depends on what the user asked for', () => {
  const result = resultOf();
  const [measured] = result.benchmarks;
  const suiteOf = (/** @type {object} */ more) =>
    /** @type {Suite[]} */ ([
      {
        name: 'main',
        benchmarks: [
          /** @type {any} */ ({ name: measured.name, findings: () => [{ text: 'new', evidence: [] }], ...more }),
        ],
      },
    ]);
  const textOf = (/** @type {Suite[]} */ suites) => withFindings(result, suites).benchmarks[0].findings[0].text;
  assert.equal(textOf(suiteOf({})), 'new');
  assert.equal(textOf([]), 'WAIT 1 costs 46% of throughput');
  assert.equal(textOf(suiteOf({ askedFindings: true })), 'WAIT 1 costs 46% of throughput');
  assert.equal(measured.findings[0].text, 'WAIT 1 costs 46% of throughput', 'the result itself is not changed');
});
