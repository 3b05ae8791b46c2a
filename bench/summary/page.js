/**
 * The executive page: one page of Markdown over the latest run of each suite, for people who decide.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { StoredRun } from '../../src/result/runs.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { TemplateData } from '../../src/report/template.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { ModeName } from '../modes.js'
 * @import { DecisionRow } from '../sweep/decision.js'
 */
import { isFailureBenchmark } from '../../src/audit/of-trials.js';
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { serverText } from '../../src/format.js';
import { commandOf, runLine } from '../../src/report/frame.js';

import { FORMATS, tableOf } from '../../src/report/specs.js';
import { renderTemplate } from '../../src/report/template.js';
import { HEALED_MARK, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { trialsText } from '../../src/report/trials/losses.js';
import { articles } from '../claims/index.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { suiteTerms } from '../facts.js';
import { libraryAnswer } from '../failure/libraries.js';
import { MODES, modeTitle } from '../modes.js';
import { failoverRunbook } from '../pages/planned-failover.js';
import { worstCell } from '../pages/trials.js';
import { clientText, pasteOf } from '../sweep/configuration.js';
import { decisionRows, isTested, lossIn, testedFaults } from '../sweep/decision.js';
import { sweepAnswer } from '../sweep/page.js';
import { recommend } from '../sweep/recommend.js';

/** Suites that the page needs. */
const NEEDED = /** @type {const} */ (['config-sweep', 'main', 'failure']);
/** Modes shown always. The last one gives way to the recommended mode, if that is another. @type {readonly ModeName[]} */
const SHOWN = Object.freeze(['async', 'wait1', 'wait1-min1', 'wait2']);
/** What the network adds to a round trip, if it was measured: about the way to another zone. */
const DISTANCE_MS = 1;
/** Losses that a cell names, the largest first. */
const MOST_LOSSES = 3;
/** Ways of a planned failover, as decision faults. */
const PLANNED = Object.freeze({
  failover: 'A bare `SENTINEL FAILOVER`',
  runbook: 'This runbook',
  coordinated: '`SENTINEL FAILOVER … COORDINATED`',
});

/** @typedef {ReadonlyMap<string, StoredRun>} Runs by suite */

/** @param {Runs} runs at least one @returns {string} Markdown of at most 45 lines; ends with a line break */
export function summaryPage(runs) {
  return `${renderTemplate(new URL('page.md', import.meta.url), pageData(runs), { figure: () => '' })}\n`;
}

/** @param {Runs} runs @returns {TemplateData} */
function pageData(runs) {
  const [sweep, main, failure] = NEEDED.map((suite) => runs.get(suite)?.result);
  const used = NEEDED.flatMap((suite) => runs.get(suite) ?? []);
  const others = [...runs.values()].filter((run) => !used.includes(run));
  // Faults that the sweep did not test come from the run of the suite failure.
  const rows = decisionRows(sweep, failure);
  const own = sweep ? testedFaults(decisionRows(sweep)) : [];
  const best = sweep ? (recommend(sweep, undefined, rows).best?.row ?? null) : null;
  const name = (sweep ?? failure)?.stack.masterName ?? 'mymaster';
  const latencies = latenciesOf(main);
  const results = used.map(({ result }) => result);
  return {
    used: used.map(linkOf),
    others: others.map(linkOf),
    machine: runLine([...used, ...others][0].result),
    differing: differencesOf(results),
    failed: results.flatMap(failuresIn),
    tested: rows.some(isTested),
    answer: sweep && rows.some(isTested) ? sweepAnswer(sweep, rows) : null,
    trials: trialsText(rows.flatMap(({ trials }) => trials.map(({ loss }) => loss))),
    elsewhere: FAULTS.flatMap(({ id, title }) =>
      sweep && testedFaults(rows).includes(id) && !own.includes(id) ? [title] : [],
    ),
    distance: latencies.distance,
    rate: latencies.rate,
    best: best && bestOf(best, name),
    libraries: failure ? libraryAnswer(failure.benchmarks.filter(isFailureBenchmark)) : [],
    planned: plannedOf(best ? [best, ...rows] : rows),
    runbook: best ? pasteOf(best, name).runbook : failoverRunbook('MASTER_NAME'),
    missing: NEEDED.filter((suite) => !runs.has(suite)),
    commands: results.map(commandOf),
    articles: articles().map(({ title }) => title),
    tables: { modes: modesTable(rows, best, latencies.columns) },
  };
}

/** @param {StoredRun} run */
function linkOf({ folder, result: { suite, startedAt, profile } }) {
  return { folder: encodeURI(folder), suite, day: startedAt.slice(0, 10), profile: profile.name };
}

/** @param {readonly Result[]} results @returns {string[]} what keeps their figures from being read together */
function differencesOf(results) {
  const picks = {
    servers: (/** @type {Result} */ { stack }) => serverText(stack.server),
    backends: (/** @type {Result} */ { stack }) => stack.backend,
    machines: (/** @type {Result} */ { environment }) => `${environment.cores} ${environment.cpuModel}`,
  };
  return Object.entries(picks).flatMap(([what, pick]) => (new Set(results.map(pick)).size > 1 ? [what] : []));
}

/** @param {Result} result @returns {{suite: string, checks: number, benchmarks: number}[]} empty: all is well */
function failuresIn({ suite, benchmarks }) {
  const checks = benchmarks.flatMap((benchmark) => benchmark.checks).filter(({ ok }) => !ok).length;
  const failed = benchmarks.filter(({ status }) => status === 'failed').length;
  return checks + failed === 0 ? [] : [{ suite, checks, benchmarks: failed }];
}

/** @param {DecisionRow} best @param {string} name of the primary */
function bestOf(best, name) {
  const both = best.down['both-replicas-down'];
  return {
    title: best.title,
    rollOut: pasteOf(best, name).rollOut,
    client: clientText(best),
    alone: both ? figure(both, 'confirmed-at-fault-end') : null,
  };
}

/** @param {readonly DecisionRow[]} rows the recommended one first @returns {{title: string, lost: number, acked: number, mode: string}[]} */
function plannedOf(rows) {
  return Object.entries(PLANNED).flatMap(([id, title]) => {
    const fault = /** @type {keyof typeof PLANNED} */ (id);
    const row = rows.find((each) => lossIn(each, fault) !== null);
    const loss = row && lossIn(row, fault);
    return row && loss ? [{ title, lost: loss.lost, acked: loss.acked, mode: row.title }] : [];
  });
}

/**
 * @param {readonly DecisionRow[]} rows
 * @param {DecisionRow | null} best
 * @param {readonly ColumnSpec[]} latencies
 * @returns {TableBlock}
 */
function modesTable(rows, best, latencies) {
  const isShown = best === null || SHOWN.some((mode) => mode === best.mode);
  const modes = isShown ? SHOWN : [...SHOWN.slice(0, -1), best.mode];
  const lines = modes.map((mode) => ({ mode, row: rows.find((each) => each.mode === mode && each.note === null) }));
  return tableOf([...COLUMNS, ...latencies], /** @type {any} */ (lines));
}

/** @typedef {{mode: string, row?: DecisionRow}} ModeLine */

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  {
    title: 'mode',
    text: ({ mode, row }) => row?.title ?? modeTitle(MODES[/** @type {ModeName} */ (mode)]),
  },
  { title: 'acknowledged writes lost', text: lossesText, align: 'right' },
  { title: 'longest outage', text: outageText, align: 'right' },
  {
    title: 'one replica frozen',
    text: ({ row }) => {
      const frozen = row?.down['one-replica-down'];
      return FORMATS.percent(frozen ? figure(frozen, 'confirmed-at-fault-end') : null);
    },
    align: 'right',
  },
];

