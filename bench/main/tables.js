/**
 * The tables of page.md: those of “Synchronous Replication in Redis”, theirs beside ours, and the durability modes.
 * @import { CaseFigures, CaseParams, ColumnSpec, CostFigure, TableBlock } from '../types.js'
 * @import { ModeRow } from '../pages/mode-rows.js'
 */

import { where } from '../../src/facts/query.js';
import { count, interval, percent, rate } from '../../src/format.js';
import { clientNames, clientTitle } from '../../src/registry/clients.js';
import { addedText, ms } from '../../src/report/costs.js';
import { figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED, partOf } from '../../src/report/trials/figures.js';
import { readYaml } from '../../src/yaml.js';
import { titleWithOwn } from '../modes.js';

/**
 * @typedef {Object} TableRow of a table: a case of ours, or a line of the article
 * @property {string} title
 * @property {Readonly<Record<string, CostFigure>>} of by metric
 */

/** Theirs: operations a second and milliseconds. */
const ARTICLE = readYaml(new URL('../claims/synchronous-tables.yaml', import.meta.url));
const THEIRS = 'the article';
const WAITS = [0, 1, 2];
/** The servers’ own speed, and the article’s client. details.md has all clients. @type {readonly string[]} */
const COMPARED = ['native', 'redis'];
const P50 = 'p50-service-time';
const TAILS = Object.freeze(['p99-service-time-all', 'p99.9-service-time-all']);

/** @param {readonly CaseFigures[]} rows @param {string} experiment @param {Partial<CaseParams>} params @returns the first case with all of them */
export function caseAt(rows, experiment, params) {
  const wanted = /** @type {[keyof CaseParams, unknown][]} */ (Object.entries(params));
  return rows.find(
    (row) => row.experiment === experiment && wanted.every(([name, value]) => row.params[name] === value),
  );
}

/** Of the benchmark that repeats the article. @param {readonly CaseFigures[]} rows @param {Partial<CaseParams>} params that differ from its usual ones */
function repeatedAt(rows, params) {
  return caseAt(rows, 'first-article', {
    pipeline: 1,
    connections: 1,
    grouping: undefined,
    waitTimeoutMs: 1000,
    ...params,
  });
}

/** @param {number} median @returns {CostFigure} without an interval */
const figure = (median) => ({ median, low: null, high: null });

/** @param {string} title @param {string} metric @param {(value: number) => string} format @returns {ColumnSpec} */
function column(title, metric, format) {
  return figures(title, (/** @type {TableRow} */ { of }) =>
    of[metric] === undefined ? NOT_MEASURED : format(of[metric].median),
  );
}

const RATE = column('writes/s', 'throughput', rate);

/** WAIT through each client. noisy: a tail is left out, because it was shorter with WAIT than without. @param {readonly CaseFigures[]} rows */
export function waitTable(rows) {
  const measured = clientNames.filter(
    (client) => caseAt(rows, 'async-vs-wait', { client }) ?? repeatedAt(rows, { client }),
  );
  const known = measured.filter((client) => COMPARED.includes(client));
  const ours = (known.length > 0 ? known : measured).map((client) => {
    // An application awaits each call.
    const waitMode = client === 'native' ? 'pipelined' : 'sequential';
    return WAITS.flatMap((wait) => {
      const one =
        caseAt(rows, 'async-vs-wait', {
          ...{ client, wait, payloadBytes: 64 },
          ...(wait > 0 && /** @type {const} */ ({ waitMode })),
        }) ?? repeatedAt(rows, { client, wait });
      return one ? [{ title: `${clientTitle(client)}, ${ownWaitTitle(one.params)}`, of: one.of }] : [];
    });
  });
  const tails = TAILS.filter((metric) => isDecided(ours, metric));
  const columns = [
    { title: 'write', text: titleOf },
    figures('added to a write', ({ of }) => addedText(of['added-time'])),
    RATE,
    column('p50', P50, ms),
    ...tails.map((metric) => column(metric.split('-')[0], metric, ms)),
  ];
  const [base] = ARTICLE.modes;
  const theirs = ARTICLE.modes.map((/** @type {typeof base} */ { wait, rate: reached, p50, p99, p999 }) => ({
    title: `${THEIRS}, ${waitTitle(wait)}`,
    of: {
      ...(wait > 0 && { 'added-time': figure(p50 - base.p50) }),
      ...{ throughput: figure(reached), [P50]: figure(p50) },
      ...{ [TAILS[0]]: figure(p99), [TAILS[1]]: figure(p999) },
    },
  }));
  const all = ours.flat();
  return { table: tableOf(columns, all.length === 0 ? [] : [...all, ...theirs]), noisy: tails.length < TAILS.length };
}

