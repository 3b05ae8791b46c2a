/**
 * The catalogue of experiments. A new experiment is a file here and its place in the list below. What reports say of it is in that file, or in
 * texts.yaml.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Experiment, ExperimentTexts, Performed, Variation } from './types.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import briefly from './briefly.js';
import confirmingReplicaLost from './confirming-replica-lost.js';
import diskFull from './disk-full.js';
import hostPartitioned from './host-partitioned.js';
import memoryFull from './memory-full.js';
import narrowLink from './narrow-link.js';
import paused from './paused.js';
import plannedFailover from './planned-failover.js';
import powerLostEverywhere from './power-lost-everywhere.js';
import primaryBlocked from './primary-blocked.js';
import primaryLoading from './primary-loading.js';
import primaryLost from './primary-lost.js';
import primaryPowerLost from './primary-power-lost.js';
import primaryRestartedEmpty from './primary-restarted-empty.js';
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
import withReplica from './with-replica.js';

/** @type {readonly (Performed & Partial<ExperimentTexts>)[]} */
const PERFORMED = [
  ...briefly,
  confirmingReplicaLost,
  diskFull,
  hostPartitioned,
  memoryFull,
  narrowLink,
  ...paused,
  plannedFailover,
  powerLostEverywhere,
  primaryBlocked,
  primaryLoading,
  ...primaryLost,
  primaryPowerLost,
  primaryRestartedEmpty,
  quorumOne,
  replicaFrozenThenPrimary,
  replicaKilled,
  replicaRestart,
  replicaSlow,
  replicasPaused,
  resyncInterrupted,
  rollingRestart,
  sentinelConnectionLost,
  sentinelKilled,
  sentinelsCutOff,
  sentinelsLost,
  settingsOnPrimary,
  staleReplicaPreferred,
  topology,
  ...withReplica,
];
/** In the order of tables. @type {Readonly<Record<string, ExperimentTexts>>} */
const TEXTS = parse(readFileSync(new URL('texts.yaml', import.meta.url), 'utf8'));
const IDS = new Set([...Object.keys(TEXTS), ...PERFORMED.map(({ id }) => id)]);

/** By id. @type {ReadonlyMap<string, Experiment>} */
const BY_ID = new Map(
  [...IDS].map((id) => {
    const performed = PERFORMED.find((each) => each.id === id);
    return [id, /** @type {Experiment} */ ({ ...TEXTS[id], ...performed })];
  }),
);

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze([...BY_ID.values()]);

/** @param {string} id @returns {Experiment | undefined} undefined: of another version */
export function findExperiment(id) {
  return BY_ID.get(id);
}

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

/**
 * @param {Experiment['promotes']} rule
 * @param {string} [way] of all cases
 * @returns {boolean} it holds for the cases without a length
 */
export function applies(rule, way) {
  return typeof rule === 'function' ? rule(/** @type {CaseParams} */ ({ way })) : rule === true;
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
