/**
 * The benchmark `link-loss`: how long replication stops when its tunnel is killed, and whether it needs a full resync. A supervisor starts the tunnel
 * again while traffic goes on, and the replica is watched until it has caught up.
 *
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends, LinkLook } from './replication.js'
 *
 * @typedef {Object} Watched what is known of the outage so far
 * @property {LinkLook} before the kill
 * @property {LinkLook} last
 * @property {number} reached the highest offset that the replica had
 * @property {number} killedAt
 * @property {number | null} noticedAt
 * @property {number | null} connectedAt
 * @property {number | null} behindUntil when it had what was written at `connectedAt`
 * @property {number} wanted the primary's offset at `connectedAt`
 * @property {number | null} missedBytes
 */
import { bytes, count, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { FORMATS } from '../../src/report/specs.js';
import { roundAround } from '../../src/run/round.js';
import { MIB, MS_A_SECOND } from '../../src/units.js';
import { compareNodes } from '../copy/compare.js';
import { totalOf } from '../pages/fact-table.js';
import { linkBenchmark, mixCase } from './benchmark.js';
import { everyRequestAnswered, rangeText, tunnelName } from './figures.js';
import { catchesUp, lookAt, resyncBetween, resyncsBetween } from './replication.js';
import { linkSample, nodesOf, onPath, pass, withTraffic } from './round.js';

/** Redis's default, and a minute's worth. */
const BACKLOGS = [1 * MIB, 64 * MIB];
/** Of the supervisor. */
const RESTARTS_AFTER_MS = [0, 3000];
/** Redis's default `repl-timeout`: when a silent dead link is noticed. */
export const REPL_TIMEOUT_SECONDS = 60;
/** The missed bytes decide the resync only when they differ this much from the backlog: samples are 20 ms apart. */
const MARGIN = 1.25;
/** How long traffic runs before the kill. */
const BEFORE_MS = 1500;
/** How long traffic runs after the replica has caught up. */
const AFTER_MS = 500;
const LOOK_MS = 20;
/** Deadline after the supervisor's restart: the replica dials once a second and takes a full resync, on a busy machine. */
const RETURN_MS = 30_000;
/** The rest of the stream, or all of the data. */
const CATCH_UP_MS = 20_000;

/** @param {Pick<CaseResult, 'params'>} result @returns {number} bytes of the primary's backlog */
const backlogOf = ({ params }) => Number(params.settings?.['repl-backlog-size'] ?? 0);

/** @param {string} title @param {string} metric @returns {ColumnSpec} from the least to the most of the rounds */
const range = (title, metric) => ({ title, text: (row) => rangeText(row, metric), align: 'right' });

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  tunnel: { title: 'tunnel', text: tunnelName },
  again: { title: 'started again after', text: ({ params }) => FORMATS.ms(params.restartAfterMs ?? 0), align: 'right' },
  backlog: { title: 'backlog', text: (row) => bytes(backlogOf(row)), align: 'right' },
  stream: { title: 'stream', metric: 'link-demand', format: 'bits' },
  noticed: range('noticed', 'link-outage-noticed'),
  stopped: range('replication stopped', 'link-outage-away'),
  caughtUp: range('caught up', 'link-outage-behind'),
  missed: { title: 'missed', metric: 'link-missed', format: 'bytes' },
  full: { title: 'full resyncs', text: (row) => count(totalOf(row, 'link-full-resyncs')), align: 'right', kept: true },
};

/** @typedef {{id: string, link: LinkFigures, outage: NonNullable<LinkFigures['outage']>, backlog: number}} LinkLoss of a round */

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function lossChecks({ cases }) {
  /** @type {LinkLoss[]} */
  const losses = cases.flatMap((result) =>
    result.rounds.flatMap(({ link }, i) =>
      link?.outage
        ? [{ id: `${result.id}, round ${i + 1}`, link, outage: link.outage, backlog: backlogOf(result) }]
        : [],
    ),
  );
  return [
    everyRequestAnswered(cases),
    checkEach('the replica came back after every kill', losses, ({ outage: { awayMs, behindMs } }) =>
      awayMs === null ? 'the replica never came back' : behindMs === null ? 'it did not catch up' : null,
    ),
    checkEach('both sides held the same in the end', losses, ({ link: { agreement } }) => {
      if (!agreement) return 'the replica never caught up';
      const { primaryKeys, replicaKeys, compared, different } = agreement;
      if (primaryKeys !== replicaKeys) return `${count(primaryKeys)} and ${count(replicaKeys)} keys`;
      if (compared === 0) return 'there were no keys to compare';
      return different === 0 ? null : `${plural(different, 'difference')} in ${plural(compared, 'key')}`;
    }),
    checkEach('the size of the gap decided between partial and full resync', losses, unexpectedResync),
  ];
}

/** @param {LinkLoss} loss */
function unexpectedResync({ link: { missedBytes }, outage: { resync }, backlog }) {
  if (missedBytes == null || backlog === 0) return null;
  const expected = missedBytes * MARGIN < backlog ? 'partial' : missedBytes > backlog * MARGIN ? 'full' : resync;
  return resync === expected ? null : `${resync}, with ${bytes(missedBytes)} missed of ${bytes(backlog)}`;
}

/** @type {Measure} */
async function measureLoss(site) {
  const { testbed } = site;
  return onPath(site, async ({ path, ends }) => {
    let inSync = false;
    const round = await roundAround(testbed, async () => {
      const lost = await loseTunnel(site, path, ends);
      inSync = lost.inSync;
      return lost.sample;
    });
    if (!inSync || !round.link) return round;
    // After the nodes' use was read, so that it does not include the comparison.
    return { ...round, link: { ...round.link, agreement: await agreementOf(testbed, ends) } };
  });
}

