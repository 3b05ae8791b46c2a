/** The tables of the article “Replication”, theirs beside ours. */
/** @import { CaseFigures, ColumnSpec, TableBlock } from '../types.js' */

import { figure, where } from '../../src/facts/query.js';
import { count } from '../../src/format.js';
import { figures, tableOf } from '../../src/report/specs.js';
import { sum } from '../../src/stats/statistics.js';
import { MIB } from '../../src/units.js';
import { readYaml } from '../../src/yaml.js';
import { totalOf } from '../pages/fact-table.js';
import { theirsAndOurs } from '../pages/theirs.js';
import { returnTitle, unconfirmedOf } from './application.js';
import { modeTitle, stackTitle, WRITER } from './modes.js';

/** @typedef {{operation: string, replicas: number}} ArticleLine of the article; milliseconds, cores and MiB, bytes */
/** @typedef {ArticleLine & Record<'rate' | 'mean' | 'p50' | 'p90' | 'p99' | 'longest' | 'timeouts', number>} LoadLine */
/** @typedef {ArticleLine & {cpu: number[], memory: number[], sent: number, disk: number, threads: number}} UseLine */
/** @typedef {{line: LoadLine & UseLine, own: CaseFigures}} ComparedOperation */

/** @type {{load: LoadLine[], use: UseLine[], killed: Record<'confirmed' | 'replica' | 'oldPrimary', number>}} */
const ARTICLE = readYaml(new URL('../claims/replication-tables.yaml', import.meta.url));
const ACTIVITIES = Object.freeze(
  /** @type {Record<string, string>} */ ({ idle: 'idle', set: 'writing', get: 'reading' }),
);

/** @param {readonly CaseFigures[]} rows @returns {boolean} wrk and the application were measured; else rows of mysql2 stand for them */
export const hasApplication = (rows) => where(rows, { experiment: 'semi-sync-application' }).length > 0;

/** @param {readonly CaseFigures[]} rows @param {readonly ArticleLine[]} lines */
function compared(rows, lines) {
  const experiment = hasApplication(rows) ? 'semi-sync-application' : 'semi-sync-resources';
  const own = where(rows, { experiment }).filter(({ params }) => params.afterKill === undefined);
  return lines.flatMap((line) => {
    const found = own.find(({ params }) => params.operation === line.operation && params.replicas === line.replicas);
    return found ? { line: /** @type {ComparedOperation['line']} */ (line), own: found } : [];
  });
}

/**
 * Theirs, undefined where they have no such node → ours; in a unit of the cell, or as the metric.
 * @type {(title: string, theirs: (line: ComparedOperation['line']) => number | undefined, metric: string, unit?: number) => ColumnSpec}
 */
const both = (title, theirs, metric, unit) => ({
  title,
  text: (/** @type {ComparedOperation} */ { line, own }) => theirsAndOurs(theirs(line), figure(own, metric), unit),
});
const NAME = {
  title: 'theirs → here',
  text: (/** @type {ComparedOperation} */ { line }) => `${ACTIVITIES[line.operation]}, ${stackTitle(line)}`,
};
const replicasOf = (/** @type {number[]} */ all) => (all.length > 1 ? sum(all.slice(1)) : undefined);

const LOAD = [
  NAME,
  both('requests/s', ({ rate }) => rate, 'throughput'),
  both('mean, ms', ({ mean }) => mean, 'mean-service-time'),
  both('p50', ({ p50 }) => p50, 'p50-service-time'),
  both('p90', ({ p90 }) => p90, 'p90-service-time'),
  both('p99', ({ p99 }) => p99, 'p99-service-time'),
  both('longest', ({ longest }) => longest, 'longest-service-time'),
  both('timeouts', ({ timeouts }) => timeouts, 'application-timeouts'),
];

const PERCENT = 0.01;
const MB = 1e6;
const USE = [
  NAME,
  both('primary: CPU, %', ({ cpu }) => cpu[0], 'primary-cpu', PERCENT),
  both('MiB', ({ memory }) => memory[0] * MIB, 'primary-memory', MIB),
  both('MB sent', ({ sent }) => sent, 'primary-network-out', MB),
  both('to disk', ({ disk }) => disk, 'primary-block-out', MB),
  both('PIDs', ({ threads }) => threads, 'primary-pids'),
  both('replicas: CPU, %', ({ cpu }) => replicasOf(cpu), 'replica-cpu', PERCENT),
  both('MiB', ({ memory }) => inBytes(replicasOf(memory)), 'replica-memory', MIB),
];

/** @param {number | undefined} mebibytes */
const inBytes = (mebibytes) => mebibytes && mebibytes * MIB;

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} writing and reading with each stack of the article */
export const loadTable = (rows) => tableOf(LOAD, /** @type {any} */ (compared(rows, ARTICLE.load)));

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} what the nodes used, as `docker stats` shows it */
export const useTable = (rows) => tableOf(USE, /** @type {any} */ (compared(rows, ARTICLE.use)));

const total = (/** @type {string} */ title, /** @type {string} */ name, /** @type {number} */ theirs) =>
  figures(title, (row) => count(totalOf(row, `application-${name}`)), { theirs: count(theirs) });
const { confirmed, replica, oldPrimary } = ARTICLE.killed;
/** @type {readonly ColumnSpec[]} */
const ROWS = [
  { title: 'primary killed', text: () => 'here', theirs: 'the article' },
  total('confirmed', 'confirmed', confirmed),
  total('replica 1', 'first-replica-rows', replica),
  total('replica 2', 'second-replica-rows', replica),
  total('old primary', 'old-primary-rows', oldPrimary),
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} rows on each node after the kill under wrk */
export const rowTable = (rows) =>
  tableOf(
    ROWS,
    where(rows, { experiment: 'semi-sync-application' }).filter(({ params }) => params.afterKill !== undefined),
  );

/** @type {readonly ColumnSpec[]} */
const KILLED = [
  { title: 'primary killed', text: modeTitle, theirs: 'the article, semi-sync, 1 s' },
  { title: 'confirmed', metric: 'acked', show: 'total', format: 'count', theirs: count(confirmed) },
  { title: 'lost', metric: 'lost-writes', show: 'total', format: 'count', theirs: '0' },
  {
    title: 'unconfirmed on the old primary',
    metric: 'former-primary-extra-untold',
    show: 'high',
    format: 'count',
    theirs: count(oldPrimary - confirmed),
  },
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} what became of the rows when the primary was killed, in all trials */
export const killTable = (rows) => tableOf(KILLED, where(rows, { experiment: 'semi-sync-killed', writer: WRITER }));

/** @param {CaseFigures} row */
function followedText({ of }) {
  const { values = [] } = of['application-returned-follows'] ?? {};
  return `${sum(values.map(Number))}/${values.length}`;
}

const KEPT = /** @type {const} */ ({ kept: true });
/** @type {readonly ColumnSpec[]} */
const RETURNS = [
  { title: 'old primary', text: returnTitle },
  figures('unconfirmed rows', (row) => count(unconfirmedOf(row)), KEPT),
  figures('followed in rounds', followedText, KEPT),
  figures('rows only it has', (row) => count(totalOf(row, 'application-returned-extra-rows')), KEPT),
  figures('rows it lacks', (row) => count(totalOf(row, 'application-returned-missing-rows')), KEPT),
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} the old primary follows the new one, in all rounds */
export const returnTable = (rows) => tableOf(RETURNS, where(rows, { experiment: 'semi-sync-old-primary' }));
