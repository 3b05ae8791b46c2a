/**
 * What page.md shows: what a slow link loses, the article's line of compression beside ours, and what a broken link does.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { TemplateData } from '../../src/report/template.js'
 * @import { Result } from '../../src/result/schema.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { billedBytes, bitRate, bytes, count } from '../../src/format.js';
import { crossTable, FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { MIB, MS_A_SECOND, SECONDS_A_MONTH, SECONDS_AN_HOUR } from '../../src/units.js';
import { suiteTerms } from '../facts.js';
import { REPL_TIMEOUT_SECONDS } from './loss.js';
import { keptRate, tunnelName } from './round.js';
import { shortfallCharts } from './shortfall-charts.js';
import { gigabytes, linkTitle } from './shortfall-figures.js';
import { FAULT_TITLES, SUPERVISOR_TITLES } from './supervisors.js';
import { WATCHED_SECONDS } from './supervisors-round.js';

/** Theirs: bytes a second, and dollars a GB. */
const ARTICLE = parse(readFileSync(new URL('../claims/link-tables.yaml', import.meta.url), 'utf8'));
/** Less growth than this share of the demand comes from uneven writers. */
const NO_GROWTH = 0.01;
const GB = 1e9;
/** They show what others on the page show. */
const ONLY_IN_DETAILS = ['latency-20ms', 'latency-1ms', 'share-125', 'timeout-8-keepalive-1'];

/**
 * @param {Result} result
 * @returns {TemplateData & {tables: Record<'links' | 'compression' | 'losses' | 'supervisors' | 'dark', TableBlock>}}
 */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms).filter(({ of }) => of['link-demand'] !== undefined);
  const of = (/** @type {string} */ name) => where(rows, { experiment: `link-${name}` });
  const links = of('shortfall');
  const demand = of('demand').find(({ params }) => params.grouping === undefined);
  const shortfall = result.benchmarks.find(({ name }) => name === 'link-shortfall');
  const lag = shortfall && shortfallCharts(shortfall)[0];
  return {
    measured: rows.length,
    promotion: worstPromotion(links),
    compressed: compressedOf(of('compression')),
    gone: goneOf(of('memory')),
    watched: WATCHED_SECONDS,
    price: ARTICLE.price,
    backlog: backlogFor(demand),
    waits: waitsOf(of('compression')),
    tables: {
      links: tableOf(
        LINKS,
        links.filter(({ caseId }) => !ONLY_IN_DETAILS.includes(caseId)),
      ),
      compression: tableOf(COMPRESSION, compressionRows(of('compression'))),
      losses: tableOf(
        LOSSES,
        of('loss').filter(({ params }) => !params.restartAfterMs),
      ),
      supervisors: supervisorTable(of('supervisors')),
      dark: tableOf(
        DARK,
        of('dark').filter(({ caseId }) => !ONLY_IN_DETAILS.includes(caseId)),
      ),
    },
    charts: {
      lag: lag
        ? { ...lag, note: 'Cross: the primary closed the connection. Gap: the replica is not connected.' }
        : null,
    },
  };
}

/** @param {Result} result @returns {Block[]} for the end of a run */
export function terminalTables(result) {
  const { links, compression } = pageData(result).tables;
  return [links, compression].filter(({ rows }) => rows.length > 0);
}

/** @param {CaseFigures} row @param {string} metric @returns {number} over all rounds */
const total = ({ of }, metric) => sum(of[metric]?.values ?? []);

/** @param {CaseFigures} row @returns {number | null} seconds of writing that a promotion loses */
function lostSeconds(row) {
  const [missing, rate] = [figure(row, 'link-promotion-missing'), figure(row, 'throughput')];
  return missing === null || !rate ? null : missing / rate;
}

/** @param {readonly CaseFigures[]} links @returns {{title: string, writes: number, seconds: number} | null} null: no promotion lost a write */
function worstPromotion(links) {
  const [worst] = [...links].sort((a, b) => (lostSeconds(b) ?? 0) - (lostSeconds(a) ?? 0));
  const seconds = worst ? lostSeconds(worst) : null;
  return seconds
    ? { title: linkTitle(/** @type {any} */ (worst)), writes: figure(worst, 'link-promotion-missing') ?? 0, seconds }
    : null;
}

/** @param {CaseFigures} row @returns {string} what the link cannot carry in an hour, if the primary disconnects nobody */
function behindText(row) {
  const [growth, demand] = [figure(row, 'link-growth'), figure(row, 'link-demand') ?? 0];
  if (growth === null) return NOT_MEASURED;
  return growth > NO_GROWTH * demand ? gigabytes(growth * SECONDS_AN_HOUR) : '0';
}

/** @param {CaseFigures} row */
function timedOutText(row) {
  const asked = total(row, 'link-waits-asked');
  return `${count(asked - total(row, 'link-waits-reached'))} of ${count(asked)}`;
}

