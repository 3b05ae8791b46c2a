/** @import { BenchmarkResult, Result } from '../../src/result/schema.js' */
/** @import { FrontPage, Suite } from '../../src/run/types.js' */

import { chart, code, list, text } from '../../src/report/blocks.js';
import { tell } from '../../src/report/findings.js';
import asyncVsWait from './async-vs-wait.js';
import { claims } from './claims.js';
import clients from './clients.js';
import concurrency, { capacityText } from './concurrency.js';
import distance, { costAtDistance } from './distance.js';
import firstArticle from './first-article.js';
import latencyCurve from './latency-curve.js';
import libraries from './libraries.js';
import payload from './payload.js';
import pipeline from './pipeline.js';
import readAfterWrite from './read-after-write.js';
import responseTime from './response-time.js';
import { options } from './slo.js';
import { APART_MS, DEEP, waitChart, waitFindings, waitTable } from './wait-cost.js';

/** The most sentences of the answer. */
const ANSWERS = 5;
const benchmarks = [
  asyncVsWait,
  pipeline,
  responseTime,
  distance,
  readAfterWrite,
  concurrency,
  payload,
  clients,
  libraries,
  latencyCurve,
  firstArticle,
];

const PURPOSE =
  'This page prices WAIT alone, without an append-only file. Which mode to use, and what that costs: `config-sweep`. What each mode loses: `failure`.';
const ACTION =
  'Send WAIT together with the writes, let one WAIT cover many of them, and read its count: a lower one is not confirmed, and the writes are not undone. ' +
  'WAIT makes nothing durable. It counts writes of its own connection only, so use one of your own, never a pool, and not across a reconnect.';
/** What the words of the table mean. */
const WORDS = Object.freeze(
  Object.entries({
    cost: 'the median of ratios paired by round, so it may differ from the ratio of two rates. Each section has rounds of its own, so figures of two sections differ, too',
    native: 'the load client of sentinel-bench, without a library',
    depth: 'writes that one connection sends at once',
    pipelined: 'WAIT leaves with the writes; sequential: it follows their answers',
    apart: 'a relay adds the time to each round trip between nodes. It also changes async writes: see `distance`',
    sustained: 'all writes of an offered rate were sent and answered in time (`latency-curve`)',
  }).map(([name, meaning]) => ({ name, text: meaning, details: [] })),
);
/** Each profile, and the larger one to run when its figures are undecided. @type {Readonly<Record<string, string>>} */
const LARGER = { quick: 'standard', standard: 'full' };
/** One connection sends both in one turn of the event loop, so they are pipelined, and WAIT covers the write. */
const CLIENT_CODE = `// client: node-redis on a connection of its own. Behind Sentinel copy examples/node-redis.js, which also moves at a failover
const [, , replicas] = await Promise.all([client.set('a', '1'), client.set('b', '2'), client.wait(1, 1000)]);
if (replicas < 1) throw new Error('not confirmed in time: the primary has the writes, perhaps no replica has them');`;

/** @type {Suite} */
export default { name: 'main', options, benchmarks, frontPage, claims };

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
  const capacity = crowd ? capacityText(crowd) : [];
  const { answer, toldFindings } = tell(
    benchmarks
      // The table shows its cost beside the one on loopback.
      .filter(({ name }) => name !== distance.name || !apartAt(1))
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
      ? `${alone} With nodes ${APART_MS} ms apart: ${apart.cost}, pipelined${depth === 1 ? ': each write waits for a round trip. That is latency, not capacity' : ''}.`
      : alone;
  };
  return {
    answer: [...(table.rows.length > 0 ? [PURPOSE] : []), ...capacity, ...answer.map(withDistance)],
    toldFindings: [...toldFindings, ...shown.toldFindings],
    evidence: [...(costs ? [chart(costs)] : []), ...(table.rows.length > 0 ? [table, list(WORDS)] : [])],
    actions: table.rows.length > 0 ? [text(ACTION), code(CLIENT_CODE, 'js')] : [],
    limits: [
      `Undecided: the interval is still wider than ± 10 points at the end of the time for it${more}. Response times are from \`response-time\` and \`latency-curve\`; other percentiles are service time.`,
    ],
  };
}