/** @param {ModeLine} line @returns {string} such as `18.1 s network partition; 0 in 8 of 9 faults` */
function lossesText({ row }) {
  const trials = row?.trials ?? [];
  if (trials.length === 0) return NOT_MEASURED;
  const losing = trials.filter(({ loss }) => loss.most > 0).sort((a, b) => b.loss.most - a.loss.most);
  const named = losing
    .slice(0, MOST_LOSSES)
    .map(({ fault, loss }) => `${worstCell({ ...loss, all: loss.everything, writes: loss.most })} ${fault.title}`);
  return [...named, `0 in ${trials.length - losing.length} of ${trials.length} faults`].join('; ');
}

/** @param {ModeLine} line @returns {string} the longest that ended, such as `18.3 s, network partition` */
function outageText({ row }) {
  const sorted = (row?.trials ?? []).toSorted((a, b) => b.outage.medianMs - a.outage.medianMs);
  const longest = sorted.find(({ outage }) => Number.isFinite(outage.medianMs)) ?? sorted[0];
  if (longest === undefined) return NOT_MEASURED;
  const { fault, outage, untilHealed } = longest;
  return `${milliseconds(outage.medianMs)}${untilHealed ? ` ${HEALED_MARK}` : ''}, ${fault.title}`;
}

/**
 * @param {Result | undefined} main
 * @returns {{distance: number | null, rate: number | null, columns: ColumnSpec[]}} at a distance, and at one rate for all modes; null: not measured
 */
function latenciesOf(main) {
  const rows = (main ? rowsOf(main, suiteTerms) : []).filter(
    ({ params }) => params.waitMode === 'pipelined' && params.pipeline === 1,
  );
  const far = where(rows, { experiment: 'distance' });
  const distances = far.map(({ params }) => params.linkLatencyMs ?? 0);
  const distance = distances.includes(DISTANCE_MS) ? DISTANCE_MS : Math.max(...distances);
  const paced = where(rows, { experiment: ['durable-modes', 'response-time'] }).filter(
    ({ params, of }) => params.rate !== undefined && !params.linkLatencyMs && of.sustained?.total === of.sustained?.n,
  );
  const columns = [
    latencyColumn(
      'p50',
      far.filter(({ params }) => (params.linkLatencyMs ?? 0) === distance),
      'p50-service-time',
    ),
    latencyColumn('p99', paced, 'p99-response-time'),
  ];
  return {
    distance: far.length === 0 ? null : distance,
    rate: paced[0]?.params.rate ?? null,
    columns,
  };
}

/** @param {string} title @param {readonly CaseFigures[]} rows @param {string} metric @returns {ColumnSpec} */
function latencyColumn(title, rows, metric) {
  return {
    title,
    align: 'right',
    text: ({ mode }) => {
      const row = rows.find((each) => each.mode === mode);
      return FORMATS.ms(row ? figure(row, metric) : null);
    },
  };
}
