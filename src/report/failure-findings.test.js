import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lossFinding,
  noneLost,
  refusedFinding,
  seedClaim,
  splitBrainFinding,
  unavailableFinding,
  underAckedFinding,
} from './failure-findings.js';
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

test('a loss is told with its whole, for each level and writer', () => {
  assert.deepEqual(lossFinding(ONE_ROUND, WHAT), {
    text:
      'Killing the primary, acknowledged writes lost: async: stays 20 of 32,697 (0.061 %), follows none of 31,004; ' +
      'WAIT 1: stays none of 30,000, follows none, for nothing was acknowledged',
    evidence: ['async', 'wait1'],
  });
});

test('a sentence may speak of some levels and writers only', () => {
  const finding = lossFinding(ONE_ROUND, { ...WHAT, levels: ['async'], writers: ['follows'] });
  assert.equal(finding?.text, 'Killing the primary, acknowledged writes lost: async: follows none of 31,004');
  assert.deepEqual(finding?.evidence, ['async']);
});

test('several rounds have their sum and their range', () => {
  assert.match(
    String(lossFinding(THREE_ROUNDS, WHAT)?.text),
    /: async: stays 15 of 30,000 \(0\.050 %; 0–12 in each of 3 rounds\)$/,
  );
  assert.match(
    String(unavailableFinding(THREE_ROUNDS, WHAT)?.text),
    /: async: stays 1\.50 s \(1\.00 s … to the end over 3 rounds\)$/,
  );
  assert.match(String(splitBrainFinding(THREE_ROUNDS, WHAT)?.text), /: async: for 300 ms, the longest of 3 rounds$/);
});

test('unavailability without end is called so', () => {
  assert.equal(
    unavailableFinding(ONE_ROUND, WHAT)?.text,
    'Killing the primary, longest time without an acknowledgement: async: stays 1.20 s, follows 1.20 s; ' +
      'WAIT 1: stays 980 ms, follows to the end',
  );
});

test('two nodes that accept at once', () => {
  assert.equal(
    splitBrainFinding(ONE_ROUND, WHAT)?.text,
    'Killing the primary, two nodes accepted writes at once: async: never; WAIT 1: for 12.1 s',
  );
  assert.equal(
    splitBrainFinding(ONE_ROUND, { ...WHAT, levels: ['async'] })?.text,
    'Killing the primary, at no time did two nodes accept writes at once (1 case, 1 trial)',
  );
});

test('refused and under-acknowledged writes are shares of what was attempted', () => {
  const wait1 = { ...WHAT, levels: ['wait1'] };
  assert.match(
    String(refusedFinding(ONE_ROUND, wait1)?.text),
    /WAIT 1: stays 300 \(0\.97 %\), follows none was attempted$/,
  );
  assert.match(String(underAckedFinding(ONE_ROUND, wait1)?.text), /WAIT 1: stays 700 \(2\.3 %\), follows /);
  assert.equal(underAckedFinding(ONE_ROUND, { ...WHAT, levels: ['async'] }), null, 'no WAIT, no count');
});

test('nothing measured, nothing said', () => {
  for (const finding of [lossFinding, unavailableFinding, refusedFinding, splitBrainFinding, underAckedFinding]) {
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