/** All measured, and none is shorter with WAIT, by chance. @param {readonly (readonly Pick<TableRow, 'of'>[])[]} groups each without WAIT first @param {string} metric a tail */
function isDecided([first = [], ...others], metric) {
  const isLonger = (/** @type {readonly Pick<TableRow, 'of'>[]} */ [async, ...waiting]) =>
    waiting.every(({ of }) => !(of[metric]?.median < async.of[metric]?.median));
  return first.every(({ of }) => of[metric] !== undefined) && [first, ...others].every(isLonger);
}

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} pipelines with one WAIT each */
export function pipelineTable(rows) {
  const columns = [
    { title: 'depth', text: titleOf },
    figures('WAIT 1 adds to a batch', ({ of }) => addedText(of['wait1 added'])),
    ...WAITS.map((wait) => column(waitTitle(wait), `wait${wait}`, rate)),
  ];
  return tableOf(
    columns,
    beside(ARTICLE.pipelines, ({ depth, rates }) => {
      const cases = WAITS.map(
        (wait) =>
          caseAt(rows, 'pipeline', { pipeline: depth, wait, waitMode: 'pipelined' }) ??
          repeatedAt(rows, { pipeline: depth, wait }),
      );
      return {
        title: count(depth),
        ours: Object.assign({}, ...cases.map((one, wait) => ofWait(wait, one?.of))),
        theirs: Object.assign(
          {},
          ...rates.map((/** @type {number} */ reached, /** @type {number} */ wait) =>
            ofWait(wait, { throughput: figure(reached) }),
          ),
        ),
      };
    }),
  );
}

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} one write at a time on each of many connections, without WAIT */
export function connectionTable(rows) {
  const columns = [{ title: 'connections', text: titleOf }, RATE, column('p50', P50, ms), column('p99', TAILS[0], ms)];
  return tableOf(
    columns,
    beside(ARTICLE.connections, ({ connections, rate: reached, p50, p99 }) => {
      const asked = { connections, wait: 0 };
      return {
        title: count(connections),
        ours: (caseAt(rows, 'concurrency', asked) ?? repeatedAt(rows, asked))?.of ?? {},
        theirs: { throughput: figure(reached), [P50]: figure(p50), [TAILS[0]]: figure(p99) },
      };
    }),
  );
}

/** Named for a table that has several cases in a row. @param {number} wait @param {TableRow['of']} [of] of a case; absent: not measured */
function ofWait(wait, of = {}) {
  const names = { throughput: '', 'added-time': ' added' };
  const known = Object.entries(names).filter(([metric]) => of[metric] !== undefined);
  return Object.fromEntries(known.map(([metric, name]) => [`wait${wait}${name}`, of[metric]]));
}

/**
 * @template Line
 * @param {readonly Line[]} lines of the article
 * @param {(line: Line) => {title: string, ours: TableRow['of'], theirs: TableRow['of']}} rowsOf
 * @returns {any[]} ours, each with theirs below; without lines that we did not measure
 */
function beside(lines, rowsOf) {
  return lines.map(rowsOf).flatMap(({ title, ours, theirs }) =>
    Object.keys(ours).length === 0
      ? []
      : [
          { title, of: ours },
          { title: `${title}, ${THEIRS}`, of: theirs },
        ],
  );
}

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} reads from the replicas as soon as a write was acknowledged */
export function readTable(rows) {
  const { immediate, waited, failed } = ARTICLE.reads;
  const part =
    (/** @type {string} */ metric) =>
    (/** @type {CaseFigures} */ { of }) =>
      partOf(Number(of[metric]?.total), Number(of.reads?.total));
  /** @type {readonly ColumnSpec[]} */
  const columns = [
    { title: 'write', text: ({ params }) => readTitle(params), theirs: `${THEIRS}, no WAIT` },
    figures('immediately consistent', immediately, { theirs: immediate }),
    figures('needed waiting', part('reads-after-wait'), { theirs: waited }),
    figures('failed: stale after 2 s', part('stale-reads'), { theirs: failed }),
  ];
  // With WAIT only the harder case.
  const shown = (/** @type {CaseFigures} */ { params: { wait, backgroundConnections } }) =>
    wait === 0 || backgroundConnections;
  return tableOf(columns, where(rows, { experiment: 'read-after-write' }).filter(shown));
}

