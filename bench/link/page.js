/**
 * What page.md shows: what a slow link loses, the article's line of compression beside ours, and what a broken link does.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 * @import { TemplateData } from '../../src/report/template.js'
 * @import { Result } from '../../src/result/schema.js'
 */

import { figure, rowsOf, where } from '../../src/facts/query.js';
import { bitRate, count } from '../../src/format.js';
import { crossTable, FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { MIB, MS_A_SECOND, SECONDS_A_MONTH } from '../../src/units.js';
import { readYaml } from '../../src/yaml.js';
import { suiteTerms } from '../facts.js';
import { keptRate } from './benchmark.js';
import * as compression from './compression.js';
import * as dark from './dark.js';
import { isMix } from './demand.js';
import { linkTitle } from './figures.js';
import { lagCharts } from './lag-chart.js';
import * as loss from './loss.js';
import * as shortfall from './shortfall.js';
import { FAULTS, faultOf, SUPERVISORS, stoppedText, supervisorOf, WATCHED_SECONDS } from './supervisors.js';

/** Theirs: bytes a second, and dollars a GB. */
const ARTICLE = readYaml(new URL('../claims/link-tables.yaml', import.meta.url));
const GB = 1e9;
/** They show what others on the page show. */
const ONLY_IN_DETAILS = [
  ...['share-125', 'latency-1ms', 'latency-20ms', 'latency-80ms', 'timeout-8-keepalive-1'],
  ...['none-random', 'ssh-regular', 'ssh-random', 'ssh-C-regular-long'],
];

/** @param {Result} result @returns {TemplateData & {tables: Record<string, TableBlock>}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms).filter(
    ({ of, caseId }) => of['link-demand'] !== undefined && !ONLY_IN_DETAILS.includes(caseId),
  );
  const of = (/** @type {string} */ name) => where(rows, { experiment: `link-${name}` });
  const links = of('shortfall');
  const compressed = of('compression').filter(isOnPage);
  const [worst] = links.toSorted((a, b) => lostBy(b) - lostBy(a));
  const [gone] = of('memory').filter((row) => row.of['link-memory-gone-after'] !== undefined);
  const slow = result.benchmarks.find(({ name }) => name === 'link-shortfall');
  return {
    measured: rows.length,
    promotion:
      worst && lostBy(worst) > 0 ? { title: linkTitle(worst), seconds: lostBy(worst), ...lostIn(worst) } : null,
    compressed: billsOf(compressed),
    gone: gone
      ? {
          seconds: (figure(gone, 'link-memory-gone-after') ?? 0) / MS_A_SECOND,
          spare: figure(gone, 'link-memory-limit'),
        }
      : null,
    watched: WATCHED_SECONDS,
    backlog: backlogFor(of('demand').find(isMix)),
    waits: waitsOf(compressed),
    tables: {
      links: tableOf(LINKS, links),
      compression: tableOf(COMPRESSION, compressed),
      losses: tableOf(
        LOSSES,
        of('loss').filter(({ params }) => !params.restartAfterMs),
      ),
      supervisors: supervisorTable(of('supervisors')),
      dark: tableOf(DARK, of('dark')),
    },
    charts: { lag: (slow && lagCharts(slow)[0]) ?? null },
  };
}

/** @param {Result} result @returns {Block[]} for the end of a run */
export function terminalTables(result) {
  const { links, compression: compressed } = pageData(result).tables;
  return [links, compressed].filter(({ rows }) => rows.length > 0);
}

/** @param {CaseFigures} row @returns {number} seconds of writing that a promotion loses */
const lostBy = (row) => figure(row, 'link-promotion-lost') ?? 0;
/** @param {CaseFigures} row */
const lostIn = (row) => ({ writes: figure(row, 'link-promotion-missing') ?? 0 });

/** @param {CaseFigures} row @returns {boolean} not slower than asked for, so that its CPU and WAIT can be compared */
const isOnPage = (row) => keptRate(row, figure(row, 'throughput') ?? 0);

