/** The suite `copy`: filling a new node by full sync or RedisShake; and a Redis Cluster by one process for all shards or one for each. */
/** @import { CustomBenchmark, Suite } from '../types.js' */

import { CustomParameters } from '../../src/run/parameters.js';
import { whyNoMover } from '../movers/movers.js';
import { declaredIn } from '../pages/declared.js';
import { columnsIn, factTable } from '../pages/fact-table.js';
import { params, roundFigures } from './document.js';
import { COLUMNS, copyChecks, isWritten } from './figures.js';
import { measureCopy } from './measure.js';
import { copyCases, OVERHEAD_SECONDS, SIZES, shardCases, shardSize } from './modes.js';
import { pageData } from './page.js';

const DECLARED = declaredIn(new URL('texts.yaml', import.meta.url));
const { use, ...COPY } = DECLARED.copy;
const { mode, movers, rate, reported, took, written, pace, ratio, behind, different, expiry } = COLUMNS;
const { before, during, after } = COLUMNS;

/** Past the default of 32mb Redis closes the connection of a slow subscriber, and its messages are lost. */
const LARGE_BUFFER = { 'client-output-buffer-limit': 'pubsub 1gb 0 0' };

/** @type {Pick<CustomBenchmark, 'kind' | 'overheadSeconds' | 'whyNotCase' | 'parameters' | 'findings' | 'checks'>} */
const SHARED = {
  kind: 'custom',
  overheadSeconds: OVERHEAD_SECONDS,
  whyNotCase: async ({ params: { mover = '' } }) => whyNoMover(mover),
  parameters: CustomParameters,
  checks: copyChecks,
};

/** @type {CustomBenchmark} */
export const copy = {
  ...SHARED,
  ...COPY,
  needs: ['stop', 'configure', 'stats'],
  stacks: { sentinels: false, settings: { 'min-replicas-to-write': '0', ...LARGE_BUFFER } },
  cases: copyCases,
  measure: (site) => measureCopy(site, SIZES[site.testbed.profile.name]),
  ...factTable(
    [mode, rate, reported, took, written, pace, ratio, behind, different, expiry],
    [
      {
        note: 'Resources of all pairs together during the copy; CPU is of one core.',
        columns: [mode, ...columnsIn(use)],
      },
      { note: 'p99 of the writers of the source.', columns: [mode, before, during, after], only: isWritten },
    ],
  ),
};

/** @type {CustomBenchmark} */
export const copyShards = {
  ...SHARED,
  ...DECLARED['copy-shards'],
  needs: ['configure', 'stats'],
  stacks: { sentinels: false, shards: true, settings: LARGE_BUFFER },
  cases: shardCases,
  measure: (site) => measureCopy(site, shardSize(site.testbed.profile)),
  ...factTable([
    ...[mode, movers, rate, reported, took, written, pace, behind, different],
    { ...ratio, title: 'to one for each' },
  ]),
};

/** @type {Suite} */
export default {
  name: 'copy',
  params,
  roundFigures,
  benchmarks: [copy, copyShards],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.ways, pageData(result).tables.rates],
};
