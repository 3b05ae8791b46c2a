/** The suite `workloads`: what failures do to locks, counters, requests, limits, queues, streams and messages. */
/** @import { Suite } from '../types.js' */
import { countedIn, historyName } from '../workloads/company.js';
import { roundFigures } from './document.js';
import { pageData } from './page.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'workloads',
  roundFigures,
  benchmarks: SCENARIOS,
  histories: {
    recorded: ({ workloads = [] }) => workloads.map((one) => ({ name: historyName(one), figures: one.figures })),
    count: (name, lines) => countedIn(name.split('.')[0], lines),
  },
  page: { template: new URL('page.md', import.meta.url), data: pageData },
};
