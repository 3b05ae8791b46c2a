/**
 * The end of details.md: the machines of agents, how to read the report, the environment, the configuration, and how to run it again.
 * @import { Result } from '../result/schema.js' @import { Figures } from './document.js'
 */
import { isFailureBenchmark, onlyFailures } from '../audit/of-trials.js';
import { serverText } from '../format.js';
import { ENOUGH_BEYOND } from '../stats/summary.js';
import { readYaml } from '../yaml.js';
import { agentData } from './agents.js';
import { table } from './blocks.js';
import { hasUse } from './resources.js';
import { runOf } from './run.js';
import { renderTemplate } from './template.js';

const END = new URL('details-end.md', import.meta.url);

/** Settings that change the figures. Settings that differ between nodes are shown besides. @type {readonly string[]} */
const SHOWN_SETTINGS = readYaml(new URL('shown-settings.yaml', import.meta.url));

/** @param {Result} result @param {Figures} figures @returns {string} Markdown without a line break at its end */
export function renderEnd(result, figures) {
  const { benchmarks, stack, environment, tool } = result;
  const { agents, tables } = agentData(result);
  const data = {
    ...{ agents, stack, environment, tool, server: serverText(stack.server) },
    primaries: stack.nodes.filter(({ role }) => role === 'primary').length,
    rounds: !onlyFailures(benchmarks),
    trials: benchmarks.some(isFailureBenchmark),
    use: benchmarks.some(({ cases }) => cases.some(hasUse)),
    enough: ENOUGH_BEYOND,
    // The configuration is that of the run's first stack. It says little about a benchmark that started others.
    others: benchmarks.flatMap(({ name, cases }) =>
      cases.some(({ params }) => params.replicas !== undefined) ? name : [],
    ),
    configured: Object.keys(stack.config).length > 0,
    run: runOf(result),
    tables: { ...tables, ...settingTables(stack.config) },
  };
  return renderTemplate(END, data, figures);
}

/** @param {Result['stack']['config']} config */
function settingTables(config) {
  const ids = Object.keys(config);
  const names = [...new Set(ids.flatMap((id) => Object.keys(config[id])))].sort();
  const valuesOf = (/** @type {string} */ name) => ids.map((id) => (config[id][name] ?? 'not set') || '(empty)');
  const differs = (/** @type {string} */ name) => new Set(valuesOf(name)).size > 1;
  const common = SHOWN_SETTINGS.filter((name) => names.includes(name) && !differs(name));
  return {
    settings: table(
      ['setting', 'all nodes'],
      common.map((name) => [name, valuesOf(name)[0]]),
    ),
    differing: table(
      ['setting that differs', ...ids],
      names.filter(differs).map((name) => [name, ...valuesOf(name)]),
    ),
  };
}