/** @param {CaseFigures} row @returns {string} without an acknowledged write nothing was read */
function immediately({ of }) {
  return of.reads?.total ? percent(Number(of['reads-immediate']?.total) / of.reads.total) : NOT_MEASURED;
}

/** @param {CaseParams} params */
function readTitle(params) {
  return `${ownWaitTitle(params)}${params.backgroundConnections ? ', under load' : ''}`;
}

/** @param {readonly ModeRow[]} modes @returns {TableBlock} */
export function modeTable(modes) {
  return tableOf(
    [
      { title: 'mode', text: titleOf },
      ...placeColumns(modes, 'here', ''),
      ...placeColumns(modes, 'apart', '1 ms apart, '),
    ],
    /** @type {any} */ (modes),
  );
}

/** @param {readonly ModeRow[]} modes @param {'here' | 'apart'} name @param {string} where @returns {ColumnSpec[]} */
function placeColumns(modes, name, where) {
  const paced = modes.map((row) => row[`${name}Paced`] ?? { of: {} });
  return [
    figures(`${where}added${where === '' ? ' to a write' : ''}`, (row) => addedText(row[name]?.of['added-time'])),
    figures(`${where}50 connections: added`, (row) => addedText(row[`${name}Crowd`]?.of['added-time'])),
    ...(name === 'here' ? RATES : []),
    ...(isDecided([paced], 'p99-response-time') ? [pacedColumn(name)] : []),
  ];
}

/** @param {'here' | 'apart'} name @returns {ColumnSpec} response time */
function pacedColumn(name) {
  return figures('p99 at 1,000/s', ({ [`${name}Paced`]: row }) =>
    isSustained(row) ? addedText(row.of['p99-response-time']) : 'not sustained',
  );
}

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} the highest rate that each kind of WAIT sustained, and the lowest that it did not */
export function rateTable(rows) {
  const lines = WAITS.flatMap((wait) => {
    const tried = where(rows, { experiment: 'latency-curve' })
      .filter(({ params }) => params.wait === wait)
      .sort((a, b) => Number(a.params.rate) - Number(b.params.rate));
    const kept = tried.findLast(isSustained);
    const failed = tried.find((row) => !isSustained(row));
    return tried.length === 0 ? [] : [{ title: ownWaitTitle(tried[0].params), of: kept?.of ?? {}, kept, failed }];
  });
  return tableOf(
    [
      { title: 'writes arrive at random', text: titleOf },
      figures('sustained', ({ kept }) => offeredText(kept)),
      column('p50', 'p50-response-time', ms),
      figures('p99', ({ of }) => addedText(of['p99-response-time'])),
      figures('not sustained', ({ failed }) => offeredText(failed)),
    ],
    /** @type {any} */ (lines),
  );
}

/** @param {CaseFigures} row @returns {boolean} in most rounds the offered rate was sent and answered in time */
function isSustained({ of }) {
  return of.sustained !== undefined && of.sustained.median > 0.5;
}

/** @param {CaseFigures | undefined} row */
function offeredText(row) {
  return row?.params.rate === undefined ? NOT_MEASURED : rate(row.params.rate);
}

/** On loopback. One connection has its interval, because its rounds can run at two speeds. @type {readonly ColumnSpec[]} */
const RATES = [
  figures('1 connection', ({ here }) => rateText(here)),
  figures('50 connections', ({ hereCrowd: row }) => (row ? rate(row.of.throughput.median) : NOT_MEASURED)),
];

/** @param {CaseFigures | undefined} row @returns {string} with its interval */
function rateText(row) {
  if (row === undefined) return NOT_MEASURED;
  const { median, low, high } = row.of.throughput;
  return low === null || high === null ? rate(median) : interval({ median, low, high }, rate);
}

/** @param {number} wait */
function waitTitle(wait) {
  return wait === 0 ? 'no WAIT' : `WAIT ${wait}`;
}

/** @param {CaseParams} params of our own case */
function ownWaitTitle(params) {
  return titleWithOwn(waitTitle(params.wait), params);
}

/** @param {{title: string}} row */
function titleOf({ title }) {
  return title;
}
