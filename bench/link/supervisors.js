/** The benchmark `link-supervisors`: how long replication stops when its tunnel is killed, hangs or goes dark, by what supervises it. */
/** @import { BenchmarkResult, CaseFigures, Measure, RoundSite } from '../types.js' */
/** @import { Path } from './paths/path.js' */
/** @import { Link } from './round.js' */
import { figures } from '../../src/report/specs.js';
import { roundAround } from '../../src/run/round.js';
import { clockMs } from '../../src/stats/clock.js';
import { MS_A_SECOND } from '../../src/units.js';
import { checkRounds, everyRequestAnswered, linkBenchmark, rangeText } from './benchmark.js';
import { lookAt, lookUntil, withStream } from './replication.js';
import { onPath, pass, sampleOfTraffic, withTraffic } from './round.js';

const BEFORE_MS = 1500;
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

/** @type {Measure} */
function measureSupervisor(site) {
  return onPath(site, (link) => roundAround(site.testbed, () => withStream(link, () => breakTunnel(site, link))));
}

/** @param {RoundSite} site @param {Link} link */
function breakTunnel(site, { path, ends }) {
  const { testbed, theCase, now } = site;
  const { signal } = testbed;
  const fault = theCase.params.tunnelFault ?? 'killed';
  now(`${theCase.id}: traffic, and the fault`);
  return withTraffic(site, async (running) => {
    await pass(BEFORE_MS, signal);
    const faultAt = clockMs();
    await INJECT[fault](path);
    await pass(UNDER_WAY_MS, signal);
    const { written: wanted } = await lookAt(ends);
    const patience = { deadlineMs: faultAt + WATCHED_MS - clockMs(), signal };
    const endDarkness = () => pass(DARK_SECONDS * MS_A_SECOND - UNDER_WAY_MS, signal).then(() => path.dark(false));
    const [back] = await Promise.all([
      lookUntil(ends, ({ up, processed }) => up && processed >= wanted, patience),
      fault === 'dark' && endDarkness(),
    ]);
    const { link, ...sample } = sampleOfTraffic(await running.stop());
    const stopped = { awayMs: back && back.atMs - faultAt, watchedMs: WATCHED_MS };
    return { ...sample, link: { ...link, stopped } };
  });
}

export default linkBenchmark('link-supervisors', {
  measure: measureSupervisor,
  columns: [
    { title: 'supervisor', text: supervisorOf },
    { title: 'fault', text: faultOf },
    figures('replication stopped', stoppedText),
  ],
  checks: supervisorChecks,
});
