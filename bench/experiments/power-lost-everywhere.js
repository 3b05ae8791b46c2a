/**
 * All nodes lose power at once, as in one rack or one building: no replica is left that has what the primary's disk had not flushed.
 */
import { powerLoss } from '../../src/faults/index.js';
import { failureCases, LATE_DOWN_AFTER_MS, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { outcomeFindings } from './findings.js';
import { DECIDING_MODES } from './groups.js';
import { LEAST_HEALTHY_SECONDS, RECOVERY_SECONDS, whyNoPowerLoss } from './primary-power-lost.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */
/** @import { ModeName } from '../modes.js' */

/** @type {readonly ModeName[]} */
const QUICK_MODES = [...DECIDING_MODES, 'wait2-aof-always'];
/** @type {readonly ModeName[]} */
const MODES = [...QUICK_MODES, 'waitaof', 'waitaof-all'];

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'power-lost-everywhere',
  question: 'Which acknowledged writes are lost when all nodes lose power at once?',
  method:
    'The files of every node are on an emulated disk with a volatile cache. The processes and these caches are lost within a moment; only ' +
    'flushed blocks survive. Then the nodes start again, the primary first, before a Sentinel promotes anything.',
  needs: powerLoss.needs,
  disks: 'all',
  beforeFailover: true,
  whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack),
  cases: (options) =>
    failureCases(options, {
      modes: options.profile.name === 'quick' ? QUICK_MODES : MODES,
      downAfterMs: LATE_DOWN_AFTER_MS,
    }),
  async script({ profile, primary, replicas, inject, write }) {
    // everysec syncs once a second from the first write on. The moment of the power loss within a second is random.
    await write(Math.max(profile.healthySeconds, LEAST_HEALTHY_SECONDS) + Math.random());
    // The primary first, because nothing is acknowledged without it, and one after the other, so that each has its undoing when one fails.
    const starts = [];
    for (const { id } of [primary, ...replicas]) starts.push(await inject(powerLoss, id));
    for (const start of starts) await start();
    await write(RECOVERY_SECONDS);
  },
  findings: (result) => outcomeFindings(result),
  checks: auditChecks,
};
