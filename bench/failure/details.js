/**
 * What details.md of a failure run begins with: the other charts, what each fault does, and the complete tables.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 */

import { isFailureBenchmark } from '../../src/audit/of-trials.js';
import { plural } from '../../src/format.js';
import { chart, heading, list, text } from '../../src/report/blocks.js';
import { milliseconds, NOT_MEASURED, TO_THE_END } from '../../src/report/trials/figures.js';
import { ALL_NOTE } from '../../src/report/trials/losses.js';
import { median } from '../../src/stats/statistics.js';
import { explainedScenarios, scenarioTitle, worstRows } from '../experiments/rows.js';
import { failureOverview } from './overview-chart.js';
import { libraryTable, modeTable, PLACES_TEXT, riskTable, section } from './tables.js';

/** @param {Result} result @returns {Block[]} the other charts and the complete tables */
export function failureDetails(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const charts = failureOverview(result);
  const modes = modeTable(failures);
  const faults = explainedIn(failures);
  return [
    ...(charts.length > 0 ? [heading(2, 'Risks, outages and stale reads')] : []),
    ...charts.map(chart),
    ...(faults.length > 0 ? [heading(2, 'What each fault does'), list(faults)] : []),
    ...section(heading(2, 'Losses and outages over the trials'), riskTable(failures), text(RISK_NOTE)),
    ...section(
      heading(2, 'All losses and outages'),
      modes,
      ...missing(result, modes),
      list(modeNotes(failures, result.profile.trials ?? null)),
    ),
    ...section(
      heading(3, 'Partitions of groups, by where the client is'),
      modeTable(failures, { placed: true }),
      text(`${PLACES_TEXT}.${separatedBy(failures)}`),
    ),
    ...section(heading(3, 'Sentinel clients of the libraries'), libraryTable(failures), list(LIBRARY_NOTES)),
  ];
}

/** @param {readonly BenchmarkResult[]} failures */
function explainedIn(failures) {
  return explainedScenarios([...new Set(worstRows(failures).map(({ fault }) => fault.title))]);
}

/** @param {readonly BenchmarkResult[]} failures */
function separatedBy(failures) {
  const by = new Set(failures.flatMap(({ timeline = [] }) => timeline.flatMap(({ network }) => network ?? [])));
  return by.size === 0 ? '' : ` Packets between groups were dropped by ${[...by].join(' and ')}.`;
}

const RISK_NOTE =
  'risk of a loss: exact 95% interval (Clopper–Pearson) of the probability that such a failure loses an acknowledged write; after ≤, ' +
  'its upper bound when no trial lost one. Medians are over all trials, those without a loss included. Clients that lost nothing are in the next table only.';

/**
 * @param {Result} result
 * @param {TableBlock} whole
 * @returns {Block[]} names scenarios that are not in the table, so that they do not look like scenarios without a loss
 */
function missing({ benchmarks }, { rows }) {
  const without = benchmarks.filter(
    ({ name, status }) => status !== 'ok' && rows.every(({ benchmark }) => benchmark.name !== name),
  );
  if (without.length === 0) return [];
  return [text(`Not measured: ${without.map(({ name, status }) => `${scenarioTitle(name)} (${status})`).join(', ')}.`)];
}

/** @param {readonly BenchmarkResult[]} benchmarks @param {number | null} trialsAsked trials a case; null: unknown */
function modeNotes(benchmarks, trialsAsked) {
  const trials = Math.max(
    0,
    ...benchmarks.flatMap(({ timeline = [] }) => timeline.map(({ round }) => round)),
    trialsAsked ?? 0,
  );
  const sums = trials > 1 ? `, sum of ${trials} trials and the range of a trial` : '';
  const middle = trials > 1 ? ', median of the trials' : '';
  return [
    'sticky, failover-aware: two writers side by side, each with its own keys. The sticky one keeps its connections until an error and then asks the Sentinels for the primary; the failover-aware one also moves at `+switch-master`.',
    `lost: acknowledged writes (OK, with the WAIT count that was asked for) that are not on the primary after healing, and their share${sums}. ${ALL_NOTE}.`,
    `unavailable: longest time without an acknowledgement after the fault began${middle}. At least the time between two writes. “${TO_THE_END}”: no acknowledgement until the writers stopped.`,
    `split brain: longest time for which the former primary accepted writes after the new primary accepted its first${trials > 1 ? ', of all trials' : ''}.`,
    'refused: writes answered with an error that says they were not applied, and their share of the attempted writes.',
    `${NOT_MEASURED} : not measured.`,
    ...linkNotes(benchmarks),
  ];
}

/** @param {readonly BenchmarkResult[]} benchmarks */
function linkNotes(benchmarks) {
  const latencies = new Set(benchmarks.flatMap(({ cases }) => cases.map(({ params }) => params.linkLatencyMs ?? 0)));
  const measured = benchmarks
    .flatMap(({ timeline = [] }) => timeline.map(({ linkMs }) => linkMs))
    .filter((ms) => ms !== null);
  if (measured.length === 0) return [];
  const round = `A round trip between nodes took ${milliseconds(median(measured))} before the faults (median of ${plural(measured.length, 'trial')})`;
  const [only] = latencies;
  if (latencies.size > 1) return [`link: added to each round trip between nodes. ${round}.`];
  return only > 0
    ? [`${round}, of which ${milliseconds(only)} were added.`]
    : [`${round}; no latency was added (\`--link-latency 5ms\` adds some).`];
}

const LIBRARY_NOTES = Object.freeze([
  'node-redis, ioredis: default options, with the queues, redirections and repeated writes of the library. detector: with `failoverDetector: true`. example: the client in `examples/`. The clients of a library write side by side.',
  'false acks: writes acknowledged by a WAIT on another connection than the write’s; that count says nothing about the write.',
  'applied twice: the library sent the write again although it had been applied.',
  'unknown: no answer before the client was closed. unsent: due, but too many writes were under way.',
  'stale reads: reads on a replica right after an acknowledgement that did not show the write, of all answered; all clients of the library together.',
]);
