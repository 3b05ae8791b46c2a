/** The benchmark `link-memory`: an output buffer without a limit behind a slow link, until the primary has no memory left or the time is over. */
/** @import { BenchmarkResult, CaseResult, Check, ColumnSpec, Measure, OwnSample, RoundResult, RoundSite } from '../types.js' */
/** @import { MemoryLimit } from '../../src/stacks/types.js' */
/** @import { LinkFigures } from './document.js' */
/** @import { LinkLook } from './replication.js' */
/** @import { Link } from './round.js' */
/** @import { LedgerWriter } from './writers.js' */
/** @typedef {Link & {writer: LedgerWriter, seconds: number, memoryLimit: MemoryLimit}} Carried */
/**
 * @typedef {Object} Lived how the load went
 * @property {number | null} goneAfterMs null: the primary did not end
 * @property {number} lostAt `clockMs()` when it had ended, or the load was over
 * @property {LinkLook} last while the primary answered
 * @property {number} writes replicated writes that were answered
 * @property {Omit<OwnSample, 'link'>} sample of the audited writer
 */
import { plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { roundAround } from '../../src/run/round.js';
import { keepBusy } from '../../src/stacks/redis/background-work.js';
import { stopFollowing, untilInSync } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { waitFor } from '../../src/wait.js';
import { figuresOf, linkBenchmark, linksOf } from './benchmark.js';
import { whyNoPath } from './paths/path.js';
import {
  catchesUp,
  followLog,
  lookAt,
  readOutputLimit,
  untilStill,
  watchReplication,
  withStream,
} from './replication.js';
import { controlOf, nodesOf, onPath, pass, withTraffic } from './round.js';
import { lossIn, withWriter, wrongWrites } from './writers.js';

const SETTING = 'client-output-buffer-limit';
const UNLIMITED = 'replica 0 0 0';
/** The memory that the primary may take in addition to what it has before the load. A machine can spare it, and a shortfall fills it within seconds. */
export const LIMIT_BYTES = 100 * 2 ** 20;
/** Unique keys that are looked for afterwards. The other writes replace each other, so that the data set stays small. */
const AUDITED = Object.freeze({ rate: 500, payloadBytes: 64, connections: 4 });
/** Without a limit of the buffer the load goes on until the primary ends, but for this many times the usual time at most. */
const PATIENCE = 4;
const SAMPLE_MS = 100;
const ENDING_MS = 1000;
const LOOK_MS = 50;
const FILE_DEADLINE_MS = 60_000;
const CATCH_UP_MS = 60_000;
const CONTROL_MS = 20_000;

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  { title: SETTING, text: ({ params }) => params.settings?.[SETTING] ?? '' },
  ...Object.values(figuresOf('link-memory')),
];

/** @param {Pick<CaseResult, 'params'>} result @returns {boolean} its output buffer has no limit */
export const isUnlimited = ({ params: { settings } }) => settings?.[SETTING] === UNLIMITED;

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
  const { stack, profile } = site.testbed;
  const { primary } = nodesOf(site.testbed);
  const { memoryLimit } = stack.host;
  if (!memoryLimit) throw new Error('the memory of this stack’s nodes cannot be limited');
  const seconds = profile.seconds * (isUnlimited(site.theCase) ? PATIENCE : 1);
  try {
    return await withWriter(site, { ...AUDITED, seconds }, (writer) =>
      onPath(site, (link) => carryOut(site, { ...link, writer, seconds, memoryLimit })),
    );
  } finally {
    await memoryLimit.lift(primary.id);
  }
}