/** @type {readonly ColumnSpec[]} */
const LINKS = [
  { title: 'link of the replica', text: (row) => linkTitle(row), theirs: 'the article: 75%' },
  { title: 'writes lost by a promotion', metric: 'link-promotion-missing', format: 'count' },
  { title: 'of writing', text: (row) => FORMATS.seconds(lostSeconds(row)), align: 'right' },
  { title: 'behind after an hour', text: behindText, align: 'right', theirs: ARTICLE.behind },
  { title: 'full resyncs', text: (row) => count(total(row, 'link-full-resyncs')), align: 'right' },
  { title: 'WAIT 1 timed out', text: timedOutText, align: 'right' },
];

/** @param {CaseFigures} row @param {string} metric of bytes on the wire or of the stream @returns {number | null} bytes a second */
function aSecond(row, metric) {
  const [all, seconds] = [figure(row, metric), figure(row, 'link-wire-seconds')];
  return all === null || !seconds ? null : all / seconds;
}

/** @param {CaseFigures} row @returns {boolean} in all rounds the wire carried exactly the growth of the stream */
const isWhole = (row) =>
  row.of['link-catch-up']?.n === row.of['link-demand'].n && total(row, 'link-full-resyncs') === 0;
/** @param {CaseFigures} row @returns {number | null} bytes of stream for a byte on the wire */
function ratioOf(row) {
  const [stream, wire] = [figure(row, 'link-stream'), figure(row, 'link-wire-to-replica')];
  return stream === null || !wire || !isWhole(row) ? null : stream / wire;
}

/** @param {CaseFigures} row @returns {boolean} slower than asked for, so its CPU and WAIT are not compared */
const isSlow = (row) => !keptRate(/** @type {any} */ (row), figure(row, 'throughput') ?? 0);

/** @param {readonly CaseFigures[]} rows @returns {CaseFigures[]} without a tunnel, and each that compresses */
function compressionRows(rows) {
  return rows.filter(
    ({ caseId, params: { tunnel } }) => caseId === 'none-regular' || !['none', 'ssh'].includes(tunnel ?? ''),
  );
}

/** @param {CaseFigures} row */
function tunnelTitle({ params }) {
  const { pattern, pipeline } = params;
  return [
    tunnelName({ params }),
    ...(pattern === 'random' ? ['random keys'] : []),
    ...(pipeline > 10 ? [`pipelines of ${pipeline}`] : []),
  ].join(', ');
}

/** @param {number | null} rate bytes a second @param {(value: number) => string} format */
const aMonth = (rate, format) => (rate === null ? NOT_MEASURED : format(rate * SECONDS_A_MONTH));
/** @param {number} size bytes @returns {string} the cheapest and the dearest of the article's prices */
const dollars = (size) =>
  [ARTICLE.price.least, ARTICLE.price.most].map((price) => `$${count(Math.round((price * size) / GB))}`).join('–');

const MBIT = 1e6 / 8;
/** @param {number | null} rate bytes a second */
const megabits = (rate) => (rate === null ? NOT_MEASURED : (rate / MBIT).toFixed(rate < 10 * MBIT ? 2 : 1));
/** @param {number | null} rate bytes a second */
const speed = (rate) => (rate === null ? NOT_MEASURED : bitRate(rate));

/** @type {readonly ColumnSpec[]} */
const COMPRESSION = [
  { title: 'tunnel', text: tunnelTitle, theirs: 'the article: ssh -C' },
  {
    title: 'before, Mbit/s',
    text: (row) => megabits(aSecond(row, 'link-stream')),
    align: 'right',
    theirs: megabits(ARTICLE.compression.before),
  },
  {
    title: 'after, Mbit/s',
    text: (row) => megabits(aSecond(row, 'link-wire-to-replica')),
    align: 'right',
    theirs: megabits(ARTICLE.compression.after),
  },
  {
    title: 'less',
    text: (row) => FORMATS.times(ratioOf(row)),
    align: 'right',
    theirs: FORMATS.times(ARTICLE.compression.before / ARTICLE.compression.after),
  },
  {
    title: 'CPU',
    text: (row) => FORMATS.percent(isSlow(row) ? null : figure(row, 'link-wire-primary-end-cpu')),
    align: 'right',
  },
  {
    title: 'SET + WAIT 1',
    text: (row) => FORMATS.ms(isSlow(row) ? null : figure(row, 'link-waits-latency-p50')),
    align: 'right',
  },
  {
    title: 'a month',
    text: (row) => aMonth(aSecond(row, 'link-wire-to-replica'), billedBytes),
    align: 'right',
    theirs: aMonth(ARTICLE.compression.after, billedBytes),
  },
  {
    title: 'costs',
    text: (row) => aMonth(aSecond(row, 'link-wire-to-replica'), dollars),
    align: 'right',
    theirs: aMonth(ARTICLE.compression.after, dollars),
  },
];

