/**
 * The tables of page.md: losses, costs, and those of the article “Replication”, theirs beside ours.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { LossRow } from './losses.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { figure, where } from '../../src/facts/query.js';
import { count, plural } from '../../src/format.js';
import { addedText, costText, ms } from '../../src/report/costs.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { worstCell } from '../pages/trials.js';
import { modesOf } from './losses.js';
import { modeTitle } from './modes.js';
import { stackTitle, WRITER } from './titles.js';

/** Figures of the article. */
const ARTICLE = parse(readFileSync(new URL('../claims/replication-tables.yaml', import.meta.url), 'utf8'));
const THEIRS = 'the article';
/** Modes with a price. The timeout costs nothing while replicas answer. */
const PRICED = Object.freeze(['none', 'async', 'after-commit', 'after-sync']);
const CONNECTIONS = Object.freeze([1, 50]);
const MIB = 2 ** 20;
const ACTIVITIES = Object.freeze(
  /** @type {Record<string, string>} */ ({ idle: 'idle', set: 'writing', get: 'reading' }),
);

/** @param {string} title @param {(row: any) => string} text @returns {ColumnSpec} */
const right = (title, text) => ({ title, text, align: 'right' });

/** @param {{title: string}} row */
const titleOf = ({ title }) => title;

/**
 * @param {readonly LossRow[]} losses
 * @returns {{table: TableBlock, modes: string[], faults: string[], safe: string[]}} faults: with a loss, the largest first; safe: without one
 */
