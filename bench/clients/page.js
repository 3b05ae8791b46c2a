/**
 * The front page of a run: a table of the libraries that a reader understands in a minute.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Library } from './figures.js'
 */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverOf } from '../../src/drivers/writer-name.js';
import { writerTitle } from '../../src/registry/writers.js';
import { chart, heading, list, table, text } from '../../src/report/blocks.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { count, plural } from '../../src/report/format.js';
import { isFailureBenchmark, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { sum } from '../../src/stats/statistics.js';
import { BEST, REFERENCE } from './cases.js';
import { cellsOf, leavingOf, librariesOf, RUNBOOK, waitsOnConnection, worstOf } from './figures.js';
import { SCENARIOS } from './scenarios.js';

const LEAVES = Object.freeze({ soon: 'yes', late: 'late', no: 'no' });
/** In the titles of the clients that this project offers to copy. */
const TO_COPY = 'examples/';

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function clientsPage(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const all = librariesOf(failures);
  const drivers = all.filter(({ writer }) => writer !== REFERENCE);
  const libraries = drivers.filter((library) => !isToCopy(library));
  const ours = all.filter((library) => !libraries.includes(library));
  const drawn = lossMap(failures);
  return {
    answer:
      libraries.length === 0
        ? ['No driver is built here: run `sentinel-bench drivers build`.']
        : answerOf(failures, libraries, drivers.filter(isToCopy)),
    evidence: [...(drawn ? [chart(drawn)] : []), ...tableOf(failures, [...libraries, ...ours])],
    actions: actionsOf(failures, libraries, drivers.filter(isToCopy)),
    limits: limitsOf(failures),
    covers: SCENARIOS.map(({ name }) => name),
  };
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly Library[]} libraries
 * @param {readonly Library[]} toCopy
 * @returns {string[]}
 */
function answerOf(failures, libraries, toCopy) {
  const leaving = libraries.flatMap((library) => {
    const found = leavingOf(failures, library);
    return found === null ? [] : [{ ...found, title: titleOf(library) }];
  });
  const staying = leaving.filter(({ leaves }) => leaves === 'no');
  const late = leaving.filter(({ leaves }) => leaves === 'late');
  const elsewhere = libraries.filter((library) => waitsOnConnection(library) === false);
  const twice = libraries.filter(({ cells }) => sum(cells.map(({ appliedTwice }) => appliedTwice)) > 0);
  const stuck = libraries.filter(({ cells }) => cells.some(({ outageMs }) => outageMs === Number.POSITIVE_INFINITY));
  const most = Math.max(0, ...staying.map(({ seconds }) => seconds));
  return [
    ...(leaving.length > 0
      ? [
          (staying.length === 0
            ? `After SENTINEL FAILOVER all ${leaving.length} libraries leave the old primary before it is demoted.`
            : `After SENTINEL FAILOVER ${staying.length} of ${leaving.length} libraries with default options stay with the old primary until it is demoted, and lose up to ${milliseconds(most * 1000)} of acknowledged writes: ${staying.map(({ title }) => title).join(', ')}.`) +
            (late.length > 0
              ? ` Some connections of ${late.map(({ title }) => title).join(', ')} stay for a while.`
              : ''),
        ]
      : []),
    ...(elsewhere.length > 0
      ? [
          `\`WAIT\` may run on another connection than the write, so its count proves nothing: ${elsewhere.map(titleOf).join(', ')}.`,
        ]
      : []),
    ...(twice.length > 0
      ? [
          `Writes were applied twice, because the library repeats them silently (an INCR counts twice): ${twice.map(titleOf).join(', ')}.`,
        ]
      : []),
    ...(stuck.length > 0
      ? [`In at least one failure these did not write again: ${stuck.map(titleOf).join(', ')}.`]
      : []),
    ...(toCopy.length > 0
      ? [
          `The clients to copy in examples/ ${copiedLoss(failures, toCopy)}have ${count(sum(toCopy.map(falseAcksOf)))} false acknowledgements in all failures.`,
        ]
      : []),
    `${libraries.length === 1 ? 'One library' : `${libraries.length} libraries`} wrote side by side in ${plural(failures.length, 'failure')}, ${trialsText(failures)} each.`,
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly Library[]} libraries
 * @returns {Block[]}
 */
function tableOf(failures, libraries) {
  if (libraries.length === 0) return [];
  const rows = libraries.map((library) => {
    const leaving = leavingOf(failures, library);
    const twice = sum(library.cells.map(({ appliedTwice }) => appliedTwice));
    const waits = waitsOnConnection(library);
    const loss = worstOf(library.cells, 'lostSeconds');
    const outage = worstOf(library.cells, 'outageMs');
    return [
      titleOf(library),
      leaving === null ? NOT_MEASURED : `${LEAVES[leaving.leaves]}, ${milliseconds(leaving.seconds * 1000)}`,
      twice === 0 ? 'not seen' : `yes, ${count(twice)} applied twice`,
      waits === null ? NOT_MEASURED : waits ? 'yes' : 'no',
      loss.lost === 0 ? '0' : `${milliseconds(loss.lostSeconds * 1000)}, ${placeOf(loss)}`,
      `${milliseconds(outage.outageMs)}, ${placeOf(outage)}`,
    ];
  });
  return [
    heading(2, 'Libraries'),
    text(
      'Default options, as each library’s documentation shows. An old primary accepts writes until a Sentinel demotes it, about ten seconds after ' +
        'SENTINEL FAILOVER; they are lost. The second column has that loss. Losses in seconds of acknowledged writes; each figure is that of the ' +
        `worst trial. Last rows: the clients to copy, and ${writerTitle(REFERENCE)}, a careful client without a library.`,
    ),
    table(
      [
        'library',
        'leaves an old primary? lost at SENTINEL FAILOVER',
        'repeats silently?',
        'WAIT on the same connection?',
        'worst loss',
        'worst outage',
      ],
      rows,
    ),
    ...versionsOf(failures),
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Block[]} the version of each library, by language; empty: an earlier result, without versions
 */
function versionsOf(failures) {
  /** @type {Map<string, Set<string>>} */
  const byLanguage = new Map();
  for (const { writer, library } of failures.flatMap(({ audit = [] }) => audit)) {
    if (!library || isToCopy({ writer })) continue;
    const those = byLanguage.get(library.language) ?? new Set();
    byLanguage.set(library.language, those.add(`${library.name} ${library.version}`));
  }
  if (byLanguage.size === 0) return [];
  const versions = [...byLanguage].map(([language, libraries]) => `${language}: ${[...libraries].join(', ')}`);
  return [text(`Versions. ${versions.join('. ')}.`)];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Chart | null} seconds lost by library and failure, without WAIT
 */
function lossMap(failures) {
  const cells = failures.flatMap(cellsOf).filter(({ mode, variant }) => mode === 'async' && variant === '');
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
 * @param {readonly Library[]} libraries
 * @param {readonly Library[]} toCopy
 * @returns {Block[]} what to do, and what the documentation of each library offers
 */
function actionsOf(failures, libraries, toCopy) {
  const settings = settingsOf(failures, libraries);
  const first = [
    ...runbookAction(libraries),
    ...(toCopy.length > 0
      ? [
          `If your library stays with an old primary, copy a client: ${toCopy.map((library) => titleOf(library).replace(/ .*/, '')).join(', ')}. ` +
            'It leaves at `+switch-master`, and confirms a write only with a `WAIT` of the same connection.',
        ]
      : []),
  ];
  return [
    ...(first.length > 0 ? [list(first)] : []),
    ...(settings.length === 0
      ? []
      : [
          text(
            'Settings that libraries offer against endless waiting, silent repeats and a `WAIT` on another connection. Times are for a `WAIT` of at most 1 s. ' +
              'They were measured only where a row of the table says so. With them your application sees errors that the library hid: it has to handle them.',
          ),
          list(settings),
        ]),
  ];
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
 * @returns {string[]} a line for each language, with what they changed where it was measured
 */
function settingsOf(failures, libraries) {
  const best = librariesOf(failures, BEST);
  return readLanguages().flatMap(({ language, drivers }) => {
    /** Libraries of the language by what to set. @type {Map<string, string[]>} */
    const bySetting = new Map();
    for (const { name, variants } of drivers) {
      const measured = libraries.find(({ writer }) => driverOf(writer)?.driver === name);
      const setting = variants[BEST];
      if (!measured || !setting) continue;
      const after = best.find(({ writer }) => driverOf(writer)?.driver === name);
      const gain = after ? ` (worst loss ${lossText(measured.cells)} → ${lossText(after.cells)})` : '';
      bySetting.set(setting, [...(bySetting.get(setting) ?? []), `${name}${gain}`]);
    }
    if (bySetting.size === 0) return [];
    return [`${language}. ${[...bySetting].map(([setting, those]) => `${those.join(', ')}: ${setting}`).join('. ')}.`];
  });
}

/** @param {Library['cells']} cells */
function lossText(cells) {
  const { lostSeconds } = worstOf(cells, 'lostSeconds');
  return lostSeconds === 0 ? '0' : milliseconds(lostSeconds * 1000);
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]}
 */
function limitsOf(failures) {
  const trials = Math.min(...failures.flatMap(cellsOf).map((cell) => cell.trials));
  if (!Number.isFinite(trials)) return [];
  return [
    `${plural(trials, 'trial')} without a loss still ${trials === 1 ? 'allows' : 'allow'} a loss in up to ${Math.round(100 * riskBound(trials))}% of failures (95% confidence).`,
    'A library writes with APPEND, so that a write applied twice shows. A killed process on one machine loses nothing that the kernel still delivers. ' +
      'All libraries share the machine, so outages include waiting for a CPU. How a driver reports is checked with `sentinel-bench driver check`.',
  ];
}

/** @param {readonly BenchmarkResult[]} failures */
function trialsText(failures) {
  const numbers = failures.flatMap(cellsOf).map((cell) => cell.trials);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? plural(most, 'trial') : `${least} to ${most} trials`;
}

/** @param {Pick<Library, 'writer'>} library */
function titleOf({ writer }) {
  const driver = driverOf(writer)?.driver;
  for (const { language, drivers } of driver === undefined ? [] : readLanguages()) {
    const found = drivers.find(({ name }) => name === driver);
    if (found) return `${found.title} (${language})`;
  }
  return writerTitle(writer);
}

/** @param {Pick<Library, 'writer'>} library */
function isToCopy(library) {
  return titleOf(library).includes(TO_COPY);
}

/** @param {Library} library */
function falseAcksOf({ cells }) {
  return sum(cells.map(({ falseAcks }) => falseAcks));
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly Library[]} toCopy
 * @returns {string}
 */
function copiedLoss(failures, toCopy) {
  const seconds = toCopy.flatMap((library) => leavingOf(failures, library)?.seconds ?? []);
  return seconds.length === 0
    ? ''
    : `lose at most ${milliseconds(1000 * Math.max(...seconds))} after SENTINEL FAILOVER, and `;
}

/** @param {{benchmark: string, mode: string}} cell */
function placeOf({ benchmark, mode }) {
  return mode === 'async' ? scenarioOf(benchmark) : `${scenarioOf(benchmark)}, WAIT 1`;
}

/** @param {string} benchmark */
function scenarioOf(benchmark) {
  return SCENARIOS.find(({ name }) => name === benchmark)?.title ?? benchmark;
}
