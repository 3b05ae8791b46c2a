/**
 * The benchmark `copy-shards`: one process for all shards of a Redis Cluster, or one for each.
 *
 * @import { Benchmark, Profile } from '../../src/run/types.js'
 * @import { CopySize } from './measure.js'
 */
import { SHARDS } from '../../src/stacks/redis/shards.js';
import { factTable } from '../pages/fact-table.js';
import { textsOf } from '../pages/texts.js';
import { copyChecks } from './checks.js';
import { whyNotCase } from './cores.js';
import { COLUMNS } from './figures.js';
import { measureCopy } from './measure.js';
import { OVERHEAD_SECONDS, PACES, SIZES, shardCases } from './modes.js';
import { CopyParameters, withCores } from './options.js';

/** Seconds of writing, except in profile `full`: with more, movers on two CPUs need minutes to catch up. */
const SECONDS = 1;

/** @param {Pick<Profile, 'name'>} profile @returns {CopySize} all shards together have as many keys as a pair of the benchmark `copy` */
function sizeFor({ name }) {
  const { keys, keysIncremental, ...size } = SIZES[name];
  const aShard = (/** @type {number} */ number) => Math.ceil(number / SHARDS.length);
  return { ...size, keys: aShard(keys), keysIncremental: aShard(keysIncremental) };
}

const { mode, movers, rate, reported, took, written, pace, behind, different, ratio } = COLUMNS;

/** @type {Benchmark} */
export default {
  name: 'copy-shards',
  ...textsOf(new URL('texts.yaml', import.meta.url))['copy-shards'],
  needs: ['configure', 'stats'],
  kind: 'custom',
  stacks: {
    sentinels: false,
    shards: true,
    // A slow subscriber must not lose its messages, as in copy.
    settings: { 'client-output-buffer-limit': 'pubsub 1gb 0 0' },
  },
  pace: ({ name }) => (name === 'full' ? PACES.full : { ...PACES[name], seconds: SECONDS }),
  overheadSeconds: OVERHEAD_SECONDS,
  cases: (how) => withCores(shardCases(how), how.parameters),
  whyNotCase,
  parameters: CopyParameters,
  measure: (site) => measureCopy(site, sizeFor(site.testbed.profile)),
  ...factTable([
    mode,
    movers,
    rate,
    reported,
    took,
    written,
    pace,
    behind,
    different,
    { ...ratio, title: 'to one for each' },
  ]),
  findings: () => [],
  checks: copyChecks,
};
