/**
 * The benchmark `link-supervisors`: how long replication stops when its tunnel is killed, hangs or goes dark while traffic goes on, by what
 * supervises it.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check } from '../../src/result/schema.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './replication.js'
 */
import { checkEach } from '../../src/report/checks.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { MIB, MS_A_SECOND } from '../../src/units.js';
import { waitFor } from '../../src/wait.js';
import { linkBenchmark, mixCase } from './benchmark.js';
import { everyRequestAnswered, linksOf, rangeText } from './figures.js';
import { linkSample, onPath, pass, withTraffic } from './round.js';

/** Far below what a tunnel can carry, so that a replica has caught up at once. */
const RATE = 5000;
/** A gap of 15 s fits. */
const BACKLOG = 64 * MIB;
const BEFORE_MS = 1500;
/** What was under way at the fault arrives in this time. */
const UNDER_WAY_MS = 300;
const DARK_SECONDS = 5;
/** Supervisors get this time; the darkness is part of it. */
export const WATCHED_SECONDS = 15;
const LOOK_MS = 20;

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

/** @param {Pick<CaseFigures, 'params'>} row */
export const supervisorOf = ({ params }) => SUPERVISORS[params.supervisor ?? 'restart'];
/** @param {Pick<CaseFigures, 'params'>} row */
export const faultOf = ({ params }) => FAULTS[params.tunnelFault ?? 'killed'];

/** @param {CaseFigures} row @returns {string} of a tunnel that was not back in every round: `not back` */
export function stoppedText(row) {
  const isBack = row.of['link-stopped-away']?.n === row.of['link-demand'].n;
  return isBack ? rangeText(row, 'link-stopped-away') : 'not back';
}

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
function supervisorChecks({ cases }) {
  const killed = cases.filter(({ params }) => params.tunnelFault === 'killed');
  return [
    everyRequestAnswered(cases),
    checkEach('every supervisor brought a killed tunnel back', killed, (/** @type {CaseResult} */ result) =>
      linksOf(result).some(({ stopped }) => stopped?.awayMs === null) ? 'not in every round' : null,
    ),
  ];
}

/** @type {Measure} */
function measureSupervisor(site) {
  return onPath(site, ({ path, ends }) => roundAround(site.testbed, () => breakTunnel(site, path, ends)));
}

/** @param {RoundSite} site @param {Path} path @param {Ends} ends @returns {Promise<OwnSample>} */
function breakTunnel(site, path, ends) {
  const { testbed, theCase, now } = site;
  const { signal } = testbed;
  now(`${theCase.id}: traffic, and the fault`);
  return withTraffic(site, async (running) => {
    const first = await readOffset(ends.primary);
    await pass(BEFORE_MS, signal);
    const faultAt = performance.now();
    await inject(theCase.params.tunnelFault, path);
    await pass(UNDER_WAY_MS, signal);
    const { bytes: wanted } = await readOffset(ends.primary);
    const light = theCase.params.tunnelFault === 'dark' ? endDarkness(path, signal) : null;
    const left = WATCHED_SECONDS * MS_A_SECOND - (performance.now() - faultAt);
    const isBack = await waitFor(() => has(ends, wanted), { deadlineMs: left, pollMs: LOOK_MS, signal });
    const awayMs = isBack ? performance.now() - faultAt : null;
    await light;
    const traffic = await running.stop();
    const last = await readOffset(ends.primary);
    const sample = linkSample(traffic, path, last.bytes - first.bytes);
    return { ...sample, link: { ...sample.link, stopped: { awayMs, watchedMs: WATCHED_SECONDS * MS_A_SECOND } } };
  });
}

/** @param {CaseParams['tunnelFault']} fault @param {Path} path */
function inject(fault, { tended, kill, dark }) {
  if (!tended) throw new Error('the tunnel has no supervisor');
  if (fault === 'killed') return kill();
  if (fault === 'hung') return tended.hang();
  return fault === 'dark' ? dark(true) : tended.killAll();
}

/** @param {Path} path @param {AbortSignal} signal */
async function endDarkness(path, signal) {
  await pass(DARK_SECONDS * MS_A_SECOND - UNDER_WAY_MS, signal);
  await path.dark(false);
}

/** @param {Ends} ends @param {number} wanted offset */
async function has({ replica }, wanted) {
  const { bytes, up } = await readOffset(replica);
  return up && bytes >= wanted;
}

export default linkBenchmark('link-supervisors', {
  paces: { quick: [1, 4], standard: [3, 4], full: [7, 4] },
  cases: () =>
    /** @type {(keyof typeof SUPERVISORS)[]} */ (Object.keys(SUPERVISORS)).flatMap((supervisor) =>
      /** @type {(keyof typeof FAULTS)[]} */ (Object.keys(FAULTS))
        // This tool's own restart has no process to kill.
        .filter((fault) => supervisor !== 'restart' || fault !== 'all-killed')
        .map((tunnelFault) =>
          mixCase(`${supervisor}-${tunnelFault}`, {
            pattern: 'regular',
            rate: RATE,
            tunnel: 'ssh-C',
            supervisor,
            tunnelFault,
            ...(supervisor === 'restart' && { restartAfterMs: 0 }),
            settings: { 'repl-backlog-size': String(BACKLOG) },
          }),
        ),
    ),
  measure: measureSupervisor,
  columns: [
    { title: 'supervisor', text: supervisorOf },
    { title: 'fault', text: faultOf },
    { title: 'replication stopped', text: stoppedText, align: 'right' },
  ],
  checks: supervisorChecks,
});
