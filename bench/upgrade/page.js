/** What page.md shows: each way of moving the primary, each move, one chart, and whether the steps lost nothing. */
/** @import { CaseFigures, Chart, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js' */
/** @import { LossOfRows } from '../pages/trials.js' */

import { figure, rowsOf, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { rangeOrOne } from '../../src/format.js';
import { crossTable, FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { readYaml } from '../../src/yaml.js';
import { variationTitle } from '../experiments/cases.js';
import { BY_SCRIPT } from '../experiments/rolling-restart.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { dotsOf } from '../pages/charts.js';
import { failoverRunbook, pastedName } from '../pages/paste.js';
import { busyTrials, lossCell, lossOf } from '../pages/trials.js';
import { moveTitle } from './scenarios.js';

/**
 * @typedef {CaseFigures & {move: string, wayTitle: string, follows: boolean | null}} MoveRow of a case; follows: a node of the other server followed in every
 *   trial; null: not seen
 * @typedef {LossOfRows & {way: string, title: string, stop: string, rows: MoveRow[]}} MovedBy one way of moving the primary, in all moves
 */

const DOWNGRADE = 'downgrade';
/** A node of the other server got a copy, and became the primary. Published results have it; docs/upgrade.md has its steps. */
const BY_COPY = 'by-redis-shake';
const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));

/** @param {Result} result @returns {TemplateData & {tables: Record<'ways' | 'moves' | 'older', TableBlock>}} */
export function pageData(result) {
  const all = rowsOf(result, suiteTerms);
  const rows = caseRows(all);
  const older = where(rows, { experiment: DOWNGRADE });
  const moves = rows.filter(({ experiment }) => experiment !== DOWNGRADE);
  const ways = waysOf(moves.filter(({ follows }) => follows !== false));
  const safe = ways.filter(({ losing }) => losing === 0);
  const isSafe = (/** @type {string} */ wanted) => safe.some(({ way }) => way === wanted);
  const name = pastedName(result.stack.masterName);
  return {
    moves,
    safe,
    losing: ways.filter(({ losing }) => losing > 0),
    refused: [...new Set(moves.filter(({ follows }) => follows === false).map(({ move }) => move))],
    copied: isSafe(BY_COPY),
    steps: { script: isSafe(BY_SCRIPT), copy: isSafe(BY_COPY) },
    name,
    runbook: failoverRunbook(name),
    modes: [...new Set(moves.map(({ params }) => modeTitle(params)))],
    trials: Math.max(0, ...rows.map((row) => lossOf([row]).trials)),
    busy: busyTrials(all),
    tables: {
      ways: tableOf(WAYS, /** @type {any} */ (ways)),
      moves: movesTable(moves, ways),
      older: tableOf(
        OLDER,
        older.filter((row, i) => older.findIndex(({ move }) => move === row.move) === i),
      ),
    },
    charts: { stops: stopChart(ways) },
  };
}

/** @type {readonly ColumnSpec[]} */
const WAYS = [
  { title: 'the primary moves', text: ({ title }) => title },
  { title: 'lost', text: lossCell, align: 'right' },
  { title: 'stop', text: ({ stop }) => stop, align: 'right' },
  { title: 'cases', text: ({ rows }) => FORMATS.count(rows.length), align: 'right' },
];

/** @type {readonly ColumnSpec[]} */
const OLDER = [
  { title: 'primary → replica', text: ({ move }) => move },
  { title: 'the replica follows', text: ({ follows }) => yesOrNo(follows) },
];

/** @param {boolean | null} is */
function yesOrNo(is) {
  return is === null ? NOT_MEASURED : is ? 'yes' : 'no';
}

/** @param {readonly CaseFigures[]} rows @returns {MoveRow[]} of each case the client that fared worst */
function caseRows(rows) {
  return where(rows, { writer: NATIVE }).map((row) => {
    const { experiment, caseId, params } = row;
    const [whole] = where(rows, { experiment, caseId, writer: '' });
    const followed = whole?.of.followed?.values ?? [];
    return {
      ...row,
      move: moveTitle(params),
      wayTitle: variationTitle({ way: params.way }),
      follows: followed.length === 0 ? null : followed.every((each) => each === 1),
    };
  });
}

/** @param {readonly MoveRow[]} rows of moves that the nodes could follow @returns {MovedBy[]} those that lost nothing first */
function waysOf(rows) {
  return [...new Set(rows.map(({ way }) => way))]
    .map((way) => {
      const own = rows.filter((row) => row.way === way);
      const stops = own.map((row) => figure(row, 'outage') ?? 0);
      const stop = rangeOrOne(Math.min(...stops), Math.max(...stops), FORMATS.seconds);
      return { ...lossOf(own), way, title: own[0].wayTitle, stop, rows: own };
    })
    .sort((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0));
}

/** @param {readonly MoveRow[]} rows @param {readonly MovedBy[]} ways */
function movesTable(rows, ways) {
  const cellOf = (/** @type {MoveRow} */ row) =>
    row.follows === false
      ? 'no'
      : lossCell(lossOf(rows.filter(({ move, way }) => move === row.move && way === row.way)));
  return crossTable(
    {
      title: 'move',
      down: [...new Set(rows.map(({ move }) => move))],
      across: ways.map(({ title }) => title),
      downOf: ({ move }) => move,
      acrossOf: ({ wayTitle }) => wayTitle,
      cell: cellOf,
    },
    rows,
  );
}

/** @param {readonly MovedBy[]} ways @returns {Chart | null} how long writes stop */
function stopChart(ways) {
  return dotsOf(TEXTS.charts.stops, {
    rows: ways.map(({ title }) => title),
    value: (row) => spreadOf(ways.find(({ title }) => title === row)),
  });
}

/** @param {MovedBy | undefined} way */
function spreadOf(way) {
  const stops = (way?.rows ?? []).map((row) => figure(row, 'outage') ?? 0).sort((a, b) => a - b);
  const middle = stops[Math.floor(stops.length / 2)];
  return stops.every(Number.isFinite) && stops.length > 0
    ? { median: middle, low: stops[0], high: stops[stops.length - 1] }
    : undefined;
}
