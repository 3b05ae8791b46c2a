/**
 * The executive page: one page of Markdown over the latest run of each suite, for people who decide.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { Loss } from '../../src/report/trials/losses.js'
 * @import { DecisionRow } from '../sweep/decision.js'
 * @import { LatestRun } from '../../src/report/latest-runs.js'
 */

import { count, percent, plural, serverText } from '../../src/format.js';
import { code, escapeProse, markdown, renderBlocks, rightAligned, table, text } from '../../src/report/blocks.js';
import { commandOf } from '../../src/report/frame.js';
import { environmentText } from '../../src/report/scope.js';
import { isFailureBenchmark } from '../../src/report/trials/figures.js';
import { timeText, trialsText } from '../../src/report/trials/losses.js';
import { HEALED_NOTE } from '../../src/report/trials/outages.js';
import { articles } from '../claims/index.js';
import { faultTitles } from '../experiments/decision-faults.js';
import { libraryAnswer } from '../failure/libraries.js';
import { failoverRunbook } from '../pages/planned-failover.js';
import { clientText, pasteOf } from '../sweep/configuration.js';
import { decisionRows, isTested, lossIn, testedFaults } from '../sweep/decision.js';
import { sweepAnswer } from '../sweep/page.js';
import { recommend } from '../sweep/recommend.js';
import { latenciesOf, modeCells, shownModes } from './modes.js';

const MAIN = 'main';
const SWEEP = 'config-sweep';
const FAILURE = 'failure';
const QUESTION =
  'Which durability mode should Redis or Valkey with Sentinel run with, what does it cost, and what can still be lost?';
/** What is missing on the page without a run of the suite. */
const SHOWS = Object.freeze({
  [SWEEP]: 'A recommended mode, its cost, and writes with one replica frozen',
  [MAIN]: 'Latency at a distance and at a fixed rate',
  [FAILURE]: 'Losses through client libraries',
});
const LINKS = Object.freeze([
  '[WAIT](https://redis.io/docs/latest/commands/wait/)',
  '[Redis Sentinel](https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/)',
  '[replication](https://redis.io/docs/latest/operate/oss_and_stack/management/replication/)',
  '[Valkey: WAIT](https://valkey.io/commands/wait/)',
]);
const UNKNOWN_RISKS = 'Unknown: no failure was measured.';
/** After the number of trials. */
const RISKS =
  'a loss that happens rarely may not have been seen, and faults that were not tried may lose writes. `sentinel-bench search` tries random sequences of faults.';
const FROZEN_NOTE = 'One replica frozen: share of the writes acked at the end of its freeze.';
/** Instead of an answer. */
const NO_FAULT = 'Unknown: no mode went through a failure, so nothing is known about losses.';
const NO_SWEEP = 'No mode is recommended, because no configuration sweep was found.';

/** @typedef {ReadonlyMap<string, LatestRun>} Runs by suite */

/**
 * @param {Runs} runs at least one
 * @returns {string} Markdown of at most 45 lines; ends with a line break
 */
export function summaryPage(runs) {
  const [main, sweep, failure] = [MAIN, SWEEP, FAILURE].map((suite) => runs.get(suite)?.result);
  const faults = sweep ?? failure;
  // Faults that the sweep did not test come from the run of the suite failure.
  const rows = decisionRows(sweep, failure);
  const best = sweep ? (recommend(sweep, undefined, rows).best?.row ?? null) : null;
  const shown = shownModes(best);
  const shownRows = rows.filter(({ mode, note }) => shown.includes(mode) && note === null);
  const latencies = latenciesOf(main);
  const masterName = faults?.stack.masterName ?? 'mymaster';
  const titles = ['acknowledged writes lost', 'longest outage', 'one replica frozen'];
  const blocks = [
    markdown(`${runsText(runs)} ${escapeProse(warnings(runs))}`.trimEnd()),
    markdown(`**Question.** ${QUESTION}`),
    ...answerOf(sweep, rows),
    table(
      ['mode', ...rightAligned([...titles, ...latencies.map(({ title }) => title)])],
      modeCells(rows, shown, latencies),
      { compact: true },
    ),
    text(noteOf(shownRows, latencies, sourceText(sweep, rows))),
    ...configuration(best, masterName),
    markdown(`**Client.** ${clientMarkdown(best, failure)}`),
    markdown(`**Planned failover.** ${escapeProse(plannedText(rows, best))}`),
    code(best ? pasteOf(best, masterName).runbook : failoverRunbook('MASTER_NAME'), 'sh'),
    markdown(
      [
        `**Residual risk.** ${escapeProse(risks(rows))}`,
        `**When not to use it.** ${whenNot(best)}`,
        ...notMeasured(runs),
        ...reproduce(runs),
        `**Sources.** ${LINKS.join(', ')}. Articles: ${articles()
          .map(({ title }) => escapeProse(title))
          .join('; ')}.`,
      ]
        .map((item) => `- ${item}`)
        .join('\n'),
    ),
  ];
  return `# sentinel-bench: summary\n\n${renderBlocks(blocks, NO_CHARTS)}\n`;
}
const NO_CHARTS = Object.freeze({ figure: () => '' });

