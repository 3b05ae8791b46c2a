/**
 * What the suite measures: of each experiment the modes, by profile, and what is said about its result beyond losses and outages.
 *
 * @import { Case, CaseOptions, TrialBenchmark } from '../../src/run/types.js'
 * @import { Experiment } from '../experiments/types.js'
 * @import { ModeName } from '../modes.js'
 */

import * as trials from '../../src/report/trials/checks.js';
import { nothingAckedLost, nothingRejectedIsPresent, whereMeasured } from '../../src/report/trials/checks.js';
import { benchmarkOf, writersFor } from '../experiments/benchmark.js';
import { CASE_TITLES, failureCases, LATE_DOWN_AFTER_MS, OWN_WRITERS, PLACED_WRITERS } from '../experiments/cases.js';
import { auditChecks, failoverChecks, failoverChecksBeside } from '../experiments/checks.js';
import {
  lengthFindings,
  libraryFindings,
  outcomeFindings,
  slownessFindings,
  underAckedFindings,
  variantFindings,
} from '../experiments/findings.js';
import { experimentNamed } from '../experiments/index.js';
import { ALONE } from '../experiments/partition-one-way.js';
import { LONG } from '../experiments/partition-with-replica.js';
import { COLOCATED } from '../experiments/placement.js';
import { BY_HAND, COORDINATED } from '../experiments/planned-failover.js';
import { AGAIN, LUA } from '../experiments/primary-blocked.js';
import { DOWN_AFTER_MS } from '../experiments/primary-loading.js';
import { IN_PLACE, REPLACED, REWRITE } from '../experiments/primary-power-lost.js';
import { SNAPSHOT } from '../experiments/replica-restart.js';
import { FOREVER } from '../experiments/replicas-paused.js';
import { LOADS, variantOf } from '../experiments/resync-interrupted.js';
import { BY_FAILOVER, BY_SCRIPT, BY_SIGTERM } from '../experiments/rolling-restart.js';
import { ONE, TWO } from '../experiments/sentinels-lost.js';
import { EVERYWHERE, FIRST_ONLY } from '../experiments/settings-on-primary.js';
import { EMPTY, BY_FAILOVER as STALE_BY_FAILOVER } from '../experiments/stale-replica-preferred.js';
import { DIVISIONS, REPLICAS, SENTINELS } from '../experiments/topology.js';
import { COMMON_MODES, DECIDING_MODES, GROUP_MODES, PLANNED_MODES, SAFEST_MODES, WHOLE_MODES } from '../modes.js';
import { promiseChecks, promiseFindings } from './promises.js';
import {
  chosenFindings,
  killedFindings,
  lagFindings,
  noneWithoutMajority,
  rejectionBegins,
  replacedFindings,
  resyncs,
} from './scenario-findings.js';

/**
 * @typedef {Object} Modes by profile
 * @property {readonly ModeName[]} quick
 * @property {readonly ModeName[]} larger
 *
 * @typedef {Omit<Parameters<typeof failureCases>[1], 'modes' | 'variant'>} How
 *
 * @typedef {Object} CaseSet
 * @property {readonly ModeName[] | Modes} modes
 * @property {readonly string[] | {quick: readonly string[], larger: readonly string[]} | 'lengths'} [variants] lengths, placements, settings and ways of
 *   the experiment; lengths: those that it names for the profile. Default: the experiment as such
 * @property {true} [larger] the larger profiles only
 * @property {true} [few] the larger profiles do not add what most people run
 * @property {How} [how]
 *
 * @typedef {Object} Scenario
 * @property {string} experiment its id
 * @property {readonly CaseSet[] | ((options: CaseOptions) => Case[])} cases
 * @property {true} [larger] the larger profiles only
 * @property {TrialBenchmark['findings']} [findings]
 * @property {TrialBenchmark['checks']} [checks]
 */

