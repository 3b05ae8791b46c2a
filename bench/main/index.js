/** @import { Result } from '../../src/result/schema.js' */
/** @import { FrontPage, Suite } from '../../src/run/types.js' */
import { chart, code, text } from '../../src/report/blocks.js';
import asyncVsWait from './async-vs-wait.js';
import { claims } from './claims.js';
import clients from './clients.js';
import concurrency from './concurrency.js';
import distance from './distance.js';
import firstArticle from './first-article.js';
import latencyCurve from './latency-curve.js';
import payload from './payload.js';
import pipeline from './pipeline.js';
import readAfterWrite from './read-after-write.js';
import responseTime from './response-time.js';
import { waitChart, waitTable } from './wait-cost.js';

/** The answer has at most so many sentences. */
const ANSWERS = 6;
const benchmarks = [
  asyncVsWait,
  pipeline,
  responseTime,
  distance,
  readAfterWrite,
  concurrency,
  payload,
  clients,
  latencyCurve,
  firstArticle,
];

const ACTION = 'Send WAIT together with the write, let one WAIT cover many writes, and read its count.';
/** One connection sends both in one turn of the event loop, so they are pipelined, and WAIT covers the write. */
const CLIENT_CODE = `// node-redis, one connection: SET and WAIT leave together.
const [, replicas] = await Promise.all([client.set(key, value), client.wait(1, 1000)]);
if (replicas < 1) throw new Error('under-acknowledged: no replica confirmed the write in time');`;

/** @type {Suite} */
export default { name: 'main', benchmarks, frontPage, claims };

/**
 * @param {Result} result
 * @returns {FrontPage} the first finding of each benchmark, and what WAIT costs through each client
 */
function frontPage(result) {
  const answer = benchmarks.flatMap((benchmark) => {
    const measured = result.benchmarks.find(({ name }) => name === benchmark.name);
    const [first] = measured && measured.cases.length > 0 ? benchmark.findings(measured, {}) : [];
    return first ? [`${first.text}.`] : [];
  });
  const table = waitTable(result);
  const costs = waitChart(result);
  return {
    answer: answer.slice(0, ANSWERS),
    evidence: [...(costs ? [chart(costs)] : []), ...(table.rows.length > 0 ? [table] : [])],
    actions: table.rows.length > 0 ? [text(ACTION), code(CLIENT_CODE, 'js')] : [],
    limits: [
      'Undecided: the interval is still wider than ± 10 points at the end of the time for it; measure with `--profile standard`.',
      'Response times are from `response-time` and `latency-curve`; other percentiles are service time.',
    ],
  };
}
