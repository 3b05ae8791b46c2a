/**
 * The scenarios of the suite, in the order in which they run, and how reports call them.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { milliseconds } from '../../src/report/trials/figures.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { MODE_TITLES, trialRows, variantTitle, withoutLength } from './cases.js';
import confirmingReplicaLost from './confirming-replica-lost.js';
import diskFull from './disk-full.js';
import narrowLink from './narrow-link.js';
import { hostPartitionedBriefly, primaryPausedBriefly } from './near-down-after.js';
import { partitionFlapping, partitionOneWay, partitionWithReplica } from './partition-with-replica.js';
import plannedFailover from './planned-failover.js';
import powerLostEverywhere from './power-lost-everywhere.js';
import primaryBlocked from './primary-blocked.js';
import primaryLoading from './primary-loading.js';
import {
  primaryIsolated,
  primaryKilled,
  primaryMachineLost,
  primaryPartition,
  primaryPaused,
  primaryStopped,
} from './primary-lost.js';
import primaryPowerLost, { IN_PLACE } from './primary-power-lost.js';
import primaryRestartedEmpty from './primary-restarted-empty.js';
import quorumOne from './quorum-one.js';
import replicaRestart from './replica-restart.js';
import replicaSlow from './replica-slow.js';
import replicasPaused from './replicas-paused.js';
import resyncInterrupted from './resync-interrupted.js';
import rollingRestart from './rolling-restart.js';
import sentinelsCutOff from './sentinels-cut-off.js';
import sentinelsLost from './sentinels-lost.js';
import settingsOnPrimary from './settings-on-primary.js';
import { EMPTY, replicaFrozenThenPrimary, staleReplicaPreferred } from './stale-replica.js';
import topology from './topology.js';

/** @type {readonly {scenario: TrialBenchmark, title: string, explained?: string}[]} explained: for readers of a table */
const TITLED = [
  { scenario: replicasPaused, title: 'replicas frozen' },
  { scenario: replicaRestart, title: 'replica restarted' },
  {
    scenario: primaryKilled,
    title: 'primary killed',
    explained: 'SIGKILL; its connections close at once',
  },
  {
    scenario: primaryMachineLost,
    title: 'machine lost',
    explained: 'killed, and in the same instant the bytes under way are discarded',
  },
  { scenario: primaryStopped, title: 'graceful stop', explained: 'SIGTERM' },
  {
    scenario: primaryPaused,
    title: 'primary frozen',
    explained: 'SIGSTOP: its connections stay open, nobody answers; then it wakes up',
  },
  {
    scenario: primaryPartition,
    title: 'network partition',
    explained: 'the primary is cut off from replicas and Sentinels; clients still reach every node',
  },
  {
    scenario: primaryIsolated,
    title: 'primary isolated',
    explained: 'the primary is cut off from replicas, Sentinels and clients',
  },
  {
    scenario: plannedFailover,
    title: 'SENTINEL FAILOVER',
    explained: 'this command, bare, while all is well; nothing else fails',
  },
  {
    scenario: primaryRestartedEmpty,
    title: 'fast restart',
    explained: 'SIGKILL and started again at once, before a Sentinel notices, as by a supervisor',
  },
  {
    scenario: primaryPowerLost,
    title: 'power loss',
    explained:
      'its process and what its disk had not flushed are lost; it starts again in place before a Sentinel notices',
  },
  {
    scenario: powerLostEverywhere,
    title: 'power lost everywhere',
    explained: 'the same on all nodes at once; they start again before a Sentinel promotes anything',
  },
  {
    scenario: sentinelsLost,
    title: 'Sentinels lost',
    explained: 'of three, by SIGTERM; then the primary is killed',
  },
  { scenario: replicaSlow, title: 'replica slow' },
  {
    scenario: partitionWithReplica,
    title: 'partition with a replica',
    explained:
      'the hosts of the primary and of one replica, with a minority of the Sentinels, cannot reach the third host for 15 s or 30 s',
  },
  {
    scenario: partitionOneWay,
    title: 'one-way partition',
    explained: 'the same for 15 s, but only what the two hosts send is lost',
  },
  {
    scenario: partitionFlapping,
    title: 'flapping partition',
    explained: 'the same, three times, each longer than down-after',
  },
  {
    scenario: sentinelsCutOff,
    title: 'Sentinels cut off',
    explained: 'the Sentinels cannot reach the primary; replicas and clients can',
  },
  {
    scenario: hostPartitionedBriefly,
    title: 'host partitioned briefly',
    explained: 'the primary’s host, with one Sentinel, is cut off for about as long as a failover takes',
  },
  {
    scenario: primaryPausedBriefly,
    title: 'primary frozen briefly',
    explained: 'by SIGSTOP, for about as long as a failover takes',
  },
  {
    scenario: primaryBlocked,
    title: 'blocking command',
    explained: 'one command keeps the primary busy for longer than down-after, once and again and again',
  },
  {
    scenario: rollingRestart,
    title: 'rolling restart',
    explained: 'every node, the replicas first; the primary by the way that the title says',
  },
  {
    scenario: narrowLink,
    title: 'narrow link',
    explained: 'the links to the replicas carry a quarter of the writes for 5 s, then the primary’s machine is lost',
  },
  {
    scenario: quorumOne,
    title: 'quorum 1',
    explained: 'each Sentinel has quorum 1, and one of them cannot see a healthy primary',
  },
  {
    scenario: settingsOnPrimary,
    title: 'settings on one node',
    explained: 'the mode’s settings are on the first primary only; it is killed, then the next one is cut off',
  },
  {
    scenario: confirmingReplicaLost,
    title: 'confirming replica lost',
    explained: 'only one replica confirms for 8 s, then it and the primary are killed',
  },
  {
    scenario: staleReplicaPreferred,
    title: 'stale replica preferred',
    explained:
      'a replica with `replica-priority 1` is cut off for 8 s, then the primary is killed, or replaced as the title says',
  },
  { scenario: replicaFrozenThenPrimary, title: 'replica frozen, then primary killed' },
  {
    scenario: diskFull,
    title: 'disk full',
    explained: 'the disk with the primary’s append-only file',
  },
  {
    scenario: primaryLoading,
    title: 'restart that loads long',
    explained: 'killed and started again at once; it loads its append-only file for longer than down-after',
  },
  {
    scenario: resyncInterrupted,
    title: 'resynchronisation interrupted',
    explained:
      'the primary is killed while it sends a snapshot to both replicas; with three values of `repl-diskless-load`',
  },
  { scenario: topology, title: 'partition of five nodes' },
];

