/** Experiments of the catalogue, each with every library. */
/** @import { TrialBenchmark } from '../types.js' */
import { readYaml } from '../../src/yaml.js';
import { benchmarkOf } from '../experiments/benchmark.js';
import { CASE_TITLES } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';
import { libraryCases } from './names.js';
import { ClientsParameters } from './options.js';

/** A library that has not come back by then, after everything is well again, counts as one that does not. */
const RECOVERY_SECONDS = 5;
const ALL = 'Every library that is there writes side by side, each with its own keys. ';

/** modes: default: without `WAIT`, and `WAIT 1`. @type {Record<string, {experiment: string, way?: string, modes?: string[], question: string}>} */
const SELECTION = readYaml(new URL('texts.yaml', import.meta.url));

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  Object.entries(SELECTION).map(([name, { experiment, way, modes, question }]) => {
    const base = benchmarkOf(experimentNamed(experiment), {
      cases: (options) => libraryCases(options, modes),
      way,
      titles: CASE_TITLES,
    });
    return /** @type {TrialBenchmark} */ ({
      ...base,
      name,
      question,
      method: `${ALL}${base.method}`,
      parameters: ClientsParameters,
      async script(scene, theCase) {
        // The setting of a case names the options of the libraries.
        await base.script(scene, { ...theCase, params: { ...theCase.params, setting: undefined } });
        if (base.needsFailover) await scene.write(RECOVERY_SECONDS);
      },
      // All libraries write in each trial. Two trials side by side would keep each other from writing.
      mostLanes: () => 1,
    });
  }),
);
