/** @import { BenchmarkResult, CaseParams, Finding } from '../../src/result/schema.js' */
import { clientNames, clientTitle } from '../../src/registry/clients.js';
import { rightAligned, table } from '../../src/report/blocks.js';
import { shareOfNative } from '../../src/report/charts/dots.js';
import { percentileCurves } from '../../src/report/charts/percentiles.js';
import { clientStyle } from '../../src/report/charts/styles.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { costsText, finding, headlineShare, roundsText } from '../../src/report/findings.js';
import { rate } from '../../src/report/format.js';
import { makeCase } from '../../src/run/case.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const SHAPES = [
  { pipeline: 1, connections: 1 },
  { pipeline: 100, connections: 1 },
  { pipeline: 1, connections: 50 },
];

/** @type {Benchmark} */
export default {
  name: 'clients',
  question: 'How much of the measured cost comes from the client library?',
  method:
    'The same asynchronous writes through each client on one thread. `native` is this tool’s own load client. The libraries ' +
    'have the settings of applications, except that retries are off. node-redis therefore keeps a timer for each command that ' +
    'is not sent yet.',
  profiles: ['standard', 'full'],
  kind: 'load',
  cases: ({ client }) =>
    SHAPES.flatMap((shape) =>
      (client ? [client] : clientNames).map((name) =>
        makeCase({ client: name, ...shape }, { client: client ?? 'native' }),
      ),
    ),
  table: [column.client, column.batch, column.connections, ...column.MEASURED],
  charts: (result) => [shareOfNative(result, shapeName), manyConnections(result)],
  details: (result) => [shapeTable(result)],
  findings: (result) =>
    // The deepest pipeline first: there a library takes most.
    SHAPES.toSorted((a, b) => b.pipeline - a.pipeline).flatMap((shape) => shapeFinding(result, shape)),
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {Pick<CaseParams, 'pipeline' | 'connections'>} shape */
function shapeName({ pipeline, connections }) {
  return `pipeline depth ${pipeline}, ${connections} connection${connections === 1 ? '' : 's'}`;
}

/**
 * @param {BenchmarkResult} result
 * @param {Pick<CaseParams, 'pipeline' | 'connections'>} shape
 */
function casesOf({ cases }, { pipeline, connections }) {
  return cases.filter(({ params }) => params.pipeline === pipeline && params.connections === connections);
}

/**
 * @param {BenchmarkResult} result
 * @param {Pick<CaseParams, 'pipeline' | 'connections'>} shape
 * @returns {Finding[]} none: no library was compared with native
 */
function shapeFinding(result, shape) {
  const compared = casesOf(result, shape).flatMap((one) => {
    const ratio = one.summary.relativeToBaseline;
    return ratio ? [{ one, baseline: ratio.baseline, share: column.costOf(ratio.throughput) }] : [];
  });
  if (compared.length === 0) return [];
  const costs = compared.map(({ one, share }) => ({ name: `through ${clientTitle(one.params.client)}`, share }));
  const rounds = Math.min(...compared.map(({ one }) => one.rounds.length));
  const text = costsText('a client library', costs, `${shapeName(shape)}, ${roundsText(rounds)}`);
  const evidence = compared.flatMap(({ one, baseline }) => [baseline, one.id]);
  return [finding(`cost-depth${shape.pipeline}-connections${shape.connections}`, text, evidence)];
}

/** @param {BenchmarkResult} result */
function shapeTable(result) {
  const clients = clientNames.filter((client) => result.cases.some(({ params }) => params.client === client));
  const rows = SHAPES.map((shape) => {
    const shapeCases = casesOf(result, shape);
    return [
      shapeName(shape),
      ...clients.map((client) => {
        const one = shapeCases.find(({ params }) => params.client === client);
        if (!one) return 'not measured';
        const ratio = one.summary.relativeToBaseline?.throughput;
        const shown = rate(one.summary.throughput.median);
        return ratio
          ? `${shown}, costs ${headlineShare(column.costOf(ratio))}`.replace('costs undecided', 'undecided')
          : shown;
      }),
    ];
  });
  return table(['load', ...rightAligned(clients.map(clientTitle))], rows);
}

/**
 * Connections of one process wait for its event loop.
 *
 * @param {BenchmarkResult} result
 */
function manyConnections(result) {
  const connections = Math.max(...SHAPES.map((shape) => shape.connections));
  return percentileCurves(result, {
    what: `of a write, at ${connections} connections`,
    curves: result.cases
      .filter(({ params }) => params.connections === connections)
      .map((one) => ({
        name: clientTitle(one.params.client),
        result: one,
        style: clientStyle(one.params.client),
      })),
  });
}
