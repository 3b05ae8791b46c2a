/**
 * One command, such as KEYS on many keys or a slow script, keeps the primary busy for longer than down-after.
 */
import { blockingCommand } from '../../src/faults/index.js';
import { failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { lengthFindings } from './findings.js';
import { DECIDING_MODES, GROUP_MODES } from './groups.js';
import { lengthBeyond, lengthMs } from './lengths.js';
import { aftermath } from './near-down-after.js';

/** @import { Case, CaseOptions, TrialBenchmark } from '../../src/run/types.js' */

/** A job that begins again soon after it has ended. */
const AGAIN = 'again';
const TIMES = 3;
const BETWEEN_SECONDS = 1;
const AGAIN_BEYOND_MS = 500;

/** Beyond down-after. The first one ends while the Sentinels fail over. */
const QUICK_MS = [1000];
const BEYOND_MS = [500, 1000, 2000, 4000];

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'primary-blocked',
  question: 'What is lost when one command blocks the primary for longer than down-after?',
  method:
    'The primary executes one command for longer than down-after (DEBUG SLEEP, or scripts where the server refuses it), so it answers neither clients nor ' +
    `Sentinels and replicates nothing. In the variant “again and again” ${TIMES} such commands come ${BETWEEN_SECONDS} s apart. The writers continue until ` +
    'the old primary is demoted, if a replica was promoted.',
  needs: ['blocking-command'],
  cases: casesOf,
  async script(scene, { params: { variant } }) {
    const { primary, profile, downAfterMs, inject, write } = scene;
    const ms = lengthMs(variant, downAfterMs) ?? downAfterMs + AGAIN_BEYOND_MS;
    await write(profile.healthySeconds);
    for (let time = 1; time <= (variant === AGAIN ? TIMES : 1); time++) {
      if (time > 1) await write(BETWEEN_SECONDS);
      const over = await inject(blockingCommand(ms), primary.id);
      await write(ms / 1000);
      await over();
    }
    await aftermath(scene);
  },
  findings: lengthFindings,
  checks: auditChecks,
};

/**
 * @param {CaseOptions} options
 * @returns {Case[]}
 */
function casesOf(options) {
  if (options.profile.name === 'quick')
    return QUICK_MS.flatMap((ms) => failureCases(options, { modes: DECIDING_MODES, variant: lengthBeyond(ms) }));
  return [
    ...BEYOND_MS.flatMap((ms) => failureCases(options, { modes: GROUP_MODES, variant: lengthBeyond(ms) })),
    ...failureCases(options, { modes: GROUP_MODES, variant: AGAIN }),
  ];
}