const { link, missing, lost, behind, full } = shortfall.COLUMNS;
const LINKS = [{ ...link, theirs: 'the article: 75%' }, missing, lost, { ...behind, theirs: ARTICLE.behind }, full];

/** @param {CaseFigures} row */
const tunnelTitle = (row) =>
  `${compression.COLUMNS.tunnel.text(row)}${row.params.pattern === 'random' ? ', random keys' : ''}`;

/** @param {number | null} rate bytes a second @returns {string} what a month of it costs, at the cheapest and the dearest of the article's prices */
function bill(rate) {
  if (rate === null) return NOT_MEASURED;
  const prices = [ARTICLE.price.least, ARTICLE.price.most];
  return prices.map((price) => `$${count(Math.round((price * rate * SECONDS_A_MONTH) / GB))}`).join('–');
}

const THEIRS = ARTICLE.compression;
const { stream, wire, ratio, cpu, wait } = compression.COLUMNS;
const COMPRESSION = [
  { title: 'tunnel', text: tunnelTitle, theirs: 'the article: ssh -C' },
  { ...stream, theirs: bitRate(THEIRS.before) },
  { ...wire, theirs: bitRate(THEIRS.after) },
  { ...ratio, theirs: FORMATS.times(THEIRS.before / THEIRS.after) },
  cpu,
  wait,
  {
    title: 'a month',
    text: (/** @type {CaseFigures} */ row) => bill(figure(row, wire.metric)),
    align: /** @type {const} */ ('right'),
    theirs: bill(THEIRS.after),
  },
];

/** @param {readonly CaseFigures[]} rows @param {string} tunnel */
const regular = (rows, tunnel) => rows.find(({ params }) => params.tunnel === tunnel && params.pattern === 'regular');

/** @param {readonly CaseFigures[]} rows bytes a second before and after compression, and bills of a month; null: not measured */
function billsOf(rows) {
  const row = regular(rows, 'ssh-C');
  if (row === undefined) return null;
  return {
    stream: figure(row, stream.metric),
    wire: figure(row, wire.metric),
    theirStream: THEIRS.before,
    theirWire: THEIRS.after,
    before: bill(figure(row, stream.metric)),
    after: bill(figure(row, wire.metric)),
    theirsBefore: bill(THEIRS.before),
    theirsAfter: bill(THEIRS.after),
  };
}

/** @param {readonly CaseFigures[]} rows @returns {{none: number, ssh: number} | null} milliseconds of SET and WAIT 1; null: not measured */
function waitsOf(rows) {
  const [none, ssh] = ['none', 'ssh-C'].map((tunnel) => {
    const row = regular(rows, tunnel);
    return row ? figure(row, wait.metric) : null;
  });
  return none === null || ssh === null ? null : { none, ssh };
}

/** @param {CaseFigures | undefined} row @returns {{speed: number, bytes: number, seconds: number} | null} a backlog that outlasts repl-timeout */
function backlogFor(row) {
  const speed = row === undefined ? null : figure(row, 'link-demand');
  if (speed === null) return null;
  const needed = speed * loss.REPL_TIMEOUT_SECONDS;
  return { speed, bytes: 2 ** Math.ceil(Math.log2(needed / MIB)) * MIB, seconds: loss.REPL_TIMEOUT_SECONDS };
}

const LOSSES = [loss.COLUMNS.backlog, loss.COLUMNS.stopped, loss.COLUMNS.full];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} a supervisor a row, a fault a column */
function supervisorTable(rows) {
  const measured = (
    /** @type {Readonly<Record<string, string>>} */ titles,
    /** @type {typeof faultOf | typeof supervisorOf} */ of,
  ) => Object.values(titles).filter((title) => rows.some((row) => of(row) === title));
  return crossTable(
    {
      title: 'ssh -C kept by',
      down: measured(SUPERVISORS, supervisorOf),
      across: measured(FAULTS, faultOf),
      downOf: supervisorOf,
      acrossOf: faultOf,
      cell: stoppedText,
    },
    rows,
  );
}

const { timeout, minimum, replica, refused, waits } = dark.COLUMNS;
const DARK = [timeout, minimum, replica, refused, waits];
