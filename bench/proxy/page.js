/** What page.md shows: what clients behind HAProxy and by virtual IP lost, beside clients that follow the Sentinels. */
/** @import { CaseFigures, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js' */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { busyTrials, lossCell, lossOf } from '../pages/trials.js';
import { FOLLOWER, HAPROXY, SCENARIOS, VIRTUAL_IP } from './scenarios.js';

/** @typedef {CaseFigures & {way: string, title: string, mode: string, follower: CaseFigures}} ProxyRow of a mode in a failure; title: of clients and failure */

/** @param {Result} result @returns {TemplateData & {tables: {losses: TableBlock}}} */
export function pageData(result) {
  const all = rowsOf(result, suiteTerms);
  const rows = comparedRows(all);
  const ways = [...new Set(rows.map(({ title }) => title))];
  const losing = rows.filter((row) => lossOf([row]).losing > 0);
  return {
    ways: ways.map((title) => ({
      title,
      plain: worstOf(rows.filter((row) => row.title === title && row.params.wait === 0)),
      waited: worstOf(rows.filter((row) => row.title === title && row.params.wait > 0)),
    })),
    advice: {
      haproxy: where(losing, { writer: HAPROXY }).length > 0,
      virtualIp: where(losing, { writer: VIRTUAL_IP }).length > 0,
      endless: where(rows, { writer: VIRTUAL_IP }).some(isEndless),
    },
    trials: Math.max(0, ...rows.map((row) => lossOf([row]).trials)),
    busy: busyTrials(all),
    tables: { losses: tableOf(COLUMNS, rows) },
  };
}

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  { title: 'clients and failure', text: ({ title }) => title },
  { title: 'mode', text: ({ mode }) => mode },
  { title: 'lost', text: (row) => lossCell(lossOf([row])), align: 'right' },
  { title: 'stop', metric: 'outage', format: 'seconds' },
  { title: 'failover-aware: lost', text: ({ follower }) => lossCell(lossOf([follower])), align: 'right' },
  { title: 'stop', text: ({ follower }) => FORMATS.seconds(figure(follower, 'outage')), align: 'right' },
];

/** @param {readonly CaseFigures[]} rows @returns {ProxyRow[]} cases in which both kinds of client wrote */
function comparedRows(rows) {
  return where(rows, { writer: [HAPROXY, VIRTUAL_IP] }).flatMap((row) => {
    const { experiment, caseId } = row;
    const [follower] = where(rows, { experiment, caseId, writer: FOLLOWER });
    const title = SCENARIOS.find(({ name }) => name === experiment)?.title ?? experiment;
    return follower === undefined ? [] : [{ ...row, title, mode: modeTitle(row.params), follower }];
  });
}

/** @param {CaseFigures} row @returns {boolean} in a trial a client did not write again */
function isEndless(row) {
  return figure(row, 'outage', 'worst') === Number.POSITIVE_INFINITY;
}

/** @param {readonly ProxyRow[]} rows of a failure, with WAIT or without @returns seconds of the worst mode; null: not measured */
function worstOf(rows) {
  if (rows.length === 0) return null;
  return {
    through: lossOf(rows).seconds ?? 0,
    follower: lossOf(rows.map(({ follower }) => follower)).seconds ?? 0,
    stop: Math.max(...rows.map((row) => figure(row, 'outage') ?? 0)),
    endless: rows.some(isEndless),
  };
}
