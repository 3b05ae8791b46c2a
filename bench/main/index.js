/** @import { BenchmarkResult, Result } from '../../src/result/schema.js' */
/** @import { Block } from '../../src/report/blocks.js' */
/** @import { FrontPage, Suite } from '../../src/run/types.js' */
/** @import { Apart } from './durable-modes.js' */

import { chart, code, list, text } from '../../src/report/blocks.js';
import { RANGE_MEANING, tell } from '../../src/report/findings.js';
import { range, rate } from '../../src/report/format.js';
import { MODES, SAFEST_MODES } from '../modes.js';
import { clientCode, pastedName, rollOut, rollOutBlocks, settingsStep } from '../pages/paste.js';
import { BETWEEN_RUNS, PUBLISHED, PUBLISHED_RATE, SAFEST } from '../pages/published.js';
import { APART } from '../pages/published-costs.js';
import asyncVsWait from './async-vs-wait.js';
import clients from './clients.js';
import concurrency, { capacityText } from './concurrency.js';
import distance, { costAtDistance } from './distance.js';
import durableModes, { costsApart, safestText } from './durable-modes.js';
import firstArticle from './first-article.js';
import latencyCurve, { sustainedText } from './latency-curve.js';
import libraries from './libraries.js';
import payload from './payload.js';
import pipeline from './pipeline.js';
import readAfterWrite from './read-after-write.js';
import responseTime from './response-time.js';
import { options } from './slo.js';
import { APART_MS, DEEP, waitChart, waitFindings, waitTable } from './wait-cost.js';

/** The most findings of the answer. */
const ANSWERS = 5;
const benchmarks = [
  asyncVsWait,
  pipeline,
  responseTime,
  distance,
  durableModes,
  readAfterWrite,
  concurrency,
  payload,
  clients,
  libraries,
  latencyCurve,
  firstArticle,
];

const [WAIT_2, EVERYSEC] = ['WAIT 2', 'WAIT 2 + AOF everysec'];
const PURPOSE =
  `WAIT alone does not keep all confirmed writes. For data that may not be lost use ${SAFEST}: its settings are below; \`failure\` has what each mode loses. ` +
  'Where it names no other mode, this page prices WAIT alone, without an append-only file.';
/** This suite measures no files. */
const WITH_FILE =
  `What modes cost one connection at pipeline depth 1, in the published run of \`config-sweep\`: ${SAFEST} ${PUBLISHED[SAFEST].cost}, with a p99 response time of ${PUBLISHED[SAFEST].p99} (async ${PUBLISHED.async.p99}) at an offered ${PUBLISHED_RATE} on 10 connections; ` +
  `${EVERYSEC} ${PUBLISHED[EVERYSEC].cost}; ${WAIT_2} alone ${PUBLISHED[WAIT_2].cost}.`;
/** For runs without `durable-modes`. */
const PUBLISHED_APART = apartText(APART, ' (64 B, published run of `durable-modes`)');
const NOT_PROTECTED =
  'What WAIT alone does not protect from: it puts nothing on a disk. A primary that restarts before a Sentinel notices comes back empty, and its replicas empty themselves; WAIT 2 does not prevent it. ' +
  'WAIT 1 does not protect from a partition that takes the confirming replica along.';
const ACTION =
  'Step 1, the client: it changes no server. This code is WAIT 2, for exactly two replicas: while one is away, nothing is confirmed. With `replicas: 1` it goes on, and loses what it confirmed when a partition takes that replica along. ' +
  'Neither puts anything on a disk; step 2 does. ' +
  'WAIT leaves together with the write, and its count is read: a lower one is not confirmed, and the write is not undone. WAIT counts writes of its own connection only, and holds that connection until it answers: several connections are fine, but a pool that picks one for each command is not. ' +
  'This client keeps to that, and moves at a failover. For many writes at once, send them and then one WAIT in one flush (depth 100 above). Never wait without a timeout: 0 blocks for ever.';
/** Of WAIT in the client to paste. */
const PASTED = Object.freeze({ wait: 2, waitTimeoutMs: 1000 });
/** What the words of the table mean. */
const WORDS = Object.freeze({
  native: 'the load client of sentinel-bench, without a library',
  depth: 'writes that one connection sends at once',
  pipelined: 'WAIT is sent with its write; sequential: WAIT is sent after the answer to the write',
  apart: 'a relay adds the time to each round trip between nodes. It also changes async writes: see `distance`',
  sustained: 'all writes of an offered rate were sent and answered in time (`latency-curve`)',
});
/** Each profile, and the larger one to run when its figures are undecided. @type {Readonly<Record<string, string>>} */
const LARGER = { quick: 'standard', standard: 'full' };
/** @type {Suite} */
export default { name: 'main', options, benchmarks, frontPage };

/**
 * @param {Result} result
 * @returns {FrontPage} the first finding of each benchmark, and what WAIT costs through each client
 */