/**
 * @param {Result | undefined} sweep
 * @param {readonly DecisionRow[]} rows
 * @returns {string} where the losses come from
 */
function sourceText(sweep, rows) {
  if (!sweep) return `\`${FAILURE}\``;
  const sweepFaults = testedFaults(decisionRows(sweep));
  const others = testedFaults(rows).filter((fault) => !sweepFaults.includes(fault));
  return `\`${SWEEP}\`${others.length === 0 ? '' : `, and from \`${FAILURE}\` for: ${faultTitles(others)}`}`;
}

/**
 * @param {Runs} runs
 * @returns {LatestRun[]} whose figures the page shows
 */
function used(runs) {
  return [SWEEP, MAIN, FAILURE].flatMap((suite) => runs.get(suite) ?? []);
}

/** @param {Runs} runs */
function reproduce(runs) {
  const commands = used(runs).map(({ result }) => escapeProse(`\`${commandOf(result)}\``));
  return commands.length === 0 ? [] : [`**Reproduce.** ${commands.join('; ')}`];
}

/** @param {Runs} runs */
function runsText(runs) {
  const link = (/** @type {LatestRun} */ { folder, result: { suite, startedAt, profile } }) =>
    `[${escapeProse(suite)}](<${encodeURI(folder)}/report.md>) (${startedAt.slice(0, 10)}, ${escapeProse(profile.name)})`;
  const usedRuns = used(runs);
  const others = [...runs.values()].filter((run) => !usedRuns.includes(run));
  return [
    `Latest runs: ${usedRuns.length > 0 ? usedRuns.map(link).join(', ') : 'none of the suites that this page needs'}.`,
    ...(others.length > 0 ? [`Further runs: ${others.map(link).join(', ')}.`] : []),
    escapeProse(`Measured on ${environmentText([...usedRuns, ...others][0].result)}.`),
  ].join(' ');
}

/**
 * @param {Runs} runs
 * @returns {string} after a space, what keeps the figures from being read together; empty: nothing
 */
function warnings(runs) {
  const usedResults = used(runs).map(({ result }) => result);
  const differences = [
    ...differing(usedResults, 'servers', ({ stack }) => serverText(stack.server)),
    ...differing(usedResults, 'backends', ({ stack }) => stack.backend),
    ...differing(usedResults, 'machines', ({ environment: { cores, cpuModel } }) => `${cores} × ${cpuModel}`),
  ];
  const failed = usedResults.flatMap(({ suite, benchmarks }) => {
    const checks = benchmarks.flatMap((benchmark) => benchmark.checks).filter(({ ok }) => !ok).length;
    const broken = benchmarks.filter(({ status }) => status === 'failed').length;
    return checks + broken === 0
      ? []
      : [`${suite}: ${plural(checks, 'failed check')}, ${plural(broken, 'failed benchmark')}`];
  });
  return [
    ...(differences.length > 0
      ? [`The runs differ in ${differences.join('; ')}. Do not compare figures of different suites.`]
      : []),
    ...(failed.length > 0 ? [`Failures, see the reports: ${failed.join('; ')}.`] : []),
  ].join(' ');
}

/**
 * @param {readonly Result[]} results
 * @param {string} what
 * @param {(result: Result) => string} pick
 * @returns {string[]} one text; empty: all have the same value
 */
function differing(results, what, pick) {
  const values = new Set(results.map(pick));
  if (values.size < 2) return [];
  return [`${what} (${results.map((result) => `${result.suite}: ${pick(result)}`).join(', ')})`];
}

/**
 * @param {Result | undefined} sweep
 * @param {readonly DecisionRow[]} rows
 * @returns {Block[]} that of the sweep
 */
function answerOf(sweep, rows) {
  const none = rows.some(isTested) ? NO_SWEEP : NO_FAULT;
  if (sweep === undefined || none === NO_FAULT) return [markdown(`**Answer.** ${none}`)];
  return [markdown('**Answer.**'), markdown(sweepAnswer(sweep, rows))];
}

