/**
 * The benchmark `link-dark`: how long a link without any traffic stays unnoticed, and what WAIT and min-replicas do meanwhile. Nothing passes the
 * replica’s link any more, but no socket is closed; until both nodes have noticed.
 *
 * @import { Ledger } from '../../src/audit/ledger.js'
 * @import { TrialThread } from '../../src/load/trial-thread.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './replication.js'
 */
import { answeredAfterMs, openLedger, State } from '../../src/audit/ledger.js';
import { count } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { FORMATS } from '../../src/report/specs.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { waitFor } from '../../src/wait.js';
import { linkBenchmark, linkCase } from './benchmark.js';
import { linksOf, timedOutText } from './figures.js';
import { REPL_TIMEOUT_SECONDS } from './loss.js';
import { lookAt, resyncBetween, resyncsBetween } from './replication.js';
import { controlOf, nodesOf, onPath, pass, startWaitProber } from './round.js';
import { describeWriters, planWriters, withWriters } from './writers.js';

/** The time limit is that of the WAITs beside these writes. */
const LOAD = Object.freeze({ rate: 500, connections: 4, waitTimeoutMs: 500 });
const TIMEOUT = 'repl-timeout';
const KEEPALIVE = 'tcp-keepalive';
const MAX_LAG = 'min-replicas-max-lag';
export const MINIMUM = 'min-replicas-to-write';
/** How long the round writes before the darkness, and after the replica is back. */
const BESIDE_MS = 1000;
const LOOK_MS = 50;
const PROBE_MS = 100;
/** The wait in addition to twice repl-timeout: Redis compares whole seconds, once a second. */
const GIVE_UP_MS = 10_000;
/** A replica that hangs in a handshake notices after repl-timeout only; then it dials once a second. */
const RETURN_MS = 60_000;
/** In every case. The primary says something once a second, as the replica does; by default every 10 s. */
const SETTINGS = { 'repl-ping-replica-period': '1', [KEEPALIVE]: '300', [MINIMUM]: '0' };
/** @type {Readonly<Record<string, Record<string, string>>>} */
const CASES = Object.freeze({
  'timeout-4': { [TIMEOUT]: '4' },
  'timeout-8-min-replicas': { [TIMEOUT]: '8', [MINIMUM]: '1', [MAX_LAG]: '2' },
});

/** @param {Pick<CaseResult, 'params'>} result */
const timeoutOf = ({ params: { settings } }) => Number(settings?.[TIMEOUT] ?? REPL_TIMEOUT_SECONDS);
/** @param {Pick<CaseResult, 'params'>} result */
const hasMinimum = ({ params: { settings } }) => Number(settings?.[MINIMUM] ?? 0) > 0;

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  timeout: { title: TIMEOUT, text: (row) => `${timeoutOf(row)} s` },
  keepalive: { title: KEEPALIVE, text: ({ params }) => `${params.settings?.[KEEPALIVE]} s` },
  minimum: {
    title: 'min-replicas',
    text: (row) => (hasMinimum(row) ? `1, max-lag ${row.params.settings?.[MAX_LAG]} s` : 'off'),
  },
  replica: { title: 'replica noticed', metric: 'link-dark-replica-noticed', format: 'ms' },
  primary: { title: 'primary noticed', metric: 'link-dark-primary-noticed', format: 'ms' },
  refused: { title: 'first refused write', metric: 'link-dark-refused', format: 'ms' },
  acked: { title: 'acked meanwhile', metric: 'link-dark-acked', format: 'count' },
  time: { title: 'for', metric: 'link-dark-acked-for', format: 'seconds' },
  waits: { title: 'WAIT 1 timed out', text: timedOutText, align: 'right' },
  back: { title: 'back after', metric: 'link-dark-back', format: 'ms' },
};

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function darkChecks({ cases }) {
  const check = (
    /** @type {string} */ name,
    /** @type {(dark: NonNullable<LinkFigures['dark']>, result: CaseResult) => string | null} */ wrong,
  ) =>
    checkEach(name, cases, (result) => {
      const found = linksOf(result).flatMap(({ dark }) => (dark && wrong(dark, result)) ?? []);
      return found[0] ?? null;
    });
  return [
    check('both nodes noticed, and not before repl-timeout', ({ replicaNoticedMs, primaryNoticedMs }, result) => {
      if (replicaNoticedMs === null || primaryNoticedMs === null)
        return `the ${replicaNoticedMs === null ? 'replica' : 'primary'} never noticed`;
      const least = Math.min(replicaNoticedMs, primaryNoticedMs);
      // A replica and a primary compare whole seconds.
      return least >= (timeoutOf(result) - 1) * MS_A_SECOND ? null : `after ${FORMATS.ms(least)}`;
    }),
    check('the replica was back in the end', ({ backMs }) => (backMs === null ? 'it never came back' : null)),
    check('writes were refused only where min-replicas-to-write asks for it', ({ refusedMs }, result) =>
      (refusedMs !== null) === hasMinimum(result) ? null : refusedMs === null ? 'none was refused' : 'one was refused',
    ),
    checkEach('no WAIT was confirmed in the dark', cases, (result) => {
      const reached = sum(linksOf(result).map(({ waits }) => waits?.reached ?? 0));
      return reached === 0 ? null : `${count(reached)} were`;
    }),
  ];
}

