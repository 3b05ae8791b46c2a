import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noneLost, outcomeFinding, seedClaim, slownessFinding, underAckedFinding } from './failure-findings.js';
import { auditOf, failureBenchmarkOf, trialOf } from './failure-fixture.js';

const WHAT = { what: 'Killing the primary' };
const EMPTY = failureBenchmarkOf('primary-killed', []);

/** One round: async loses with the writer that stays; WAIT 1 loses nothing. */
const ONE_ROUND = failureBenchmarkOf('primary-killed', [
  {
    level: 'async',
    audits: [
      auditOf('async', { acked: 32_697, ackedLost: 20, rejected: 0 }),
      auditOf('async', { writer: 'follows', acked: 31_004 }),
    ],
    trials: [trialOf('async')],
  },
  {
    level: 'wait1',
    audits: [
      auditOf('wait1', { acked: 30_000, rejected: 300, underAcked: 700, unavailableMs: 980 }),
      auditOf('wait1', { writer: 'follows', acked: 0, unavailableMs: null }),
    ],
    trials: [trialOf('wait1', { windows: { detectionMs: 1, failoverMs: 1, splitBrainMs: 12_100, recoveryMs: 1 } })],
  },
]);

const THREE_ROUNDS = failureBenchmarkOf('primary-killed', [
  {
    level: 'async',
    audits: [
      auditOf('async', { acked: 10_000, ackedLost: 12, unavailableMs: 1000 }),
      auditOf('async', { round: 2, acked: 10_000, ackedLost: 0, unavailableMs: 1500 }),
      auditOf('async', { round: 3, acked: 10_000, ackedLost: 3, unavailableMs: null }),
    ],
    trials: [1, 2, 3].map((round) =>
      trialOf('async', {
        round,
        windows: { detectionMs: 1, failoverMs: 1, splitBrainMs: 100 * round, recoveryMs: null },
      }),
    ),
  },
]);

test('a scenario in one sentence: the worse writer of each level, the worst first', () => {
  assert.deepEqual(outcomeFinding(ONE_ROUND, WHAT), {
    text:
      'Killing the primary: acknowledged writes were lost with async (0.061 %); none was lost with WAIT 1; ' +
      'without an acknowledgement for 980 ms … 1.20 s; two nodes accepted writes side by side for up to 12.1 s',
    evidence: ['async', 'wait1'],
  });
});

test('a sentence may speak of some levels and writers only', () => {
  const finding = outcomeFinding(ONE_ROUND, { ...WHAT, levels: ['async'], writers: ['follows'] });
  assert.equal(finding?.text, 'Killing the primary: none was lost with async; without an acknowledgement for 1.20 s');
  assert.deepEqual(finding?.evidence, ['async']);
});

test('several rounds together; unavailability without end is called so', () => {
  assert.equal(
    outcomeFinding(THREE_ROUNDS, WHAT)?.text,
    'Killing the primary: acknowledged writes were lost with async (0.050 %); without an acknowledgement for 1.00 s … to the ' +
      'end; two nodes accepted writes side by side for up to 300 ms',
  );
});

test('under-acknowledged writes are shares of what was attempted', () => {
  const wait1 = { ...WHAT, levels: ['wait1'] };
  assert.match(String(underAckedFinding(ONE_ROUND, wait1)?.text), /WAIT 1: stays 700 \(2\.3 %\), follows /);
  assert.equal(underAckedFinding(ONE_ROUND, { ...WHAT, levels: ['async'] }), null, 'no WAIT, no count');
});

test('response times before a fault and while it lasted', () => {
  assert.match(
    String(slownessFinding(ONE_ROUND, 'With one replica slow')?.text),
    /^With one replica slow, p99 of response time in a typical tenth of a second: async: .+ \(.+ before\); WAIT 1: /,
  );
  assert.equal(slownessFinding(EMPTY, 'X'), null);
});

test('nothing measured, nothing said', () => {
  for (const finding of [outcomeFinding, underAckedFinding]) {
    assert.equal(finding(EMPTY, WHAT), null);
    assert.equal(finding({ ...ONE_ROUND, audit: undefined, timeline: undefined }, WHAT), null);
  }
});

test('a claim holds or does not, with the figures', () => {
  const claim = { claim: 'zero data loss', title: 'An article', holds: noneLost };
  assert.equal(
    seedClaim(ONE_ROUND, { ...claim, choice: { levels: ['async'] } }).text,
    'The claim “zero data loss” (“An article”) does not hold here: async: stays lost 20 of 32,697 (0.061 %), ' +
      'follows lost none of 31,004',
  );
  const held = seedClaim(ONE_ROUND, { ...claim, choice: { levels: ['wait1'], writers: ['stays'] } });
  assert.match(held.text, / holds here: WAIT 1: stays lost none of 30,000$/);
  assert.deepEqual(held.evidence, ['wait1']);
  const figures = seedClaim(ONE_ROUND, { ...claim, figures: ({ audits }) => `had ${audits.length}` });
  assert.match(figures.text, /: async: stays had 1, follows had 1; WAIT 1: /);
});

test('a claim about which nothing was measured neither holds nor fails', () => {
  const claim = { claim: 'zero data loss', title: 'An article', holds: () => true };
  assert.deepEqual(seedClaim(EMPTY, claim), {
    text: 'The claim “zero data loss” (“An article”) was not examined: nothing of the kind was measured',
    evidence: [],
  });
  const nothingAcked = seedClaim(ONE_ROUND, {
    ...claim,
    holds: noneLost,
    choice: { levels: ['wait1'], writers: ['follows'] },
  });
  assert.match(nothingAcked.text, /does not hold/);
});
