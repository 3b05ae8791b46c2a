/** The benchmarks `link-loss` and `link-supervisors`: how long replication stops when its tunnel is killed, hangs or goes dark, by what brings it back. */
/** @import { BenchmarkResult, CaseFigures, CaseResult, ColumnSpec, RoundSite } from '../types.js' */
/** @import { LinkFigures } from './document.js' */
/** @import { Path } from './paths/path.js' */
/** @import { LinkLook } from './replication.js' */
/** @import { Link } from './round.js' */
import { bytes } from '../../src/format.js';
import { FORMATS, figures } from '../../src/report/specs.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { checkRounds, everyRequestAnswered, linkBenchmark, rangeText, total, tunnelName } from './benchmark.js';
import { comesBack, lookAt, lookUntil } from './replication.js';
import { measureStream, pass, sampleOfTraffic, withTraffic } from './round.js';

const BEFORE_MS = 1500;

/**
 * @param {RoundSite} site
 * @param {(faultAt: number) => Promise<Partial<LinkFigures>>} strike the fault, and what follows; faultAt: of `clockMs()`
 */
function struck(site, strike) {
  site.now(`${site.theCase.id}: traffic, and the fault`);
  return withTraffic(site, async (running) => {
    await pass(BEFORE_MS, site.testbed.signal);
    const shown = await strike(clockMs());
    const { link, ...sample } = sampleOfTraffic(await running.stop());
    return { ...sample, link: { ...link, ...shown } };
  });
}

/** Redis's default `repl-timeout`: when a silent dead link is noticed. */
export const REPL_TIMEOUT_SECONDS = 60;
const AFTER_MS = 500;
/** Deadline after the supervisor's restart: the replica dials once a second and takes a full resync, on a busy machine. */
const RETURN_MS = 30_000;

/** @param {Pick<CaseResult, 'params'>} result @returns {number} bytes of the primary's backlog */
const backlogOf = ({ params }) => Number(params.settings?.['repl-backlog-size'] ?? 0);
/** @param {string} title @param {string} metric from the least to the most of the rounds */
const range = (title, metric) => figures(title, (row) => rangeText(row, metric));

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const LOSS_COLUMNS = {
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

/** @param {RoundSite} site @param {Link} link @param {LinkLook} before the traffic */
function loseTunnel(site, { path, ends }, before) {
  const { testbed, theCase } = site;
  const { profile, signal } = testbed;
  const patience = { deadlineMs: (theCase.params.restartAfterMs ?? 0) + RETURN_MS, signal };
  const isAgain = (/** @type {LinkLook} */ { full, partial }) => full + partial > before.full + before.partial;
  return struck(site, async (killedAt) => {
    await path.tunnel?.kill();
    // It may have been away between two looks only.
    const noticed = await lookUntil(ends, (look) => !look.up || isAgain(look), patience);
    const { connected, caughtUp } = await comesBack(ends, isAgain, patience);
    await pass(Math.max(AFTER_MS, killedAt - BEFORE_MS + profile.seconds * MS_A_SECOND - clockMs()), signal);
    const since = (/** @type {LinkLook | null} */ look) => look && look.atMs - killedAt;
    return { outage: { noticedMs: since(noticed), awayMs: since(connected), behindMs: since(caughtUp) } };
  });
}

export const linkLoss = linkBenchmark('link-loss', {
  measure: measureStream(loseTunnel),
  columns: LOSS_COLUMNS,
  checks: lossChecks,
});

const UNDER_WAY_MS = 300;
const DARK_SECONDS = 5;
/** Supervisors get this time; the darkness is part of it. */
export const WATCHED_SECONDS = 15;
const WATCHED_MS = WATCHED_SECONDS * MS_A_SECOND;

export const SUPERVISORS = Object.freeze({
  restart: 'restart at its end',
  autossh: 'autossh',
  monit: 'autossh + monit',
  'monit-asks': 'autossh + monit that sends PING',
});
export const FAULTS = Object.freeze({
  killed: 'ssh killed',
  hung: 'ssh hangs',
  dark: `link dark ${DARK_SECONDS} s`,
  'all-killed': 'ssh and autossh killed',
});
/** @type {Readonly<Record<keyof typeof FAULTS, (path: Path) => Promise<void> | undefined>>} */
const INJECT = Object.freeze({
  killed: ({ tunnel }) => tunnel?.kill(),
  hung: ({ tunnel }) => tunnel?.hang(),
  dark: ({ dark }) => dark(true),
  'all-killed': ({ tunnel }) => tunnel?.killAll(),
});

/** @param {Pick<CaseFigures, 'params'>} row */
export const supervisorOf = ({ params }) => SUPERVISORS[params.supervisor ?? 'restart'];
/** @param {Pick<CaseFigures, 'params'>} row */
export const faultOf = ({ params }) => FAULTS[params.tunnelFault ?? 'killed'];

/** @param {CaseFigures} row @returns {string} of a tunnel that was not back in every round: `not back` */
export function stoppedText(row) {
  const isBack = row.of['link-stopped-away']?.n === row.of['link-demand'].n;
  return isBack ? rangeText(row, 'link-stopped-away') : 'not back';
}

/** @param {BenchmarkResult} benchmark */
function supervisorChecks({ cases }) {
  const killed = cases.filter(({ params }) => params.tunnelFault === 'killed');
  return [
    everyRequestAnswered(cases),
    checkRounds('every supervisor brought a killed tunnel back', killed, ({ stopped }) =>
      stopped?.awayMs === null ? 'not in every round' : null,
    ),
  ];
}

/** @param {RoundSite} site @param {Link} link */
function breakTunnel(site, { path, ends }) {
  const { signal } = site.testbed;
  const fault = site.theCase.params.tunnelFault ?? 'killed';
  return struck(site, async (faultAt) => {
    await INJECT[fault](path);
    await pass(UNDER_WAY_MS, signal);
    const { written: wanted } = await lookAt(ends);
    const patience = { deadlineMs: faultAt + WATCHED_MS - clockMs(), signal };
    const endDarkness = () => pass(DARK_SECONDS * MS_A_SECOND - UNDER_WAY_MS, signal).then(() => path.dark(false));
    const [back] = await Promise.all([
      lookUntil(ends, ({ up, processed }) => up && processed >= wanted, patience),
      fault === 'dark' && endDarkness(),
    ]);
    return { stopped: { awayMs: back && back.atMs - faultAt, watchedMs: WATCHED_MS } };
  });
}

export const linkSupervisors = linkBenchmark('link-supervisors', {
  measure: measureStream(breakTunnel),
  columns: [
    { title: 'supervisor', text: supervisorOf },
    { title: 'fault', text: faultOf },
    figures('replication stopped', stoppedText),
  ],
  checks: supervisorChecks,
});
