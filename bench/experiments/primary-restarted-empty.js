import { restart } from '../../src/faults/index.js';
import { nothingAckedLost } from '../../src/report/trials/checks.js';
import { CASE_TITLES, failureCases, LATE_DOWN_AFTER_MS, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { outcomeFindings } from './findings.js';
import { DECIDING_MODES } from './groups.js';

/** @import { Scene, TrialBenchmark } from '../../src/run/types.js' */

const RECOVERY_SECONDS = 3;
/** Longer than two intervals of the primary's snapshots, so that one of them lies behind. */
const SAVED_SECONDS = 8;

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'primary-restarted-empty',
  question: 'What is left when the primary crashes and is restarted before a Sentinel notices?',
  method:
    'The primary gets SIGKILL and is started again at once, as by a supervisor or a container’s restart policy. ' +
    'Without persistence it comes back empty, and the replicas copy the empty data set: a snapshot on a replica is replaced, too. With RDB on every ' +
    'node it comes back with its last snapshot.',
  needs: ['kill'],
  beforeFailover: true,
  cases: (options) =>
    failureCases(options, {
      modes: ['async', 'wait2', 'replica-rdb', 'split-rdb', 'aof', 'aof-always', ...DECIDING_MODES, 'waitaof'],
      everyMode: true,
      downAfterMs: LATE_DOWN_AFTER_MS,
    }),
  script: (scene, { params }) =>
    restartPrimary(scene, params.settings?.save ? Math.max(scene.profile.healthySeconds, SAVED_SECONDS) : undefined),
  findings: (result) => outcomeFindings(result),
  checks: (result) => [
    nothingAckedLost(result, {
      name: 'nothing acknowledged is lost where each write reaches the file first',
      modes: ['aof-always', 'wait2-min2-aof-always', 'waitaof'],
      titles: CASE_TITLES,
    }),
    ...auditChecks(result),
  ],
};

/**
 * Kills the primary and starts it again at once.
 *
 * @param {Scene} scene
 * @param {number} [seconds] of writes before; default: those of the profile
 */
export async function restartPrimary({ profile, primary, inject, write }, seconds = profile.healthySeconds) {
  await write(seconds);
  const undo = await inject(restart, primary.id);
  await undo();
  await write(RECOVERY_SECONDS);
}
