import { latencyOf, mergeHistograms } from '../src/measure/histogram.js';
import { isSustained } from '../src/measure/summary.js';
import { responseTimeByRate } from '../src/report/charts/rate.js';
import * as column from '../src/report/columns.js';
import { duration, rate as formatRate } from '../src/report/format.js';
import { makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

/**
 * @typedef {import('../src/run/types.js').CaseResult} CaseResult
 * @typedef {import('../src/run/types.js').Column} Column
 * @typedef {import('../src/run/types.js').Slo} Slo
 */

const WAITS = [0, 1, 2];
const CONNECTIONS = 50;
const FIRST_RATES = [1000, 2000, 5000, 10_000, 20_000, 40_000];
/** From the highest rate that was sustained to the next one that is tried. */
const STEP = 1.5;
/** Beyond this a single load thread tells nothing of Redis. */
const MOST = 1_000_000;
const LEAST = 100;
/** The search for the highest rate that keeps to a limit ends when the lowest that does not is so near. */
const NEAR = 1.05;

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'latency-curve',
  suite: 'main',
  question: 'How long do users wait at a given rate of writes, and at which rate does it become too long?',
  method:
    `Open loop: writes arrive at random (Poisson) at the rate of the row, on ${CONNECTIONS} connections, whether or not ` +
    'earlier ones have been answered; to send on time the load thread keeps a CPU to itself. Response time counts from when a write was meant to leave, so a stall shows in all ' +
    'that had to wait for it. A rate that could not be sustained has no meaningful percentiles: they grow with the round.',
  needs: [],
  profiles: ['standard', 'full'],
  generator: 'writes',
  cases: ({ client }) => WAITS.flatMap((wait) => FIRST_RATES.map((rate) => caseAt(wait, rate, client))),
  more: (result, { slo }) =>
    WAITS.flatMap((wait) => {
      const own = result.cases.filter(({ params }) => params.wait === wait);
      const next = nextSaturation(own) ?? (slo && nextForSlo(own, slo));
      return next && !own.some(({ params }) => params.rate === next) ? [caseAt(wait, next, own[0].params.client)] : [];
    }),
  table: [
    column.wait,
    { title: 'offered', align: 'right', cell: ({ params }) => formatRate(params.rate ?? 0) },
    { title: 'sustained', align: 'left', cell: ({ rounds }) => (isSustained(rounds) ? 'yes' : 'no') },
    { ...column.p50, title: 'response p50' },
    { ...column.p99, title: 'p99' },
    { ...column.p999, title: 'p99.9' },
    { title: 'service p99', align: 'right', cell: p99Of('serviceHistogram') },
    { title: 'sent late by, p99', align: 'right', cell: p99Of('latenessHistogram') },
    column.limitedBy,
  ],
  charts: (result) => [responseTimeByRate(result)],
  findings: (result, { slo }) =>
    WAITS.flatMap((wait) => {
      const own = result.cases.filter(({ params }) => params.wait === wait).sort(byRate);
      if (own.length === 0) return [];
      const level = wait === 0 ? 'Without WAIT' : `With WAIT ${wait}`;
      return [saturation(level, own), ...(slo ? [limit(level, own, slo)] : [])];
    }),
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(({ rounds }) => isSustained(rounds)) })],
};

/**
 * @param {number} wait
 * @param {number} rate
 * @param {import('../src/run/types.js').CaseParams['client']} [client]
 */
function caseAt(wait, rate, client) {
  return makeCase({ client, wait, rate, connections: CONNECTIONS });
}

/** @type {(a: CaseResult, b: CaseResult) => number} */
const byRate = (a, b) => (a.params.rate ?? 0) - (b.params.rate ?? 0);

/**
 * @param {CaseResult[]} cases of one WAIT level
 * @returns {number | undefined} a higher rate to try, while the highest was sustained
 */
