/** How long users wait at a given rate of writes, and which rate is too high. */
/** @import { CaseParams, CaseResult, Finding } from '../types.js' */
/** @import { SloValue } from './slo.js' */
import { duration, rate as formatRate } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding } from '../../src/report/findings.js';
import { makeCase } from '../../src/run/case.js';
import { filled } from '../../src/sentences.js';
import { latencyOf, mergeHistograms } from '../../src/stats/histogram.js';
import { isSustained } from '../../src/stats/summary.js';
import { roundsOf, TEXTS } from './rounds.js';
import { SloParameters } from './slo.js';

const SAYS = TEXTS.findings;
const WAITS = [0, 1, 2];
const CONNECTIONS = 50;
const FIRST_RATES = [1000, 2000, 5000, 10_000, 20_000, 40_000];
/** From the highest rate that was sustained to the next one that is tried. */
const STEP = 1.5;
/** Beyond this rate a single load thread measures itself. */
const MOST = 1_000_000;
const LEAST = 100;
/** The search for the highest rate within the limit ends when the next higher rate tried is this close. */
const NEAR = 1.05;

export default roundsOf('latency-curve', {
  profiles: ['standard', 'full'],
  parameters: SloParameters,
  askedFindings: true,
  cases: ({ client }) => WAITS.flatMap((wait) => FIRST_RATES.map((rate) => caseAt(wait, rate, client))),
  more: (result, { parameters: { slo } = {} }) =>
    WAITS.flatMap((wait) => {
      const waitCases = result.cases.filter(({ params }) => params.wait === wait);
      const next = nextSaturation(waitCases) ?? (slo && nextForSlo(waitCases, slo));
      return next && !waitCases.some(({ params }) => params.rate === next)
        ? [caseAt(wait, next, waitCases[0].params.client)]
        : [];
    }),
  table: [
    column.wait,
    column.right('offered', rateOf),
    column.left('sustained', ({ rounds }) => (isSustained(rounds) ? 'yes' : 'no')),
    { ...column.p50, title: 'response p50' },
    { ...column.p99, title: 'p99' },
    { ...column.p999, title: 'p99.9' },
    column.right('service p99', p99Of('serviceHistogram')),
    column.right('sent late by, p99', p99Of('latenessHistogram')),
    column.limitedBy,
  ],
  // The answer to what the user asked. What was sustained is on the page.
  findings: (result, { parameters: { slo } = {} }) =>
    WAITS.flatMap((wait) => {
      const waitCases = result.cases.filter(({ params }) => params.wait === wait).sort(byRate);
      return slo && waitCases.length > 0 ? [limit(wait, waitCases, slo)] : [];
    }),
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(({ rounds }) => isSustained(rounds)) })],
});

/** @param {number} wait @param {number} rate @param {CaseParams['client']} [client] */
function caseAt(wait, rate, client) {
  return makeCase({ client, wait, rate, connections: CONNECTIONS });
}

/** @type {(a: CaseResult, b: CaseResult) => number} */
const byRate = (a, b) => (a.params.rate ?? 0) - (b.params.rate ?? 0);

/** @param {CaseResult[]} cases with the same WAIT @returns {number | undefined} a higher rate to try, while the highest was sustained */
function nextSaturation(cases) {
  const highest = cases.toSorted(byRate).at(-1);
  if (!highest?.params.rate || !isSustained(highest.rounds)) return undefined;
  const next = round(highest.params.rate * STEP);
  return next <= MOST ? next : undefined;
}

/** @param {CaseResult} result @param {SloValue} slo */
function keeps({ rounds, summary }, slo) {
  return isSustained(rounds) && summary.latencyNs[slo.percentile] < slo.ns;
}

/** The highest rate within the limit, and the next higher one that was tried. @param {CaseResult[]} cases with the same WAIT @param {SloValue} slo */
function around(cases, slo) {
  const sorted = cases.toSorted(byRate);
  const at = sorted.findLastIndex((one) => keeps(one, slo));
  return { kept: sorted[at], over: sorted[at + 1] };
}

/** @param {CaseResult[]} cases with the same WAIT @param {SloValue} slo @returns the rate to try next; undefined: the search is over */
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

/** @param {number} wait @param {CaseResult[]} cases by rate @param {SloValue} slo @returns {Finding} */
function limit(wait, cases, slo) {
  const [id, mode] = [`slo-wait${wait}`, modeOf(wait)];
  const { kept, over } = around(cases, slo);
  const evidence = [kept, over].flatMap((one) => one?.id ?? []);
  if (!kept) return finding(id, filled(SAYS.noRate, { limit: slo.text, mode }), evidence);
  const figure = duration(kept.summary.latencyNs[slo.percentile]);
  const overNs = over?.summary.latencyNs[slo.percentile];
  const next = overNs
    ? filled(SAYS.next, { rate: rateOf(over), figure: `${column.atLeast(over.rounds, overNs)}${duration(overNs)}` })
    : '';
  return finding(id, filled(SAYS.highest, { rate: rateOf(kept), limit: slo.text, mode, figure, next }), evidence);
}

/** @param {number} wait */
function modeOf(wait) {
  return wait === 0 ? 'without WAIT' : `with WAIT ${wait}`;
}

/** @param {CaseResult} one */
function rateOf({ params }) {
  return formatRate(params.rate ?? 0);
}
