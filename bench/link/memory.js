/**
 * The benchmark `link-memory`: an output buffer without a limit behind a slow link, until the primary has no memory left.
 *
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */
import { plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { makeCase } from '../../src/run/case.js';
import { factTable } from '../pages/fact-table.js';
import { linksOf } from './figures.js';
import { measureMemory } from './memory-round.js';
import { ON_A_PATH, paceOf } from './round.js';
import { TEXTS } from './texts.js';

/** Some 16 MB/s of stream to few keys: the buffer grows, the data set does not. */
const LOAD = Object.freeze({
  rate: 4000,
  payloadBytes: 4000,
  keyspace: 250,
  pattern: /** @type {const} */ ('random'),
  writeShare: 1,
  connections: 4,
  pipeline: 10,
});
/** The link is capped to this share of the values that are written. */
const SHARE = 0.125;
const SETTING = 'client-output-buffer-limit';
/** Limited: a sixteenth of Redis’s default of 256 MB and 64 MB, and 2 s instead of 60 s. */
const LIMITS = Object.freeze({ unlimited: 'replica 0 0 0', limited: 'replica 16mb 4mb 2' });

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  { title: SETTING, text: ({ params }) => params.settings?.[SETTING] ?? '' },
  { title: 'demand', metric: 'link-demand', format: 'bits' },
  { title: 'capped to', metric: 'link-limit', format: 'bits' },
  { title: 'memory to spare', metric: 'link-memory-limit', format: 'bytes' },
  { title: 'primary gone after', metric: 'link-memory-gone-after', format: 'ms' },
  { title: 'largest output buffer', metric: 'link-max-buffer', format: 'bytes' },
  { title: 'acked', metric: 'acked', show: 'total', format: 'count' },
  { title: 'unknown', metric: 'unknown', show: 'total', format: 'count' },
  { title: 'lost by a promotion', metric: 'link-promotion-missing', format: 'count' },
  { title: 'of writing', metric: 'link-promotion-lost', format: 'seconds' },
  { title: 'lost by a restart (AOF everysec)', metric: 'link-memory-restart-missing', format: 'count' },
  { title: 'disconnected', metric: 'link-disconnects', format: 'count' },
  { title: 'full resyncs', metric: 'link-full-resyncs', format: 'count' },
  { title: 'in sync after the writes', metric: 'link-catch-up', format: 'ms' },
];

/** @param {CaseResult} result @returns {boolean} its output buffer has no limit */
export const isUnlimited = ({ params: { settings } }) => settings?.[SETTING] === LIMITS.unlimited;

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function memoryChecks({ cases }) {
  return [
    checkEach('without a limit the buffer took all memory, with one the primary lived', cases, (result) => {
      const gone = linksOf(result).filter(({ memory }) => memory?.goneAfterMs != null).length;
      const expected = isUnlimited(result) ? result.rounds.length : 0;
      return gone === expected ? null : `the primary ended in ${gone} of ${plural(result.rounds.length, 'round')}`;
    }),
    checkEach('a primary that lived kept every acknowledged write, and its replica came back', cases, (result) => {
      const errors = result.rounds.flatMap((round) => Object.keys(round.errors)).filter((kind) => kind !== 'UNSENT');
      if (errors.length > 0) return [...new Set(errors)].join(', ');
      const away = linksOf(result).filter(({ memory, catchUpMs }) => memory?.goneAfterMs == null && catchUpMs == null);
      return away.length === 0 ? null : `the replica was not in sync again in ${plural(away.length, 'round')}`;
    }),
  ];
}

/** @type {Benchmark} */
export default {
  name: 'link-memory',
  ...TEXTS['link-memory'],
  ...ON_A_PATH,
  needs: [...ON_A_PATH.needs, 'logs'],
  stacks: {
    ...ON_A_PATH.stacks,
    settings: { ...ON_A_PATH.stacks.settings, appendonly: 'yes', 'auto-aof-rewrite-percentage': '0' },
  },
  whyNotCase: async (theCase, stack) =>
    (await ON_A_PATH.whyNotCase(theCase, stack)) ?? stack.host.memoryLimit?.whyNot() ?? null,
  measure: measureMemory,
  pace: paceOf({ quick: [1, 9], standard: [3, 12], full: [5, 20] }),
  cases: () =>
    Object.entries(LIMITS).map(([id, limit]) => {
      const { params } = makeCase({ ...LOAD, replicas: 1, linkShare: SHARE, settings: { [SETTING]: limit } });
      return { id, params };
    }),
  ...factTable(COLUMNS),
  findings: () => [],
  checks: memoryChecks,
};
