/**
 * The benchmark `link-memory`: an output buffer without a limit behind a slow link. Writes go on until the primary has no memory left, or the time is
 * over.
 *
 * @import { TrialPlan, TrialSample, TrialThread } from '../../src/load/trial-thread.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check, RoundResult } from '../../src/result/schema.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Stack, MemoryLimit } from '../../src/stacks/types.js'
 * @import { LinkFigures } from './document.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './replication.js'
 *
 * @typedef {Object} Lived how the load went
 * @property {number | null} goneAfterMs null: the primary did not end
 * @property {number} lostAt `clockMs()` when it had ended, or the load was over
 * @property {number} demandBytesPerSecond
 * @property {number} streamBytes
 * @property {number} writes replicated writes that were answered
 * @property {TrialSample} sample of the audited writer
 */
import { plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset, stopFollowing, untilInSync } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { waitFor } from '../../src/wait.js';
import { linkBenchmark, linkCase } from './benchmark.js';
import { linksOf } from './figures.js';
import { whyNoPath } from './paths/path.js';
import * as replication from './replication.js';
import { nodesOf, onPath, pass, withTraffic } from './round.js';
import { auditsOf, describeWriters, planWriters, withWriters, wrongWrites } from './writers.js';

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

/** The memory that the primary may take in addition to what it has before the load. A machine can spare it, and a shortfall fills it within seconds. */
export const LIMIT_BYTES = 100 * 2 ** 20;
/** Unique keys that are looked for afterwards. The other writes replace each other, so that the data set stays small. */
const AUDITED = Object.freeze({ rate: 500, payloadBytes: 64, connections: 4 });
/** Without a limit of the buffer the load goes on until the primary ends, but for this many times the usual time at most. */
const PATIENCE = 4;
const SAMPLE_MS = 100;
/** Between the first error of a connection and its end. */
const ENDING_MS = 1000;
const LOOK_MS = 20;
/** Writing an append-only file anew, or reading one of some 200 MB, on a busy machine. */
const FILE_DEADLINE_MS = 60_000;
/** The rest of the stream, or all of the data, over the slow link. */
const CATCH_UP_MS = 60_000;
const CONTROL_MS = 20_000;

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

/** @type {Measure} */
export async function measureMemory(site) {
  const { stack } = site.testbed;
  const { primary } = nodesOf(site.testbed);
  const memoryLimit = limitOf(stack);
  try {
    return await withWriters((thread) => onPath(site, (link) => carryOut(site, { ...link, thread, memoryLimit })));
  } finally {
    await memoryLimit.lift(primary.id);
  }
}

/** @param {Stack} stack @returns {MemoryLimit} */
function limitOf({ host: { memoryLimit } }) {
  if (!memoryLimit) throw new Error('the memory of this stack’s nodes cannot be limited');
  return memoryLimit;
}

/**
 * @param {RoundSite} site
 * @param {{path: Path, ends: Ends, thread: TrialThread, memoryLimit: MemoryLimit}} by
 * @returns {Promise<RoundResult>}
 */