export function lossTable(losses) {
  const modes = modesOf(losses);
  const of = (/** @type {string} */ fault) => losses.filter((row) => row.fault === fault);
  const most = (/** @type {string} */ fault) => Math.max(...of(fault).map(({ writes }) => writes));
  const faults = [...new Set(losses.map(({ fault }) => fault))].sort((a, b) => most(b) - most(a));
  const lossy = faults.filter((fault) => most(fault) > 0);
  const cell = (/** @type {string} */ fault, /** @type {string} */ mode) => {
    const row = of(fault).find(({ title }) => title === mode);
    return row === undefined ? NOT_MEASURED : worstCell(row);
  };
  const columns = [
    {
      title: 'fault',
      text: (/** @type {string} */ fault) => (of(fault).every(({ plain }) => plain) ? fault : `${fault} ‡`),
    },
    ...modes.map((mode) => ({
      ...right(mode.replace('semi-sync ', ''), (fault) => cell(fault, mode)),
      kept: /** @type {const} */ (true),
    })),
    right('longest outage', (fault) =>
      FORMATS.seconds(Math.max(...of(fault).map((row) => figure(row, 'outage') ?? 0))),
    ),
  ];
  return {
    table: tableOf(columns, /** @type {any} */ (lossy)),
    modes,
    faults: lossy,
    safe: faults.filter((fault) => !lossy.includes(fault)),
  };
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 * @param {number} connections
 * @returns {CaseFigures | undefined} its cost in a closed loop
 */
export function costAt(rows, mode, connections) {
  return where(rows, { experiment: 'semi-sync-cost', mode }).find(
    ({ params }) => params.connections === connections && params.rate === undefined,
  );
}

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} */
export function costTable(rows) {
  const measured = PRICED.filter((mode) => CONNECTIONS.some((each) => costAt(rows, mode, each)));
  const columns = CONNECTIONS.flatMap((connections) => {
    const of = (/** @type {string} */ mode) => costAt(rows, mode, connections)?.of ?? {};
    return [
      right(`${plural(connections, 'connection')}: added`, (mode) => addedText(of(mode)['added-time'])),
      // A share of more connections says the same once more.
      ...(connections === 1 ? [right('costs', (mode) => costText(of(mode).cost))] : []),
      right('commits/s', (mode) => FORMATS.rate(of(mode).throughput?.median ?? null)),
    ];
  });
  const title = (/** @type {string} */ mode) => (mode === 'none' ? stackTitle({ replicas: 0 }) : modeTitle({ mode }));
  return tableOf([{ title: 'mode', text: title }, ...columns], /** @type {any} */ (measured));
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {{operation: string, replicas: number}} line of the article
 */
function usedBy(rows, { operation, replicas }) {
  return where(rows, { experiment: 'semi-sync-resources' }).find(
    ({ params }) => params.operation === operation && params.replicas === replicas,
  );
}

/** @typedef {{title: string, rate: number, p50: number, p99: number}} Line */

const LOAD_COLUMNS = [
  { title: '50 connections', text: titleOf },
  right('median longer by', ({ p50, base }) =>
    base?.p50 === undefined || base.p50 === p50 ? NOT_MEASURED : ms(p50 - base.p50),
  ),
  right('costs', ({ rate: own, base }) =>
    base?.rate === undefined || base.rate === own ? NOT_MEASURED : FORMATS.percent(1 - own / base.rate),
  ),
  right('operations/s', (line) => FORMATS.rate(line.rate)),
  ...['p50', 'p99'].map((name) => right(name, (line) => FORMATS.ms(line[name]))),
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} writing and reading with each stack of the article, its line below ours */
export function loadTable(rows) {
  const ours = ARTICLE.load.map((/** @type {any} */ line) => oursOf(usedBy(rows, line)));
  const lines = ARTICLE.load.flatMap((/** @type {any} */ line, /** @type {number} */ i) => {
    if (ours[i] === null) return [];
    const base = ARTICLE.load.findIndex((/** @type {any} */ each) => each.operation === line.operation);
    const title = `${ACTIVITIES[line.operation]}, ${stackTitle(line)}`;
    return [
      { title, ...ours[i], base: ours[base] },
      { title: 'theirs', ...line, base: ARTICLE.load[base] },
    ];
  });
  return tableOf(LOAD_COLUMNS, lines);
}

/** @param {CaseFigures | undefined} row @returns {Omit<Line, 'title'> | null} */
function oursOf(row) {
  if (row === undefined) return null;
  const [p50, p99] = [50, 99].map((each) => figure(row, `p${each}-service-time`) ?? Number.NaN);
  return { rate: figure(row, 'throughput') ?? Number.NaN, p50, p99 };
}

const USE_COLUMNS = [
  { title: 'stack', text: titleOf },
  right('primary CPU', ({ cpu }) => FORMATS.percent(cpu[0])),
  right('replicas’ CPU', ({ cpu }) => FORMATS.percent(cpu[1])),
  right('primary MiB', ({ memory }) => FORMATS.count(memory[0] / MIB)),
  right('replicas’ MiB', ({ memory }) => FORMATS.count(memory[1] === null ? null : memory[1] / MIB)),
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} what the nodes use while idle, writing and reading, the article's line below ours */
export function useTable(rows) {
  const lines = ARTICLE.use.flatMap((/** @type {any} */ line) => {
    const row = usedBy(rows, line);
    if (row === undefined) return [];
    const title = `${stackTitle(line)}, ${ACTIVITIES[line.operation]}`;
    const of = (/** @type {string} */ what) => ['primary', 'replica'].map((role) => figure(row, `${role}-${what}`));
    const theirs = ([primary, ...replicas] = /** @type {number[]} */ ([]), unit = 1) => [
      primary * unit,
      replicas.length === 0 ? null : replicas.reduce((all, each) => all + each, 0) * unit,
    ];
    return [
      { title, cpu: of('cpu'), memory: of('memory') },
      { title: 'theirs', cpu: theirs(line.cpu), memory: theirs(line.memory, MIB) },
    ];
  });
  return tableOf(USE_COLUMNS, lines);
}

/** @type {readonly ColumnSpec[]} */
const KILL_COLUMNS = [
  { title: 'primary killed', text: modeTitle, theirs: `${THEIRS}, semi-sync, 1 s` },
  { title: 'confirmed', metric: 'acked', show: 'total', format: 'count', theirs: count(ARTICLE.killed.confirmed) },
  { title: 'of them lost', metric: 'lost-writes', show: 'total', format: 'count', theirs: '0' },
  {
    ...{ title: 'missing on a replica', metric: 'missing-on-a-node', show: 'total', format: 'count' },
    theirs: count(ARTICLE.killed.confirmed - ARTICLE.killed.replica),
  },
  {
    ...{
      title: 'unconfirmed on the old primary',
      metric: 'former-primary-extra-untold',
      show: 'high',
      format: 'count',
    },
    theirs: count(ARTICLE.killed.oldPrimary - ARTICLE.killed.confirmed),
  },
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} what became of the rows when the primary was killed, in all trials */
export function killTable(rows) {
  return tableOf(KILL_COLUMNS, where(rows, { experiment: 'semi-sync-killed', writer: WRITER }));
}
