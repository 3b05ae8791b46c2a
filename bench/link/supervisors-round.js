/**
 * A round of `link-supervisors`: something happens to a tunnel while traffic goes on, and its supervisor may notice.
 */
import { roundAround } from '../../src/run/round.js';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { waitFor } from '../../src/wait.js';
import { linkSample, onPath, pass, withTraffic } from './round.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './round.js'
 */

const BEFORE_MS = 1500;
/** What was under way at the fault arrives in this time. */
const UNDER_WAY_MS = 300;
export const DARK_SECONDS = 5;
/** Supervisors get this time; the darkness is part of it. */
export const WATCHED_SECONDS = 15;
const LOOK_MS = 20;

/** @type {Measure} */
export function measureSupervisor(site) {
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
    const left = WATCHED_SECONDS * 1000 - (performance.now() - faultAt);
    const isBack = await waitFor(() => has(ends, wanted), { deadlineMs: left, pollMs: LOOK_MS, signal });
    const awayMs = isBack ? performance.now() - faultAt : null;
    await light;
    const traffic = await running.stop();
    const last = await readOffset(ends.primary);
    const sample = linkSample(traffic, path, last.bytes - first.bytes);
    return { ...sample, link: { ...sample.link, stopped: { awayMs, watchedMs: WATCHED_SECONDS * 1000 } } };
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
  await pass(DARK_SECONDS * 1000 - UNDER_WAY_MS, signal);
  await path.dark(false);
}

/** @param {Ends} ends @param {number} wanted offset */
async function has({ replica }, wanted) {
  const { bytes, up } = await readOffset(replica);
  return up && bytes >= wanted;
}
