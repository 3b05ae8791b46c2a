import { pause } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { nothingRejectedIsPresent } from '../src/report/failure-checks.js';
import { seedClaim, underAckedFinding } from '../src/report/failure-findings.js';
import { firstStep } from '../src/report/failure-steps.js';
import { OWN_WRITERS } from '../src/report/failure-totals.js';
import { caseTitle } from '../src/report/failure-words.js';
import { duration, percent } from '../src/report/format.js';
import { FIRST_SEED } from '../src/report/seeds.js';
import { failureCases } from '../src/run/failure-case.js';

/** Longer than the largest min-replicas-max-lag of the levels, by enough to see what comes after. */
const PAUSED_SECONDS = 13;

const WHAT = 'With both replicas standing still';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'replicas-paused',
  suite: 'failure',
  question: 'Both replicas stand still: which writes are still accepted, and what are they worth?',
  method:
    `Both replicas are stopped by SIGSTOP for ${PAUSED_SECONDS} s, and go on. Their connections stay open, so that the ` +
    'primary notices only by what they do not acknowledge.',
  needs: ['pause'],
  generator: 'trials',
  cases: (options) =>
    failureCases(options, { levels: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1'], everyLevel: true }),
  async script({ profile, replicas, inject, write }) {
    await write(profile.healthySeconds);
    const undo = [];
    for (const { id } of replicas) undo.push(await inject(pause, id));
    await write(PAUSED_SECONDS);
    for (const each of undo) await each();
    await write(profile.healthySeconds + 1);
  },
  table: [],
  findings: (result) =>
    [
      seedClaim(result, {
        claim: 'writes are rejected when no replica is available',
        title: FIRST_SEED,
        choice: { levels: ['min1'], writers: OWN_WRITERS },
        holds: (audits) => audits.every(({ acceptedShare }) => acceptedShare === 0),
        figures: ({ audits }) =>
          `${audits.map(({ acceptedShare }) => (acceptedShare === null ? '–' : percent(acceptedShare))).join(', ')} of the writes due meanwhile were accepted`,
      }),
      rejectionBegins(result),
      underAckedFinding(result, { what: WHAT, writers: OWN_WRITERS }),
    ].filter((finding) => finding !== null),
  checks: (result) => [
    {
      ...nothingRejectedIsPresent(result, { levels: ['min1'], expectSome: true }),
      name: 'min-replicas rejects, and nothing rejected is present',
    },
    ...auditChecks(result),
  ],
};

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/run/types.js').Finding | null} null: nothing was rejected
 */
function rejectionBegins(result) {
  const told = result.cases.flatMap(({ id, params }) => {
    const after = (result.timeline ?? [])
      .filter((trial) => trial.case === id)
      .flatMap((trial) => firstStep(trial, 'rejected') ?? []);
    return after.length === 0
      ? []
      : { id, text: `${caseTitle(params)}: ${after.map((ms) => duration(ms * 1e6)).join(', ')}` };
  });
  if (told.length === 0) return null;
  return {
    text: `${WHAT}, the first write was refused so long after the pause (to the tenth of a second): ${told.map(({ text }) => text).join('; ')}`,
    evidence: told.map(({ id }) => id),
  };
}
