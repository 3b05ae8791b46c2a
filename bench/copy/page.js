/** @import { CaseFigures, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js' */

import { figure, rowsOf, where } from '../../src/facts/query.js';
import { tableOf } from '../../src/report/specs.js';
import { sum } from '../../src/stats/statistics.js';
import { readYaml } from '../../src/yaml.js';
import { suiteTerms } from '../facts.js';
import { totalOf } from '../pages/fact-table.js';
import { theirsAndOurs } from '../pages/theirs.js';
import { COLUMNS, isFinished, isFull, isSync, isWritten, missesChanges, rateOf } from './figures.js';

/**
 * @typedef {Record<'mode' | 'title', string> & {bench?: number} & Record<'one' | 'each' | 'ratio' | 'cpu' | 'sent' | 'received' | 'disk', number>} ArticleMover
 *   a line of both tables of the article; of the writers, one process and one a shard: keys or writes a second; cores, bytes a second
 * @typedef {ArticleMover & {used?: CaseFigures, all?: CaseFigures, apart?: CaseFigures}} ComparedMover all: one process for all shards; apart: one a shard; used:
 *   what the table of resources shows: all, or a single pair if no cluster was measured
 */

/** @type {ArticleMover[]} */
const ARTICLE = readYaml(new URL('../claims/copy-tables.yaml', import.meta.url));

/** @param {Result} result @returns {TemplateData & {tables: Record<'ways' | 'rates' | 'use', TableBlock>}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms).filter(({ of }) => of['copy-rate'] !== undefined);
  const pairs = where(rows, { experiment: 'copy' }).filter(({ params }) => params.pairs === 1);
  const compared = comparedRows(rows, pairs);
  return {
    measured: rows.length,
    ...fastest(pairs),
    missed: differences(pairs.filter(missesChanges)),
    noticed: differences(pairs.filter((row) => isSync(row) && isWritten(row))),
    cluster: clusterRatios(compared),
    shake: pairs.some((row) => !isSync(row)),
    sharded: compared.some(({ all }) => all !== undefined),
    cores: result.environment.cores,
    tables: {
      ways: waysTable(pairs),
      rates: tableOf(RATES, /** @type {any} */ (withRates(compared))),
      use: tableOf(USE, /** @type {any} */ (withUse(compared))),
    },
  };
}

/**
 * @param {readonly CaseFigures[]} pairs
 * @returns {{sync: number | null, times: number | null}} keys a second of the fastest full sync without writers; times: as fast as the fastest SCAN
 */
function fastest(pairs) {
  const idle = pairs.filter((row) => isFull(row) && !isWritten(row) && !row.params.collections);
  const best = (/** @type {(row: CaseFigures) => boolean} */ isOne) =>
    Math.max(0, ...idle.filter(isOne).map((row) => rateOf(row) ?? 0));
  const [sync, scan] = [best(isSync), best(({ params }) => params.mover?.includes('scan') ?? false)];
  return { sync: sync || null, times: sync > scan && scan > 0 ? sync / scan : null };
}

/** @param {readonly CaseFigures[]} rows @returns in all rounds together, but for expiries; null: not measured */
function differences(rows) {
  if (rows.length === 0) return null;
  const all = (/** @type {string} */ metric) => sum(rows.map((row) => totalOf(row, `copy-comparison-${metric}`)));
  return { different: sum(['missing', 'extra', 'type', 'value'].map(all)), keys: all('keys') };
}

const { mode, rate, took, before, during, different, expiry } = COLUMNS;
const WAYS = [{ ...mode, title: 'mode, one pair' }, rate, took, before, during, different, expiry];

/** Full copies: the fastest of each mover, with and without writers, with and without collections. @param {readonly CaseFigures[]} pairs */
function waysTable(pairs) {
  const full = pairs.filter(isFull);
  const kindOf = (/** @type {CaseFigures} */ row) =>
    `${row.params.mover} ${isWritten(row)} ${row.params.collections ?? false}`;
  const speed = (/** @type {CaseFigures} */ row) => rateOf(row) ?? 0;
  return tableOf(
    WAYS,
    full.filter((row) => full.every((other) => kindOf(other) !== kindOf(row) || speed(other) <= speed(row))),
  );
}

/** @param {readonly CaseFigures[]} rows @param {readonly CaseFigures[]} pairs @returns {ComparedMover[]} for each line of the article our figures */
function comparedRows(rows, pairs) {
  const shards = where(rows, { experiment: 'copy-shards' });
  return ARTICLE.map((line) => {
    const own = shards.filter(({ params }) => params.copyMode === line.mode);
    const all = own.find(({ params }) => params.movers === 1);
    return {
      ...line,
      used: all ?? pairs.find(({ params }) => params.copyMode === line.mode),
      all,
      apart: own.find(({ params }) => params.movers !== 1),
    };
  });
}

const withRates = (/** @type {readonly ComparedMover[]} */ rows) => rows.filter(({ all }) => all !== undefined);
const withUse = (/** @type {readonly ComparedMover[]} */ rows) => rows.filter(({ used }) => used !== undefined);

/** @param {CaseFigures | undefined} row @returns {number | null} keys or writes a second, by RedisShake's own status: it leaves out its start of a second or two */
const speedOf = (row) => figure(row, 'copy-reported-rate') ?? figure(row, 'copy-rate');

/** @param {Pick<ComparedMover, 'all' | 'apart'>} ways @returns {number | null} one process to one a shard */
function ratioOf({ all, apart }) {
  const [one, each] = [speedOf(all), speedOf(apart)];
  return one === null || !each ? null : one / each;
}

const THOUSAND = 1e3;
const MBIT = 1e6 / 8;
const MB = 1e6;

/** In the units of the article. @type {readonly ColumnSpec[]} */
const RATES = [
  { title: 'RedisShake', text: ({ title }) => title },
  {
    title: 'written, k/s',
    text: ({ bench, apart }) => theirsAndOurs(bench, figure(apart, 'copy-source-rate'), THOUSAND),
  },
  { title: 'one process, k/s', text: ({ one, all }) => theirsAndOurs(one, speedOf(all), THOUSAND) },
  { title: 'one a shard, k/s', text: ({ each, apart }) => theirsAndOurs(each, speedOf(apart), THOUSAND) },
  { title: 'ratio', text: ({ ratio, all, apart }) => theirsAndOurs(ratio, ratioOf({ all, apart })) },
];

/** In the units of the article. @type {readonly ColumnSpec[]} */
const USE = [
  { title: 'RedisShake', text: ({ title }) => title },
  { title: 'CPU, cores', text: ({ cpu, used }) => theirsAndOurs(cpu, figure(used, 'copy-cpu')) },
  { title: 'sent, Mbit/s', text: ({ sent, used }) => theirsAndOurs(sent, figure(used, 'copy-sent'), MBIT) },
  {
    title: 'received, Mbit/s',
    text: ({ received, used }) => theirsAndOurs(received, figure(used, 'copy-received'), MBIT),
  },
  { title: 'disk, MB/s', text: ({ disk, used }) => theirsAndOurs(disk, figure(used, 'copy-disk'), MB) },
];

/** @param {readonly ComparedMover[]} rows @returns {{slowest: number, fastest: number} | null} one process for all shards against one a shard */
function clusterRatios(rows) {
  const ratios = rows.flatMap(({ all, apart }) =>
    all && apart && isFinished(all) && isFinished(apart) ? (ratioOf({ all, apart }) ?? []) : [],
  );
  return ratios.length === 0 ? null : { slowest: Math.min(...ratios), fastest: Math.max(...ratios) };
}
