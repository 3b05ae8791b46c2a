/** The libraries in the same failures: those of one language in each trial, beside the native workloads. */
/** @import { Case, CaseOptions, TrialBenchmark } from '../types.js' */
import { readLanguages } from '../../src/drivers/manifest.js';
import { startWorkloads } from '../workloads/company.js';
import { driverSources } from '../workloads/driver-source.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';

/** Half of its clients stay, as those of many libraries do. */
const [REFERENCE] = NATIVE_SOURCES;

/** @param {string} name of a benchmark */
export const withLibrariesName = (name) => `${name}-libraries`;

/**
 * @param {TrialBenchmark} scenario
 * @param {{question: string, casesOf: (options: CaseOptions, variation: {setting: string}) => Case[]}} how setting: of a case, a language
 * @returns {TrialBenchmark}
 */
export function withLibraries(scenario, { question, casesOf }) {
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
