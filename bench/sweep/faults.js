/**
 * The faults that a decision is made of. Each of them is one entry here: its benchmark, its column in the tables, its name for
 * `recommend --faults`, and the scenario of the suite `failure` that must agree with it.
 *
 * @import { Case, Profile, Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Ability } from '../../src/stacks/types.js'
 */
import {
  coordinatedFailover,
  failover,
  kill,
  lose,
  partition,
  pause,
  powerLoss,
  stop,
} from '../../src/faults/index.js';
import { PLACED_WRITERS } from '../experiments/cases.js';
import confirmingReplicaLost from '../experiments/confirming-replica-lost.js';
import { safeFailover, whyNoScript } from '../experiments/failover-script.js';
import { lengthBeyond, lengthsFor } from '../experiments/lengths.js';
import { hostPartitionedBriefly, primaryPausedBriefly } from '../experiments/near-down-after.js';
import { partitionFlapping, partitionOneWay, partitionWithReplica } from '../experiments/partition-with-replica.js';
import { COORDINATED, failOver } from '../experiments/planned-failover.js';
import primaryBlocked from '../experiments/primary-blocked.js';
import { losePrimary } from '../experiments/primary-lost.js';
import { IN_PLACE, losePowerAndRestart, whyNoPowerLoss } from '../experiments/primary-power-lost.js';
import { restartPrimary } from '../experiments/primary-restarted-empty.js';
import sentinelsCutOff from '../experiments/sentinels-cut-off.js';
import { staleReplicaPreferred } from '../experiments/stale-replica.js';

/**
 * @typedef {'kill' | 'machine' | 'partition' | 'frozen' | 'failover' | 'runbook' | 'coordinated' | 'stop' | 'restart' | 'power' |
 *   'partition-with-replica' | 'one-way' | 'flapping' | 'sentinels-cut-off' | 'host-briefly' | 'frozen-briefly' | 'blocked' |
 *   'confirming-lost' | 'stale-preferred'} FaultId
 *
 * @typedef {Object} DecisionFault
 * @property {FaultId} id for `--faults`
 * @property {string} title such as `network partition`
 * @property {string} [explained] what a reader may not guess from the title
 * @property {string} benchmark of this suite that measures it
 * @property {{benchmark: string, variant?: string}} scenario of the suite `failure` that measures the same
 * @property {boolean} promotes a trial without a promotion shows nothing, unless its script found that nobody could promote a replica
 * @property {number} perYear how often it happens in a year: an assumption that `--faults-per-year` changes
 * @property {true} [larger] only the larger profiles measure it: it lost nothing in any mode, or another fault tells the same modes apart
 * @property {readonly string[]} [writers] default: the two with the native client
 * @property {(profile: Profile) => string[]} [lengths] variants of its cases; the worst one counts. default: one length
 * @property {true} [besideToo] the larger profiles also try the modes of the pages with one Sentinel beside each node
 * @property {true} [variesDownAfter] the larger profiles also vary down-after-milliseconds
 * @property {{name: string, version: [major: number, minor: number], text: string}} [since] the only server that has it, from that version
 *   on; text: such as `Valkey 9.0 or later`. default: every server has it
 * @property {string} [blind] why it may show no loss with any mode on this machine; after a colon
 * @property {FaultTrial} trial how it is measured
 *
 * @typedef {Object} FaultTrial
 * @property {string} question
 * @property {string} method
 * @property {Ability[]} needs
 * @property {(scene: Scene, theCase: Case) => Promise<void>} script
 * @property {true} [late] the primary is back before a Sentinel misses it; a trial with a promotion shows something else
 * @property {TrialBenchmark['whyNotCase']} [whyNotCase]
 * @property {TrialBenchmark['parameters']} [parameters] default: the parameters of trials
 */

const AND_BACK = 'The Sentinels promote a replica; then the old primary comes back and is demoted.';

/** The first one ends while the Sentinels fail over. */
const BLOCKED_LENGTHS = [1000, 500].map(lengthBeyond);

