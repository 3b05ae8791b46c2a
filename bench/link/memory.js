/**
 * The benchmark `link-memory`: an output buffer without a limit behind a slow link, until the primary has no memory left.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark, Case, Column } from '../../src/run/types.js'
 */

import { bitRate, bytes, count, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { left, outcomesOf, right } from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { AUDITED, LIMIT_BYTES, measureMemory } from './memory-round.js';
import { ON_A_PATH, paceOf } from './round.js';
import { limitText, linksOf, medianColumn, promotionText, time, totalColumn, typical } from './shortfall-figures.js';

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
const UNLIMITED = 'replica 0 0 0';
/** A sixteenth of Redis’s default of 256 MB and 64 MB, and 2 s instead of 60 s. */
const SCALED = 'replica 16mb 4mb 2';

/** @returns {Case[]} */
function memoryCases() {
  return Object.entries({ unlimited: UNLIMITED, limited: SCALED }).map(([id, limit]) => {
    const { params } = makeCase({ ...LOAD, replicas: 1, linkShare: SHARE, settings: { [SETTING]: limit } });
    return { id, params };
  });
}

/**
 * @param {CaseResult} result
 * @returns {boolean} its output buffer has no limit
 */
export function isUnlimited({ params: { settings } }) {
  return settings?.[SETTING] === UNLIMITED;
}

/** @param {LinkFigures} link */
const goneSeconds = ({ memory }) => (memory?.goneAfterMs == null ? null : memory.goneAfterMs / 1000);

/**
 * @param {CaseResult} result
 * @returns {number} rounds in which the primary ended
 */
function timesGone(result) {
  return linksOf(result).filter((link) => goneSeconds(link) !== null).length;
}

/** @param {CaseResult} result */
function bufferLimit(result) {
  const [limit] = linksOf(result).flatMap(({ outputLimit }) => outputLimit ?? []);
  return limit ? limitText(limit) : '';
}

/** @param {CaseResult} result */
function goneText(result) {
  const seconds = typical(result, goneSeconds);
  return seconds === null ? 'it lived' : time(seconds);
}

/** @param {CaseResult} result */
function restartText(result) {
  const missing = typical(result, ({ memory }) => memory?.restart?.missing);
  return missing === null ? '' : count(missing);
}

/** @param {CaseResult} result */
function catchUpText(result) {
  const caughtUp = typical(result, ({ catchUpMs }) => catchUpMs);
  return caughtUp === null ? '' : time(caughtUp / 1000);
}

/** @type {Column[]} */
export const MEMORY_COLUMNS = [
  left('output buffer limit', bufferLimit),
  medianColumn('demand', (link) => link.demandBytesPerSecond, bitRate),
  medianColumn('capped to', (link) => link.limitBytesPerSecond, bitRate),
  medianColumn('memory to spare', ({ memory }) => memory?.limitBytes, bytes),
  right('primary gone after', goneText),
  medianColumn('largest output buffer', (link) => link.maxBufferBytes, bytes),
  right('acked', (result) => count(outcomesOf(result).acked)),
  right('unknown', (result) => count(outcomesOf(result).unknown)),
  right('lost by a promotion', promotionText),
  right('lost by a restart (AOF everysec)', restartText),
  totalColumn('disconnected', (link) => link.disconnects),
  totalColumn('full resyncs', (link) => link.fullResyncs),
  right('in sync after the writes', catchUpText),
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function memoryChecks({ cases }) {
  const title = (/** @type {CaseResult} */ { id }) => id;
  if (cases.length === 0) return [];
  return [
    checkEach(
      'without a limit the buffer took all memory, with one the primary lived',
      cases,
      (result) => {
        const gone = timesGone(result);
        const expected = isUnlimited(result) ? result.rounds.length : 0;
        return gone === expected ? null : `the primary ended in ${gone} of ${plural(result.rounds.length, 'round')}`;
      },
      { title },
    ),
    checkEach(
      'a primary that lived kept every acknowledged write, and its replica came back',
      cases,
      (result) => {
        const errors = [...new Set(result.rounds.flatMap((round) => Object.keys(round.errors)))].filter(
          (kind) => kind !== 'UNSENT',
        );
        if (errors.length > 0) return errors.join(', ');
        const lost = linksOf(result).filter((link) => goneSeconds(link) === null && link.catchUpMs == null).length;
        return lost === 0 ? null : `the replica was not in sync again in ${plural(lost, 'round')}`;
      },
      { title },
    ),
  ];
}

/** @type {Benchmark} */
export default {
  name: 'link-memory',
  question: 'What does an unlimited output buffer for replicas do to a primary whose memory is limited?',
  method:
    `Clients write ${count(LOAD.rate)} values of ${count(LOAD.payloadBytes)} bytes a second to few keys, so that the data set stays small. The ` +
    `replica’s link carries an eighth of that. The primary may take ${bytes(LIMIT_BYTES)} more memory than it has before. Local: then an ` +
    'allocation fails, and Redis ends itself. Docker: then the kernel kills it. Once the output buffer for replicas has no limit, ' +
    'once a sixteenth of Redis’s default and 2 s instead of 60 s, so that it acts within the round. A separate writer sends ' +
    `${count(AUDITED.rate)} writes a second with a key each. After the end the replica is promoted with what it has, the primary is ` +
    'started again from its append-only file (everysec), and every acknowledged write is looked for on both. The kernel outlives the ' +
    'process, so the file lacks only the writes that Redis held back while a sync of the file was running.',
  ...ON_A_PATH,
  needs: [...ON_A_PATH.needs, 'logs'],
  stacks: {
    ...ON_A_PATH.stacks,
    settings: { ...ON_A_PATH.stacks.settings, appendonly: 'yes', 'auto-aof-rewrite-percentage': '0' },
  },
  whyNotCase: async (theCase, stack) =>
    (await ON_A_PATH.whyNotCase(theCase, stack)) ??
    (stack.memoryLimit
      ? stack.memoryLimit.whyNot()
      : 'The memory of its nodes cannot be limited. Use --backend local or docker.'),
  measure: measureMemory,
  pace: paceOf({ quick: [1, 9], standard: [3, 12], full: [5, 20] }),
  cases: memoryCases,
  table: MEMORY_COLUMNS,
  findings: () => [],
  checks: memoryChecks,
};
