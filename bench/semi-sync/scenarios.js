/**
 * The failures: what happens to the nodes, and which mode is measured in each.
 *
 * @import { Ability } from '../../src/stacks/types.js'
 * @import { Fault } from '../../src/faults/types.js'
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { CaseVariation } from '../../src/result/variation.js'
 * @import { CaseOptions, Case, Script, TrialBenchmark } from '../../src/run/types.js'
 */

import { happened } from '../../src/audit/judgement.js';
import { powerLoss, restart } from '../../src/faults/index.js';
import { checkEach } from '../../src/report/checks.js';
import { auditChecks, nothingAckedLost } from '../../src/report/trials/checks.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { readYaml } from '../../src/yaml.js';
import { experimentNamed } from '../experiments/index.js';
import { whyNoPowerLoss } from '../experiments/primary-power-lost.js';
import * as courses from './courses.js';
import { MODES, SAFE } from './modes.js';
import { TITLES, WRITER } from './titles.js';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));
/** Writes under way at once, as from a pool of connections. */
const CONNECTIONS = 10;
const SMALL_BYTES = 64;
/** So large that the kernel cannot hold what a frozen replica was sent: without that it would deliver it after the primary's end. */
const LARGE_BYTES = 4096;
const WAITING = ['after-commit', 'after-sync', SAFE];
const REPLICATED = ['async', ...WAITING];
/** With a fallback, a primary without confirmations goes on as an async one. */
const SEPARATED = ['async', 'after-sync', SAFE];
const BOTH = ['after-sync', SAFE];
const POWER_MODES = ['async', 'async-relaxed', 'after-sync-relaxed', SAFE];
/** The old primary is back with its clients, and is demoted then. @param {Fault} fault */
const demoting = (fault) => courses.losing(fault, { demote: true });

/**
 * @typedef {Object} SemiSyncScenario
 * @property {string} name
 * @property {string} [experiment] whose fault takes the primary away
 * @property {Fault} [fault] default: that of the experiment
 * @property {(fault: Fault) => Script} course
 * @property {readonly Ability[]} [needs] default: those of the fault
 * @property {readonly string[]} modes
 * @property {readonly string[]} [larger] modes of the larger profiles
 * @property {CaseVariation} [variation] measured, too, with the modes that wait
 * @property {readonly string[]} keeps modes that must not lose an acknowledged write, without the variation
 * @property {number} [payloadBytes]
 * @property {Partial<TrialBenchmark>} [own]
 */

/** In the order in which they run. @type {readonly SemiSyncScenario[]} */
const SELECTION = [
  { name: 'killed', experiment: 'primary-killed', course: courses.losing, modes: REPLICATED, keeps: WAITING },
  {
    name: 'machine-lost',
    experiment: 'primary-machine-lost',
    course: courses.losing,
    modes: SEPARATED,
    larger: REPLICATED,
    keeps: WAITING,
    payloadBytes: LARGE_BYTES,
  },
  {
    name: 'restarted',
    fault: restart,
    course: courses.inPlace,
    needs: ['kill'],
    modes: ['async', 'async-relaxed', 'after-sync', 'after-sync-relaxed', SAFE],
    keeps: SEPARATED,
    own: { checks: (result) => keepsIfFlushed(result) },
  },
  {
    name: 'power-lost',
    fault: powerLoss,
    course: courses.inPlace,
    modes: POWER_MODES,
    larger: [...POWER_MODES, 'async-redo-relaxed', 'async-binlog-relaxed', 'after-sync'],
    keeps: SEPARATED,
    own: { whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack), checks: (result) => keepsIfFlushed(result) },
  },
  { name: 'partition', experiment: 'primary-partition', course: demoting, modes: SEPARATED, keeps: [SAFE] },
  { name: 'frozen', experiment: 'primary-paused', course: demoting, modes: SEPARATED, keeps: [SAFE] },
  {
    name: 'replicas-frozen',
    experiment: 'primary-killed',
    course: () => courses.replicasFrozen,
    needs: ['kill', 'pause'],
    modes: REPLICATED,
    keeps: [SAFE],
    payloadBytes: LARGE_BYTES,
    own: {
      whyNoEffect: (trial, params) =>
        whyNoEffect(trial) ??
        (courses.isSemiSync(params) && params.mode !== SAFE && !happened(trial, 'async-fallback')
          ? 'The primary did not fall back to async'
          : null),
      checks: (result) => [fellBackWhereItMay(result), ...keeps(result, [SAFE]), ...checksOf(result)],
    },
  },
  {
    name: 'replica-frozen',
    experiment: 'primary-killed',
    course: () => courses.replicaFrozen,
    needs: ['kill', 'pause'],
    modes: BOTH,
    variation: { setting: courses.BEHIND },
    keeps: BOTH,
    payloadBytes: LARGE_BYTES,
  },
  {
    name: 'switch-over',
    course: () => courses.switchOver,
    needs: ['configure'],
    modes: SEPARATED,
    variation: { way: courses.UNANNOUNCED },
    keeps: SEPARATED,
  },
];

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(SELECTION.map(benchmarkOf));

