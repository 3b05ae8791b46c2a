/** The benchmark `link-dark`: how long a link on which nothing passes stays unnoticed, and what WAIT and min-replicas do meanwhile. */
/** @import { BenchmarkResult, CaseResult, Check, ColumnSpec, Ledger, Measure, RoundSite } from '../types.js' */
/** @import { LinkFigures } from './document.js' */
/** @import { LinkLook } from './replication.js' */
/** @import { Link } from './round.js' */
/** @import { LedgerWriter } from './writers.js' */
import { answeredAfterMs, State } from '../../src/audit/ledger.js';
import { count } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { FORMATS } from '../../src/report/specs.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { clockMs } from '../../src/stats/clock.js';
import { addCounts, sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { checkRounds, figuresOf, linkBenchmark, linksOf, TIMED_OUT } from './benchmark.js';
import { comesBack, lookUntil, withStream } from './replication.js';
import { controlOf, nodesOf, onPath, pass, startWaitProber } from './round.js';
import { REPL_TIMEOUT_SECONDS } from './tunnels.js';
import { withWriter } from './writers.js';

const TIMEOUT = 'repl-timeout';
const MAX_LAG = 'min-replicas-max-lag';
export const MINIMUM = 'min-replicas-to-write';
const BESIDE_MS = 1000;
const LOOK_MS = 50;
const PROBE_MS = 100;
/** The wait in addition to twice repl-timeout: Redis compares whole seconds, once a second. */
const GIVE_UP_MS = 10_000;
/** A replica that hangs in a handshake notices after repl-timeout only; then it dials once a second. */
const RETURN_MS = 60_000;
/** @typedef {Pick<CaseResult, 'params'>} OfCase */
/** @param {OfCase} result */
const timeoutOf = ({ params: { settings } }) => Number(settings?.[TIMEOUT] ?? REPL_TIMEOUT_SECONDS);
/** @param {OfCase} result */
const hasMinimum = ({ params: { settings } }) => Number(settings?.[MINIMUM] ?? 0) > 0;

export const FIGURES = figuresOf('link-dark');
const { back, ...noticed } = FIGURES;
/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  timeout: { title: TIMEOUT, text: (row) => `${timeoutOf(row)} s` },
  minimum: {
    title: 'min-replicas',
    text: (row) => (hasMinimum(row) ? `1, max-lag ${row.params.settings?.[MAX_LAG]} s` : 'off'),
  },
  ...noticed,
  waits: TIMED_OUT,
  back,
};

/** @param {BenchmarkResult} benchmark */
export function darkChecks({ cases }) {
  /** @type {(name: string, wrong: (dark: NonNullable<LinkFigures['dark']>, result: CaseResult) => string | null) => Check} */
  const check = (name, wrong) => checkRounds(name, cases, ({ dark }, result) => (dark ? wrong(dark, result) : null));
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
  const giveUpMs = 2 * timeoutOf(theCase) * MS_A_SECOND + GIVE_UP_MS;
  const seconds = (2 * BESIDE_MS + giveUpMs + RETURN_MS) / MS_A_SECOND;
  // Without a replica it would refuse to empty itself.
  await primary.call('CONFIG', 'SET', MINIMUM, '0');
  return withWriter(site, { ...theCase.params, seconds }, (writer) =>
    onPath(site, async (link) => {
      await primary.call('CONFIG', 'SET', MINIMUM, theCase.params.settings?.[MINIMUM] ?? '0');
      return roundAround(testbed, () => withStream(link, () => goDark(site, { ...link, writer, giveUpMs })));
    }),
  );
}

/** @param {RoundSite} site @param {Link & {writer: LedgerWriter, giveUpMs: number}} by */
async function goDark({ testbed, theCase, keyPrefix, now }, { path, ends, writer, giveUpMs }) {
  const { signal } = testbed;
  const { beganAt } = await writer.start();
  await pass(BESIDE_MS, signal);
  now(`${theCase.id}: the link is dark`);
  await path.dark(true);
  const darkAt = clockMs();
  const wait = { key: `${keyPrefix}p`, everyMs: PROBE_MS, timeoutMs: theCase.params.waitTimeoutMs };
  const prober = await startWaitProber(testbed, wait);
  const noticedBy = async (/** @type {(look: LinkLook) => boolean} */ hasNoticed) => {
    const seen = await lookUntil(ends, hasNoticed, { deadlineMs: giveUpMs, pollMs: LOOK_MS, signal });
    return seen && seen.atMs - darkAt;
  };
  try {
    const [replicaNoticedMs, primaryNoticedMs] = await Promise.all([
      noticedBy(({ up }) => !up),
      noticedBy(({ followers }) => followers === 0),
    ]);
    const { waits, errors } = await untilAborted(prober.stop(), signal);
    const lightAt = clockMs();
    await path.dark(false);
    const { caughtUp } = await comesBack(ends, () => true, { deadlineMs: RETURN_MS, pollMs: LOOK_MS, signal });
    await pass(BESIDE_MS, signal);
    const sample = await writer.stop();
    return {
      ...sample,
      errors: addCounts(sample.errors, errors),
      link: {
        writes: sample.outcomes.acked + waits.asked,
        waits,
        dark: {
          replicaNoticedMs,
          primaryNoticedMs,
          ...answersBetween(writer.ledger, darkAt - beganAt, lightAt - beganAt),
          backMs: caughtUp && caughtUp.atMs - lightAt,
        },
      },
    };
  } finally {
    prober.close();
  }
}

/**
 * @param {Ledger} ledger of writes that have ended
 * @param {number} fromMs since the writer began
 * @param {number} toMs
 * @returns {Pick<NonNullable<LinkFigures['dark']>, 'acked' | 'ackedSeconds' | 'refusedMs'>} of the writes that were answered in between
 */
export function answersBetween(ledger, fromMs, toMs) {
  let [acked, lastMs] = [0, fromMs];
  let refusedAt = Number.POSITIVE_INFINITY;
  for (let number = 0; number < ledger.capacity; number++) {
    const atMs = answeredAfterMs(ledger, number);
    if (atMs < fromMs || atMs > toMs) continue;
    if (ledger.states[number] === State.acked) {
      acked++;
      lastMs = Math.max(lastMs, atMs);
    } else if (ledger.states[number] === State.rejected) {
      refusedAt = Math.min(refusedAt, atMs);
    }
  }
  const refusedMs = refusedAt === Number.POSITIVE_INFINITY ? null : refusedAt - fromMs;
  return { acked, ackedSeconds: (lastMs - fromMs) / MS_A_SECOND, refusedMs };
}

export default linkBenchmark('link-dark', {
  measure: measureDark,
  columns: COLUMNS,
  checks: darkChecks,
});
