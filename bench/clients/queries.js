/** Queries of the clients page: what each library lost in each failure. @import { CaseFigures } from '../types.js' */
import { figure, where } from '../../src/facts/query.js';
import { sum } from '../../src/stats/statistics.js';
import { WHOLE_MODES } from '../modes.js';
import { lossOf } from '../pages/trials.js';

export const FAILOVER = 'clients-failover';
export const RUNBOOK = 'clients-runbook';
/** The mode without WAIT. */
export const ASYNC = 'async';
/** A library that loses most of the time until the demotion has stayed with the old primary. */
const STAYED = 0.7;

/** @typedef {ReturnType<typeof librariesOf>[number]} LibraryCases its cases without WAIT (plain), with it (waited), and with settings of the nodes, too (whole) */

/**
 * @param {readonly CaseFigures[]} rows with one setting of the libraries @param {readonly string[]} writers
 * @returns in the order of the rows
 */
export function librariesOf(rows, writers) {
  const found = [...new Set(rows.map(({ writer }) => writer))].filter((writer) => writers.includes(writer));
  return found.map((writer) => {
    const own = where(rows, { writer });
    return {
      writer,
      plain: where(own, { mode: ASYNC }),
      waited: own.filter(({ mode }) => mode !== ASYNC && !WHOLE_MODES.includes(mode)),
      whole: own.filter(({ mode }) => WHOLE_MODES.includes(mode)),
    };
  });
}

/** @param {readonly CaseFigures[]} rows @param {string} metric @returns {number} of all trials */
export function totalOf(rows, metric) {
  return sum(rows.map((row) => figure(row, metric, 'total') ?? 0));
}

/** @param {readonly CaseFigures[]} rows @returns {number} seconds lost in the worst trial */
export function secondsLost(rows) {
  return rows.length === 0 ? 0 : (lossOf(rows).seconds ?? 0);
}

/**
 * @param {readonly CaseFigures[]} rows
 * @returns {number | null} seconds from SENTINEL FAILOVER until the old primary was a replica, in the shortest trial; null: not seen
 */
export function stayOf(rows) {
  const times = where(rows, { experiment: FAILOVER, writer: '' }).flatMap((row) => row.of.demotion?.values ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** @param {LibraryCases} library @param {number | null} stay from {@link stayOf} @returns it stays with an old primary; null: not measured */
export function staysAt({ plain }, stay) {
  const own = where(plain, { experiment: FAILOVER });
  return own.length === 0 || stay === null ? null : secondsLost(own) >= STAYED * stay;
}

/** @param {LibraryCases} library @returns the counts of WAIT were those of the connection of the write; null: none was acknowledged with WAIT */
export function waitsOnConnection({ waited }) {
  return totalOf(waited, 'acked') === 0 ? null : totalOf(waited, 'false-acks') === 0;
}

/** @param {LibraryCases} library @returns {number} seconds of its longest outage; Infinity: it did not write again */
export function longestStop({ plain, waited }) {
  return Math.max(...[...plain, ...waited].map((row) => figure(row, 'outage', 'worst') ?? 0));
}