/**
 * @param {readonly DecisionRow[]} rows
 * @param {ReturnType<typeof latenciesOf>} latencies
 * @param {string} source where the losses come from
 */
function noteOf(rows, latencies, source) {
  const losses = rows.flatMap(({ trials }) => trials).map(({ loss }) => loss);
  return [
    ...(losses.length > 0
      ? [
          `Lost: in the worst trial (seconds of acknowledged writes); ${trialsText(losses)} each, from ${source}. ` +
            `Outage: longest time without an acknowledgement, median of the trials. ${HEALED_NOTE}. ${FROZEN_NOTE}`,
        ]
      : []),
    ...latencies.map(({ note }) => note),
    ...(latencies.length > 0 ? ['Latencies are those of the mode’s `WAIT`; medians with intervals over rounds.'] : []),
    '–: not measured.',
  ].join(' ');
}

/**
 * @param {DecisionRow | null} best
 * @param {string} masterName
 */
function configuration(best, masterName) {
  if (best === null) return [];
  const { rollOut } = pasteOf(best, masterName);
  return [markdown(`**Configuration** of ${escapeProse(best.title)}:`), code(rollOut, 'sh')];
}

/**
 * @param {DecisionRow | null} best
 * @param {Result | undefined} failure
 */
function clientMarkdown(best, failure) {
  const does = best ? [escapeProse(`With ${best.title}: ${clientText(best)}.`)] : [];
  const lost = failure ? libraryAnswer(failure.benchmarks.filter(isFailureBenchmark)).map(escapeProse) : [];
  return [
    ...does,
    'Copy a client from [examples/](examples/README.md): it sends a write and its `WAIT` on one connection, reads the count, and leaves ' +
      'the old primary at `+switch-master`.',
    ...lost,
  ].join(' ');
}

/**
 * @param {readonly DecisionRow[]} rows
 * @param {DecisionRow | null} best whose losses count if it was tested
 */
function plannedText(rows, best) {
  const tested = (/** @type {'failover' | 'runbook' | 'coordinated'} */ fault) =>
    [best, ...rows].find((row) => row && lossIn(row, fault) !== null);
  const losses = /** @type {const} */ ([
    ['failover', 'A bare `SENTINEL FAILOVER` lost'],
    ['runbook', 'This runbook lost'],
    ['coordinated', '`SENTINEL FAILOVER … COORDINATED` lost'],
  ]).flatMap(([fault, what]) => {
    const row = tested(fault);
    const loss = row && lossIn(row, fault);
    if (!row || !loss) return [];
    return [`${what} ${lossText(loss)} acknowledged writes with ${row.title} (${trialsText([loss])}).`];
  });
  if (losses.length === 0) losses.push('Losses were not measured.');
  return [...losses, 'Hold writes until the old primary follows the new one:'].join(' ');
}

/** @param {Loss} loss */
function lossText(loss) {
  return `${count(loss.lost)} of ${count(loss.acked)}${loss.lost === 0 ? '' : timeText(loss)}`;
}

/** @param {readonly DecisionRow[]} rows */
function risks(rows) {
  const losses = rows.filter(isTested).flatMap(({ trials }) => trials.map(({ loss }) => loss));
  return losses.length > 0 ? `${trialsText(losses)} a fault: ${RISKS}` : UNKNOWN_RISKS;
}

/** @param {DecisionRow | null} best */
function whenNot(best) {
  const both = best?.down['both-replicas-down']?.of['confirmed-at-fault-end'];
  return [
    'If not one acknowledged write may ever be lost: `WAIT` does not make Redis a strongly consistent store ' +
      '([its documentation](https://redis.io/docs/latest/commands/wait/)).',
    ...(best && both && both.median < 1
      ? [
          escapeProse(
            `If writes must go on without replicas: with both frozen, ${best.title} acknowledged ${percent(both.median)} of them.`,
          ),
        ]
      : []),
  ].join(' ');
}

/**
 * @param {Runs} runs
 * @returns {string[]} one item; empty: nothing is missing
 */
function notMeasured(runs) {
  const missing = Object.entries(SHOWS).flatMap(([suite, what]) =>
    runs.has(suite) ? [] : [`${what}: \`sentinel-bench run --suite ${suite}\`.`],
  );
  const main = runs.get(MAIN)?.result;
  const latencies = latenciesOf(main).length;
  // Runs of earlier versions have neither benchmark.
  if (main && latencies < 2)
    missing.push(`${SHOWS[MAIN]}: \`sentinel-bench run distance durable-modes --profile standard\`.`);
  return missing.length === 0 ? [] : [`**Not measured.** ${missing.join(' ')}`];
}
