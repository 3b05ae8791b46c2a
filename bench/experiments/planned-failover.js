import { coordinatedFailover, failover } from '../../src/faults/index.js';
import { nothingAckedLost, whereMeasured } from '../../src/report/trials/checks.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { whySkipped } from '../../src/run/plan.js';
import { SAFEST_MODES, WHOLE_MODES } from '../modes.js';
import { CASE_TITLES, failureCases } from './cases.js';
import { failoverChecks } from './checks.js';
import { safeFailover, whyNoScript } from './failover-script.js';
import { libraryFindings, outcomeFindings } from './findings.js';
import { WITH_PROMOTION } from './promotion.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Ability } from '../../src/stacks/types.js'
 * @import { ModeName } from '../modes.js'
 */

const SWITCH_SECONDS = 20;
export const BY_HAND = 'by-hand';
export const COORDINATED = 'coordinated';
/** Beside what every case needs. @type {Ability} */
const COORDINATED_NEEDS = 'coordinated-failover';
/** The three ways are compared in these. @type {readonly ModeName[]} */
export const PLANNED_MODES = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'];
/** By variant; else a bare SENTINEL FAILOVER. @type {Readonly<Record<string, Fault>>} */
const FAULT_OF = { [BY_HAND]: safeFailover, [COORDINATED]: coordinatedFailover };

/** @type {TrialBenchmark} */
export default {
  ...WITH_PROMOTION,
  name: 'planned-failover',
  question: 'Is SENTINEL FAILOVER safe on a healthy deployment?',
  method:
    'A Sentinel is sent SENTINEL FAILOVER; the writers continue until the old primary is a replica. The variant “by runbook” runs ' +
    'examples/planned-failover.sh: the primary holds writes until the replicas have all of them, becomes a replica, and only then the ' +
    'Sentinel is asked. In the variant “coordinated” the Sentinel has the primary hand over (SENTINEL FAILOVER … COORDINATED; ' +
    'Valkey 9.0 and later).',
  needs: ['failover'],
  cases: (options) => [
    ...failureCases(options, {
      modes: [...PLANNED_MODES, ...WHOLE_MODES],
      libraries: ['async', 'wait1'],
      examples: SAFEST_MODES,
    }),
    ...[BY_HAND, COORDINATED].flatMap((variant) =>
      failureCases(options, {
        modes:
          options.profile.name === 'quick' ? [...PLANNED_MODES, ...SAFEST_MODES] : [...PLANNED_MODES, ...WHOLE_MODES],
        variant,
      }),
    ),
  ],
  async whyNotCase({ params: { variant } }, stack) {
    if (variant === BY_HAND) return whyNoScript(stack);
    return variant === COORDINATED && !stack.can.has(COORDINATED_NEEDS) ? whySkipped(stack, [COORDINATED_NEEDS]) : null;
  },
  script: (scene, { params: { variant } }) => failOver(scene, FAULT_OF[variant ?? ''] ?? failover),
  findings: (result) => [...outcomeFindings(result), ...libraryFindings(result)],
  checks: (result) => [
    ...whereMeasured(
      result,
      { name: 'nothing is lost by the runbook', variant: BY_HAND, titles: CASE_TITLES },
      nothingAckedLost,
    ),
    ...failoverChecks(result),
  ],
};

/**
 * @param {Scene} scene
 * @param {Fault} by how: bare, by the script, or coordinated
 */
export async function failOver(scene, by) {
  const { profile, primary, inject, write, until, switched } = scene;
  await write(profile.healthySeconds);
  const undo = await inject(by, primary.id);
  await until(switched, SWITCH_SECONDS);
  await undo();
  await oldPrimaryReturns(scene);
}

/** Comes before the runbook. */
export const PLANNED_FAILOVER =
  'Planned failover (not part of the set-up: it fails over at once): a bare `SENTINEL FAILOVER` loses what the old primary still accepts, unless `WAIT` asks for every replica. This script makes the old primary hold writes ' +
  '(answers wait, for at most two thirds of down-after), makes it a replica, and only then asks the Sentinel. If no replica is in sync in time, it gives up without a failover.';

/** @param {string} name of the primary, as the Sentinels know it @returns {string} for a shell, in a clone of this repository */
export function failoverCommand(name) {
  return `examples/planned-failover.sh --sentinel SENTINEL-HOST:26379 --name ${name}`;
}

/**
 * The variant without loss as a command.
 *
 * @param {string} name of the primary, as the Sentinels know it
 * @returns {string} for a shell: a comment, and the command on a line of its own, because some shells take what follows it for arguments
 */
export function failoverRunbook(name) {
  return `# In a clone of this repository. Fails over at once. Passwords are in REDISCLI_AUTH and SENTINEL_AUTH\n${failoverCommand(name)}`;
}

/**
 * The variant of Valkey 9.0 and later as a command.
 *
 * @param {string} name of the primary, as the Sentinels know it
 * @returns {string} for a shell: a comment, and the command on a line of its own, because some shells take what follows it for arguments
 */
export function coordinatedCommand(name) {
  return `# Fails over at once: the primary holds writes and hands over by itself\nvalkey-cli -h SENTINEL-HOST -p 26379 SENTINEL FAILOVER ${name} COORDINATED`;
}
