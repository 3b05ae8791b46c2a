/**
 * What the suite measures: of each experiment the modes, by profile.
 *
 * @import { TrialBenchmark } from '../../src/run/types.js'
 * @import { CaseSet, CaseHow, SelectedExperiment } from '../experiments/selection.js'
 * @import { ModeName } from '../modes.js'
 */

import { failureCases, LATE_DOWN_AFTER_MS, OWN_WRITERS, PLACED_WRITERS } from '../experiments/cases.js';
import { DOWN_AFTER_MS } from '../experiments/primary-loading.js';
import { LOADS, settingOf } from '../experiments/resync-interrupted.js';
import { selectedBenchmark } from '../experiments/selection.js';
import { DIVISIONS, REPLICAS, SENTINELS } from '../experiments/topology.js';
import { DECIDING_MODES, GROUP_MODES, PLANNED_MODES, SAFEST_MODES, WHOLE_MODES } from '../modes.js';
import { SAID } from './scenario-checks.js';

/** @type {readonly ModeName[]} */
const USUAL = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1'];
/** @type {CaseSet['modes']} */
const GROUPS = { quick: DECIDING_MODES, larger: GROUP_MODES };
/** Modes in which the Sentinel clients of the libraries write. @type {CaseHow} */
const LIBRARIES = { libraries: ['async', 'wait1'], examples: SAFEST_MODES };
/** @type {CaseHow} */
const EVERY = { everyMode: true };
/** @type {CaseHow} */
const LATE = { downAfterMs: LATE_DOWN_AFTER_MS };
/** @type {readonly CaseSet[]} */
const PARTITION = [
  {
    modes: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', ...WHOLE_MODES, 'waitaof'],
    common: true,
  },
  { modes: DECIDING_MODES, lengths: 'named', few: true },
];
/** What a power loss takes depends on the file. @type {readonly ModeName[]} */
const POWER = ['defaults', 'aof-no', 'aof', 'aof-always', 'wait2-aof-always', 'waitaof-local', 'waitaof'];
/** Each write of such a mode waits for up to a second. @type {CaseHow} */
const EVERYSEC = { connections: 100 };

/** @type {readonly CaseSet[]} */
const BRIEFLY = [{ modes: DECIDING_MODES, lengths: 'named', few: true }];

