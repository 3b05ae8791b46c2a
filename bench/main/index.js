/** @import { Suite } from '../../src/run/types.js' */

import asyncVsWait from './async-vs-wait.js';
import concurrency from './concurrency.js';
import distance from './distance.js';
import durableModes from './durable-modes.js';
import firstArticle from './first-article.js';
import latencyCurve from './latency-curve.js';
import { pageData, terminalBlocks } from './page.js';
import payload from './payload.js';
import pipeline from './pipeline.js';
import readAfterWrite from './read-after-write.js';
import { options } from './slo.js';

const benchmarks = [
  asyncVsWait,
  pipeline,
  concurrency,
  readAfterWrite,
  durableModes,
  distance,
  payload,
  latencyCurve,
  firstArticle,
];

/** @type {Suite} */
export default {
  name: 'main',
  options,
  benchmarks,
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: terminalBlocks,
};
