/** A round of the article's benchmarks: wrk writes or reads through the application, or nothing happens. */
import { setTimeout as delay } from 'node:timers/promises';
import { roundAround } from '../../../src/run/round.js';
import { encodeHistogram, newHistogram } from '../../../src/stats/histogram.js';
import { fillPeople, startApplication, untilReplicated } from './run.js';
import { sampleOf, startWrk } from './wrk.js';

/**
 * @import { OwnSample } from '../../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../../src/run/types.js'
 * @import { NodeInfo } from '../../../src/stacks/types.js'
 */

let runs = 0;

/** @returns {string} what the names of a run of wrk begin with; no searched name begins so */
export function nextRun() {
  runs += 1;
  return String(runs);
}

/** @param {RoundSite} site */
export function nodesOf({ testbed: { primary, replicas = [] } }) {
  if (!primary) throw new Error('the stack has no primary');
  return { primary, replicas };
}

/** @type {Measure} */
export async function measureActivity(site) {
  const { testbed, theCase, keyPrefix: prefix, now } = site;
  const { stack, signal, profile } = testbed;
  const { operation, readFrom } = theCase.params;
  const { primary, replicas } = nodesOf(site);
  await fillPeople(stack, primary.id, prefix);
  await untilReplicated(stack, primary, replicas);
  if (operation === 'idle') {
    now('nothing');
    return roundAround(testbed, () => rest(profile.seconds, signal));
  }
  const activity = operation === 'get' ? 'search' : 'register';
  const readers = readFrom === 'replicas' ? replicas : [primary];
  const application = await startApplication(stack, { primary, readers, prefix, signal });
  const load = (/** @type {number} */ seconds) =>
    startWrk({ url: application.url, activity, run: nextRun(), seconds: Math.max(1, Math.round(seconds)), signal })
      .counted;
  try {
    now(`wrk: ${activity}`);
    await load(profile.warmUpSeconds);
    return await roundAround(testbed, async () => sampleOf(await load(profile.seconds), activity));
  } finally {
    await application.close();
  }
}

/** @param {number} seconds @param {AbortSignal} signal */
async function rest(seconds, signal) {
  await delay(seconds * 1000, undefined, { signal });
  return {
    seconds,
    operations: 0,
    outcomes: { acked: 0, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    histogram: encodeHistogram(newHistogram()),
    load: { cpu: 0, eventLoopUtilization: 0 },
  };
}
