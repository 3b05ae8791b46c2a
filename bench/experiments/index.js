/** The catalogue of experiments, in the order of tables. A new experiment is a file here and its place in this list. */
import bothReplicasPaused from './both-replicas-paused.js';
import confirmingReplicaLost from './confirming-replica-lost.js';
import diskFull from './disk-full.js';
import hostPartitioned from './host-partitioned.js';
import hostPartitionedBriefly from './host-partitioned-briefly.js';
import memoryFull from './memory-full.js';
import narrowLink from './narrow-link.js';
import oneReplicaPaused from './one-replica-paused.js';
import partitionFlapping from './partition-flapping.js';
import partitionOneWay from './partition-one-way.js';
import partitionWithReplica from './partition-with-replica.js';
import plannedFailover from './planned-failover.js';
import powerLostEverywhere from './power-lost-everywhere.js';
import primaryBlocked from './primary-blocked.js';
import primaryIsolated from './primary-isolated.js';
import primaryKilled from './primary-killed.js';
import primaryLoading from './primary-loading.js';
import primaryMachineLost from './primary-machine-lost.js';
import primaryPartition from './primary-partition.js';
import primaryPaused from './primary-paused.js';
import primaryPausedBriefly from './primary-paused-briefly.js';
import primaryPowerLost from './primary-power-lost.js';
import primaryRestartedEmpty from './primary-restarted-empty.js';
import primaryStopped from './primary-stopped.js';
import quorumOne from './quorum-one.js';
import replicaFrozenThenPrimary from './replica-frozen-then-primary.js';
import replicaKilled from './replica-killed.js';
import replicaRestart from './replica-restart.js';
import replicaSlow from './replica-slow.js';
import replicasPaused from './replicas-paused.js';
import resyncInterrupted from './resync-interrupted.js';
import rollingRestart from './rolling-restart.js';
import sentinelConnectionLost from './sentinel-connection-lost.js';
import sentinelKilled from './sentinel-killed.js';
import sentinelsCutOff from './sentinels-cut-off.js';
import sentinelsLost from './sentinels-lost.js';
import settingsOnPrimary from './settings-on-primary.js';
import staleReplicaPreferred from './stale-replica-preferred.js';
import topology from './topology.js';

/** @import { Experiment, Variation } from './types.js' */

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze(
  /** @type {Experiment[]} */ ([
    replicasPaused,
    replicaRestart,
    primaryKilled,
    primaryMachineLost,
    primaryStopped,
    primaryPaused,
    primaryPartition,
    primaryIsolated,
    plannedFailover,
    primaryRestartedEmpty,
    primaryPowerLost,
    powerLostEverywhere,
    sentinelsLost,
    replicaSlow,
    partitionWithReplica,
    partitionOneWay,
    partitionFlapping,
    sentinelsCutOff,
    hostPartitionedBriefly,
    primaryPausedBriefly,
    primaryBlocked,
    rollingRestart,
    narrowLink,
    quorumOne,
    settingsOnPrimary,
    confirmingReplicaLost,
    staleReplicaPreferred,
    replicaFrozenThenPrimary,
    diskFull,
    memoryFull,
    primaryLoading,
    resyncInterrupted,
    topology,
    oneReplicaPaused,
    bothReplicasPaused,
    replicaKilled,
    sentinelKilled,
    sentinelConnectionLost,
    hostPartitioned,
  ]),
);

/** @type {ReadonlyMap<string, Experiment>} */
const BY_ID = new Map(EXPERIMENTS.map((experiment) => [experiment.id, experiment]));

/**
 * @param {string} id
 * @returns {Experiment}
 * @throws {RangeError} nothing has this name
 */
export function experimentNamed(id) {
  const found = BY_ID.get(id);
  if (!found) throw new RangeError(`there is no experiment ${id}`);
  return found;
}

/** @param {Experiment} experiment @returns {Readonly<Record<string, Variation>>} all of its variations, by name */
export function variationsOf({ durations, placements, settings, ways }) {
  return { ...durations, ...placements, ...settings, ...ways };
}

/** Lengths and graded settings: the same fault, of which the worst counts. @type {ReadonlySet<string>} */
export const GRADES = new Set(
  EXPERIMENTS.flatMap((experiment) => [
    ...Object.keys(experiment.durations ?? {}),
    ...Object.entries(variationsOf(experiment)).flatMap(([name, { graded }]) => (graded ? [name] : [])),
  ]),
);

/** Titles of variations. Where two experiments have one of the same name, it has the same title. @type {Readonly<Record<string, string>>} */
export const VARIATION_TITLES = Object.freeze(
  Object.fromEntries(
    EXPERIMENTS.flatMap((experiment) =>
      Object.entries(variationsOf(experiment)).map(([name, { title }]) => [name, title]),
    ),
  ),
);
