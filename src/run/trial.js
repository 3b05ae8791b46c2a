/**
 * One trial: writers write, a script does something to the stack, everything is undone, and then every write is looked for on
 * every node.
 */

import { saveLedger, saveReadings } from '../audit/files.js';
import { createLedger } from '../audit/ledger.js';
import { readNode } from '../audit/read-node.js';
import { connectControl, loginFor } from '../cluster/control.js';
import { watchSentinels } from '../cluster/sentinel-events.js';
import { createJournal } from '../fault/journal.js';
import { applySettings } from '../fault/settings.js';
import { slowLink } from '../fault/slow-link.js';
import { startTrialThread } from '../load/trial-thread.js';
import { clockMs } from '../measure/clock.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { median } from '../measure/statistics.js';
import { untilAborted } from './interruption.js';
import { newKeyPrefix, removeKeysForGood } from './keys.js';
import { createScene } from './scene.js';
import { describeTrial } from './trial-document.js';

/**
 * @typedef {import('./types.js').Benchmark} Benchmark
 * @typedef {import('./types.js').Case} Case
 * @typedef {import('../cluster/types.js').Cluster} Cluster
 * @typedef {import('../load/trial-types.js').TrialPlan} TrialPlan
 * @typedef {import('../load/trial-types.js').WriterName} WriterName
 * @typedef {import('../audit/read-node.js').NodeReading} NodeReading
 *
 * @typedef {Object} TrialOptions
 * @property {Cluster} cluster well, and nobody else's at the moment
 * @property {Benchmark} benchmark
 * @property {Case} theCase
 * @property {number} round counted from 1
 * @property {import('./types.js').Profile} profile
 * @property {string} folder the run's
 * @property {AbortSignal} signal
 */

/** No script takes so long; the ledgers have room for it. */
const LONGEST_SECONDS = 180;
const GIVE_UP_MS = 1000;
const DRAIN_MS = 3000;
const READS_PER_SECOND = 100;
const LINK_PROBES = 11;

/**
 * @param {TrialOptions} options
 * @returns {Promise<import('./trial-document.js').TrialOutcome>} rejects when the trial could not be carried out or the stack
 *   did not come together again; everything is undone by then, as far as it can be
 */
export async function runTrial(options) {
  const { cluster, theCase } = options;
  const journal = createJournal(cluster, { credentials: cluster.credentials });
  const site = { cluster, journal };
  const thread = startTrialThread();
  const prefix = newKeyPrefix();
  const writers = planWriters(theCase, prefix);
  try {
    return await carryOut(options, { site, thread, writers });
  } finally {
    await thread.close();
    // A stack of our own goes away with all that was done to it; that is the surest undoing.
    if (cluster.ours) await journal.close({ abandon: true });
    else await putBack(options, site, writers);
  }
}

/**
 * @param {TrialOptions} options
 * @param {{site: import('../fault/types.js').Site, thread: import('../load/trial-types.js').TrialThread, writers: TrialPlan['writers']}} means
 */
async function carryOut(options, { site, thread, writers }) {
  const { cluster, theCase, benchmark, profile, round, folder, signal } = options;
  const { settings, linkLatencyMs, downAfterMs: askedDownAfterMs } = theCase.params;
  const primary = await untilAborted(cluster.primary(), signal);
  await applySettings(site, {
    redis: settings ?? {},
    sentinel: askedDownAfterMs === undefined ? {} : { 'down-after-milliseconds': String(askedDownAfterMs) },
  });
  if (linkLatencyMs) await slowLink({ latencyMs: linkLatencyMs }).inject(site, ALL_LINKS);
  const linkMs = await probeLink(cluster, primary, writers[0].shape.keyPrefix);
  const downAfterMs = await readDownAfter(cluster);

  const clock = { beganAt: clockMs() };
  /** @type {Map<string, NodeReading>} writer → what the former primary held */
  const former = new Map();
  let formerId = '';
  const told = createScene({
    site,
    primary,
    downAfterMs,
    profile,
    clock,
    signal,
    async readFormer(id) {
      formerId = id;
      for (const writer of writers)
        former.set(writer.name, await readWriter(cluster, id, writer, dueBy(writer, clock)));
    },
  });
  const machineBefore = sampleMachine();
  const watch = await watchSentinels(cluster, told.hear);
  try {
    const startedAt = new Date().toISOString();
    clock.beganAt = (await untilAborted(thread.start(planOf(cluster, writers)), signal)).beganAt;
    await benchmark.script?.(told.scene, theCase);
    const sample = await untilAborted(thread.stop(), signal);
    const machineCpu = machineUse(machineBefore, sampleMachine());
    const about = { case: `${benchmark.name}.${theCase.id}`, round };
    const ledgers = await Promise.all(
      writers.map((writer, index) =>
        saveLedger(folder, { ...about, ...describeWriter(writer, sample.writers[index]) }),
      ),
    );

    const loadEndedAt = clockMs();
    await site.journal.undoAll();
    await untilAborted(cluster.heal(), signal);
    const leader = await cluster.primary();
    const converged = { afterMs: clockMs() - loadEndedAt, primary: leader.id };
    // …
    return /** @type {any} */ ({ startedAt, sample, machineCpu, ledgers, converged, linkMs, former, formerId });
  } finally {
    watch.close();
  }
}
