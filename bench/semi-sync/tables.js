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

/**
 * @typedef {Object} Line of the article
 * @property {string} operation
 * @property {number} replicas
 * @property {number} p50 milliseconds
 *
 * @typedef {{line: Line, base: Line, own: CaseFigures, ownBase?: CaseFigures}} Compared base: of the same operation without a replica
 */

/** Figures of the article. */
const ARTICLE = parse(readFileSync(new URL('../claims/replication-tables.yaml', import.meta.url), 'utf8'));
/** Modes with a price. The timeout costs nothing while replicas answer. */
const PRICED = Object.freeze(['after-commit', 'after-sync']);
const CONNECTIONS = Object.freeze([1, 50]);
const ACTIVITIES = Object.freeze(/** @type {Record<string, string>} */ ({ set: 'writing', get: 'reading' }));

/** @param {string} title @param {(row: any) => string} text @returns {ColumnSpec} */
const right = (title, text) => ({ title, text, align: 'right' });

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
      right('costs', (mode) => costText(of(mode).cost)),
    ];
  });
  return tableOf(
    [{ title: 'mode', text: (/** @type {string} */ mode) => modeTitle({ mode }) }, ...columns],
    /** @type {any} */ (measured),
  );
}

/** @param {readonly CaseFigures[]} rows @param {Line} line @returns {CaseFigures | undefined} ours */
function ownOf(rows, { operation, replicas }) {
  return where(rows, { experiment: 'semi-sync-resources' }).find(
    ({ params }) => params.operation === operation && params.replicas === replicas,
  );
}

/** @param {Compared} row */
const titleOf = ({ line }) => `${ACTIVITIES[line.operation]}, ${stackTitle(line)}`;

/** @param {Compared} row @returns {string} against no replica */
function longerText({ own, ownBase }) {
  const [p50, base] = [own, ownBase].map((row) => (row ? figure(row, 'p50-service-time') : null));
  return p50 === null || base === null ? NOT_MEASURED : ms(p50 - base);
}

const LOAD_COLUMNS = [
  { title: '50 connections', text: titleOf },
  right('median longer by', longerText),
  right('theirs', ({ line, base }) => ms(line.p50 - base.p50)),
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} writing and reading with each stack of the article */
export function loadTable(rows) {
  /** @type {readonly Line[]} */
  const lines = ARTICLE.load;
  const compared = lines.flatMap((line) => {
    const own = ownOf(rows, line);
    const base = lines.find(({ operation }) => operation === line.operation) ?? line;
    return own === undefined || line === base ? [] : [{ line, base, own, ownBase: ownOf(rows, base) }];
  });
  return tableOf(LOAD_COLUMNS, /** @type {any} */ (compared));
}

/** @type {readonly ColumnSpec[]} */
const KILL_COLUMNS = [
  { title: 'primary killed', text: modeTitle, theirs: 'the article, semi-sync, 1 s' },
  { title: 'confirmed', metric: 'acked', show: 'total', format: 'count', theirs: count(ARTICLE.killed.confirmed) },
  { title: 'lost', metric: 'lost-writes', show: 'total', format: 'count', theirs: '0' },
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