/** @param {SemiSyncScenario} scenario @returns {TrialBenchmark} */
function benchmarkOf(scenario) {
  const { name, experiment, needs, modes, larger = modes, variation, course, own } = scenario;
  const fault = /** @type {Fault} */ (scenario.fault ?? (experiment && faultOf(experiment)));
  return {
    kind: 'trial',
    system: 'mariadb',
    name: `semi-sync-${name}`,
    titles: TITLES,
    ...TEXTS[`semi-sync-${name}`],
    needs: [...(needs ?? fault.needs)],
    // Three database servers keep a core busy, and a second trial beside them can lengthen an outage. Only the quick profile runs two.
    mostLanes: (profile) => (profile.name === 'quick' ? 2 : 1),
    parameters: TrialParameters.pick({ trials: true, lanes: true, agents: true }),
    cases: (options) => [
      ...casesOf(options, options.profile.name === 'quick' ? modes : larger, scenario),
      ...(variation ? casesOf(options, BOTH, scenario, variation) : []),
    ],
    script: course(fault),
    whyNoEffect,
    checks: (result) => [
      ...keeps(
        only(result, ({ params }) => isPlain(params)),
        scenario.keeps,
      ),
      ...checksOf(result),
    ],
    ...own,
  };
}

/** @param {string} experiment of the catalogue @returns {Fault} of its first step */
function faultOf(experiment) {
  const { steps = [] } = experimentNamed(experiment);
  const [step] = typeof steps === 'function' ? steps(/** @type {any} */ ({}), DEFAULT_PARAMS) : steps;
  if (typeof step?.fault !== 'object') throw new RangeError(`${experiment} does not begin with one fault`);
  return step.fault;
}

/** @param {Parameters<NonNullable<TrialBenchmark['whyNoEffect']>>[0]} trial @returns {string | null} */
function whyNoEffect(trial) {
  return happened(trial, 'async-before') ? 'The primary had stopped waiting for its replicas before the failure' : null;
}

/**
 * @param {CaseOptions} options
 * @param {readonly string[]} modes
 * @param {Pick<SemiSyncScenario, 'payloadBytes'>} scenario
 * @param {CaseVariation} [variation]
 * @returns {Case[]}
 */
function casesOf({ profile }, modes, { payloadBytes = SMALL_BYTES }, variation = {}) {
  return modes.map((mode) => ({
    id: [mode, variationName(variation)].filter(Boolean).join('-'),
    params: {
      ...DEFAULT_PARAMS,
      client: 'mysql2',
      connections: CONNECTIONS,
      payloadBytes,
      rate: profile.writesPerSecond,
      mode,
      ...variation,
      writers: [WRITER],
      settings: MODES[mode].settings,
    },
  }));
}

/** @param {BenchmarkResult} result @param {(one: BenchmarkResult['cases'][number]) => boolean} isWanted @returns {BenchmarkResult} */
function only(result, isWanted) {
  const cases = result.cases.filter(isWanted);
  const isOf = (/** @type {{case: string}} */ each) => cases.some(({ id }) => id === each.case);
  return { ...result, cases, audit: result.audit?.filter(isOf), timeline: result.timeline?.filter(isOf) };
}

/** @param {BenchmarkResult} result @param {readonly string[]} modes that must not lose an acknowledged write here @returns {Check[]} */
function keeps(result, modes) {
  const measured = modes.filter((mode) => groupsOf(result, { modes: [mode] }).length > 0);
  if (measured.length === 0) return [];
  return [
    nothingAckedLost(result, { name: `nothing is lost: ${measured.join(', ')}`, modes: measured, titles: TITLES }),
  ];
}

/** @param {BenchmarkResult} result @returns {Check[]} with a relaxed flush the primary may lack what its replicas have; the page says so */
function keepsIfFlushed(result) {
  const flushed = only(result, ({ params }) => !params.mode?.endsWith('relaxed'));
  return [...keeps(result, SEPARATED), ...checksOf(flushed)];
}

/** @param {BenchmarkResult} result @returns {Check} */
function fellBackWhereItMay({ timeline = [] }) {
  const trials = timeline.filter((trial) => trial.case !== 'async');
  return checkEach(
    'the primary fell back to async where it may',
    trials,
    (trial) => (happened(trial, 'async-fallback') === (trial.case !== SAFE) ? null : 'not as its timeout says'),
    { title: ({ case: id, round }) => `${id}, round ${round}` },
  );
}

/** @param {BenchmarkResult} result @returns {Check[]} */
function checksOf(result) {
  return auditChecks(result, { titles: TITLES });
}