function nextSaturation(cases) {
  const highest = cases.toSorted(byRate).at(-1);
  if (!highest?.params.rate || !isSustained(highest.rounds)) return undefined;
  const next = round(highest.params.rate * STEP);
  return next <= MOST ? next : undefined;
}

/**
 * @param {CaseResult} result
 * @param {Slo} slo
 */
function keeps({ rounds, summary }, slo) {
  return isSustained(rounds) && summary.latencyNs[slo.percentile] < slo.ns;
}

/**
 * @param {CaseResult[]} cases of one WAIT level
 * @param {Slo} slo
 * @returns {{kept: CaseResult | undefined, over: CaseResult | undefined}} the highest rate that keeps to it, and the next
 *   higher one that was tried; a lower rate that did not keep to it, by a stroke of the machine, does not count
 */
function around(cases, slo) {
  const sorted = cases.toSorted(byRate);
  const at = sorted.findLastIndex((one) => keeps(one, slo));
  return { kept: sorted[at], over: sorted[at + 1] };
}

/**
 * @param {CaseResult[]} cases of one WAIT level
 * @param {Slo} slo
 * @returns {number | undefined} the rate to try next in the search for the highest one that keeps to it
 */
function nextForSlo(cases, slo) {
  const { kept, over } = around(cases, slo);
  const failing = over?.params.rate;
  const keeping = kept?.params.rate;
  if (failing === undefined) return undefined;
  if (keeping === undefined) return failing / 2 >= LEAST ? round(failing / 2) : undefined;
  return failing / keeping > NEAR ? round(Math.sqrt(failing * keeping)) : undefined;
}

/** @param {number} rate to three digits, so that the ids of cases stay short */
function round(rate) {
  return Number(rate.toPrecision(3));
}

/** @param {'serviceHistogram' | 'latenessHistogram'} name */
function p99Of(name) {
  return (/** @type {CaseResult} */ { rounds }) => {
    const encoded = rounds.flatMap(({ openLoop }) => openLoop?.[name] ?? []);
    return duration(latencyOf(mergeHistograms(encoded)).p99);
  };
}

/**
 * @param {string} level
 * @param {CaseResult[]} cases by rate
 * @returns {import('../src/run/types.js').Finding}
 */
function saturation(level, cases) {
  const sustained = cases.filter(({ rounds }) => isSustained(rounds));
  const best = sustained.at(-1);
  const failed = cases.find(({ rounds }) => !isSustained(rounds));
  const evidence = [best, failed].flatMap((one) => one?.id ?? []);
  if (!best) return { text: `${level} not even ${formatRate(cases[0].params.rate ?? 0)} could be sustained`, evidence };
  const { p50, p99 } = best.summary.latencyNs;
  const end = failed
    ? `; ${formatRate(failed.params.rate ?? 0)} could not be (limited by: ${failed.summary.limitedBy})`
    : '; no higher rate was tried';
  return {
    text: `${level} ${formatRate(best.params.rate ?? 0)} could be sustained, with a response time of ${duration(p50)} at the median and ${duration(p99)} at p99${end}`,
    evidence,
  };
}

/**
 * @param {string} level
 * @param {CaseResult[]} cases by rate
 * @param {Slo} slo
 * @returns {import('../src/run/types.js').Finding}
 */
function limit(level, cases, slo) {
  const { kept, over } = around(cases, slo);
  const evidence = [kept, over].flatMap((one) => one?.id ?? []);
  if (!kept) return { text: `${level} no rate that was tried kept to ${slo.text}`, evidence };
  const figure = duration(kept.summary.latencyNs[slo.percentile]);
  const next = over
    ? `; at ${formatRate(over.params.rate ?? 0)} it was ${duration(over.summary.latencyNs[slo.percentile])}`
    : '';
  return {
    text: `${level} ${slo.text} was kept up to ${formatRate(kept.params.rate ?? 0)} (${figure})${next}`,
    evidence,
  };
}
