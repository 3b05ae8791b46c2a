/**
 * The benchmark `link-loss`: how long replication stops when its tunnel is killed and started again, and whether it needs a full resync.
 *
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { LinkLook } from './replication.js'
 * @import { Link } from './round.js'
 */
import { bytes, count, plural } from '../../src/format.js';
import { FORMATS, figures } from '../../src/report/specs.js';
import { roundAround } from '../../src/run/round.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { compareNodes, differencesIn } from '../copy/compare.js';
import { linkBenchmark } from './benchmark.js';
import { checkRounds, everyRequestAnswered, rangeText, total, tunnelName } from './figures.js';
import { catchesUp, comesBack, followLogs, lookAt, lookUntil, resyncBetween, withStream } from './replication.js';
import { nodesOf, onPath, pass, sampleOfTraffic, withTraffic } from './round.js';

/** Redis's default `repl-timeout`: when a silent dead link is noticed. */
export const REPL_TIMEOUT_SECONDS = 60;
/** Redis keeps whole blocks of its backlog: a gap decides the resync only when it differs this much from it. */
const MARGIN = 1.25;
/** How long traffic runs before the kill, and after the replica has caught up. */
const BEFORE_MS = 1500;
const AFTER_MS = 500;
/** Deadline after the supervisor's restart: the replica dials once a second and takes a full resync, on a busy machine. */
const RETURN_MS = 30_000;
/** The rest of the stream, or all of the data. */
const CATCH_UP_MS = 20_000;

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
  missed: { title: 'missed', metric: 'link-missed', format: 'bytes' },
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
    checkRounds('both sides held the same in the end', cases, ({ agreement }) => {
      if (!agreement) return 'the replica never caught up';
      const { primaryKeys, replicaKeys, compared, different } = agreement;
      if (primaryKeys !== replicaKeys) return `${count(primaryKeys)} and ${count(replicaKeys)} keys`;
      if (compared === 0) return 'there were no keys to compare';
      return different === 0 ? null : `${plural(different, 'difference')} in ${plural(compared, 'key')}`;
    }),
    checkRounds('the size of the gap decided between partial and full resync', cases, unexpectedResync),
  ];
}

/** @param {LinkFigures} link @param {CaseResult} result */
function unexpectedResync({ missedBytes, outage }, result) {
  const backlog = backlogOf(result);
  if (missedBytes == null || backlog === 0 || !outage) return null;
  const { resync } = outage;
  const expected = missedBytes * MARGIN < backlog ? 'partial' : missedBytes > backlog * MARGIN ? 'full' : resync;
  return resync === expected ? null : `${resync}, with ${bytes(missedBytes)} missed of ${bytes(backlog)}`;
}

/** @type {Measure} */
function measureLoss(site) {
  const { testbed } = site;
  return onPath(site, async (link) => {
    const round = await roundAround(testbed, () => withStream(link, (before) => loseTunnel(site, link, before)));
    const isInSync = (await catchesUp(link.ends, { deadlineMs: 0, signal: testbed.signal })) !== null;
    // After the nodes' use was read, so that it does not include the comparison.
    const agreement = isInSync ? await agreementOf(testbed) : null;
    return { ...round, link: { .../** @type {LinkFigures} */ (round.link), agreement } };
  });
}

/** @param {RoundSite} site @param {Link} link @param {LinkLook} before the traffic */
async function loseTunnel(site, { path, ends }, before) {
  const { testbed, theCase, now } = site;
  const { profile, signal } = testbed;
  const patience = { deadlineMs: (theCase.params.restartAfterMs ?? 0) + RETURN_MS, signal };
  const isAgain = (/** @type {LinkLook} */ { full, partial }) => full + partial > before.full + before.partial;
  const logged = await followLogs(testbed.stack, nodesOf(testbed));
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
    // A replica that never comes back is a finding, not a failure of the round.
    const last = (await catchesUp(ends, { deadlineMs: CATCH_UP_MS, signal })) ?? (await lookAt(ends));
    const since = (/** @type {LinkLook | null} */ look) => look && look.atMs - killedAt;
    const outage = {
      noticedMs: since(noticed),
      awayMs: since(connected),
      behindMs: since(caughtUp),
      resync: resyncBetween(before, last),
      restarts: path.tunnel?.restarts() ?? 0,
    };
    return { ...sample, link: { ...sample.link, missedBytes: (await logged()).missedBytes, outage } };
  });
}

/** @param {RoundSite['testbed']} testbed in sync, without writers */
async function agreementOf(testbed) {
  const { primary, replica } = nodesOf(testbed);
  const [primaryKeys, replicaKeys] = await Promise.all(
    [primary, replica].map(async ({ id }) => Number(await testbed.controls.get(id)?.call('DBSIZE'))),
  );
  const { credentials } = testbed.stack.access;
  const comparison = await compareNodes(
    { ...primary.address, credentials },
    { ...replica.address, credentials },
    testbed.signal,
  );
  return { primaryKeys, replicaKeys, compared: comparison.keys, different: differencesIn(comparison) };
}

export default linkBenchmark('link-loss', {
  measure: measureLoss,
  columns: COLUMNS,
  checks: lossChecks,
});