/** In the order of tables. @type {readonly DecisionFault[]} */
export const FAULTS = Object.freeze(
  /** @type {DecisionFault[]} */ ([
    {
      id: 'kill',
      larger: true,
      title: 'primary killed',
      explained: 'SIGKILL; started again after a promotion',
      perYear: 2,
      benchmark: 'sweep-killed',
      scenario: { benchmark: 'primary-killed' },
      promotes: true,
      variesDownAfter: true,
      blind: 'the kernel still delivers what a killed process had sent',
      trial: {
        question: 'What does each mode save when the primary’s process is killed, and how long do writes stop?',
        method: `The primary gets SIGKILL. ${AND_BACK}`,
        needs: kill.needs,
        script: (scene) => losePrimary(scene, kill),
      },
    },
    {
      id: 'machine',
      title: 'machine lost',
      perYear: 0.5,
      explained: 'killed, and in the same instant the bytes under way are discarded',
      benchmark: 'sweep-machine-lost',
      scenario: { benchmark: 'primary-machine-lost' },
      promotes: true,
      blind: 'only bytes in flight are lost, and links here are short; `--link-latency 5ms` shows more',
      trial: {
        question: 'What does each mode save when the primary’s machine is lost?',
        method: `The primary is killed, and what it had under way is discarded in the same instant. ${AND_BACK}`,
        needs: lose.needs,
        script: (scene) => losePrimary(scene, lose),
      },
    },
    {
      id: 'partition',
      title: 'network partition',
      perYear: 0.2,
      explained: 'the primary is cut off from replicas and Sentinels; clients still reach every node',
      benchmark: 'sweep-partition',
      scenario: { benchmark: 'primary-partition' },
      promotes: true,
      variesDownAfter: true,
      trial: {
        question: 'What does each mode save in a network partition that leaves the primary reachable for clients?',
        method: `The primary is separated from the other nodes; clients reach all of them. ${AND_BACK}`,
        needs: partition.needs,
        script: (scene) => losePrimary(scene, partition),
      },
    },
    {
      id: 'frozen',
      larger: true,
      title: 'primary frozen',
      perYear: 0.5,
      explained: 'by SIGSTOP, until a replica is promoted and took writes',
      benchmark: 'sweep-paused',
      scenario: { benchmark: 'primary-paused' },
      promotes: true,
      trial: {
        question: 'What does each mode save when the primary freezes and wakes up after a promotion?',
        method: `The primary is frozen by SIGSTOP and resumed later. ${AND_BACK}`,
        needs: pause.needs,
        script: (scene) => losePrimary(scene, pause),
      },
    },
    {
      id: 'failover',
      title: 'SENTINEL FAILOVER',
      perYear: 0,
      benchmark: 'sweep-failover',
      scenario: { benchmark: 'planned-failover' },
      promotes: true,
      trial: {
        question: 'What does each mode save in a bare SENTINEL FAILOVER?',
        method: 'A Sentinel gets SENTINEL FAILOVER while clients write. They write until the old primary is a replica.',
        needs: ['failover'],
        script: (scene) => failOver(scene, failover),
      },
    },
    {
      id: 'runbook',
      title: 'failover by runbook',
      perYear: 52,
      explained: 'by the script under “What to do”',
      benchmark: 'sweep-failover-held',
      scenario: { benchmark: 'planned-failover', variant: 'by-hand' },
      promotes: true,
      trial: {
        question: 'Does the runbook for a planned failover save every acknowledged write?',
        method:
          'By examples/planned-failover.sh: the primary holds writes, becomes a replica, and then a Sentinel is asked.',
        needs: ['failover'],
        whyNotCase: async (_theCase, stack) => whyNoScript(stack),
        script: (scene) => failOver(scene, safeFailover),
      },
    },
    {
      id: 'coordinated',
      title: 'coordinated failover',
      explained: 'SENTINEL FAILOVER … COORDINATED',
      perYear: 0,
      benchmark: 'sweep-failover-coordinated',
      scenario: { benchmark: 'planned-failover', variant: COORDINATED },
      promotes: true,
      since: { name: 'valkey', version: [9, 0], text: 'Valkey 9.0 or later' },
      trial: {
        question: 'What does each mode save when a Sentinel has the primary hand over?',
        method:
          'A Sentinel gets SENTINEL FAILOVER … COORDINATED while clients write. The primary holds writes until a replica has all of them.',
        needs: coordinatedFailover.needs,
        script: (scene) => failOver(scene, coordinatedFailover),
      },
    },
    {
      id: 'stop',
      larger: true,
      title: 'graceful stop',
      perYear: 12,
      explained: 'SIGTERM',
      benchmark: 'sweep-stopped',
      scenario: { benchmark: 'primary-stopped' },
      promotes: true,
      blind: 'the primary waits for its replicas before it ends',
      trial: {
        question: 'What does each mode save when the primary is stopped with SIGTERM, as by `docker stop`?',
        method: `The primary gets SIGTERM and ends when its replicas have caught up. ${AND_BACK}`,
        needs: stop.needs,
        script: (scene) => losePrimary(scene, stop),
      },
    },
    {
      id: 'restart',
      title: 'fast restart',
      perYear: 2,
      explained: 'killed and started again at once, before a Sentinel notices',
      benchmark: 'sweep-restarted',
      scenario: { benchmark: 'primary-restarted-empty' },
      promotes: false,
      trial: {
        question: 'What is left with each mode when the primary crashes and restarts before a Sentinel notices?',
        method: 'The primary gets SIGKILL and is started again at once, with the persistence of the mode.',
        needs: kill.needs,
        late: true,
        script: (scene) => restartPrimary(scene),
      },
    },
    {
      id: 'power',
      title: 'power loss',
      perYear: 0.2,
      explained:
        'the process and what the disk had not flushed are lost; it starts again in place before a Sentinel notices',
      benchmark: 'sweep-power-lost',
      scenario: { benchmark: 'primary-power-lost', variant: IN_PLACE },
      promotes: false,
      trial: {
        question:
          'What is left with each mode when the primary’s machine loses power and restarts before a Sentinel notices?',
        method:
          'The primary’s files are on an emulated disk with a volatile cache. Process and cache are lost in the same instant; only ' +
          'flushed blocks survive. Then the primary starts again in place.',
        needs: powerLoss.needs,
        late: true,
        whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack),
        script: losePowerAndRestart,
      },
    },
    {
      id: 'partition-with-replica',
      title: 'partition with a replica',
      explained: 'primary, one replica and a minority of the Sentinels on one side',
      perYear: 0.2,
      benchmark: 'sweep-partition-with-replica',
      writers: PLACED_WRITERS,
      besideToo: true,
      ...sameAs(partitionWithReplica),
    },
    {
      id: 'one-way',
      title: 'one-way partition',
      explained: 'only what the cut-off side sends is lost; what the other side sends arrives',
      perYear: 0.1,
      larger: true,
      benchmark: 'sweep-partition-one-way',
      writers: PLACED_WRITERS,
      ...sameAs(partitionOneWay),
    },
    {
      id: 'flapping',
      title: 'flapping partition',
      explained: 'it comes and goes',
      perYear: 0.1,
      larger: true,
      benchmark: 'sweep-partition-flapping',
      writers: PLACED_WRITERS,
      ...sameAs(partitionFlapping),
    },
    {
      id: 'sentinels-cut-off',
      title: 'Sentinels cut off',
      explained: 'from the primary only',
      perYear: 0.2,
      larger: true,
      benchmark: 'sweep-sentinels-cut-off',
      ...sameAs(sentinelsCutOff),
    },
    {
      id: 'host-briefly',
      title: 'host partitioned briefly',
      explained: 'primary and one Sentinel are cut off until a replica is promoted',
      perYear: 1,
      benchmark: 'sweep-host-partitioned-briefly',
      writers: PLACED_WRITERS,
      lengths: lengthsFor,
      ...sameAs(hostPartitionedBriefly),
    },
    {
      id: 'frozen-briefly',
      title: 'primary frozen briefly',
      explained: 'by SIGSTOP, until a replica is promoted, and not a moment longer',
      perYear: 2,
      benchmark: 'sweep-paused-briefly',
      lengths: lengthsFor,
      ...sameAs(primaryPausedBriefly),
    },
    {
      id: 'blocked',
      title: 'blocking command',
      explained: 'the primary answers nobody for longer than down-after',
      perYear: 4,
      larger: true,
      benchmark: 'sweep-blocked',
      lengths: () => BLOCKED_LENGTHS,
      ...sameAs(primaryBlocked),
    },
    {
      id: 'confirming-lost',
      title: 'confirming replica lost',
      explained: 'the other replica is behind; then the primary is killed',
      perYear: 0.1,
      larger: true,
      benchmark: 'sweep-confirming-replica-lost',
      ...sameAs(confirmingReplicaLost),
    },
    {
      id: 'stale-preferred',
      title: 'stale replica preferred',
      explained: 'by replica-priority',
      perYear: 0.1,
      larger: true,
      benchmark: 'sweep-stale-replica-preferred',
      ...sameAs(staleReplicaPreferred),
    },
  ]),
);

