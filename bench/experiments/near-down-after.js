/**
 * Faults of the primary that last about as long as Sentinels take to act: down-after and the failover.
 */
import { pause } from '../../src/faults/index.js';
import { aftermath } from '../../src/run/aftermath.js';
import { failureCases, PLACED_WRITERS, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { lengthFindings } from './findings.js';
import { DECIDING_MODES, GROUP_SCENARIO, hostsIn, separate } from './groups.js';
import { lengthsFor, writeFor } from './lengths.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 */

const LENGTHS =
  'It ends after down-after or up to 3 s later, and in the variant “until promoted” when a Sentinel has promoted a replica. The writers continue until ' +
  'the old primary is demoted, if a replica was promoted.';

/** @type {TrialBenchmark} */
export const hostPartitionedBriefly = {
  ...GROUP_SCENARIO,
  needsFailover: false,
  name: 'host-partitioned-briefly',
  question: 'What is lost when the host of the primary is separated for about as long as a failover takes?',
  method: `The primary, the Sentinel on its host and a client cannot reach the other hosts (placement “colocated”). ${LENGTHS}`,
  cases: (options) => casesOf(options, PLACED_WRITERS),
  ...lasting((scene, params) => separate(scene, hostsIn(scene, params, 'colocated'), { away: 1 })),
};

/** @type {TrialBenchmark} */
export const primaryPausedBriefly = {
  ...SCENARIO,
  name: 'primary-paused-briefly',
  question: 'What is lost when the primary freezes for about as long as a failover takes?',
  method: `The primary is frozen by SIGSTOP. ${LENGTHS}`,
  needs: pause.needs,
  cases: (options) => casesOf(options),
  ...lasting(({ inject, primary }) => inject(pause, primary.id)),
};

/**
 * @param {(scene: Scene, params: CaseParams) => ReturnType<Scene['inject']>} begin the fault, which lasts as long as the variant says
 * @returns {Pick<TrialBenchmark, 'script' | 'findings' | 'checks'>}
 */
function lasting(begin) {
  return {
    async script(scene, { params }) {
      await scene.write(scene.profile.healthySeconds);
      const undo = await begin(scene, params);
      await writeFor(scene, params.variant);
      await undo();
      await aftermath(scene);
    },
    findings: lengthFindings,
    checks: auditChecks,
  };
}

/**
 * @param {CaseOptions} options
 * @param {readonly string[]} [writers]
 * @returns {Case[]}
 */
function casesOf(options, writers) {
  return lengthsFor(options.profile).flatMap((variant) =>
    failureCases(options, { modes: DECIDING_MODES, variant, ...(writers && { writers }) }),
  );
}