async function carryOut(site, { path, ends, thread, memoryLimit }) {
  const { testbed, theCase, keyPrefix, now } = site;
  const { signal } = testbed;
  const { params, id } = theCase;
  const { primary } = nodesOf(testbed);
  // A primary that was started again has forgotten them.
  for (const [name, value] of Object.entries(params.settings ?? {}))
    await ends.primary.call('CONFIG', 'SET', name, value);
  await writeFileAnew(ends.primary, signal);
  await untilInSync(ends.primary, ends.replica, signal);
  const bytesPerSecond = Math.round((params.linkShare ?? 1) * (params.rate ?? 0) * params.payloadBytes);
  await path.shape({ latencyMs: 0, bytesPerSecond });
  const outputLimit = await replication.readOutputLimit(ends.primary);
  await memoryLimit.set(primary.id, LIMIT_BYTES);
  const seconds = testbed.profile.seconds * (outputLimit.hardBytes === 0 ? PATIENCE : 1);
  const plan = planWriters(testbed, { ...params, ...AUDITED }, { keyPrefix: `${keyPrefix}w:`, seconds });

  now(`${id}: writing`);
  /** @type {Lived | undefined} */
  let lived;
  const round = await roundAround(
    testbed,
    async () => {
      const before = await replication.lookAt(ends);
      const added = await replication.followLog(testbed.stack, primary.id);
      const memory = Number((await ends.primary.info('memory')).used_memory);
      const resyncs = async () => {
        const after = await replication.lookAt(ends);
        return {
          disconnects: replication.disconnectsBetween(before, after, await added()),
          ...replication.resyncsBetween(before, after),
        };
      };
      const watch = replication.watchReplication(ends, { everyMs: SAMPLE_MS, mayEnd: true, signal });
      lived = await live(site, ends.primary, { plan, thread, seconds });
      const samples = await watch.stop();
      const { goneAfterMs, sample, demandBytesPerSecond, streamBytes, writes } = lived;
      const written = describeWriters(plan, sample);
      return {
        ...written,
        // After the primary's end the errors only say that it has ended.
        ...(goneAfterMs !== null && { errors: {}, seconds: goneAfterMs / MS_A_SECOND }),
        link: {
          writes: writes + written.outcomes.acked,
          streamBytes,
          demandBytesPerSecond,
          by: path.by,
          limitBytesPerSecond: bytesPerSecond,
          ...replication.mostIn(samples, memory),
          outputLimit,
          ...(goneAfterMs === null && (await resyncs())),
          memory: { limitBytes: LIMIT_BYTES, by: memoryLimit.by, goneAfterMs },
        },
      };
    },
    { mayEnd: true },
  );
  if (!lived) throw new Error('the writers reported nothing');
  return lived.goneAfterMs === null
    ? catchUp(site, ends, { plan, round, lived })
    : replacePrimary(site, ends, { plan, round, lived, path });
}

/**
 * The file of earlier rounds would be read at a restart, too.
 * @param {Control} primary without keys
 * @param {AbortSignal} signal
 */
async function writeFileAnew(primary, signal) {
  await primary.call('BGREWRITEAOF');
  const isDone = async () => {
    const info = await primary.info('persistence');
    return info.aof_rewrite_in_progress === '0' && info.aof_rewrite_scheduled === '0';
  };
  if (!(await waitFor(isDone, { deadlineMs: FILE_DEADLINE_MS, signal })))
    throw new Error('the file was not written anew');
}

/**
 * @param {RoundSite} site
 * @param {Control} primary
 * @param {{plan: TrialPlan, thread: TrialThread, seconds: number}} what
 * @returns {Promise<Lived>} when the writers have stopped
 */
async function live(site, primary, { plan, thread, seconds }) {
  const { signal } = site.testbed;
  const first = await readOffset(primary);
  await untilAborted(thread.start(plan), signal);
  return withTraffic(site, async (traffic) => {
    const begunAt = performance.now();
    let [bytes, readAt] = [first.bytes, begunAt];
    while (!primary.lost() && performance.now() - begunAt < seconds * 1000) {
      await pass(LOOK_MS, signal);
      try {
        bytes = (await readOffset(primary)).bytes;
        readAt = performance.now();
      } catch (error) {
        // An error of the socket comes before its end.
        if (!(await waitFor(primary.lost, { deadlineMs: ENDING_MS }))) throw error;
      }
    }
    const goneAfterMs = primary.lost() ? performance.now() - begunAt : null;
    const lostAt = clockMs();
    const { outcomes } = await traffic.stop();
    const sample = await untilAborted(thread.stop(), signal);
    const streamBytes = bytes - first.bytes;
    const measuredSeconds = Math.max(LOOK_MS, readAt - begunAt) / 1000;
    const demandBytesPerSecond = streamBytes / measuredSeconds;
    return { goneAfterMs, lostAt, sample, streamBytes, demandBytesPerSecond, writes: outcomes.acked };
  });
}

