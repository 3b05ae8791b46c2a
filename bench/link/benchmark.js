/** What every benchmark of a link declares: benchmarks.yaml has its words, paces, settings and cases. */
/** @import { LinkFigures } from './document.js' */
/** @import { ListedColumn } from '../pages/fact-table.js' */
/** @import { Tunnel } from './paths/path.js' */
/** @import { CaseFigures, CaseParams, CaseResult, ColumnSpec, CustomBenchmark, FigureColumn } from '../types.js' */

import { count, percent } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { outcomesOf } from '../../src/report/columns.js';
import { FORMATS, figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { makeCase } from '../../src/run/case.js';
import { declaredIn } from '../pages/declared.js';
import { columnsIn, factTable, totalOf } from '../pages/fact-table.js';
import { whyNoPath } from './paths/path.js';

// Paces without a warm-up: the traffic's own figures leave its start out.
const DECLARED = declaredIn(new URL('benchmarks.yaml', import.meta.url));
/** @param {string} name of a benchmark @returns {Record<string, FigureColumn>} its columns of one figure */
export function figuresOf(name) {
  /** @type {Record<string, ListedColumn>} */
  const listed = DECLARED[name].columns;
  return Object.fromEntries(Object.entries(listed).map(([key, column]) => [key, columnsIn([column])[0]]));
}

/** A rate counts as reached from this share of it on. */
const KEPT = 0.99;

/**
 * @param {string} name
 * @param {Pick<CustomBenchmark, 'measure' | 'checks'> & Partial<CustomBenchmark> & {columns: Record<string, ColumnSpec> | readonly ColumnSpec[]}} own
 * @returns {CustomBenchmark}
 */
export function linkBenchmark(name, { columns, ...own }) {
  const { settings, common, cases, columns: _, ...words } = DECLARED[name];
  return {
    ...words,
    needs: ['stop', 'configure', 'logs'],
    kind: 'custom',
    // Without Sentinels, which would point the replica at the primary's own address instead of the path.
    stacks: { sentinels: false, settings: { 'min-replicas-to-write': '0', save: '', ...settings } },
    whyNotCase: async ({ params }, stack) =>
      whyNoPath({ tunnel: tunnelOf(params), supervisor: params.supervisor }, stack),
    cases: () =>
      Object.entries(/** @type {Record<string, Partial<CaseParams>>} */ (cases)).map(([id, params]) => ({
        id,
        params: makeCase({ replicas: 1, ...common, ...params }).params,
      })),
    ...factTable(Object.values(columns)),
    ...own,
  };
}

/** @param {Pick<CaseResult, 'params'>} result of the mix @param {number} requests answered a second */
export function keptRate({ params: { rate } }, requests) {
  return rate === undefined || requests >= KEPT * rate;
}

/** @param {CaseParams} params */
export const tunnelOf = ({ tunnel = 'none' }) => /** @type {Tunnel} */ (tunnel);

/** @param {Pick<CaseResult, 'params'>} result @returns {string} such as `ssh -C` */
export const tunnelName = ({ params: { tunnel = 'none' } }) => tunnel.replace('ssh-C', 'ssh -C');

/** @param {Pick<CaseResult, 'params'>} result @returns {string} such as `75% of demand, replica of a replica` */
export function linkTitle({ params: { linkShare, linkLatencyMs, chain, settings } }) {
  const backlog = settings?.['repl-backlog-size'];
  const parts = [
    linkShare === undefined ? '' : `${percent(linkShare)} of demand`,
    linkLatencyMs === undefined ? '' : `${linkLatencyMs} ms a round trip, no cap`,
    backlog ? `backlog ${backlog}` : '',
    chain ? 'replica of a replica' : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {CaseFigures} row @param {string} metric milliseconds @returns {string} from the least to the most of the rounds */
export function rangeText({ of }, metric) {
  const fact = of[metric];
  return fact === undefined ? NOT_MEASURED : [...new Set([fact.low, fact.high].map(FORMATS.ms))].join('–');
}

/** @param {string} title @param {string} metric over all rounds @param {Parameters<typeof figures>[2]} [more] */
export const total = (title, metric, more) => figures(title, (row) => count(totalOf(row, metric)), more);

export const TIMED_OUT = figures('WAIT 1 timed out', (row) => {
  const asked = totalOf(row, 'link-waits-asked');
  return `${count(asked - totalOf(row, 'link-waits-reached'))} of ${count(asked)}`;
});

/** @param {CaseResult} result @returns {LinkFigures[]} of each round that has them */
export const linksOf = ({ rounds }) => rounds.flatMap(({ link }) => link ?? []);

/**
 * A check of each round.
 * @param {string} name
 * @param {readonly CaseResult[]} cases
 * @param {(link: LinkFigures, result: CaseResult) => string | null} wrong the problem; null: none
 */
export const checkRounds = (name, cases, wrong) =>
  checkEach(name, cases, (result) => linksOf(result).flatMap((link) => wrong(link, result) ?? [])[0] ?? null);

/** @param {readonly CaseResult[]} cases */
export function everyRequestAnswered(cases) {
  return checkEach('every request was answered, without an error', cases, (result) => {
    const { rejected, unknown } = outcomesOf(result);
    const kinds = [...new Set(result.rounds.flatMap(({ errors }) => Object.keys(errors)))];
    if (rejected + unknown + kinds.length === 0) return null;
    return [`${count(rejected)} rejected`, `${count(unknown)} unanswered`, ...kinds].join(', ');
  });
}