/** In the order in which they run. @type {readonly SelectedExperiment[]} */
const SELECTION = [
  {
    experiment: 'replicas-paused',
    cases: [
      { modes: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1'], how: EVERY },
      { modes: ['wait1-forever'], settings: ['no-timeout'], larger: true, few: true },
    ],
  },
  {
    experiment: 'replica-restart',
    cases: [
      // What happens to writes while a node is away decides between modes, too.
      { modes: ['async', 'min1', 'wait1', 'wait2', ...DECIDING_MODES], how: EVERY },
      { modes: ['async'], settings: ['snapshot'], few: true, how: { settings: { save: '3600 1' } } },
    ],
  },
  {
    experiment: 'primary-killed',
    cases: [
      {
        modes: [...USUAL, 'aof-always', ...WHOLE_MODES, 'waitaof'],
        common: true,
        how: LIBRARIES,
      },
    ],
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
  },
  { experiment: 'primary-partition', cases: PARTITION },
  { experiment: 'primary-isolated', cases: PARTITION },
  {
    experiment: 'planned-failover',
    cases: [
      {
        modes: [...PLANNED_MODES, ...WHOLE_MODES],
        common: true,
        how: LIBRARIES,
      },
      {
        modes: { quick: [...PLANNED_MODES, ...SAFEST_MODES], larger: [...PLANNED_MODES, ...WHOLE_MODES] },
        ways: ['by-hand', 'coordinated'],
      },
    ],
  },
  {
    experiment: 'primary-restarted-empty',
    cases: [
      {
        modes: ['async', 'wait2', 'replica-rdb', 'split-rdb', 'aof', 'aof-always', ...DECIDING_MODES, 'waitaof'],
        common: true,
        how: { ...EVERY, ...LATE },
      },
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
        ways: ['in-place'],
        how: LATE,
      },
      {
        modes: { quick: ['waitaof-local-everysec'], larger: ['waitaof-local-everysec', 'waitaof-everysec'] },
        ways: ['in-place'],
        few: true,
        how: { ...LATE, ...EVERYSEC },
      },
      {
        modes: ['aof'],
        settings: ['rewrite'],
        larger: true,
        few: true,
        how: { ...LATE, settings: { 'no-appendfsync-on-rewrite': 'yes' } },
      },
      { modes: { quick: ['aof'], larger: ['async', 'wait1', ...WHOLE_MODES, ...POWER] }, ways: ['promoted'] },
      {
        modes: ['waitaof-local-everysec', 'waitaof-everysec'],
        ways: ['promoted'],
        larger: true,
        few: true,
        how: EVERYSEC,
      },
    ],
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
        settings: ['one', 'two'],
        how: EVERY,
      },
    ],
  },
  {
    experiment: 'replica-slow',
    // Enough connections to keep the rate while each is busy for a whole slow round trip.
    cases: [{ modes: ['async', 'wait1', 'wait2'], how: { ...EVERY, connections: 60 } }],
  },
  {
    experiment: 'partition-with-replica',
    cases: [
      { modes: GROUPS },
      { modes: DECIDING_MODES, lengths: ['long'], larger: true, few: true },
      { modes: WHOLE_MODES, placements: ['colocated'], larger: true, few: true },
    ],
  },
  {
    experiment: 'partition-one-way',
    larger: true,
    cases: [{ modes: GROUPS }, { modes: DECIDING_MODES, settings: ['primary-alone'], few: true }],
  },
  { experiment: 'partition-flapping', larger: true, cases: [{ modes: GROUPS }] },
  { experiment: 'sentinels-cut-off', cases: [{ modes: GROUPS }] },
  { experiment: 'host-partitioned-briefly', cases: BRIEFLY },
  { experiment: 'primary-paused-briefly', cases: BRIEFLY },
  {
    experiment: 'primary-blocked',
    cases: [
      { modes: GROUPS, lengths: 'named', few: true },
      { modes: GROUPS, settings: ['again', 'lua'], larger: true, few: true },
    ],
  },
  {
    experiment: 'rolling-restart',
    cases: [
      {
        modes: { quick: ['wait1-min1-aof'], larger: GROUP_MODES },
        ways: { quick: ['by-failover', 'by-script'], larger: ['by-failover', 'by-sigterm', 'by-script'] },
      },
    ],
  },
  {
    experiment: 'narrow-link',
    cases: [{ modes: { quick: ['async', 'min1-lag1'], larger: ['async', 'min1-lag1', 'wait1', ...DECIDING_MODES] } }],
  },
  { experiment: 'quorum-one', cases: [{ modes: GROUPS }] },
  {
    experiment: 'settings-on-primary',
    larger: true,
    cases: [
      {
        modes: ['min1-lag1', ...WHOLE_MODES],
        settings: ['first-only'],
        few: true,
        // The settings of a replica without a configuration.
        how: { replicaSettings: { 'min-replicas-to-write': '0', appendonly: 'no' } },
      },
      { modes: ['min1-lag1', ...WHOLE_MODES], settings: ['everywhere'], few: true },
    ],
  },
  { experiment: 'confirming-replica-lost', cases: [{ modes: GROUPS }] },
  {
    experiment: 'stale-replica-preferred',
    larger: true,
    cases: [
      { modes: GROUPS },
      { modes: DECIDING_MODES, ways: ['by-failover'], few: true },
      { modes: DECIDING_MODES, settings: ['empty'], few: true },
    ],
  },
  {
    experiment: 'replica-frozen-then-primary',
    larger: true,
    cases: [{ modes: GROUPS }],
  },
  {
    experiment: 'disk-full',
    larger: true,
    cases: [{ modes: ['async', 'aof', 'aof-always', ...DECIDING_MODES] }],
  },
  {
    experiment: 'sentinel-connection-lost',
    larger: true,
    cases: [{ modes: ['wait1-min1-aof'], few: true, how: { libraries: ['async'] } }],
  },
  { experiment: 'memory-full', larger: true, cases: [{ modes: DECIDING_MODES, few: true }] },
  {
    experiment: 'primary-loading',
    larger: true,
    cases: [{ modes: ['aof', 'aof-always', ...DECIDING_MODES], how: { downAfterMs: DOWN_AFTER_MS } }],
  },
  {
    experiment: 'resync-interrupted',
    larger: true,
    cases: (options) =>
      (options.profile.name === 'quick' ? LOADS.slice(-1) : LOADS).flatMap((load) =>
        failureCases(options, {
          modes: GROUP_MODES,
          variation: { setting: settingOf(load) },
          settings: { 'repl-diskless-load': load },
        }),
      ),
  },
  {
    experiment: 'topology',
    larger: true,
    cases: (options) =>
      DIVISIONS.flatMap(({ placement, setting, away }) =>
        failureCases(options, {
          modes: ['wait2-aof', 'wait3-aof', 'wait4-aof'],
          variation: { placement, setting },
          writers: away === undefined ? OWN_WRITERS : PLACED_WRITERS,
          size: { replicas: REPLICAS, sentinels: SENTINELS[placement] },
        }),
      ),
  },
];

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  SELECTION.map((selected) => selectedBenchmark(selected, SAID[selected.experiment])),
);
