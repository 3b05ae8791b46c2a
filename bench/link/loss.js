/** The benchmark `link-loss`: how long replication stops when its tunnel is killed and started again, and whether it needs a full resync. */
/** @import { BenchmarkResult, CaseResult, ColumnSpec, Measure, RoundSite } from '../types.js' */
/** @import { LinkLook } from './replication.js' */
/** @import { Link } from './round.js' */
import { bytes } from '../../src/format.js';
import { FORMATS, figures } from '../../src/report/specs.js';
import { roundAround } from '../../src/run/round.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { checkRounds, everyRequestAnswered, linkBenchmark, rangeText, total, tunnelName } from './benchmark.js';
import { comesBack, lookUntil, withStream } from './replication.js';
import { onPath, pass, sampleOfTraffic, withTraffic } from './round.js';

/** Redis's default `repl-timeout`: when a silent dead link is noticed. */
export const REPL_TIMEOUT_SECONDS = 60;
const BEFORE_MS = 1500;
const AFTER_MS = 500;
/** Deadline after the supervisor's restart: the replica dials once a second and takes a full resync, on a busy machine. */
const RETURN_MS = 30_000;

/** @param {Pick<CaseResult, 'params'>} result @returns {number} bytes of the primary's backlog */
const backlogOf = ({ params }) => Number(params.settings?.['repl-backlog-size'] ?? 0);
/** @param {string} title @param {string} metric from the least to the most of the rounds */
const range = (title, metric) => figures(title, (row) => rangeText(row, metric));

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  tunnel: { title: 'tunnel', text: tunnelName },
  again: figures('started again after', ({ params }) => FORMATS.ms(params.restartAfterMs ?? 0)),
  backlog: figures('backlog', (row) => bytes(backlogOf(row))),
  stream: { title: 'stream', metric: 'link-demand', format: 'bits' },
  noticed: range('noticed', 'link-outage-noticed'),
  stopped: range('replication stopped', 'link-outage-away'),
  caughtUp: range('caught up', 'link-outage-behind'),
  full: total('full resyncs', 'link-full-resyncs', { kept: true }),
};

/** @param {BenchmarkResult} benchmark */
export function lossChecks({ cases }) {
  return [
    everyRequestAnswered(cases),
    checkRounds('the replica came back after every kill', cases, ({ outage }) => {
      if (outage?.awayMs === null) return 'the replica never came back';
      return outage?.behindMs === null ? 'it did not catch up' : null;
    }),
  ];
}

/** @type {Measure} */
function measureLoss(site) {
  return onPath(site, (link) =>
    roundAround(site.testbed, () => withStream(link, (before) => loseTunnel(site, link, before))),
  );
}

/** @param {RoundSite} site @param {Link} link @param {LinkLook} before the traffic */
async function loseTunnel(site, { path, ends }, before) {
  const { testbed, theCase, now } = site;
  const { profile, signal } = testbed;
  const patience = { deadlineMs: (theCase.params.restartAfterMs ?? 0) + RETURN_MS, signal };
  const isAgain = (/** @type {LinkLook} */ { full, partial }) => full + partial > before.full + before.partial;
  now(`${theCase.id}: traffic, and the tunnel killed`);
  return withTraffic(site, async (running) => {
    const begunAt = performance.now();
    await pass(BEFORE_MS, signal);
    const killedAt = clockMs();
    await path.tunnel?.kill();
    // It may have been away between two looks only.
    const noticed = await lookUntil(ends, (look) => !look.up || isAgain(look), patience);
    const { connected, caughtUp } = await comesBack(ends, isAgain, patience);
    await pass(Math.max(AFTER_MS, begunAt + profile.seconds * MS_A_SECOND - performance.now()), signal);
    const sample = sampleOfTraffic(await running.stop());
    const since = (/** @type {LinkLook | null} */ look) => look && look.atMs - killedAt;
    const outage = { noticedMs: since(noticed), awayMs: since(connected), behindMs: since(caughtUp) };
    return { ...sample, link: { ...sample.link, outage } };
  });
}

export default linkBenchmark('link-loss', {
  measure: measureLoss,
  columns: COLUMNS,
  checks: lossChecks,
});
