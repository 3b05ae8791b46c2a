/** The failures of the catalogue in which the workloads run, and the modes. */
/** @import { Experiment } from '../experiments/types.js' */
/** @import { ModeName } from '../modes.js' */
/** @import { Case, CaseOptions, CaseVariation, CompanySite, TrialBenchmark } from '../types.js' */

import { readLanguages } from '../../src/drivers/manifest.js';
import { partition, pause } from '../../src/faults/index.js';
import { auditChecks, failoverWhereDue } from '../../src/report/trials/checks.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { scriptOf } from '../../src/run/perform.js';
import { readYaml } from '../../src/yaml.js';
import { benchmarkOf, downAfterOf } from '../experiments/benchmark.js';
import { CASE_TITLES, failureCases, NATIVE_WRITERS, PLACED_WRITERS } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';
import { startWorkloads } from '../workloads/company.js';
import { driverSources } from '../workloads/driver-source.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { harmDetails, harmFindings, nothingFound } from './findings.js';

const DEFAULTS = 'defaults';
/** What most people run, the two settings that one adds first, and the two that a page recommends: from the cheapest on. @type {readonly ModeName[]} */
export const SUITE_MODES = [DEFAULTS, 'aof', 'min1', 'wait1', 'wait1-min1-aof', 'wait2-min2-aof-always'];
/** @type {readonly ModeName[]} */
const QUICK_MODES = [DEFAULTS, 'min1', 'wait1', 'wait1-min1-aof'];
/** Longer than a lease and than the failover. @type {Readonly<Record<string, number>>} */
export const SECONDS = { quick: 12, standard: 15, full: 20 };
/** Of the audited writers, which only show what the failure did to plain writes. */
const RATE = 20;
const CONNECTIONS = 2;

export const SUITE = 'workloads';
/** @satisfies {Partial<TrialBenchmark>} */
const COMMON = {
  kind: /** @type {const} */ ('trial'),
  titles: CASE_TITLES,
  parameters: TrialParameters.omit({ agents: true, client: true }),
  company: (/** @type {CompanySite} */ site) => startWorkloads(site),
  findings: harmFindings,
  details: harmDetails,
};

/**
 * @typedef {{name: string, question: string, experiment: string, libraries?: true, way?: string, lasting?: 'pause' | 'partition',
 *   placements?: NonNullable<CaseVariation['placement']>[]}} Selected see selection.yaml
 */

const LASTING = { pause, partition };
const WHAT = 'locks, counters, limits and queues?';
const WHAT_OF_LIBRARIES = 'the locks, limits and queues of libraries?';
/** @type {Readonly<Record<string, Omit<Selected, 'name'>>>} */
const LISTED = readYaml(new URL('selection.yaml', import.meta.url));
const SELECTION = Object.entries(LISTED).map(([name, selected]) => ({ name, ...selected }));

/** @param {Selected} selected @returns {TrialBenchmark} */
function scenarioOf({ name, question, experiment: id, way, placements = [], lasting }) {
  const experiment = experimentNamed(id);
  const { promotes = false } = experiment;
  const cases = (/** @type {CaseOptions} */ options) =>
    placementsFor(options, placements).flatMap((variation) => casesOf(options, { experiment, way, variation }));
  const base = benchmarkOf(experiment, { cases, way });
  return {
    ...base,
    ...COMMON,
    name: `${SUITE}-${name}`,
    question: `${question} ${WHAT}`,
    ...(lasting && {
      script: (scene, theCase) =>
        scriptOf([{ fault: LASTING[lasting], lasts: SECONDS[scene.profile.name] }])(scene, theCase),
    }),
    checks: (result) => [
      ...(promotes ? failoverWhereDue(result, { titles: CASE_TITLES }) : []),
      ...auditChecks(result, { titles: CASE_TITLES, writers: NATIVE_WRITERS }),
    ],
  };
}

/** @param {CaseOptions} options @param {NonNullable<Selected['placements']>} placements @returns {CaseVariation[]} */
function placementsFor({ profile }, placements) {
  return [{}, ...(profile.name === 'quick' ? [] : placements.map((placement) => ({ placement })))];
}

/** @param {Selected} selected @returns {TrialBenchmark} */
function librariesIn(selected) {
  const { name, question, experiment: id } = selected;
  const experiment = experimentNamed(id);
  return {
    ...withLibraries(scenarioOf(selected), {
      question: `${question} ${WHAT_OF_LIBRARIES}`,
      casesOf: (options, variation) => casesOf(options, { experiment, modes: [DEFAULTS], variation }),
    }),
    ...(name !== SELECTION[0].name && { profiles: ['standard', 'full'] }),
  };
}

/**
 * @param {CaseOptions} options
 * @param {{experiment?: Experiment, way?: string, modes?: readonly ModeName[], variation?: CaseVariation}} [how] modes: default: by profile
 */
function casesOf(options, { experiment, way, modes, variation } = {}) {
  return failureCases(
    { ...options, profile: { ...options.profile, writesPerSecond: RATE } },
    {
      modes: modes ?? (options.profile.name === 'quick' ? QUICK_MODES : SUITE_MODES),
      ...(variation && { variation }),
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
  checks: (result) => [nothingFound(result), ...auditChecks(result, { titles: CASE_TITLES, writers: NATIVE_WRITERS })],
};

/** In the order in which they run. @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze([
  healthy,
  ...SELECTION.map(scenarioOf),
  ...SELECTION.filter(({ libraries }) => libraries).map(librariesIn),
]);

/** Half of its clients stay, as those of many libraries do. */
const [REFERENCE] = NATIVE_SOURCES;

/** @param {string} name of a benchmark */
export function withLibrariesName(name) {
  return `${name}-libraries`;
}

/**
 * @param {TrialBenchmark} scenario
 * @param {{question: string, casesOf: (options: CaseOptions, variation: {setting: string}) => Case[]}} how setting: of a case, a language
 * @returns {TrialBenchmark}
 */
function withLibraries(scenario, { question, casesOf }) {
  return {
    ...scenario,
    name: withLibrariesName(scenario.name),
    question,
    cases: (options) => languages().flatMap(({ id }) => casesOf(options, { setting: id })),
    company: (site) => startWorkloads(site, { sources: [REFERENCE, ...driverSources(site.theCase.params.setting)] }),
    whyNotCase: async (theCase, stack) =>
      whyNotHere(theCase, stack) ?? (await scenario.whyNotCase?.(theCase, stack)) ?? null,
    // A dozen programs share the machine with the nodes; the quick profile has to end soon.
    mostLanes: ({ name }) => (name === 'quick' ? 2 : 1),
  };
}

const languages = () => readLanguages().filter(({ workloads }) => workloads.length > 0);

/** @type {(...site: Parameters<NonNullable<TrialBenchmark['whyNotCase']>>) => string | null} */
function whyNotHere({ params: { setting } }, { access: { credentials } }) {
  if (Object.values(credentials).some(Boolean))
    return 'The drivers of workloads know no passwords and no TLS; use a stack without them.';
  const { workloads = [] } = languages().find(({ id }) => id === setting) ?? {};
  const [missing] = workloads.flatMap((entry) => entry.missing ?? []);
  return missing === undefined ? null : `${workloads.map(({ title }) => title).join(', ')}: ${missing}`;
}