/** @type {readonly ModeName[]} */
const USUAL = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1'];
/** @type {Modes} */
const GROUPS = { quick: DECIDING_MODES, larger: GROUP_MODES };
/** Modes in which the Sentinel clients of the libraries write. @type {How} */
const LIBRARIES = { libraries: ['async', 'wait1'], examples: SAFEST_MODES };
/** @type {How} */
const EVERY = { everyMode: true };
/** @type {How} */
const LATE = { downAfterMs: LATE_DOWN_AFTER_MS };
/** @type {readonly CaseSet[]} */
const PARTITION = [
  {
    modes: {
      quick: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', ...WHOLE_MODES, 'waitaof', ...COMMON_MODES],
      larger: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', ...WHOLE_MODES, 'waitaof'],
    },
  },
  { modes: DECIDING_MODES, variants: 'lengths', few: true },
];
/** What a power loss takes depends on the file. @type {readonly ModeName[]} */
const POWER = ['defaults', 'aof-no', 'aof', 'aof-always', 'wait2-aof-always', 'waitaof-local', 'waitaof'];
/** Each write of such a mode waits for up to a second. @type {How} */
const EVERYSEC = { connections: 100 };

/** @type {TrialBenchmark['findings']} */
const withLibraries = (result) => [...outcomeFindings(result), ...libraryFindings(result)];
/** @param {Parameters<typeof nothingAckedLost>[0]} result @param {string} name @param {string} variant */
const safeBy = (result, name, variant) =>
  whereMeasured(result, { name, variant, titles: CASE_TITLES }, nothingAckedLost);
/** @param {import('../../src/result/schema.js').BenchmarkResult} result @param {boolean} named */
const withLengths = (result, named) => ({
  ...result,
  cases: result.cases.filter(({ params }) => (params.variant !== undefined) === named),
});
const BY_LENGTH = /** @type {Pick<TrialBenchmark, 'findings' | 'checks'>} */ ({
  findings: (result) => [...outcomeFindings(withLengths(result, false)), ...lengthFindings(withLengths(result, true))],
  checks: (result) => failoverChecksBeside({ undecided: (variant) => variant !== '' }, result),
});
const BRIEFLY = Object.freeze({
  cases: [{ modes: DECIDING_MODES, variants: /** @type {const} */ ('lengths'), few: /** @type {const} */ (true) }],
  findings: lengthFindings,
  checks: auditChecks,
});