/**
 * The primary lived: waits for the replica, and looks for every write on the primary.
 * @param {RoundSite} site
 * @param {Ends} ends
 * @param {{plan: TrialPlan, round: RoundResult, lived: Lived}} what
 * @returns {Promise<RoundResult>}
 */
async function catchUp({ testbed, theCase, now }, ends, { plan, round, lived: { sample, lostAt } }) {
  now(`${theCase.id}: waiting for the replica`);
  const since = performance.now();
  const isBack = await replication.catchesUp(ends, { deadlineMs: CATCH_UP_MS, signal: testbed.signal });
  const catchUpMs = isBack ? performance.now() - since : null;
  const { onPrimary } = await auditsOf(testbed, { plan, sample, lostAt }, nodesOf(testbed).replica);
  return withLink(round, { errors: wrongWrites(onPrimary), catchUpMs });
}

/**
 * The primary has ended: promotes the replica with what it has, starts the primary again, and looks for every write on both.
 * @param {RoundSite} site
 * @param {Ends} ends
 * @param {{plan: TrialPlan, round: RoundResult, lived: Lived, path: Path}} what
 * @returns {Promise<RoundResult>}
 */
async function replacePrimary({ testbed, theCase, now }, ends, { plan, round, lived: { sample, lostAt }, path }) {
  const { stack, controls, signal } = testbed;
  const { primary, replica } = nodesOf(testbed);
  now(`${theCase.id}: promoting the replica, and starting the primary again`);
  // Not a cut, which closes connections: one of them has lost its other end.
  await path.dark(true);
  await replication.untilStill(ends.replica, signal);
  await stopFollowing(ends.replica);
  await limitOf(stack).lift(primary.id);
  await stack.host.act(primary.id, 'start');
  ends.primary.close();
  const again = await stack.database.connect(primary, stack.access.credentials, { timeoutMs: CONTROL_MS });
  controls.set(primary.id, again);
  const isLoaded = async () => (await again.info('persistence')).loading === '0';
  if (!(await waitFor(isLoaded, { deadlineMs: FILE_DEADLINE_MS, signal })))
    throw new Error('the primary did not load its file');
  const { onPrimary, onPromoted } = await auditsOf(testbed, { plan, sample, lostAt }, replica);
  // What the restarted primary lacks is a figure.
  const { 'acked but not on the primary': missing = 0, ...errors } = wrongWrites(onPrimary);
  return withLink(round, {
    errors,
    promotion: { acked: onPromoted.acked, missing: onPromoted.ackedLost },
    restart: { acked: onPrimary.acked, missing },
  });
}

/**
 * @param {RoundResult} round
 * @param {{errors: Record<string, number>, restart?: {acked: number, missing: number}} & Partial<LinkFigures>} found
 * @returns {RoundResult}
 */
function withLink(round, { errors, restart, ...figures }) {
  const { link } = round;
  if (!link?.memory) throw new Error('the link was not measured');
  const memory = { ...link.memory, ...(restart && { restart }) };
  return { ...round, errors: { ...round.errors, ...errors }, link: { ...link, ...figures, memory } };
}

export default linkBenchmark('link-memory', {
  settings: { appendonly: 'yes', 'auto-aof-rewrite-percentage': '0' },
  whyNotCase: async (_theCase, stack) => whyNoPath({}, stack) ?? stack.host.memoryLimit?.whyNot() ?? null,
  paces: { quick: [1, 9], standard: [3, 12], full: [5, 20] },
  cases: () =>
    Object.entries(LIMITS).map(([id, limit]) =>
      linkCase(id, { ...LOAD, linkShare: SHARE, settings: { [SETTING]: limit } }),
    ),
  measure: measureMemory,
  columns: COLUMNS,
  checks: memoryChecks,
});
