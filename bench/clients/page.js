/**
 * The front page of a run: a table of the libraries that a reader understands in a minute.
 *
 * @import { Block, Item } from '../../src/report/blocks.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Library } from './figures.js'
 */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverOf } from '../../src/drivers/writer-name.js';
import { count, plural } from '../../src/format.js';
import { chart, list, text } from '../../src/report/blocks.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { isFailureBenchmark, milliseconds } from '../../src/report/trials/figures.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { sum } from '../../src/stats/statistics.js';
import { BEST, REFERENCE } from './cases.js';
import { ASYNC, cellsOf, leavingOf, librariesOf, RUNBOOK, waitsOnConnection, worstOf } from './figures.js';
import { isToCopy, shortTitle, titleOf } from './names.js';
import { SCENARIOS } from './scenarios.js';
import { scenarioOf, tableOf } from './table.js';

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function clientsPage(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const variants = new Set(failures.flatMap(cellsOf).map(({ variant }) => variant));
  const shown = variants.has('') ? '' : ([...variants][0] ?? '');
  const all = librariesOf(failures, shown);
  const drivers = all.filter(({ writer }) => writer !== REFERENCE);
  const libraries = drivers.filter((library) => !isToCopy(library));
  const ours = all.filter((library) => !libraries.includes(library));
  const drawn = lossMap(failures, shown);
  const best = shown === '' ? librariesOf(failures, BEST) : [];
  return {
    answer:
      libraries.length === 0
        ? ['No driver is built here: run `sentinel-bench drivers build`.']
        : answerOf(failures, { libraries, toCopy: drivers.filter(isToCopy), shown }),
    evidence: [...(drawn ? [chart(drawn)] : []), ...tableOf(failures, [...libraries, ...ours], best)],
    actions: actionsOf(failures, { libraries, best, shown }),
    limits: limitsOf(failures),
    covers: SCENARIOS.map(({ name }) => name),
  };
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {{libraries: readonly Library[], toCopy: readonly Library[], shown: string}} page shown: the variant of the cases
 * @returns {string[]}
 */
function answerOf(failures, { libraries, toCopy, shown }) {
  const leaving = libraries.flatMap((library) => {
    const found = leavingOf(failures, library);
    return found === null ? [] : [{ ...found, title: shortTitle(library) }];
  });
  const staying = leaving.filter(({ leaves }) => leaves === 'no');
  const late = leaving.filter(({ leaves }) => leaves === 'late');
  const elsewhere = libraries.filter((library) => waitsOnConnection(library) === false);
  const twice = libraries.filter(({ cells }) => sum(cells.map(({ appliedTwice }) => appliedTwice ?? 0)) > 0);
  const stuck = libraries.filter(({ cells }) => cells.some(({ outageMs }) => outageMs === Number.POSITIVE_INFINITY));
  const most = Math.max(0, ...staying.map(({ seconds }) => seconds));
  const everywhere = libraries.flatMap(({ cells }) => cells);
  const worst = everywhere.length > 0 ? worstOf(everywhere, 'lostSeconds') : null;
  return [
    ...(leaving.length > 0
      ? [
          (staying.length === 0
            ? `After SENTINEL FAILOVER all ${leaving.length} libraries with ${optionsText(shown)} (${trialsText(failures)} each) leave the old primary before it is demoted.`
            : `After SENTINEL FAILOVER ${staying.length} of ${leaving.length} libraries with ${optionsText(shown)} (${trialsText(failures)} each) stay with the old primary until it is demoted, and lose up to ${milliseconds(most * 1000)} of acknowledged writes there${worst && worst.lostSeconds > most ? `, and up to ${milliseconds(worst.lostSeconds * 1000)} elsewhere (${scenarioOf(worst.benchmark)})` : ''}: ${staying.map(({ title }) => title).join(', ')}.`) +
            (late.length > 0
              ? ` Some connections of ${late.map(({ title }) => title).join(', ')} stay for a while.`
              : ''),
        ]
      : []),
    ...(elsewhere.length > 0
      ? [
          `The library picks a connection for each command, so \`WAIT\` may run on another one than the write, and its count proves nothing: ${elsewhere.map(shortTitle).join(', ')}.`,
        ]
      : []),
    ...(twice.length > 0
      ? [
          `Writes were applied twice, because the library repeats them silently (an INCR counts twice): ${twice.map(shortTitle).join(', ')}.`,
        ]
      : []),
    ...(stuck.length > 0
      ? [`In at least one failure these did not write again: ${stuck.map(shortTitle).join(', ')}.`]
      : []),
    ...(toCopy.length > 0
      ? [
          `${copiedLoss(failures, toCopy)} Each count of \`WAIT\` is that of the write’s connection (${count(sum(toCopy.map(falseAcksOf)))} false acknowledgements). No client saves what the mode loses: \`config-sweep\` says which mode to use.`,
        ]
      : []),
  ];
}

/** @param {string} variant of the cases */
function optionsText(variant) {
  if (variant === '') return 'default options';
  return variant === BEST ? 'the best options that they offer' : `their variant ${variant}`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {string} shown the variant of the cases
 * @returns {Chart | null} seconds lost by library and failure, without WAIT
 */
function lossMap(failures, shown) {
  const cells = failures.flatMap(cellsOf).filter(({ mode, variant }) => mode === 'async' && variant === shown);
  const worst = cells.length > 0 ? worstOf(cells, 'lostSeconds') : null;
  return gridChart({
    id: 'clients.losses',
    title: 'Acknowledged writes lost by library and failure, without WAIT',
    alt:
      worst === null || worst.lost === 0
        ? 'No library lost a write.'
        : `Most: ${titleOf(worst)}, ${milliseconds(worst.lostSeconds * 1000)}, ${scenarioOf(worst.benchmark)}.`,
    note: 'Seconds of acknowledged writes, worst trial. Empty: not measured.',
    value: { name: 'seconds lost', format: 'seconds' },
    more: [
      { name: 'writes lost', format: 'count' },
      { name: 'trials', format: 'count' },
    ],
    limits: [1, 3, 8],
    names: ['none', 'below 1 s', '1 to 3 s', '3 to 8 s', '8 s and more'],
    squares: cells.map(({ benchmark, writer, lostSeconds, lost, trials }) => ({
      scenario: titleOf({ writer }),
      writer: '',
      column: scenarioOf(benchmark),
      value: lostSeconds,
      text: lost === 0 ? '0' : milliseconds(lostSeconds * 1000),
      more: [lost, trials],
    })),
  });
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {{libraries: readonly Library[], best: readonly Library[], shown: string}} page
 * @returns {Block[]} what to do, and what the documentation of each library offers
 */
function actionsOf(failures, { libraries, best, shown }) {
  const settings = settingsOf(failures, libraries);
  const first = [
    ...runbookAction(libraries),
    'If your library stays with an old primary, copy a client: Go `examples/go`, Java `examples/java`, Node.js `examples/node-redis.js` or ' +
      '`examples/ioredis.js`, Python `examples/python`. It leaves at `+switch-master`, and confirms a write only with a `WAIT` of the same connection. There is no such client for PHP, Ruby and Rust. ' +
      'Read the number that `WAIT` returns. A lower one than you asked for is no error: the write is not confirmed, but it stays. A write that timed out may have been applied, too, so never repeat an INCR blindly.',
  ];
  return [
    ...(first.length > 0 ? [list(first)] : []),
    ...(settings.length === 0
      ? []
      : [
          text(
            'Settings of the libraries against endless waiting, silent repeats and a `WAIT` on another connection. The times are for a `WAIT` of at most 1 s: blocking commands and long scripts need longer ones. ' +
              `Your application then sees errors that the library hid, and has to handle them. ${measuredText(best, shown)}`,
          ),
          list(settings),
        ]),
  ];
}

/**
 * @param {readonly Library[]} best
 * @param {string} shown the variant of the cases in the table
 * @returns {string} where the best options were measured
 */
function measuredText(best, shown) {
  if (shown === BEST) return 'The libraries were measured with them.';
  if (best.length > 0) return 'The last column of the table was measured with them.';
  return 'They were not measured here: add `--driver-variant defaults --driver-variant best` to the command below.';
}

/**
 * @param {readonly Library[]} libraries
 * @returns {string[]}
 */
function runbookAction(libraries) {
  const cells = libraries.flatMap((library) => library.cells.filter(({ benchmark }) => benchmark === RUNBOOK));
  if (cells.length === 0) return [];
  const trials = Math.max(...cells.map((cell) => cell.trials));
  return [
    `Fail over by \`examples/planned-failover.sh\`: all libraries together lost ${count(sum(cells.map(({ lost }) => lost)))} writes there (${plural(trials, 'trial')} a mode), whatever they do at \`SENTINEL FAILOVER\`.`,
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly Library[]} libraries
 * @returns {Item[]} one for each language
 */
function settingsOf(failures, libraries) {
  const languages = new Map(
    failures.flatMap(({ audit = [] }) => audit).map(({ writer, library }) => [driverOf(writer)?.driver, library]),
  );
  return readLanguages().flatMap(({ language, drivers }) => {
    /** Libraries of the language by what to set. @type {Map<string, string[]>} */
    const bySetting = new Map();
    for (const { name, title, variants } of drivers) {
      const setting = variants[BEST];
      if (!setting || !libraries.some(({ writer }) => driverOf(writer)?.driver === name)) continue;
      bySetting.set(setting, [...(bySetting.get(setting) ?? []), title]);
    }
    if (bySetting.size === 0) return [];
    const version = drivers.map(({ name }) => languages.get(name)?.language).find(Boolean);
    const texts = [...bySetting].map(([setting, those]) => `${those.join(', ')}: ${setting}`);
    return [{ name: version ?? language, text: `${texts.join('. ')}.`, details: [] }];
  });
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]}
 */
function limitsOf(failures) {
  const trials = Math.min(...failures.flatMap(cellsOf).map((cell) => cell.trials));
  if (!Number.isFinite(trials)) return [];
  return [
    `${plural(trials, 'trial')} without a loss still ${trials === 1 ? 'allows' : 'allow'} a loss in up to ${Math.round(100 * riskBound(trials))}% of failures (95% confidence). Failures: ${measuredTitles(failures)}. A fault lasts until a replica was promoted and a few seconds more (\`details.md\`); a longer one loses more.`,
    'A library writes with APPEND, so that a write applied twice shows. A killed process on one machine loses nothing that the kernel still delivers. ' +
      'All libraries share the machine, so outages include waiting for a CPU. How a driver reports is checked with `sentinel-bench driver check`.',
  ];
}

/** @param {readonly BenchmarkResult[]} failures */
function measuredTitles(failures) {
  return failures
    .filter(({ cases }) => cases.length > 0)
    .map(({ name }) => scenarioOf(name))
    .join('; ');
}

/** @param {readonly BenchmarkResult[]} failures */
function trialsText(failures) {
  const numbers = failures.flatMap(cellsOf).map((cell) => cell.trials);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? plural(most, 'trial') : `${least} to ${most} trials`;
}

/** @param {Library} library */
function falseAcksOf({ cells }) {
  return sum(cells.map(({ falseAcks }) => falseAcks));
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly Library[]} toCopy
 * @returns {string} a sentence
 */
function copiedLoss(failures, toCopy) {
  const cells = toCopy.flatMap((library) => library.cells);
  const time = (/** @type {number} */ seconds) => milliseconds(1000 * seconds);
  const left = toCopy.flatMap((library) => leavingOf(failures, library)?.seconds ?? []);
  const worst = [true, false].flatMap((isAsync) => {
    const own = cells.filter(({ mode }) => (mode === ASYNC) === isAsync);
    return own.length === 0
      ? []
      : `${time(worstOf(own, 'lostSeconds').lostSeconds)} in the worst failure ${isAsync ? 'without WAIT' : 'with WAIT 1'}`;
  });
  const parts = [...(left.length === 0 ? [] : [`${time(Math.max(...left))} after SENTINEL FAILOVER`]), ...worst];
  return `The clients to copy in examples/ lost at most ${parts.join(', ')}.`;
}
