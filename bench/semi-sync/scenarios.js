/** The failures: what happens to the nodes, and which mode is measured in each. */
/** @import { Ability, BenchmarkResult, Case, CaseOptions, CaseVariation, Check, Fault, TrialBenchmark } from '../types.js' */

import { happened } from '../../src/audit/judgement.js';
import { kill, lose, partition, pause, powerLoss, restart } from '../../src/faults/index.js';
import { checkEach } from '../../src/report/checks.js';
import { auditChecks, nothingAckedLost } from '../../src/report/trials/checks.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { readYaml } from '../../src/yaml.js';
import { whyNoPowerLoss } from '../experiments/primary-power-lost.js';
import * as courses from './courses.js';
import { MODES, SAFE, TITLES, WRITER } from './modes.js';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));
const CONNECTIONS = 10;
const SMALL_BYTES = 64;
const BOTH = ['after-sync', SAFE];
const FAULTS = Object.freeze({ kill, lose, partition, pause, powerLoss, restart });

/**
 * @typedef {Object} SemiSyncScenario as in selection.yaml
 * @property {keyof typeof FAULTS} [fault] default: nothing ends the primary
 * @property {keyof typeof courses.COURSES} course
 * @property {readonly Ability[]} [needs] default: those of the fault
 * @property {readonly string[]} modes
 * @property {readonly string[]} [larger]
 * @property {CaseVariation} [variation]
 * @property {readonly string[]} keeps
 * @property {number} [payloadBytes]
 */

/** @type {Readonly<Record<string, SemiSyncScenario>>} */
const SELECTION = readYaml(new URL('selection.yaml', import.meta.url));

/** What only some have. @type {Readonly<Record<string, Partial<TrialBenchmark>>>} */
const OWN = {
  restarted: { checks: (result) => keepsIfFlushed(result) },
  'power-lost': { whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack), checks: (result) => keepsIfFlushed(result) },
  'replicas-frozen': {
    whyNoEffect: (trial, params) =>
      whyNoEffect(trial) ??
      (courses.isSemiSync(params) && params.mode !== SAFE && !happened(trial, 'async-fallback')
        ? 'The primary did not fall back to async'
        : null),
    checks: (result) => [fellBackWhereItMay(result), ...keeps(result, [SAFE]), ...checksOf(result)],
  },
};

/** @param {string} name @param {SemiSyncScenario} scenario @returns {TrialBenchmark} */
function benchmarkOf(name, scenario) {
  const { modes, larger = modes, variation } = scenario;
  const fault = /** @type {Fault} */ (scenario.fault && FAULTS[scenario.fault]);
  return {
    kind: 'trial',
    system: 'mariadb',
    name: `semi-sync-${name}`,
    titles: TITLES,
    ...TEXTS[`semi-sync-${name}`],
    needs: [...(scenario.needs ?? fault.needs)],
    // Three database servers keep a core busy, and a second trial beside them can lengthen an outage. Only the quick profile runs two.
    mostLanes: (profile) => (profile.name === 'quick' ? 2 : 1),
    parameters: TrialParameters.pick({ trials: true, lanes: true, agents: true }),
    cases: (options) => [
      ...casesOf(options, options.profile.name === 'quick' ? modes : larger, scenario),
      ...(variation ? casesOf(options, BOTH, scenario, variation) : []),
    ],
    script: courses.COURSES[scenario.course](fault),
    whyNoEffect,
    checks: (result) => [
      ...keeps(
        only(result, ({ params }) => isPlain(params)),
        scenario.keeps,
      ),
      ...checksOf(result),
    ],
    ...OWN[name],
  };
}

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  Object.entries(SELECTION).map(([name, scenario]) => benchmarkOf(name, scenario)),
);

/** @param {Parameters<NonNullable<TrialBenchmark['whyNoEffect']>>[0]} trial @returns {string | null} */
function whyNoEffect(trial) {
  return happened(trial, 'async-before') ? 'The primary had stopped waiting for its replicas before the failure' : null;
}

/** @param {CaseOptions} options @param {readonly string[]} modes @param {SemiSyncScenario} scenario @param {CaseVariation} [variation] @returns {Case[]} */
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
  return [...keeps(result, ['async', ...BOTH]), ...checksOf(flushed)];
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
