import { pause } from '../../src/faults/index.js';
import { finding, oneFinding } from '../../src/report/findings.js';
import { duration } from '../../src/report/format.js';
import { nothingRejectedIsPresent } from '../../src/report/trials/checks.js';
import { firstStep } from '../../src/report/trials/timeline.js';
import { median } from '../../src/stats/statistics.js';
import { CASE_TITLES, caseTitle, failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { underAckedFindings } from './findings.js';

/**
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

/** Longer than the largest min-replicas-max-lag of the modes, and long enough to see what follows. */
const PAUSED_SECONDS = 13;

/** A monitor that reads INFO once a second warns beyond this lag. */
const LAG_SECONDS = 2;
/** Mark of the timeline. */
const LAG = `${LAG_SECONDS} s`;
/** The variant in which WAIT has no timeout. */
export const FOREVER = 'no-timeout';

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'replicas-paused',
  question: 'Which writes are accepted while both replicas are frozen, and are they safe?',
  method:
    `Both replicas are frozen by SIGSTOP for ${PAUSED_SECONDS} s. Their connections stay open, so the primary only notices that ` +
    'acknowledgements are missing.',
  needs: ['pause'],
  cases: (options) => [
    ...failureCases(options, {
      modes: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1'],
      everyMode: true,
    }),
    ...(options.profile.name === 'quick' ? [] : failureCases(options, { modes: ['wait1-forever'], variant: FOREVER })),
  ],
  async script({ profile, primary, replicas, inject, write, info, mark }) {
    await write(profile.healthySeconds);
    const undo = [];
    for (const { id } of replicas) undo.push(await inject(pause, id));
    let warned = false;
    for (let second = 0; second < PAUSED_SECONDS; second++) {
      await write(1);
      if (warned || lagOf(await info(primary.id, 'replication')) <= LAG_SECONDS) continue;
      warned = true;
      mark('lagging', primary.id, { value: LAG });
    }
    for (const each of undo) await each();
    await write(profile.healthySeconds + 1);
  },
  findings: (result) => [...rejectionBegins(result), ...underAckedFindings(result)],
  checks: (result) => [
    {
      ...nothingRejectedIsPresent(result, { modes: ['min1'], expectSome: true, titles: CASE_TITLES }),
      name: 'min-replicas rejects, and nothing rejected is present',
    },
    ...auditChecks(result),
  ],
};

/**
 * @param {Readonly<Record<string, string>>} replication that section of INFO
 * @returns {number} seconds since the last acknowledgement of the replica that lags most; 0: no replica is connected
 */
export function lagOf(replication) {
  const lags = Object.entries(replication).flatMap(([name, text]) =>
    /^slave\d+$/.test(name) ? Number(/\blag=(\d+)/.exec(text)?.[1] ?? 0) : [],
  );
  return Math.max(0, ...lags);
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no write was rejected
 */
function rejectionBegins({ cases, timeline = [] }) {
  const measured = cases.flatMap(({ id, params }) => {
    const trials = timeline.filter((trial) => trial.case === id);
    const after = trials.flatMap((trial) => firstStep(trial, 'rejected') ?? []);
    return after.length === 0 ? [] : { id, text: `${caseTitle(params)}: ${duration(median(after) * 1e6)}` };
  });
  if (measured.length === 0) return [];
  const parts = measured.map(({ text }) => text);
  const start = 'Time from the freeze to the first refused write. ';
  return [finding('rejection-begins', oneFinding(start, parts, { joint: '; ' }), measured)];
}
