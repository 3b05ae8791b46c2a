/**
 * What page.md shows: tables, one chart, and the figures of its sentences.
 * @import { Block, CaseFigures, Chart, CostFigure, Result, TableBlock, TemplateData } from '../types.js'
 * @import { ModeRow } from '../pages/mode-rows.js'
 */
import { rowsOf } from '../../src/facts/query.js';
import { addedText } from '../../src/report/costs.js';
import { figures } from '../../src/report/specs.js';
import { CHOICES } from '../choices.js';
import { suiteTerms } from '../facts.js';
import { dotsOf } from '../pages/charts.js';
import { choiceTable } from '../pages/choices.js';
import { modeRows } from '../pages/mode-rows.js';
import { chosenCommands, pastedName } from '../pages/paste.js';
import { TEXTS } from './rounds.js';
import * as tables from './tables.js';

const { caseAt } = tables;
/** An interval reaches so many times its lower end. */
const WIDE = 3;
/** Where the title of a row breaks on a terminal: at what a mode adds, and before what the deployment has set itself. */
const TITLE_GAP = / (?=\+ |\([^)]* of the deployment\))/g;

/** @param {Result} result */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const modes = modeRows(rows);
  const wait = tables.waitTable(rows);
  return {
    alone: [1, 2].flatMap((asked) => {
      const one = caseAt(rows, 'async-vs-wait', { client: 'native', wait: asked, waitMode: 'pipelined' });
      return one ? [{ wait: asked, here: addedText(one.of['added-time']) }] : [];
    }),
    wide: modes.some(({ here, apart }) => [here, apart].some((row) => isWide(row?.of['added-time']))),
    noisy: wait.noisy,
    choices: CHOICES,
    paste: chosenCommands(pastedName(result.stack.masterName)),
    tables: {
      choices: choiceTable({
        has: (mode) => modes.some((each) => each.mode === mode),
        columns: [
          figures('added to a write', ({ mode }) => addedBy(modes, mode, 'here')),
          figures('added, nodes 1 ms apart (emulated)', ({ mode }) => addedBy(modes, mode, 'apart')),
        ],
      }),
      modes: tables.modeTable(modes),
      wait: wait.table,
      pipelines: tables.pipelineTable(rows),
      connections: tables.connectionTable(rows),
      reads: tables.readTable(rows),
      rates: tables.rateTable(rows),
    },
    charts: { added: addedChart(modes) },
  };
}

/** @param {CostFigure | undefined} added @returns {boolean} a cost whose size this run leaves open */
function isWide(added) {
  return added !== undefined && Number(added.low) > 0 && Number(added.high) > WIDE * Number(added.low);
}

/** @param {Result} result @returns {Block[]} the tables that decide; without them the others */
export function terminalBlocks(result) {
  const { choices: _, modes, wait, ...others } = pageData(result).tables;
  const narrow = (/** @type {TableBlock} */ { columns: [title, ...figures], ...table }) => ({
    ...table,
    columns: [
      { ...title, narrow: (/** @type {string[]} */ [text]) => text.replaceAll(TITLE_GAP, '\n  ') },
      ...figures.map((each) => ({ ...each, short: each.title.replace(/: | (?=to|connection)/, '\n') })),
    ],
  });
  const measured = (/** @type {TableBlock[]} */ all) => all.filter(({ rows }) => rows.length > 0);
  const deciding = measured([modes, wait]).map(narrow);
  return deciding.length > 0 ? deciding : measured(Object.values(others));
}

/** @param {readonly ModeRow[]} modes @param {string} mode @param {'here' | 'apart'} distance @returns {string} what it adds to a write of one connection */
function addedBy(modes, mode, distance) {
  return addedText(modes.find((each) => each.mode === mode)?.[distance]?.of['added-time']);
}

/** Distances of the nodes, by the name of their series. @type {Readonly<Record<string, 'here' | 'apart'>>} */
const DISTANCES = { loopback: 'here', 'nodes 1 ms apart': 'apart' };

/** @param {readonly ModeRow[]} modes @returns {Chart | null} */
function addedChart(modes) {
  const shown = modes.filter(({ here, apart }) => here?.of['added-time'] ?? apart?.of['added-time']);
  return dotsOf(TEXTS.charts.added, {
    rows: shown.map(({ title }) => title),
    value: (row, series) =>
      /** @type {any} */ (shown.find(({ title }) => title === row)?.[DISTANCES[series]]?.of['added-time']),
  });
}
