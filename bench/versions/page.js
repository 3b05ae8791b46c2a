/** What page.md shows: what the servers of a run lost, how long writes stopped, what modes cost, and where they differ. */
/** @import { CaseFigures, Result, TableBlock, TemplateData } from '../types.js' */
/** @import { ComparedFigure, FigureKind } from './differences.js' */
import { rowsOf, where } from '../../src/facts/query.js';
import { table } from '../../src/report/blocks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { suiteTerms } from '../facts.js';
import { coordinatedCommand, pastedName, rollOut } from '../pages/paste.js';
import { busyTrials, lossCell, lossMap, lossOf } from '../pages/trials.js';
import { measuredServers, serverTitle } from '../servers.js';
import * as differences from './differences.js';
import { PREFIX } from './faults.js';

/** Columns of a table, beside the first. */
const MOST_SERVERS = 5;
const SYNCED = Object.freeze({ appendfsync: 'always', appendonly: 'yes' });

/** @param {Result} result @returns {TemplateData & {tables: Record<FigureKind, TableBlock>}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const servers = measuredServers(result);
  const all = differences.comparisons(rows, servers);
  const faults = differences.faultRows(rows);
  const coordinated = where(faults, { experiment: `${PREFIX}coordinated` });
  const name = pastedName(result.stack.masterName);
  const counted = (/** @type {ComparedFigure['differs']} */ verdict) =>
    all.filter(({ differs }) => differs === verdict).length;
  const tableFor = (/** @type {FigureKind} */ kind) =>
    comparedTable(
      all.filter((each) => each.kind === kind && isShown(each)),
      servers,
    );
  return {
    servers: servers.map(serverTitle),
    promise: promiseOf(rows),
    compared: all.length,
    differing: counted('yes'),
    undecided: counted('undecided'),
    tooBusy: all.some(({ kind, differs }) => ['loss', 'outage'].includes(kind) && differs === 'undecided'),
    trials: result.profile.trials ?? 1,
    leastTrials: differences.LEAST_TRIALS,
    coordinated: coordinated.map(({ server }) => serverTitle(server)),
    coordinatedIsSafe: coordinated.length > 0 && lossOf(coordinated).losing === 0,
    busy: busyTrials(rows),
    gap: differences.LEAST_GAP,
    costGap: differences.LEAST_COST_GAP,
    widest: differences.WIDEST_COST,
    paste: { synced: rollOut('AOF always', SYNCED, name), coordinated: coordinatedCommand(name) },
    tables: { loss: tableFor('loss'), outage: tableFor('outage'), cost: tableFor('cost'), speed: tableFor('speed') },
    charts: {
      losses: lossMap(LOSSES, faults, { scenario: differences.titleOf, column: ({ server }) => serverTitle(server) }),
    },
  };
}

/** @param {ComparedFigure} compared @returns {boolean} not only noise, and of costs those of single writes; details.md has all */
function isShown({ kind, differs, depth = 1 }) {
  return differs === 'yes' || (kind === 'speed' ? differs === 'no' : depth === 1);
}

/** @param {readonly ComparedFigure[]} compared @param {readonly string[]} servers @returns {TableBlock} */
function comparedTable(compared, servers) {
  const shown = servers.slice(0, MOST_SERVERS);
  return table(
    ['', ...shown.map((server) => ({ title: serverTitle(server), align: /** @type {const} */ ('right') })), 'differ?'],
    compared.map(({ title, shown: figures, differs }) => [
      title,
      ...shown.map((server) => figures.get(server) ?? NOT_MEASURED),
      differs,
    ]),
  );
}

/** @param {readonly CaseFigures[]} rows @returns servers that lost what they had confirmed as synced; null: none did */
function promiseOf(rows) {
  const promised = differences
    .promisedRows(rows)
    .map((row) => ({ title: serverTitle(row.server), loss: lossOf([row]) }));
  const broken = promised.filter(({ loss }) => loss.losing > 0);
  if (broken.length === 0) return null;
  return {
    broken: broken.map(({ title, loss }) => ({ title, lost: lossCell(loss) })),
    kept: promised.filter(({ loss }) => loss.losing === 0).map(({ title }) => title),
  };
}

const LOSSES = Object.freeze({
  id: 'versions.losses',
  title: 'Confirmed writes lost, by fault and server',
  alt: 'The table below has its figures.',
  note: 'Seconds of confirmed writes, worst trial. Empty: the server does not have it.',
});
