/**
 * The failures of the catalogue in which the workloads run, and the modes.
 *
 * @import { Fault } from '../../src/faults/types.js'
 * @import { CaseOptions, CompanySite, TrialBenchmark } from '../../src/run/types.js'
 * @import { Experiment } from '../experiments/types.js'
 * @import { ModeName } from '../modes.js'
 */
import { partition, pause } from '../../src/faults/index.js';
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { scriptOf } from '../../src/run/perform.js';
import { benchmarkOf, downAfterOf } from '../experiments/benchmark.js';
import { failureCases, MODE_TITLES, NATIVE_WRITERS, PLACED_WRITERS } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';
import { BY_HAND, COORDINATED } from '../experiments/planned-failover.js';
import { startWorkloads } from '../workloads/company.js';
import { harmFindings, nothingFound } from './findings.js';

/** What most people run, the two settings that one adds first, and the two that a page recommends: from the cheapest on. @type {readonly ModeName[]} */
export const SUITE_MODES = ['defaults', 'aof', 'min1', 'wait1', 'wait1-min1-aof', 'wait2-min2-aof-always'];
/** @type {readonly ModeName[]} */
const QUICK_MODES = ['defaults', 'min1', 'wait1', 'wait1-min1-aof'];
/** Longer than a lease and than the failover. @type {Readonly<Record<string, number>>} */
export const SECONDS = { quick: 12, standard: 15, full: 20 };
/** Of the audited writers, which only show what the failure did to plain writes. */
const RATE = 20;
const CONNECTIONS = 2;

export const SUITE = 'workloads';
/** @satisfies {Partial<TrialBenchmark>} */
const COMMON = {
  kind: /** @type {const} */ ('trial'),
  titles: MODE_TITLES,
  parameters: TrialParameters.omit({ agents: true, client: true }),
  company: (/** @type {CompanySite} */ site) => startWorkloads(site),
  findings: harmFindings,
};

/**
 * @typedef {Object} Selected
 * @property {string} name
 * @property {string} experiment of the catalogue
 * @property {string} question
 * @property {string} [way] of failing over
 * @property {Fault} [lasting] instead of the experiment's steps: a fault of the primary that lasts longer than a lease
 */

const WHAT = 'locks, counters, limits and queues';
/** @type {readonly Selected[]} */
const SELECTION = [
  { name: 'planned', experiment: 'planned-failover', question: `What does SENTINEL FAILOVER do to ${WHAT}?` },
  {
    name: 'script',
    experiment: 'planned-failover',
    way: BY_HAND,
    question: `Does the runbook for a planned failover spare ${WHAT}?`,
  },
  {
    name: 'coordinated',
    experiment: 'planned-failover',
    way: COORDINATED,
    question: `Does SENTINEL FAILOVER … COORDINATED spare ${WHAT}?`,
  },
  { name: 'killed', experiment: 'primary-killed', question: `What does a crash of the primary do to ${WHAT}?` },
  {
    name: 'machine-lost',
    experiment: 'primary-machine-lost',
    question: `What does the loss of the primary’s machine do to ${WHAT}?`,
  },
  {
    name: 'frozen',
    experiment: 'primary-paused',
    lasting: pause,
    question: `What does a primary that freezes and wakes up do to ${WHAT}?`,
  },
  {
    name: 'partition',
    experiment: 'primary-partition',
    lasting: partition,
    question: `What does a partition that leaves the primary alone with some clients do to ${WHAT}?`,
  },
  {
    name: 'partition-with-replica',
    experiment: 'partition-with-replica',
    question: `What does a partition that takes a replica along with the primary do to ${WHAT}?`,
  },
  {
    name: 'restarted',
    experiment: 'primary-restarted-empty',
    question: `What does a fast restart of the primary do to ${WHAT}?`,
  },
];

/**
 * @param {Selected} selected
 * @returns {TrialBenchmark}
 */
function scenarioOf({ name, experiment: id, way, lasting, question }) {
  const experiment = experimentNamed(id);
  const { promotes = false } = experiment;
  const base = benchmarkOf(experiment, { cases: (options) => casesOf(options, experiment, way), way });
  return {
    ...base,
    ...COMMON,
    name: `${SUITE}-${name}`,
    question,
    ...(lasting && {
      script: (scene, theCase) => scriptOf([{ fault: lasting, lasts: SECONDS[scene.profile.name] }])(scene, theCase),
    }),
    checks: (result) => [
      ...(promotes ? [failoverHappened(result, { titles: MODE_TITLES })] : []),
      ...auditChecks(result, { titles: MODE_TITLES, writers: NATIVE_WRITERS }),
    ],
  };
}

/**
 * @param {CaseOptions} options
 * @param {Experiment} [experiment]
 * @param {string} [way]
 */
function casesOf(options, experiment, way) {
  return failureCases(
    { ...options, profile: { ...options.profile, writesPerSecond: RATE } },
    {
      modes: options.profile.name === 'quick' ? QUICK_MODES : SUITE_MODES,
      writers: experiment?.placed ? PLACED_WRITERS : ['sticky'],
      connections: CONNECTIONS,
      ...(experiment && downAfterOf(experiment, way)),
    },
  );
}

/** Nothing fails: what a checker finds here is a defect of the checker. @type {TrialBenchmark} */
const healthy = {
  ...COMMON,
  name: `${SUITE}-healthy`,
  title: 'nothing fails',
  question: 'What does each mode cost the workloads, and do the checkers find nothing where nothing fails?',
  method: 'The workloads run, and nothing fails.',
  cases: (options) => casesOf(options),
  script: (scene) => scene.write(SECONDS[scene.profile.name]),
  checks: (result) => [nothingFound(result), ...auditChecks(result, { titles: MODE_TITLES, writers: NATIVE_WRITERS })],
};

/** In the order in which they run. @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze([healthy, ...SELECTION.map(scenarioOf)]);