/**
 * @param {TrialBenchmark} scenario of the suite `failure`
 * @returns {Pick<DecisionFault, 'scenario' | 'promotes' | 'trial'>} the same fault, for every mode of the sweep
 */
function sameAs({ name, needsFailover, question, method, needs = [], script, whyNotCase, parameters }) {
  return {
    scenario: { benchmark: name },
    promotes: needsFailover === true,
    trial: { question, method, needs, script, ...(whyNotCase && { whyNotCase }), ...(parameters && { parameters }) },
  };
}

/**
 * @param {FaultId} id
 * @returns {DecisionFault}
 */
export function faultNamed(id) {
  const found = FAULTS.find((fault) => fault.id === id);
  if (!found) throw new RangeError(`no fault is called ${id}`);
  return found;
}

/**
 * @param {FaultId} id
 * @param {{name: string, version: string | null}} server
 * @returns {boolean} the server has what the fault takes; true also if it hides its version
 */
export function isAvailable(id, { name, version }) {
  const { since } = faultNamed(id);
  if (since === undefined) return true;
  if (name !== since.name) return false;
  if (version === null) return true;
  const [major, minor] = version.split('.').map(Number);
  return major > since.version[0] || (major === since.version[0] && minor >= since.version[1]);
}

/**
 * @param {readonly FaultId[]} ids of faults that not every server has
 * @returns {string} such as `coordinated failover (Valkey 9.0 or later)`
 */
export function sinceTitles(ids) {
  return ids.map((id) => `${faultNamed(id).title} (${faultNamed(id).since?.text ?? 'every server'})`).join(', ');
}

/**
 * @param {readonly FaultId[]} ids
 * @returns {{name: string, text: string, details: string[]}[]} what each of them does, for a list
 */
export function explainedFaults(ids) {
  return ids
    .map(faultNamed)
    .flatMap(({ title, explained }) =>
      explained === undefined ? [] : [{ name: title, text: explained, details: [] }],
    );
}

/**
 * @param {readonly FaultId[]} ids
 * @returns {string} such as `primary killed, power loss`
 */
export function faultTitles(ids) {
  return ids.map((id) => faultNamed(id).title).join(', ');
}
