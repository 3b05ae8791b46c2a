import { clientPause, coordinatedFailover, failover } from '../../src/faults/index.js';
import { nothingAckedLost, whereMeasured } from '../../src/report/trials/checks.js';
import { whySkipped } from '../../src/run/plan.js';
import { CASE_TITLES, failureCases, SCENARIO } from './cases.js';
import { failoverChecks } from './checks.js';
import { libraryFindings, outcomeFindings } from './findings.js';
import { oldPrimaryReturns } from './primary-lost.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Ability } from '../../src/stacks/types.js'
 */

const SWITCH_SECONDS = 20;
/** Longer than the old primary takes to become a replica. The pause ends as soon as it is a replica. */
const PAUSE_MS = 60_000;
const BY_HAND = 'by-hand';
export const COORDINATED = 'coordinated';
/** Beside what every case needs. @type {Ability} */
const COORDINATED_NEEDS = 'coordinated-failover';

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'planned-failover',
  question: 'Is SENTINEL FAILOVER safe on a healthy deployment?',
  method:
    'A Sentinel is sent SENTINEL FAILOVER; the writers continue until the old primary is a replica. In the variant “by runbook” ' +
    'the primary first holds all writes (CLIENT PAUSE … WRITE). Once a replica is promoted, the old primary is told to follow it ' +
    '(REPLICAOF) and to release the writes (CLIENT UNPAUSE). In the variant “coordinated” the Sentinel has the primary hand over ' +
    '(SENTINEL FAILOVER … COORDINATED; Valkey 9.0 and later).',
  needs: ['failover'],
  needsFailover: true,
  cases: (options) => [
    ...failureCases(options, {
      modes: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
    ...failureCases(options, { modes: ['async'], variant: BY_HAND }),
    ...failureCases(options, { modes: ['async', 'wait1'], variant: COORDINATED }),
  ],
  whyNotCase: async ({ params: { variant } }, stack) =>
    variant === COORDINATED && !stack.can.has(COORDINATED_NEEDS) ? whySkipped(stack, [COORDINATED_NEEDS]) : null,
  script: (scene, { params: { variant } }) =>
    failOver(scene, { held: variant === BY_HAND, by: variant === COORDINATED ? coordinatedFailover : failover }),
  findings: (result) => [...outcomeFindings(result), ...libraryFindings(result)],
  checks: (result) => [
    ...whereMeasured(
      result,
      { name: 'nothing is lost when writes are paused first', variant: BY_HAND, titles: CASE_TITLES },
      nothingAckedLost,
    ),
    ...failoverChecks(result),
  ],
};

/**
 * @param {Scene} scene
 * @param {{held: boolean, by?: Fault}} how held: by the runbook, so the primary holds writes meanwhile; by: what is asked of a Sentinel;
 *   default: a bare SENTINEL FAILOVER
 */
export async function failOver(scene, { held, by = failover }) {
  const { profile, primary, inject, write, until, switched, follow } = scene;
  await write(profile.healthySeconds);
  const unpause = held ? await inject(clientPause(PAUSE_MS, 'WRITE'), primary.id) : undefined;
  const undo = await inject(by, primary.id);
  await until(switched, SWITCH_SECONDS);
  await undo();
  if (unpause) {
    await follow(primary.id);
    await unpause();
  }
  await oldPrimaryReturns(scene);
}

/** Comes before the runbook. */
export const PLANNED_FAILOVER =
  'Planned failover: a bare `SENTINEL FAILOVER` loses what the old primary still accepts, so hold writes first. The pause ends by itself ' +
  `after ${PAUSE_MS / 1000} s. If no replica is promoted by then, pause again first: a promotion while writes flow loses some.`;

/**
 * The variant without loss as commands.
 *
 * @param {string} name of the primary, as the Sentinels know it
 * @returns {string} for a shell
 */
export function failoverRunbook(name) {
  return [
    `redis-cli -h PRIMARY CLIENT PAUSE ${PAUSE_MS} WRITE  # the primary holds writes`,
    `redis-cli -h SENTINEL -p 26379 SENTINEL FAILOVER ${name}`,
    `redis-cli -h SENTINEL -p 26379 SENTINEL GET-MASTER-ADDR-BY-NAME ${name}  # until it changes`,
    'redis-cli -h PRIMARY REPLICAOF NEW_HOST NEW_PORT  # the old primary follows the new one',
    'redis-cli -h PRIMARY CLIENT UNPAUSE  # held writes are answered READONLY; clients repeat them on the new primary',
  ].join('\n');
}

/**
 * The variant of Valkey 9.0 and later as a command.
 *
 * @param {string} name of the primary, as the Sentinels know it
 * @returns {string} for a shell
 */
export function coordinatedCommand(name) {
  return `valkey-cli -h SENTINEL -p 26379 SENTINEL FAILOVER ${name} COORDINATED  # the primary holds writes and hands over by itself`;
}
