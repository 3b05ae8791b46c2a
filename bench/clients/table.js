/**
 * The table of the page: a row for each library, and what its columns mean.
 *
 * @import { Block, Item } from '../../src/report/blocks.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Cell, Library } from './figures.js'
 */
import { driverOf } from '../../src/drivers/writer-name.js';
import { count } from '../../src/format.js';
import { heading, list, table } from '../../src/report/blocks.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { ASYNC, leavingOf, waitsOnConnection, worstOf } from './figures.js';
import { driverEntry, isToCopy, titleOf, versionsOf } from './names.js';
import { SCENARIOS } from './scenarios.js';

const LEAVES = Object.freeze({ soon: 'yes', late: 'late', no: 'no' });

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly Library[]} libraries
 * @param {readonly Library[]} best the same libraries with their best options; empty: not measured
 * @returns {Block[]}
 */
export function tableOf(failures, libraries, best) {
  if (libraries.length === 0) return [];
  const versions = versionsOf(failures);
  const withBest = best.length > 0;
  const rows = libraries.map((library) => {
    const { writer, cells } = library;
    const async = cells.filter(({ mode }) => mode === ASYNC);
    const waited = cells.filter(({ mode }) => mode !== ASYNC);
    const outage = worstOf(cells, 'outageMs');
    const isOurs = isToCopy(library);
    return [
      titleOf(library, isOurs ? undefined : versions.get(writer)),
      leavingText(failures, library),
      lossText(async),
      lossText(waited),
      waitsOnConnection(library) === null ? NOT_MEASURED : shareText(waited, 'falseAcks', 'acked'),
      cells.some(({ appliedTwice }) => appliedTwice === null)
        ? NOT_MEASURED
        : shareText(cells, 'appliedTwice', 'attempted'),
      `${milliseconds(outage.outageMs)}, ${scenarioOf(outage.benchmark)}`,
      isOurs ? 'copy it' : (driverEntry(writer)?.setFirst ?? ''),
      ...(withBest ? [bestText(failures, library, best)] : []),
    ];
  });
  return [
    heading(2, 'Libraries'),
    list([
      meaning(
        'Leaves',
        'After SENTINEL FAILOVER the old primary takes writes for about ten seconds more; all of them are lost. The time is what the library lost there, async. `late`: some of its connections stayed.',
      ),
      meaning(
        'Worst loss',
        'seconds of acknowledged writes in the worst trial of all failures; then how many trials of that mode had a loss. `failover-aware` is the tool’s own client, which moves at once: about what it loses no library can keep in that mode. Worst outage: longest time without an acknowledgement, of all failures and modes; to the end: it did not write again.',
      ),
      meaning(
        'False acks',
        'writes acknowledged with WAIT 1 whose `WAIT` ran on another connection, or may have; of all such writes. A count that proves nothing need not be wrong.',
      ),
      meaning(
        'Applied twice',
        'the library repeated the write silently, and an INCR would count twice; of all writes sent.',
      ),
    ]),
    table(
      [
        'library',
        'leaves an old primary?',
        'worst loss, async',
        'worst loss, WAIT 1',
        'false acks',
        'applied twice',
        'worst outage',
        withBest ? 'set first' : 'set first (not measured)',
        ...(withBest ? ['with all settings: leaves, worst loss'] : []),
      ],
      rows,
    ),
  ];
}

/**
 * @param {string} name of columns
 * @param {string} text what they show
 * @returns {Item}
 */
function meaning(name, text) {
  return { name, text, details: [] };
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {Library} library
 * @returns {string}
 */
function leavingText(failures, library) {
  const leaving = leavingOf(failures, library);
  return leaving === null ? NOT_MEASURED : `${LEAVES[leaving.leaves]}, ${milliseconds(leaving.seconds * 1000)}`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {Library} library
 * @param {readonly Library[]} best
 * @returns {string}
 */
function bestText(failures, { writer }, best) {
  const found = best.find(
    (each) => driverOf(each.writer) && driverOf(each.writer)?.driver === driverOf(writer)?.driver,
  );
  if (found === undefined) return '';
  return `${leavingText(failures, found)}; ${lossText(found.cells.filter(({ mode }) => mode === ASYNC))}`;
}

/** @param {readonly Cell[]} cells of one mode */
function lossText(cells) {
  if (cells.length === 0) return NOT_MEASURED;
  const { lost, lostSeconds } = worstOf(cells, 'lostSeconds');
  const loss = lost === 0 ? '0' : milliseconds(lostSeconds * 1000);
  return `${loss}, ${sum(cells.map(({ losses }) => losses))} of ${sum(cells.map(({ trials }) => trials))}`;
}

/**
 * @param {readonly Cell[]} cells
 * @param {'falseAcks' | 'appliedTwice'} part
 * @param {'acked' | 'attempted'} whole
 */
function shareText(cells, part, whole) {
  const [share, all] = [sum(cells.map((cell) => cell[part] ?? 0)), sum(cells.map((cell) => cell[whole]))];
  return share === all && all > 0 ? `all ${count(all)}` : `${count(share)} of ${count(all)}`;
}

/**
 * @param {string} benchmark
 * @returns {string} such as `primary killed`
 */
export function scenarioOf(benchmark) {
  return SCENARIOS.find(({ name }) => name === benchmark)?.title ?? benchmark;
}
