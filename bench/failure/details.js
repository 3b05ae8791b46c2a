/**
 * What details.md of a failure run begins with: the other charts, what each fault does, and the complete tables.
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 */
import { isFailureBenchmark } from '../../src/audit/of-trials.js';
import { plural } from '../../src/format.js';
import { chart, heading, list, text } from '../../src/report/blocks.js';
import { milliseconds, NOT_MEASURED, TO_THE_END } from '../../src/report/trials/figures.js';
import { ALL_NOTE } from '../../src/report/trials/losses.js';
import { filled } from '../../src/sentences.js';
import { median } from '../../src/stats/statistics.js';
import { ownAudits } from '../experiments/cases.js';
import { explainedScenarios, faultTitle, scenarioTitle } from '../experiments/rows.js';
import { failureOverview } from './charts.js';
import { libraryTable, modeTable, riskTable, section } from './tables.js';
import { WORDS } from './words.js';

const { headings, link } = WORDS;

/** @param {Result} result @returns {Block[]} */
export function failureDetails(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const charts = failureOverview(result);
  const modes = modeTable(failures);
  const faults = explainedScenarios(titlesIn(failures));
  const notes = modeNotes(failures, result.profile.trials ?? 0);
  return [
    ...(charts.length > 0 ? [heading(2, headings.charts)] : []),
    ...charts.map(chart),
    ...(faults.length > 0 ? [heading(2, headings.faults), list(faults)] : []),
    ...section(heading(2, headings.risks), riskTable(failures), text(WORDS.risks)),
    ...section(heading(2, headings.modes), modes, ...missing(result, modes), list(notes)),
    ...section(
      heading(3, headings.placed),
      modeTable(failures, { placed: true }),
      text(`${WORDS.places}.${separatedBy(failures)}`),
    ),
    ...section(heading(3, headings.libraries), libraryTable(failures), list(WORDS.libraries)),
  ];
}

/** @param {readonly BenchmarkResult[]} failures @returns {string[]} of the faults in which a write was acknowledged */
function titlesIn(failures) {
  const titles = failures.flatMap((benchmark) =>
    benchmark.cases
      .filter((one) => ownAudits(benchmark, one).some(({ acked }) => acked > 0))
      .map((one) => faultTitle(benchmark, one)),
  );
  return [...new Set(titles)];
}

/** @param {readonly BenchmarkResult[]} failures */
function separatedBy(failures) {
  const by = new Set(failures.flatMap(({ timeline = [] }) => timeline.flatMap(({ network }) => network ?? [])));
  return by.size === 0 ? '' : filled(WORDS.separated, { by: [...by].join(' and ') });
}

/** Faults that are not in the table must not look like faults without a loss. @param {Result} result @param {TableBlock} whole */
function missing({ benchmarks }, { rows }) {
  const without = benchmarks.filter(
    ({ name, status }) => status !== 'ok' && rows.every(({ benchmark }) => benchmark.name !== name),
  );
  const scenarios = without.map(({ name, status }) => `${scenarioTitle(name)} (${status})`).join(', ');
  return without.length === 0 ? [] : [text(filled(WORDS.notMeasured, { scenarios }))];
}

/** @param {readonly BenchmarkResult[]} benchmarks @param {number} trialsAsked trials a case; 0: unknown */
function modeNotes(benchmarks, trialsAsked) {
  const rounds = benchmarks.flatMap(({ timeline = [] }) => timeline.map(({ round }) => round));
  const trials = Math.max(0, ...rounds, trialsAsked);
  const several = (/** @type {string} */ name) => (trials > 1 ? filled(WORDS.several[name], { trials }) : '');
  const values = {
    ...{ sums: several('sums'), middle: several('middle'), longest: several('longest') },
    ...{ all: ALL_NOTE, toTheEnd: TO_THE_END, notMeasured: NOT_MEASURED },
  };
  return [...WORDS.modes.map((/** @type {string} */ note) => filled(note, values)), ...linkNotes(benchmarks)];
}

/** @param {readonly BenchmarkResult[]} benchmarks */
function linkNotes(benchmarks) {
  const [only, ...others] = new Set(
    benchmarks.flatMap(({ cases }) => cases.map(({ params }) => params.linkLatencyMs ?? 0)),
  );
  const measured = benchmarks
    .flatMap(({ timeline = [] }) => timeline.map(({ linkMs }) => linkMs))
    .filter((ms) => ms !== null);
  if (measured.length === 0) return [];
  const trials = plural(measured.length, 'trial');
  const round = filled(link.round, { median: milliseconds(median(measured)), trials });
  const note = others.length > 0 ? link.several : only > 0 ? link.added : link.none;
  return [filled(note, { round, added: milliseconds(only) })];
}
