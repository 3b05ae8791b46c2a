/**
 * A process that disturbs a stack that is up and is killed in the middle of it. Its argument says what it does, as JSON; what
 * it has done it prints, one line a step.
 *
 * @typedef {Object} Plan
 * @property {Partial<ClusterOptions> & {backend: 'local' | 'docker' | 'external'}} cluster
 * @property {({fault: string, id: string} | {settings: Wanted} | {call: string[], id: string})[]} steps
 * @property {boolean} [again] over and over, undoing all in between, until it is killed from without
 * @property {boolean} [tellsCommands] the journal is given the cluster's commands; default: it is
 */

import { clientPause, cut, failover, isolate, kill, pause, restart, stop } from '../faults/index.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { askNode } from '../stacks/ask.js';
import { attachCluster } from '../stacks/index.js';

/**
 * @import { Wanted } from '../faults/settings.js'
 * @import { Fault } from '../faults/types.js'
 * @import { ClusterOptions } from '../stacks/types.js'
 */

/** @type {Plan} */
const { cluster: options, steps, again, tellsCommands = true } = JSON.parse(process.argv[2]);
const { SENTINEL_BENCH_PASSWORD: password } = process.env;
const cluster = await attachCluster({ ...options, credentials: { ...options.credentials, password } });
if (!cluster) throw new Error('there is no stack');
const journal = createJournal(cluster, { commands: tellsCommands ? options.commands : undefined });

/** @type {Record<string, Fault>} */
const known = { cut, failover, isolate, kill, pause, restart, stop, pauseWrites: clientPause(60_000, 'WRITE') };
do {
  for (const step of steps) {
    if ('settings' in step) await applySettings({ cluster, journal }, step.settings);
    else if ('fault' in step) await known[step.fault].inject({ cluster, journal }, step.id);
    else await askNode(cluster, step.id, (control) => control.call(step.call[0], ...step.call.slice(1)));
    process.stdout.write(`${JSON.stringify(step)}\n`);
  }
  if (again) await journal.undoAll();
} while (again);
process.kill(process.pid, 'SIGKILL');