/** In the order in which they run. @type {readonly Scenario[]} */
const SELECTION = [
  {
    experiment: 'replicas-paused',
    cases: [
      { modes: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1'], how: EVERY },
      { modes: ['wait1-forever'], variants: [FOREVER], larger: true, few: true },
    ],
    findings: (result) => [...rejectionBegins(result), ...underAckedFindings(result)],
    checks: (result) => [
      {
        ...nothingRejectedIsPresent(result, { modes: ['min1'], expectSome: true, titles: CASE_TITLES }),
        name: 'min-replicas rejects, and nothing rejected is present',
      },
      ...auditChecks(result),
    ],
  },
  {
    experiment: 'replica-restart',
    cases: [
      // What happens to writes while a node is away decides between modes, too.
      { modes: ['async', 'min1', 'wait1', 'wait2', ...DECIDING_MODES], how: EVERY },
      { modes: ['async'], variants: [SNAPSHOT], few: true, how: { settings: { save: '3600 1' } } },
    ],
    findings: (result) => [...underAckedFindings(result), ...slownessFindings(result), resyncs(result)],
    checks: (result) => [nothingAckedLost(result, { titles: CASE_TITLES }), ...auditChecks(result)],
  },
  {
    experiment: 'primary-killed',
    cases: [
      {
        modes: {
          quick: [...USUAL, 'aof-always', ...WHOLE_MODES, 'waitaof', ...COMMON_MODES],
          larger: [...USUAL, 'aof-always', ...WHOLE_MODES, 'waitaof'],
        },
        how: LIBRARIES,
      },
    ],
    findings: withLibraries,
  },
  {
    experiment: 'primary-machine-lost',
    // What a machine had under way is lost only where no replica confirmed it.
    cases: [{ modes: ['async', 'min1', 'wait1', 'wait1-min1', ...WHOLE_MODES], how: EVERY }],
  },
  { experiment: 'primary-stopped', cases: [{ modes: ['async', 'wait1', ...WHOLE_MODES], how: EVERY }] },
  {
    experiment: 'primary-paused',
    cases: [{ modes: [...USUAL, ...WHOLE_MODES, 'waitaof'], how: LIBRARIES }],
    findings: withLibraries,
  },
  { experiment: 'primary-partition', cases: PARTITION, ...BY_LENGTH },
  { experiment: 'primary-isolated', cases: PARTITION, ...BY_LENGTH },
  {
    experiment: 'planned-failover',
    cases: [
      {
        modes: {
          quick: [...PLANNED_MODES, ...WHOLE_MODES, ...COMMON_MODES],
          larger: [...PLANNED_MODES, ...WHOLE_MODES],
        },
        how: LIBRARIES,
      },
      {
        modes: { quick: [...PLANNED_MODES, ...SAFEST_MODES], larger: [...PLANNED_MODES, ...WHOLE_MODES] },
        variants: [BY_HAND, COORDINATED],
      },
    ],
    findings: withLibraries,
    checks: (result) => [...safeBy(result, 'nothing is lost by the runbook', BY_HAND), ...failoverChecks(result)],
  },
  {
    experiment: 'primary-restarted-empty',
    cases: [
      {
        modes: {
          quick: [
            'async',
            'wait2',
            'replica-rdb',
            'split-rdb',
            'aof',
            'aof-always',
            ...DECIDING_MODES,
            'waitaof',
            ...COMMON_MODES,
          ],
          larger: ['async', 'wait2', 'replica-rdb', 'split-rdb', 'aof', 'aof-always', ...DECIDING_MODES, 'waitaof'],
        },
        how: { ...EVERY, ...LATE },
      },
    ],
    checks: (result) => [
      nothingAckedLost(result, {
        name: 'nothing acknowledged is lost where each write reaches the file first',
        modes: ['aof-always', 'wait2-min2-aof-always', 'waitaof'],
        titles: CASE_TITLES,
      }),
      ...auditChecks(result),
    ],
  },
  {
    experiment: 'primary-power-lost',
    cases: [
      {
        modes: {
          quick: ['defaults', 'aof', 'aof-always', ...DECIDING_MODES, 'min1-aof'],
          larger: [...POWER, ...DECIDING_MODES],
        },
        variants: [IN_PLACE],
        how: LATE,
      },
      {
        modes: { quick: ['waitaof-local-everysec'], larger: ['waitaof-local-everysec', 'waitaof-everysec'] },
        variants: [IN_PLACE],
        few: true,
        how: { ...LATE, ...EVERYSEC },
      },
      {
        modes: ['aof'],
        variants: [REWRITE],
        larger: true,
        few: true,
        how: { ...LATE, settings: { 'no-appendfsync-on-rewrite': 'yes' } },
      },
      { modes: { quick: ['aof'], larger: ['async', 'wait1', ...WHOLE_MODES, ...POWER] }, variants: [REPLACED] },
      {
        modes: ['waitaof-local-everysec', 'waitaof-everysec'],
        variants: [REPLACED],
        larger: true,
        few: true,
        how: EVERYSEC,
      },
    ],
    findings: promiseFindings,
    checks: promiseChecks,
  },
  {
    experiment: 'power-lost-everywhere',
    cases: [
      {
        modes: {
          quick: [...DECIDING_MODES, 'wait2-aof-always'],
          larger: [...DECIDING_MODES, 'wait2-aof-always', 'waitaof', 'waitaof-all'],
        },
        how: LATE,
      },
    ],
  },
  {
    experiment: 'sentinels-lost',
    cases: [
      {
        modes: { quick: ['async', 'wait1'], larger: ['async', 'wait1', ...WHOLE_MODES] },
        variants: [ONE, TWO],
        how: EVERY,
      },
    ],
    findings: (result) => [
      ...outcomeFindings(result, { variant: ONE, start: '1 of 3 Sentinels lost, primary killed: ' }),
      ...outcomeFindings(result, {
        variant: TWO,
        start: '2 of 3 Sentinels lost until started again, primary killed: ',
      }),
    ],
    checks: (result) => [
      trials.failoverHappened(result, { variant: ONE, titles: CASE_TITLES }),
      noneWithoutMajority(result),
      ...auditChecks(result),
    ],
  },
  {
    experiment: 'replica-slow',
    // Enough connections to keep the rate while each is busy for a whole slow round trip.
    cases: [{ modes: ['async', 'wait1', 'wait2'], how: { ...EVERY, connections: 60 } }],
    findings: (result) => [...slownessFindings(result), ...underAckedFindings(result)],
  },
  {
    experiment: 'partition-with-replica',
    cases: [
      { modes: GROUPS },
      { modes: DECIDING_MODES, variants: [LONG], larger: true, few: true },
      { modes: WHOLE_MODES, variants: [COLOCATED], larger: true, few: true, how: { size: { placement: 'colocated' } } },
    ],
  },
  {
    experiment: 'partition-one-way',
    larger: true,
    cases: [{ modes: GROUPS }, { modes: DECIDING_MODES, variants: [ALONE], few: true }],
  },
  { experiment: 'partition-flapping', larger: true, cases: [{ modes: GROUPS }] },
  { experiment: 'sentinels-cut-off', cases: [{ modes: GROUPS }] },
  { experiment: 'host-partitioned-briefly', ...BRIEFLY },
  { experiment: 'primary-paused-briefly', ...BRIEFLY },
  {
    experiment: 'primary-blocked',
    cases: [
      { modes: GROUPS, variants: 'lengths', few: true },
      { modes: GROUPS, variants: [AGAIN, LUA], larger: true, few: true },
    ],
    findings: (result) => [...lengthFindings(result), ...killedFindings(result)],
  },
  {
    experiment: 'rolling-restart',
    cases: [
      {
        modes: { quick: ['wait1-min1-aof'], larger: GROUP_MODES },
        variants: { quick: [BY_FAILOVER, BY_SCRIPT], larger: [BY_FAILOVER, BY_SIGTERM, BY_SCRIPT] },
      },
    ],
    checks: (result) => [
      ...safeBy(result, 'nothing is lost in a rolling restart by the script', BY_SCRIPT),
      ...failoverChecks(result),
    ],
  },
  {
    experiment: 'narrow-link',
    cases: [{ modes: { quick: ['async', 'min1-lag1'], larger: ['async', 'min1-lag1', 'wait1', ...DECIDING_MODES] } }],
    findings: (result) => [...lagFindings(result), ...outcomeFindings(result)],
  },
  { experiment: 'quorum-one', cases: [{ modes: GROUPS }] },
  {
    experiment: 'settings-on-primary',
    larger: true,
    cases: [
      {
        modes: ['min1-lag1', ...WHOLE_MODES],
        variants: [FIRST_ONLY],
        few: true,
        // The settings of a replica without a configuration.
        how: { replicaSettings: { 'min-replicas-to-write': '0', appendonly: 'no' } },
      },
      { modes: ['min1-lag1', ...WHOLE_MODES], variants: [EVERYWHERE], few: true },
    ],
  },
  { experiment: 'confirming-replica-lost', cases: [{ modes: GROUPS }] },
  {
    experiment: 'stale-replica-preferred',
    larger: true,
    cases: [{ modes: GROUPS }, { modes: DECIDING_MODES, variants: [STALE_BY_FAILOVER, EMPTY], few: true }],
    // A replica that lost its data has lost what it had confirmed.
    checks: (result) => failoverChecksBeside({ unconfirming: [EMPTY] }, result),
  },
  {
    experiment: 'replica-frozen-then-primary',
    larger: true,
    cases: [{ modes: GROUPS }],
    findings: (result) => [...chosenFindings(result), ...outcomeFindings(result)],
  },
  {
    experiment: 'disk-full',
    larger: true,
    cases: [{ modes: ['async', 'aof', 'aof-always', ...DECIDING_MODES] }],
  },
  {
    experiment: 'primary-loading',
    larger: true,
    cases: [{ modes: ['aof', 'aof-always', ...DECIDING_MODES], how: { downAfterMs: DOWN_AFTER_MS } }],
    findings: (result) => [...outcomeFindings(result), ...replacedFindings(result)],
  },
  {
    experiment: 'resync-interrupted',
    larger: true,
    cases: (options) =>
      (options.profile.name === 'quick' ? LOADS.slice(-1) : LOADS).flatMap((load) =>
        failureCases(options, {
          modes: GROUP_MODES,
          variant: variantOf(load),
          settings: { 'repl-diskless-load': load },
        }),
      ),
    findings: (result) => variantFindings(result, { id: 'load', noun: 'variant', at: 'with' }),
  },
  {
    experiment: 'topology',
    larger: true,
    cases: (options) =>
      Object.entries(DIVISIONS).flatMap(([variant, { placement, away }]) =>
        failureCases(options, {
          modes: ['wait2-aof', 'wait3-aof', 'wait4-aof'],
          variant,
          writers: away === undefined ? OWN_WRITERS : PLACED_WRITERS,
          size: { replicas: REPLICAS, sentinels: SENTINELS[placement], placement },
        }),
      ),
    findings: (result) => variantFindings(result, { id: 'topology', noun: 'fault', at: 'in' }),
    checks: (result) => [
      ...trials.failoverWhereDue(result, { titles: CASE_TITLES }),
      ...whereMeasured(
        result,
        { name: 'nothing that WAIT 4 acknowledged is lost', modes: ['wait4-aof'], titles: CASE_TITLES },
        nothingAckedLost,
      ),
      ...auditChecks(result),
    ],
  },
];

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(SELECTION.map(scenarioOf));

/** @param {Scenario} scenario */
function scenarioOf({ experiment: id, cases, larger, findings, checks }) {
  const experiment = experimentNamed(id);
  return benchmarkOf(experiment, {
    varied: true,
    cases: (options) =>
      typeof cases === 'function' ? cases(options) : cases.flatMap((set) => casesOfSet(experiment, set, options)),
    own: {
      ...(larger && { profiles: /** @type {const} */ (['standard', 'full']) }),
      ...(findings && { findings }),
      ...(checks && { checks }),
    },
  });
}

/**
 * @param {Experiment} experiment
 * @param {CaseSet} set
 * @param {CaseOptions} options
 * @returns {Case[]}
 */
function casesOfSet(experiment, { modes, variants, larger, few, how }, options) {
  const size = options.profile.name === 'quick' ? 'quick' : 'larger';
  if (larger && size === 'quick') return [];
  const named = 'quick' in modes ? modes[size] : modes;
  const wanted = {
    ...how,
    modes: named,
    ...(!few && size === 'larger' && { also: COMMON_MODES }),
    writers: writersFor(experiment),
  };
  return variantsOf(experiment, variants, options).flatMap((variant) =>
    failureCases(options, { ...wanted, ...(variant !== undefined && { variant }) }),
  );
}

/**
 * @param {Experiment} experiment
 * @param {CaseSet['variants']} variants
 * @param {CaseOptions} options
 * @returns {readonly (string | undefined)[]}
 */
function variantsOf({ lengths }, variants, { profile }) {
  if (variants === undefined) return [undefined];
  if (variants === 'lengths') return lengths?.(profile) ?? [];
  return 'quick' in variants ? variants[profile.name === 'quick' ? 'quick' : 'larger'] : variants;
}