function frontPage(result) {
  const measuredIn = (/** @type {string} */ wanted) =>
    result.benchmarks.find(({ name, cases }) => name === wanted && cases.length > 0);
  const client = measuredIn(asyncVsWait.name)?.cases[0].params.client ?? 'native';
  const apartAt = (/** @type {number} */ pipeline) => costAtDistance(result, { client, pipeline }, APART_MS);
  const crowd = measuredIn(concurrency.name);
  const curve = measuredIn(latencyCurve.name);
  const sustained = curve ? sustainedText(curve) : '';
  const capacity = crowd ? capacityText(crowd).map((sentence) => sentence + sustained) : [];
  const apart = costsApart(result, APART_MS);
  const { answer, toldFindings } = tell(
    benchmarks
      // The table shows its cost beside the one on loopback.
      .filter(({ name }) => name !== distance.name || !apartAt(1))
      // A sentence of its own says more.
      .filter(({ name }) => name !== durableModes.name || !apart)
      // The capacity says more than the number of connections that reach it.
      .filter(({ name }) => name !== concurrency.name || capacity.length === 0)
      .map(({ name, findings }) => {
        const measured = measuredIn(name);
        return { benchmark: name, findings: measured ? findings(measured, {}).slice(0, 1) : [] };
      })
      .filter(({ findings }) => findings.length > 0)
      .slice(0, ANSWERS),
  );
  const larger = LARGER[result.profile.name];
  const more = larger ? `; measure with \`--profile ${larger}\`` : '';
  const table = waitTable(result);
  const costs = waitChart(result);
  const inTables = [
    { benchmark: asyncVsWait, findings: asyncVsWait.findings },
    { benchmark: pipeline, findings: (/** @type {BenchmarkResult} */ measured) => waitFindings(measured, DEEP) },
    { benchmark: readAfterWrite, findings: readAfterWrite.findings },
    { benchmark: distance, findings: distance.findings },
    { benchmark: durableModes, findings: durableModes.findings },
  ];
  const shown = tell(
    inTables.map(({ benchmark: { name }, findings }) => {
      const measured = measuredIn(name);
      return { benchmark: name, findings: measured ? findings(measured, {}) : [] };
    }),
  );
  const depths = new Map([
    [asyncVsWait.name, 1],
    [pipeline.name, DEEP],
  ]);
  const withDistance = (/** @type {string} */ sentence, /** @type {number} */ i) => {
    const depth = depths.get(toldFindings[i].split('/')[0]);
    const apart = depth === undefined ? null : apartAt(depth);
    const alone = depth === undefined ? sentence : `One connection: ${sentence}`;
    return apart
      ? `${alone} With nodes ${APART_MS} ms apart, through a relay: ${apart.cost}, sent with its write${depth === 1 ? ': each write waits for a round trip, and other connections go on meanwhile' : ''}.`
      : alone;
  };
  const sentences = answer.map(withDistance);
  const hasTable = table.rows.length > 0;
  return {
    answer: hasTable
      ? [PURPOSE, WITH_FILE, apart ? apartText(apart) : PUBLISHED_APART, NOT_PROTECTED, ...capacity, ...sentences]
      : [...(apart ? [apartText(apart)] : []), ...capacity, ...sentences],
    toldFindings: [...toldFindings, ...shown.toldFindings],
    evidence: [...(costs ? [chart(costs)] : []), ...(hasTable ? [table, list(wordsOf(result))] : [])],
    actions: hasTable ? actionsOf(pastedName(result.stack.masterName)) : [],
    limits: [
      `${RANGE_MEANING}${more}. Response times are from \`response-time\` and \`latency-curve\`; other percentiles are service time.`,
    ],
    // The answer has the capacity, the table the costs by depth and client. Few readers have the conditions of the article; details.md has all.
    covers: [
      firstArticle.name,
      ...(capacity.length > 0 ? [concurrency.name] : []),
      ...(hasTable ? [pipeline.name, clients.name] : []),
    ],
  };
}

/**
 * @param {Apart} apart
 * @param {string} [where] it was measured
 * @returns {string} what the safest mode costs at a distance
 */
function apartText({ safest, modes }, where = '') {
  return `With nodes ${APART_MS} ms apart, through a relay, ${SAFEST} ${safestText(safest)}; p99 at ${PUBLISHED_RATE} on 10 connections is ${modes[SAFEST].p99} (async ${modes.async.p99})${where}.`;
}

/**
 * @param {string} name of the primary, safe to paste
 * @returns {Block[]} the client that was priced, and the settings that make it safe
 */
function actionsOf(name) {
  const [safest] = SAFEST_MODES;
  return [
    text(ACTION),
    code(clientCode(PASTED, name), 'js'),
    ...rollOutBlocks(
      rollOut(SAFEST, MODES[safest].settings, name),
      settingsStep(MODES[safest].settings['min-replicas-to-write']),
    ),
  ];
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @returns {{name: string, text: string, details: string[]}[]} what the words of the table mean
 */
function wordsOf(result) {
  const words = {
    cost: `the median of ratios paired by round, so it may differ from the ratio of two rates. ${paceText(result)}. ${BETWEEN_RUNS}`,
    ...WORDS,
  };
  return Object.entries(words).map(([name, meaning]) => ({ name, text: meaning, details: [] }));
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @returns {string} a sentence without its end: how much the same load differed between sections
 */
function paceText({ benchmarks: measured }) {
  const speeds = measured.flatMap(({ cases }) =>
    cases
      .filter(
        ({ params: { client, wait, payloadBytes, connections, pipeline, rate: offered, linkLatencyMs } }) =>
          [client === 'native', wait === 0, payloadBytes === 64, connections === 1, pipeline === 1].every(Boolean) &&
          offered === undefined &&
          linkLatencyMs === undefined,
      )
      .map(({ summary }) => summary.throughput.median),
  );
  const apart =
    new Set(speeds).size > 1
      ? `: native without WAIT made ${range(Math.min(...speeds), Math.max(...speeds), rate)} at depth 1`
      : '';
  return `Each section has rounds of its own, when the machine was faster or slower${apart}. So compare figures within a section`;
}
