/** Benchmarks of benchmarks.yaml: which cases, columns and charts an entry stands for. */
/** @import { Case, CaseOptions, CaseParams, LoadBenchmark } from '../types.js' */
/** @typedef {Record<string, any>} Grid values by parameter */
import { bytes, count } from '../../src/format.js';
import { clientNames } from '../../src/registry/clients.js';
import { chartAgainst } from '../../src/report/charts/against.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import { batch, client, connections, MEASURED, payload, wait, waitMode } from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';

const ENTRIES = readYaml(new URL('benchmarks.yaml', import.meta.url));
export const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));

/** By their names in `table`. @type {Record<string, NonNullable<LoadBenchmark['table']>[number] | NonNullable<LoadBenchmark['table']>>} */
const COLUMNS = { batch, client, connections, payload, wait, waitMode, MEASURED: [...MEASURED] };
const LABELS = { pipeline: count, connections: count, payloadBytes: bytes };
/** Every client is measured at this pipeline depth, and at a depth of 1. */
const DEEP = 100;
/** Rounds of headline cases are short and many. All cases get the first rounds, as a pilot. */
const HEADLINE_PACE = { rounds: 8, warmUpSeconds: 0.015 };
const LEAST_ROUNDS = 20;
const MOST_ROUNDS = 400;
/** Seconds for all rounds of a benchmark in the larger profiles. */
const BUDGETS = { standard: 600, full: 3600 };

/** @param {string} name of an entry @param {Partial<LoadBenchmark>} [own] what it says otherwise, or beside @returns {LoadBenchmark} */
export function roundsOf(name, own) {
  const { cases, larger, common, table = [], against, quickPace, headline, ...said } = ENTRIES[name];
  return {
    kind: 'load',
    name,
    ...said,
    ...(quickPace && { pace: (profile) => (profile.name === 'quick' ? quickPace : profile) }),
    ...(headline && headlineOf(headline)),
    ...(cases && { cases: (options) => casesOf(options, { cases, larger, common }) }),
    table: table.flatMap((/** @type {string} */ column) => COLUMNS[column]),
    ...(against && {
      charts: (result) => against.charts.map((/** @type {'cost'} */ id) => chartAgainst(id, result, stepsOf(against))),
    }),
    checks: (result) => [everyWriteAcked(result)],
    ...own,
  };
}

/** @param {{by: keyof typeof LABELS, what: string}} against @returns {Parameters<typeof chartAgainst>[2]} */
const stepsOf = ({ by, what }) => ({ by, what, label: LABELS[by] });

/** Each once. @param {Pick<CaseOptions, 'client' | 'profile'>} options @param {{cases: Grid[], larger?: Grid[], common?: Partial<CaseParams>}} entry @returns {Case[]} */
function casesOf({ client, profile }, { cases, larger = [], common }) {
  const all = (profile.name === 'quick' ? cases : [...cases, ...larger]).flatMap((grid) => {
    const clients = grid.client === 'all' && !client ? clientNames : [client ?? common?.client];
    return combinations({ ...grid, client: clients });
  });
  /** @type {Map<string, Case>} */
  const found = new Map();
  for (const params of all) {
    const one = makeCase({ ...common, ...params }, { wait: 0 });
    if (!found.has(one.id)) found.set(one.id, one);
  }
  return [...found.values()];
}

/** @param {Grid} grid @returns {Partial<CaseParams>[]} every combination of its values; those of the client and then of the first parameter vary last */
function combinations({ client, ...grid }) {
  const none = /** @type {Grid[]} */ (client.map((/** @type {string} */ name) => ({ client: name })));
  return Object.entries(grid).reduce(
    (all, [name, values]) =>
      all.flatMap((one) => values.map((/** @type {unknown} */ value) => ({ ...one, [name]: value }))),
    none,
  );
}

/** Headline costs, ± 10 points: of one connection, to depth 100. @param {{seconds: number, budget: number}} entry @returns {Partial<LoadBenchmark>} */
function headlineOf({ seconds, budget }) {
  return {
    pace: (profile) => (profile.name === 'quick' ? { ...HEADLINE_PACE, seconds } : profile),
    precision: ({ name }) => ({
      headline: ({ params }) => params.connections === 1 && params.pipeline <= DEEP,
      halfWidth: 0.1,
      least: LEAST_ROUNDS,
      most: MOST_ROUNDS,
      seconds: name === 'quick' ? budget : BUDGETS[name],
    }),
  };
}
