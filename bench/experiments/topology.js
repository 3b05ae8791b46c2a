/**
 * Five data nodes: how many replicas have to confirm a write so that no partition loses it? Sentinels elect by their own majority, wherever the
 * data is.
 */
import * as trials from '../../src/report/trials/checks.js';
import { aftermath } from '../../src/run/aftermath.js';
import { CASE_TITLES, failureCases, OWN_WRITERS, PLACED_WRITERS } from './cases.js';
import { auditChecks } from './checks.js';
import { variantFindings } from './findings.js';
import { GROUP_SCENARIO, hostsIn, separate } from './groups.js';
import { cutOff, loseAfter, preferred } from './stale-replica.js';

/**
 * @import { CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { ModeName } from '../modes.js'
 *
 * @typedef {Object} Division
 * @property {string} variant of cases
 * @property {Placement} placement
 * @property {number} [away] number of hosts, the primary’s included, that are separated from the others; absent: one replica falls behind instead
 */

const REPLICAS = 4;
/** One Sentinel is on each host, or three of them are placed apart. @type {Readonly<Record<Placement, number>>} */
const SENTINELS = { colocated: 5, apart: 3 };
/** Far longer than a failover takes. */
const SECONDS = 15;
/** @type {readonly ModeName[]} */
const MODES = ['wait2-aof', 'wait3-aof', 'wait4-aof'];
/** It waits for every replica. */
const ALL_CONFIRM = 'wait4-aof';

/** @type {readonly Division[]} */
const DIVISIONS = [
  { variant: 'apart-with-1', placement: 'apart', away: 2 },
  { variant: 'apart-with-2', placement: 'apart', away: 3 },
  { variant: 'apart-with-3', placement: 'apart', away: 4 },
  { variant: 'colocated-with-1', placement: 'colocated', away: 2 },
  { variant: 'colocated-with-2', placement: 'colocated', away: 3 },
  { variant: 'colocated-with-3', placement: 'colocated', away: 4 },
  { variant: 'stale-preferred', placement: 'colocated' },
];

/** @type {TrialBenchmark} */
export default {
  ...GROUP_SCENARIO,
  name: 'topology',
  question: 'With five data nodes and WAIT 2, 3 or 4, which partitions still lose acknowledged writes?',
  method:
    `A primary with ${REPLICAS} replicas. The hosts of the primary and of 1, 2 or 3 replicas cannot reach the other hosts for ${SECONDS} s: with a ` +
    'Sentinel on each of the five hosts (“colocated”), and with one of three Sentinels at the primary and two on the last host (“apart”). One client is with the primary, ' +
    'one with the others, and one reaches every node. In the variant “stale replica preferred” the replica with the best replica-priority cannot reach the primary for a ' +
    'while, then the primary is killed.',
  needs: ['group-partition', 'kill', 'configure'],
  profiles: ['standard', 'full'],
  cases: (/** @type {CaseOptions} */ options) =>
    DIVISIONS.flatMap(({ variant, placement, away }) =>
      failureCases(options, {
        modes: MODES,
        variant,
        writers: away === undefined ? OWN_WRITERS : PLACED_WRITERS,
        size: { replicas: REPLICAS, sentinels: SENTINELS[placement], placement },
      }),
    ),
  async whyNotCase(theCase, stack) {
    const reason = (await GROUP_SCENARIO.whyNotCase(theCase, stack)) ?? null;
    if (reason !== null || stack.ours || stack.endsWithRun) return reason;
    return 'It starts stacks of five data nodes, but a stack is already up. Take it down with `sentinel-bench down` first.';
  },
  async script(scene, { params }) {
    const { away } = divisionOf(params.variant);
    await (away === undefined ? preferStale(scene) : divide(scene, hostsIn(scene, params, 'apart'), away));
  },
  findings: (result) => variantFindings(result, { id: 'topology', noun: 'fault', at: 'in' }),
  checks: (result) => [
    ...trials.failoverWhereDue(result, { titles: CASE_TITLES }),
    ...trials.whereMeasured(
      result,
      { name: 'nothing that WAIT 4 acknowledged is lost', modes: [ALL_CONFIRM], titles: CASE_TITLES },
      trials.nothingAckedLost,
    ),
    ...auditChecks(result),
  ],
};

/**
 * @param {Scene} scene
 * @param {readonly (readonly string[])[]} hosts
 * @param {number} away
 */
async function divide(scene, hosts, away) {
  const { profile, write } = scene;
  await write(profile.healthySeconds);
  const undo = await separate(scene, hosts, { away });
  await write(SECONDS);
  await undo();
  await aftermath(scene);
}

/** @param {Scene} scene */
async function preferStale(scene) {
  const [stale] = scene.replicas;
  await scene.prepare(preferred, stale.id);
  await loseAfter(scene, () => cutOff(scene, stale.id), { healsLate: true });
}

/** @param {string | undefined} variant */
function divisionOf(variant) {
  const division = DIVISIONS.find((each) => each.variant === variant);
  if (!division) throw new RangeError(`topology has no variant ${variant}`);
  return division;
}
