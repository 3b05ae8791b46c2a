/**
 * Experiments of the catalogue, each with every library.
 *
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { benchmarkOf } from '../experiments/benchmark.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';
import { BY_HAND } from '../experiments/planned-failover.js';
import { libraryCases, TITLES } from './cases.js';
import { ClientsParameters } from './options.js';

/** A library that has not come back by then, after everything is well again, counts as one that does not. */
const RECOVERY_SECONDS = 5;
const ALL = 'Every library that is there writes side by side, each with its own keys. ';

const LOSE = 'What does each library lose, and how long does it stop, when the primary is';
/** @type {readonly {name: string, experiment: string, way?: string, question: string}[]} */
const SELECTION = [
  { name: 'killed', experiment: 'primary-killed', question: `${LOSE} killed?` },
  { name: 'frozen', experiment: 'primary-paused', question: `${LOSE} frozen?` },
  {
    name: 'partition',
    experiment: 'primary-partition',
    question: `${LOSE} separated from its peers and not from clients?`,
  },
  { name: 'isolated', experiment: 'primary-isolated', question: `${LOSE} separated from its peers and from clients?` },
  {
    name: 'failover',
    experiment: 'planned-failover',
    question: 'Which libraries leave the old primary at once after SENTINEL FAILOVER?',
  },
  {
    name: 'runbook',
    experiment: 'planned-failover',
    way: BY_HAND,
    question: 'Is the failover by runbook safe with every library?',
  },
  { name: 'replica-killed', experiment: 'replica-killed', question: 'Do libraries notice that a replica is killed?' },
  {
    name: 'sentinel-killed',
    experiment: 'sentinel-killed',
    question: 'Do libraries find the new primary without the Sentinel that they asked first?',
  },
  {
    name: 'sentinel-connection-lost',
    experiment: 'sentinel-connection-lost',
    question:
      'Do libraries find the new primary when they lose their connections to the Sentinels during the failover?',
  },
];

/**
 * @param {BenchmarkResult} result
 * @returns {Check[]}
 */
function clientChecks(result) {
  // A library that sends a write again may be refused after the write was applied; the page reports that.
  return auditChecks(result, { titles: TITLES, writers: NATIVE_WRITERS });
}

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(SELECTION.map(scenarioOf));

/**
 * @param {typeof SELECTION[number]} selected
 * @returns {TrialBenchmark}
 */
function scenarioOf({ name, experiment: id, way, question }) {
  const experiment = experimentNamed(id);
  const promotes = experiment.promotes !== undefined;
  const base = benchmarkOf(experiment, { cases: libraryCases, way });
  return {
    ...base,
    name: `clients-${name}`,
    question,
    method: `${ALL}${base.method}`,
    titles: TITLES,
    parameters: ClientsParameters,
    needsFailover: promotes,
    async script(scene, theCase) {
      // The setting of a case names the options of the libraries.
      await base.script(scene, { ...theCase, params: { ...theCase.params, setting: undefined } });
      if (promotes) await scene.write(RECOVERY_SECONDS);
    },
    findings: () => [],
    checks: (result) => [...(promotes ? [failoverHappened(result, { titles: TITLES })] : []), ...clientChecks(result)],
    // All libraries write in each trial. Two trials side by side would keep each other from writing.
    mostLanes: () => 1,
  };
}