/**
 * @param {RoundSite} site
 * @param {Path} path
 * @param {Ends} ends
 * @returns {Promise<{sample: OwnSample, inSync: boolean}>} inSync: the replica has everything
 */
async function loseTunnel(site, path, ends) {
  const { testbed, theCase, now } = site;
  const { profile, signal } = testbed;
  const giveUpMs = (theCase.params.restartAfterMs ?? 0) + RETURN_MS;
  now(`${theCase.id}: traffic, and the tunnel killed`);
  const first = await lookAt(ends);
  const { traffic, watched } = await withTraffic(site, async (running) => {
    const begunAt = performance.now();
    await pass(BEFORE_MS, signal);
    const before = await lookAt(ends);
    const killedAt = performance.now();
    await path.kill();
    const watched = await watch(ends, { before, killedAt, deadline: killedAt + giveUpMs, signal });
    await pass(Math.max(AFTER_MS, begunAt + profile.seconds * MS_A_SECOND - performance.now()), signal);
    return { traffic: await running.stop(), watched };
  });
  // A replica that never comes back is a finding, not a failure of the round.
  const inSync = await catchesUp(ends, { deadlineMs: CATCH_UP_MS, signal });
  const last = await lookAt(ends);
  const sample = linkSample(traffic, path, last.written - first.written);
  return {
    inSync,
    sample: {
      ...sample,
      link: {
        ...sample.link,
        ...resyncsBetween(watched.before, last),
        missedBytes: watched.missedBytes,
        agreement: null,
        outage: outageOf(watched, last, path.restarts()),
      },
    },
  };
}

/**
 * @param {RoundSite['testbed']} testbed
 * @param {Ends} ends in sync, without writers
 * @returns {Promise<NonNullable<LinkFigures['agreement']>>}
 */
async function agreementOf(testbed, ends) {
  const { stack, signal } = testbed;
  const { primary, replica } = nodesOf(testbed);
  const [primaryKeys, replicaKeys] = await Promise.all([ends.primary.call('DBSIZE'), ends.replica.call('DBSIZE')]);
  const { credentials } = stack.access;
  const { keys, missing, extra, type, value, ttl } = await compareNodes(
    { ...primary.address, credentials },
    { ...replica.address, credentials },
    signal,
  );
  return {
    primaryKeys: Number(primaryKeys),
    replicaKeys: Number(replicaKeys),
    compared: keys,
    different: missing + extra + type + value + ttl,
  };
}

/** @param {Watched} watched @param {LinkLook} last @param {number} restarts @returns {LinkFigures['outage']} */
function outageOf({ before, killedAt, noticedAt, connectedAt, behindUntil }, last, restarts) {
  const since = (/** @type {number | null} */ at) => (at === null ? null : at - killedAt);
  return {
    noticedMs: since(noticedAt),
    awayMs: since(connectedAt),
    behindMs: since(behindUntil),
    resync: resyncBetween(before, last),
    restarts,
  };
}

/**
 * @param {Ends} ends
 * @param {{before: LinkLook, killedAt: number, deadline: number, signal: AbortSignal}} options
 * @returns {Promise<Watched>} when the replica has caught up, or at the deadline
 */
async function watch(ends, { before, killedAt, deadline, signal }) {
  /** @type {Watched} */
  let watched = {
    before,
    last: before,
    reached: before.processed,
    killedAt,
    noticedAt: null,
    connectedAt: null,
    behindUntil: null,
    wanted: 0,
    missedBytes: null,
  };
  while (watched.behindUntil === null && performance.now() < deadline) {
    await pass(LOOK_MS, signal);
    watched = further(watched, await lookAt(ends));
  }
  return watched;
}

/**
 * @param {Watched} watched until now
 * @param {LinkLook} seen the next look
 * @returns {Watched}
 */
export function further(watched, seen) {
  const { before, last, noticedAt, connectedAt } = watched;
  const next = { ...watched, last: seen, reached: Math.max(watched.reached, seen.processed) };
  const syncs = (/** @type {LinkLook} */ { full, partial }) => full + partial;
  if (noticedAt === null && !seen.up) next.noticedAt = seen.atMs;
  // The replica's offset has not moved since the kill, and it asks for what follows. After a refusal it asks for everything.
  if (syncs(seen) > syncs(last) && last.full === before.full)
    next.missedBytes = Math.max(watched.missedBytes ?? 0, seen.written - watched.reached);
  if (connectedAt === null && seen.up && syncs(seen) > syncs(before)) {
    next.connectedAt = seen.atMs;
    // It may have been away between two samples only.
    next.noticedAt ??= seen.atMs;
    next.wanted = seen.written;
  }
  if (next.connectedAt !== null && seen.up && seen.processed >= next.wanted) next.behindUntil = seen.atMs;
  return next;
}

export default linkBenchmark('link-loss', {
  paces: { quick: [1, 4], standard: [3, 6], full: [7, 10] },
  cases: () =>
    RESTARTS_AFTER_MS.flatMap((restartAfterMs) =>
      BACKLOGS.map((backlog) =>
        mixCase(`ssh-C-after-${restartAfterMs}ms-backlog-${backlog / MIB}mb`, {
          pattern: 'regular',
          tunnel: 'ssh-C',
          restartAfterMs,
          settings: { 'repl-backlog-size': String(backlog) },
        }),
      ),
    ),
  measure: measureLoss,
  columns: COLUMNS,
  checks: lossChecks,
});