/** @param {RoundSite} site @param {Carried} by @returns {Promise<RoundResult>} */
async function carryOut(site, by) {
  const { testbed, theCase, now } = site;
  const { path, ends, memoryLimit } = by;
  const { params, id } = theCase;
  const nodes = nodesOf(testbed);
  // A primary that was started again has forgotten them.
  for (const [name, value] of Object.entries(params.settings ?? {}))
    await ends.primary.call('CONFIG', 'SET', name, value);
  // The file of earlier rounds would be read at a restart, too.
  const rewrite = { credentials: testbed.stack.access.credentials, signal: testbed.signal };
  await (await keepBusy(nodes.primary.address, 'rewrite', rewrite)).stop();
  await untilInSync(ends.primary, ends.replica, testbed.signal);
  const bytesPerSecond = Math.round((params.linkShare ?? 1) * (params.rate ?? 0) * params.payloadBytes);
  await path.shape({ latencyMs: 0, bytesPerSecond });
  const outputLimit = await readOutputLimit(ends.primary);
  await memoryLimit.set(nodes.primary.id, LIMIT_BYTES);

  /** @type {Lived | undefined} */
  let lived;
  async function write() {
    const disconnects = await followLog(testbed.stack, nodes.primary);
    const watch = await watchReplication(ends, { everyMs: SAMPLE_MS, mayEnd: true, signal: testbed.signal });
    lived = await live(site, by);
    const { growthBytesPerSecond: _, ...samples } = await watch();
    const { goneAfterMs, sample, last, writes } = lived;
    return {
      ...sample,
      // After the primary's end the errors only say that it has ended.
      ...(goneAfterMs !== null && { errors: {}, seconds: goneAfterMs / MS_A_SECOND }),
      last,
      link: {
        writes: writes + sample.outcomes.acked,
        limitBytesPerSecond: bytesPerSecond,
        ...samples,
        outputLimit,
        disconnects: await disconnects(),
      },
    };
  }

  now(`${id}: writing`);
  const round = await roundAround(testbed, () => withStream(by, write), { mayEnd: true });
  if (!lived) throw new Error('the writers reported nothing');
  const { goneAfterMs } = lived;
  const { errors, restart, ...figures } = await (goneAfterMs === null
    ? catchUp(site, by)
    : replacePrimary(site, by, lived));
  const memory = { limitBytes: LIMIT_BYTES, by: memoryLimit.by, goneAfterMs, ...(restart && { restart }) };
  const link = { .../** @type {LinkFigures} */ (round.link), ...figures, memory };
  return { ...round, errors: { ...round.errors, ...errors }, link };
}

/** @param {RoundSite} site @param {Carried} by @returns {Promise<Lived>} when the writers have stopped */
async function live(site, { ends, writer, seconds }) {
  const isGone = ends.primary.lost;
  await writer.start();
  return withTraffic(site, async (traffic) => {
    const begunAt = clockMs();
    let last = await lookAt(ends);
    while (!isGone() && clockMs() - begunAt < seconds * MS_A_SECOND) {
      await pass(LOOK_MS, site.testbed.signal);
      try {
        last = await lookAt(ends);
      } catch (error) {
        // An error of the socket comes before its end.
        if (!(await waitFor(isGone, { deadlineMs: ENDING_MS }))) throw error;
      }
    }
    const lostAt = clockMs();
    const goneAfterMs = isGone() ? lostAt - begunAt : null;
    const { outcomes } = await traffic.stop();
    return { goneAfterMs, lostAt, last, writes: outcomes.acked, sample: await writer.stop() };
  });
}

/** @typedef {Pick<LinkFigures, 'catchUpMs' | 'promotion'> & {errors: Record<string, number>, restart?: {acked: number, missing: number}}} Aftermath */

/** The primary lived: waits for the replica, and looks for every write on the primary. @param {RoundSite} site @param {Carried} by @returns {Promise<Aftermath>} */
async function catchUp({ testbed, theCase, now }, { ends, writer }) {
  now(`${theCase.id}: waiting for the replica`);
  const since = clockMs();
  const back = await catchesUp(ends, { deadlineMs: CATCH_UP_MS, signal: testbed.signal });
  const errors = wrongWrites(await writer.audit(nodesOf(testbed).primary));
  return { errors, catchUpMs: back && back.atMs - since };
}

/** The primary has ended: promotes the replica, starts the primary again, and looks for every write. @type {(site: RoundSite, by: Carried, lived: Lived) => Promise<Aftermath>} */
async function replacePrimary({ testbed, theCase, now }, { path, ends, writer, memoryLimit }, { lostAt }) {
  const { stack, controls, signal } = testbed;
  const { primary, replica } = nodesOf(testbed);
  now(`${theCase.id}: promoting the replica, and starting the primary again`);
  await path.dark(true);
  await untilStill(ends.replica, signal);
  await stopFollowing(ends.replica);
  await memoryLimit.lift(primary.id);
  await stack.host.act(primary.id, 'start');
  ends.primary.close();
  const { credentials } = stack.access;
  controls.set(primary.id, await stack.database.connect(primary, credentials, { timeoutMs: CONTROL_MS }));
  const isLoaded = async () => (await controlOf(testbed, primary).info('persistence')).loading === '0';
  if (!(await waitFor(isLoaded, { deadlineMs: FILE_DEADLINE_MS, signal })))
    throw new Error('the primary did not load its file');
  const promotion = lossIn(await writer.audit(replica, lostAt));
  const onPrimary = await writer.audit(primary);
  const { 'acked but not on the primary': _, ...errors } = wrongWrites(onPrimary);
  return { errors, promotion, restart: lossIn(onPrimary) };
}

export default linkBenchmark('link-memory', {
  whyNotCase: async (_theCase, stack) => whyNoPath({}, stack) ?? stack.host.memoryLimit?.whyNot() ?? null,
  measure: measureMemory,
  columns: COLUMNS,
  checks: memoryChecks,
});
