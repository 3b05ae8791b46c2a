/** The suite `main`: what durability costs while all is well. */
/** @import { Suite } from '../types.js' */
import { distance, durableModes } from '../mode-costs.js';
import asyncVsWait from './async-vs-wait.js';
import firstArticle from './first-article.js';
import latencyCurve from './latency-curve.js';
import { pageData, terminalBlocks } from './page.js';
import pipeline from './pipeline.js';
import readAfterWrite from './read-after-write.js';
import { roundsOf } from './rounds.js';
import { options } from './slo.js';

/** @type {Suite} */
export default {
  name: 'main',
  options,
  benchmarks: [
    asyncVsWait,
    pipeline,
    roundsOf('concurrency'),
    readAfterWrite,
    durableModes,
    distance,
    roundsOf('payload'),
    latencyCurve,
    firstArticle,
  ],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: terminalBlocks,
};
