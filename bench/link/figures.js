/** How the tables of this suite name their cases, and what several of its checks ask. */
/** @import { CaseFigures, CaseResult } from '../types.js' */
/** @import { LinkFigures } from './document.js' */
import { count, percent } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { outcomesOf } from '../../src/report/columns.js';
import { FORMATS, figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { totalOf } from '../pages/fact-table.js';

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
