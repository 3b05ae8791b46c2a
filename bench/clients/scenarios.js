/**
 * Experiments of the catalogue, each with every library.
 *
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { readYaml } from '../../src/yaml.js';
import { benchmarkOf } from '../experiments/benchmark.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { BY_HAND } from '../experiments/failover-script.js';
import { experimentNamed } from '../experiments/index.js';
import { libraryCases, TITLES } from './cases.js';
import { ClientsParameters } from './options.js';

/** A library that has not come back by then, after everything is well again, counts as one that does not. */
const RECOVERY_SECONDS = 5;
const ALL = 'Every library that is there writes side by side, each with its own keys. ';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));
/** @type {readonly {name: string, experiment: string, way?: string}[]} */
const SELECTION = [
  { name: 'killed', experiment: 'primary-killed' },
  { name: 'frozen', experiment: 'primary-paused' },
  { name: 'partition', experiment: 'primary-partition' },
  { name: 'isolated', experiment: 'primary-isolated' },
  { name: 'failover', experiment: 'planned-failover' },
  { name: 'runbook', experiment: 'planned-failover', way: BY_HAND },
  { name: 'replica-killed', experiment: 'replica-killed' },
  { name: 'sentinel-killed', experiment: 'sentinel-killed' },
  { name: 'sentinel-connection-lost', experiment: 'sentinel-connection-lost' },
];

/** @param {BenchmarkResult} result @returns {Check[]} */
function clientChecks(result) {
  // A library that sends a write again may be refused after the write was applied; the page reports that.
  return auditChecks(result, { titles: TITLES, writers: NATIVE_WRITERS });
}

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(SELECTION.map(scenarioOf));

/** @param {typeof SELECTION[number]} selected @returns {TrialBenchmark} */
function scenarioOf({ name, experiment: id, way }) {
  const experiment = experimentNamed(id);
  const promotes = experiment.promotes !== undefined;
  const base = benchmarkOf(experiment, { cases: libraryCases, way });
  return {
    ...base,
    name: `clients-${name}`,
    ...TEXTS[`clients-${name}`],
    method: `${ALL}${base.method}`,
    titles: TITLES,
    parameters: ClientsParameters,
    needsFailover: promotes,
    async script(scene, theCase) {
      // The setting of a case names the options of the libraries.
      await base.script(scene, { ...theCase, params: { ...theCase.params, setting: undefined } });
      if (promotes) await scene.write(RECOVERY_SECONDS);
    },
    checks: (result) => [...(promotes ? [failoverHappened(result, { titles: TITLES })] : []), ...clientChecks(result)],
    // All libraries write in each trial. Two trials side by side would keep each other from writing.
    mostLanes: () => 1,
  };
}
