/** What page.md shows: what a slow link loses, the article's line of compression beside ours, and what a broken link does. */
/** @import { CaseFigures, Result, TableBlock, TemplateData } from '../types.js' */

import { figure, rowsOf, where } from '../../src/facts/query.js';
import { bitRate, count } from '../../src/format.js';
import { crossTable, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { MIB, SECONDS_A_MONTH } from '../../src/units.js';
import { readYaml } from '../../src/yaml.js';
import { suiteTerms } from '../facts.js';
import { keptRate, linkTitle } from './benchmark.js';
import * as compression from './compression.js';
import * as dark from './dark.js';
import { isMix } from './demand.js';
import * as shortfall from './shortfall.js';
import { lagCharts } from './shortfall.js';
import * as tunnels from './tunnels.js';

/** Theirs: bytes a second, and dollars a GB. */
const ARTICLE = readYaml(new URL('../claims/link-tables.yaml', import.meta.url));
const GB = 1e9;
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
  const [worst] = of('shortfall').toSorted((a, b) => lostBy(b) - lostBy(a));
  // Not slower than asked for, so that their CPU and WAIT can be compared.
  const compressed = of('compression').filter((row) => keptRate(row, figure(row, 'throughput') ?? 0));
  const [plain, ssh] = ['none', 'ssh-C'].map((tunnel) =>
    compressed.find(({ params }) => params.tunnel === tunnel && params.pattern === 'regular'),
  );
  const gone = of('memory').find((row) => row.of['link-memory-gone-after'] !== undefined);
  const slow = result.benchmarks.find(({ name }) => name === 'link-shortfall');
  return {
    measured: rows.length,
    promotion: lostBy(worst) > 0 && {
      title: linkTitle(worst),
      seconds: lostBy(worst),
      writes: figure(worst, missing.metric),
    },
    ours: ssh ? billed(figure(ssh, stream.metric), figure(ssh, wire.metric)) : null,
    theirs: { ...THEIRS, month: ARTICLE.month },
    gone: gone ? { ms: figure(gone, 'link-memory-gone-after'), spare: figure(gone, 'link-memory-limit') } : null,
    watched: tunnels.WATCHED_SECONDS,
    backlog: backlogFor(figure(of('demand').find(isMix), 'link-demand')),
    waits: plain && ssh ? { none: figure(plain, wait.metric), ssh: figure(ssh, wait.metric) } : null,
    tables: {
      links: tableOf(LINKS, of('shortfall')),
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

/** @param {CaseFigures | undefined} row @returns {number} seconds of writing that a promotion loses */
const lostBy = (row) => figure(row, lost.metric) ?? 0;

const { link, missing, lost, behind, full } = shortfall.COLUMNS;
const LINKS = [{ ...link, theirs: 'the article: 75%' }, missing, lost, { ...behind, theirs: ARTICLE.behind }, full];

/** @param {number | null} rate bytes a second @returns {string} what a month of it costs, at the cheapest and the dearest of the article's prices */
function bill(rate) {
  if (rate === null) return NOT_MEASURED;
  const { least, most, free } = ARTICLE.price;
  const billed = Math.max(0, rate * SECONDS_A_MONTH - free);
  return billed === 0 ? '$0' : [least, most].map((price) => `$${count(Math.round((price * billed) / GB))}`).join('–');
}

/** @param {number | null} before compression, bytes a second @param {number | null} after it @returns both, and their bills of a month */
const billed = (before, after) => ({ before, after, billBefore: bill(before), billAfter: bill(after) });

const THEIRS = ARTICLE.compression;
const { tunnel } = compression.COLUMNS;
const { stream, wire, ratio, cpu, wait } = compression.FIGURES;
const COMPRESSION = [
  {
    title: 'tunnel',
    text: (/** @type {CaseFigures} */ row) =>
      `${tunnel.text(row)}${row.params.pattern === 'random' ? ', random keys' : ''}`,
    theirs: 'the article: ssh -C',
  },
  { ...stream, theirs: bitRate(THEIRS.before) },
  { ...wire, theirs: bitRate(THEIRS.after) },
  { ...ratio, theirs: ARTICLE.fewer },
  cpu,
  wait,
  figures('a month', (row) => bill(figure(row, wire.metric)), { theirs: ARTICLE.month }),
];

/** @param {number | null} speed bytes a second @returns {Record<'speed' | 'bytes' | 'seconds', number> | null} a backlog that outlasts repl-timeout */
function backlogFor(speed) {
  if (speed === null) return null;
  const needed = speed * tunnels.REPL_TIMEOUT_SECONDS;
  return { speed, bytes: 2 ** Math.ceil(Math.log2(needed / MIB)) * MIB, seconds: tunnels.REPL_TIMEOUT_SECONDS };
}

const LOSSES = [tunnels.LOSS_COLUMNS.backlog, tunnels.LOSS_COLUMNS.stopped, tunnels.LOSS_COLUMNS.full];

/** @param {readonly CaseFigures[]} rows @returns {TableBlock} a supervisor a row, a fault a column */
function supervisorTable(rows) {
  const measured = (
    /** @type {Readonly<Record<string, string>>} */ titles,
    /** @type {(row: CaseFigures) => string} */ of,
  ) => Object.values(titles).filter((title) => rows.some((row) => of(row) === title));
  const [down, across] = [
    measured(tunnels.SUPERVISORS, tunnels.supervisorOf),
    measured(tunnels.FAULTS, tunnels.faultOf),
  ];
  const spec = {
    title: 'ssh -C kept by',
    down,
    across,
    downOf: tunnels.supervisorOf,
    acrossOf: tunnels.faultOf,
    cell: tunnels.stoppedText,
  };
  return crossTable(spec, rows);
}

const { timeout, minimum, waits } = dark.COLUMNS;
const DARK = [timeout, minimum, dark.FIGURES.replica, dark.FIGURES.refused, waits];