/** @type {Measure} */
export async function measureDark(site) {
  const { testbed, theCase } = site;
  const primary = controlOf(testbed, nodesOf(testbed).primary);
  const minimum = theCase.params.settings?.[MINIMUM] ?? '0';
  // Without a replica it would refuse to empty itself.
  await primary.call('CONFIG', 'SET', MINIMUM, '0');
  return withWriters((thread) =>
    onPath(site, async (link) => {
      await primary.call('CONFIG', 'SET', MINIMUM, minimum);
      return roundAround(testbed, () => goDark(site, { ...link, thread }));
    }),
  );
}

/** @param {RoundSite} site @param {{path: Path, ends: Ends, thread: TrialThread}} by @returns {Promise<OwnSample>} */
async function goDark(site, { path, ends, thread }) {
  const { testbed, theCase, keyPrefix, now } = site;
  const { signal } = testbed;
  const { settings = {}, waitTimeoutMs } = theCase.params;
  const giveUpMs = 2000 * Number(settings['repl-timeout']) + GIVE_UP_MS;
  const seconds = (2 * BESIDE_MS + giveUpMs + RETURN_MS) / 1000;
  const plan = planWriters(testbed, theCase.params, { keyPrefix: `${keyPrefix}w:`, seconds });
  const before = await lookAt(ends);
  const { beganAt } = await untilAborted(thread.start(plan), signal);
  await pass(BESIDE_MS, signal);
  now(`${theCase.id}: the link is dark`);
  await path.dark(true);
  const darkAt = clockMs();
  const wait = { key: `${keyPrefix}p`, everyMs: PROBE_MS, timeoutMs: waitTimeoutMs };
  const prober = await startWaitProber(testbed, wait);
  try {
    const noticed = await untilNoticed(ends, giveUpMs, signal);
    const { waits, errors } = await untilAborted(prober.stop(), signal);
    const lightAt = clockMs();
    await path.dark(false);
    const back = await isBack(ends, signal);
    const backMs = back ? clockMs() - lightAt : null;
    await pass(BESIDE_MS, signal);
    const sample = await untilAborted(thread.stop(), signal);
    const after = await lookAt(ends);
    const written = describeWriters(plan, sample, errors);
    const streamBytes = after.written - before.written;
    return {
      ...written,
      link: {
        writes: written.outcomes.acked + waits.asked,
        streamBytes,
        demandBytesPerSecond: streamBytes / written.seconds,
        by: path.by,
        ...resyncsBetween(before, after),
        waits,
        dark: {
          seconds: (lightAt - darkAt) / 1000,
          ...noticed,
          ...answersBetween(openLedger(plan.writers[0].ledger), darkAt - beganAt, lightAt - beganAt),
          backMs,
          resync: resyncBetween(before, after),
        },
      },
    };
  } finally {
    prober.close();
  }
}

/**
 * @param {Ends} ends
 * @param {number} giveUpMs
 * @param {AbortSignal} signal
 * @returns {Promise<Pick<NonNullable<LinkFigures['dark']>, 'replicaNoticedMs' | 'primaryNoticedMs'>>}
 */
async function untilNoticed({ primary, replica }, giveUpMs, signal) {
  const begins = performance.now();
  /** @type {number | null} */
  let replicaNoticedMs = null;
  /** @type {number | null} */
  let primaryNoticedMs = null;
  const haveNoticed = async () => {
    const [info, { up }] = await Promise.all([primary.info('replication'), readOffset(replica)]);
    const ms = performance.now() - begins;
    if (!up) replicaNoticedMs ??= ms;
    if (info.connected_slaves === '0') primaryNoticedMs ??= ms;
    return replicaNoticedMs !== null && primaryNoticedMs !== null;
  };
  await waitFor(haveNoticed, { deadlineMs: giveUpMs, pollMs: LOOK_MS, signal });
  return { replicaNoticedMs, primaryNoticedMs };
}

/**
 * @param {Ends} ends
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} the replica had what the primary had at a look; false: not within the time limit
 */
function isBack(ends, signal) {
  let wanted = Number.POSITIVE_INFINITY;
  const hasAll = async () => {
    const { written, processed, up } = await lookAt(ends);
    // What was written when it was connected again: later writes always are a little ahead.
    if (up) wanted = Math.min(wanted, written);
    return up && processed >= wanted;
  };
  return waitFor(hasAll, { deadlineMs: RETURN_MS, pollMs: LOOK_MS, signal });
}

/**
 * @param {Ledger} ledger of writes that have ended
 * @param {number} fromMs since the writer began
 * @param {number} toMs
 * @returns {Pick<NonNullable<LinkFigures['dark']>, 'acked' | 'ackedSeconds' | 'refusedMs'>} of the writes that were answered in between
 */
export function answersBetween(ledger, fromMs, toMs) {
  let [acked, lastMs] = [0, fromMs];
  /** @type {number | null} */
  let refusedMs = null;
  for (let number = 0; number < ledger.capacity; number++) {
    const atMs = answeredAfterMs(ledger, number);
    if (atMs < fromMs || atMs > toMs) continue;
    if (ledger.states[number] === State.acked) {
      acked++;
      lastMs = Math.max(lastMs, atMs);
    } else if (ledger.states[number] === State.rejected) {
      refusedMs = Math.min(refusedMs ?? Number.POSITIVE_INFINITY, atMs - fromMs);
    }
  }
  return { acked, ackedSeconds: (lastMs - fromMs) / 1000, refusedMs };
}

export default linkBenchmark('link-dark', {
  paces: { quick: [1, 12], standard: [3, 12], full: [7, 12] },
  cases: () =>
    Object.entries(CASES).map(([id, settings]) => linkCase(id, { ...LOAD, settings: { ...SETTINGS, ...settings } })),
  measure: measureDark,
  columns: COLUMNS,
  checks: darkChecks,
});