/** @param {readonly CaseFigures[]} rows @returns what the article's before and after are with ssh -C; null: not measured */
function compressedOf(rows) {
  const row = rows.find(({ params }) => params.tunnel === 'ssh-C' && params.pattern === 'regular');
  if (row === undefined) return null;
  const { before, after } = ARTICLE.compression;
  return {
    before: speed(aSecond(row, 'link-stream')),
    after: speed(aSecond(row, 'link-wire-to-replica')),
    times: ratioOf(row),
    costs: {
      before: aMonth(aSecond(row, 'link-stream'), dollars),
      after: aMonth(aSecond(row, 'link-wire-to-replica'), dollars),
    },
    theirs: {
      before: bitRate(before),
      after: bitRate(after),
      costs: { before: aMonth(before, dollars), after: aMonth(after, dollars) },
    },
  };
}

/** @param {readonly CaseFigures[]} rows @returns {{none: number, ssh: number} | null} milliseconds of SET and WAIT 1 without a tunnel, and through ssh -C */
function waitsOf(rows) {
  const [none, ssh] = ['none', 'ssh-C'].map((tunnel) => {
    const row = rows.find(({ params }) => params.tunnel === tunnel && params.pattern === 'regular');
    return row && !isSlow(row) ? figure(row, 'link-waits-latency-p50') : null;
  });
  return none === null || ssh === null ? null : { none, ssh };
}

/** @param {readonly CaseFigures[]} rows @returns {{seconds: number, spare: number, missing: number} | null} null: the primary survived */
function goneOf(rows) {
  const row = rows.find(({ of }) => of['link-memory-gone-after'] !== undefined);
  if (row === undefined) return null;
  return {
    seconds: (figure(row, 'link-memory-gone-after') ?? 0) / MS_A_SECOND,
    spare: figure(row, 'link-memory-limit') ?? 0,
    missing: figure(row, 'link-promotion-missing') ?? 0,
  };
}

/** @param {CaseFigures | undefined} row @returns {{speed: string, needed: string, bytes: number, seconds: number} | null} a backlog that outlasts repl-timeout */
function backlogFor(row) {
  const rate = row === undefined ? null : figure(row, 'link-demand');
  if (rate === null) return null;
  const needed = rate * REPL_TIMEOUT_SECONDS;
  return {
    speed: bitRate(rate),
    needed: bytes(needed),
    bytes: 2 ** Math.ceil(Math.log2(needed / MIB)) * MIB,
    seconds: REPL_TIMEOUT_SECONDS,
  };
}

/** @param {CaseFigures} row @returns {number} bytes */
const ownBacklog = ({ params }) => Number(params.settings?.['repl-backlog-size'] ?? 0);
/** @param {CaseFigures} row @param {string} metric milliseconds @returns {string} from the least to the most of the rounds */
function rangeText({ of }, metric) {
  const fact = of[metric];
  if (fact === undefined) return NOT_MEASURED;
  return [...new Set([Math.min(...fact.values), Math.max(...fact.values)].map((ms) => FORMATS.ms(ms)))].join('–');
}

/** @type {readonly ColumnSpec[]} */
const LOSSES = [
  { title: 'tunnel', text: ({ params }) => tunnelName({ params }) },
  { title: 'backlog', text: (row) => bytes(ownBacklog(row)), align: 'right' },
  { title: 'replication stopped', text: (row) => rangeText(row, 'link-outage-away'), align: 'right' },
  { title: 'missed', metric: 'link-missed', format: 'bytes' },
  { title: 'full resyncs', text: (row) => count(total(row, 'link-full-resyncs')), align: 'right' },
];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} a supervisor a row, a fault a column */
function supervisorTable(rows) {
  const supervisorOf = (/** @type {CaseFigures} */ { params }) => SUPERVISOR_TITLES[params.supervisor ?? 'restart'];
  const faultOf = (/** @type {CaseFigures} */ { params }) => FAULT_TITLES[params.tunnelFault ?? 'killed'];
  const unique = (/** @type {(row: CaseFigures) => string} */ text) => [...new Set(rows.map(text))];
  const isBack = (/** @type {CaseFigures} */ { of }) => of['link-stopped-away']?.n === of['link-demand'].n;
  const cell = (/** @type {CaseFigures} */ row) => (isBack(row) ? rangeText(row, 'link-stopped-away') : 'not back');
  return crossTable(
    {
      title: 'ssh -C kept by',
      down: unique(supervisorOf),
      across: unique(faultOf),
      downOf: supervisorOf,
      acrossOf: faultOf,
      cell,
    },
    rows,
  );
}

/** @type {readonly ColumnSpec[]} */
const DARK = [
  { title: 'repl-timeout', text: ({ params }) => `${params.settings?.['repl-timeout']} s` },
  {
    title: 'min-replicas',
    text: ({ params }) =>
      params.settings?.['min-replicas-to-write'] === '1'
        ? `1, max-lag ${params.settings['min-replicas-max-lag']} s`
        : 'off',
  },
  { title: 'replica noticed', metric: 'link-dark-replica-noticed', format: 'ms' },
  { title: 'primary noticed', metric: 'link-dark-primary-noticed', format: 'ms' },
  { title: 'first refused write', metric: 'link-dark-refused', format: 'ms' },
  { title: 'WAIT 1 timed out', text: timedOutText, align: 'right' },
];