/** Variants that are faults of their own, by their names in result.json. @type {Readonly<Record<string, string>>} */
const FAULTS_OF_VARIANTS = Object.freeze({
  'by-hand': 'failover by runbook',
  coordinated: 'coordinated failover',
  [IN_PLACE]: 'power loss',
  [EMPTY]: 'empty replica preferred',
});

export const SCENARIOS = Object.freeze(TITLED.map(({ scenario, title }) => ({ ...scenario, title })));

/**
 * @param {string} benchmark its name
 * @param {Partial<CaseResult['params']>} [params] of a case: its variant and link belong to the title
 * @returns {string} the same as of the fault in the sweep: `network partition`, `failover by runbook`
 */
export function scenarioTitle(benchmark, { variant, linkLatencyMs = 0 } = {}) {
  const title = TITLED.find(({ scenario }) => scenario.name === benchmark)?.title ?? benchmark;
  const parts = variant === undefined ? [title] : titlesOfVariant(benchmark, title, variant);
  return [...parts, ...(linkLatencyMs > 0 ? [`link ${milliseconds(linkLatencyMs)}`] : [])].join(', ');
}

/**
 * The rows of answers: one for each mode in each fault. Where a fault was tried at several lengths, the worst one counts.
 *
 * @param {readonly BenchmarkResult[]} failures
 * @returns {TrialRow[]} of the native client
 */
export function worstRows(failures) {
  return worstOfModes(eachLength(failures));
}

/**
 * Without stacks of five data nodes, where a mode means something else.
 *
 * @param {readonly BenchmarkResult[]} failures
 * @returns {TrialRow[]} of the native client, one for each case; every length of a fault has the same title
 */
export function eachLength(failures) {
  return failures
    .filter(({ name }) => name !== topology.name)
    .flatMap((benchmark) =>
      scenarioRows(benchmark, {
        fault: (params) => {
          const title = scenarioTitle(benchmark.name, withoutLength(params));
          return { id: title, title };
        },
      }),
    );
}

/**
 * @param {readonly TrialRow[]} rows
 * @returns {TrialRow[]} of each mode in each fault the one with the largest loss
 */
export function worstOfModes(rows) {
  /** @type {Map<string, TrialRow>} */
  const worst = new Map();
  for (const row of rows) {
    const key = `${row.fault.id}: ${row.mode}`;
    const known = worst.get(key);
    if (!known || largestFirst(row, known) < 0) worst.set(key, row);
  }
  return [...worst.values()];
}

/**
 * @param {readonly string[]} shown titles of faults
 * @returns {{name: string, text: string, details: string[]}[]} what each of them does to the primary; those that their titles explain have none
 */
export function explainedScenarios(shown) {
  return TITLED.flatMap(({ title, explained, scenario }) => {
    const named =
      scenario === sentinelsLost
        ? shown.filter((each) => / Sentinels? lost/.test(each))
        : shown.filter((each) => each === title || each.startsWith(`${title}, by `));
    return explained === undefined || named.length === 0
      ? []
      : [{ name: named.join('; '), text: explained, details: [] }];
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Parameters<typeof trialRows>[1]} [options]
 * @returns {TrialRow[]} of the native client, by the titles of the scenarios and modes
 */
export function scenarioRows(benchmark, options) {
  const fault = (/** @type {CaseResult['params']} */ params) => {
    const title = scenarioTitle(benchmark.name, params);
    return { id: title, title };
  };
  return trialRows(benchmark, { titles: MODE_TITLES, fault, ...options });
}

/**
 * @param {string} benchmark its name
 * @param {string} title of the benchmark
 * @param {string} variant
 */
function titlesOfVariant(benchmark, title, variant) {
  // The variant of lost Sentinels already names them.
  if (benchmark === sentinelsLost.name) return [variantTitle(variant)];
  const fault = FAULTS_OF_VARIANTS[variant];
  return fault === undefined ? [title, variantTitle(variant)] : [fault];
}
