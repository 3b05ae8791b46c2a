/**
 * A process that disturbs a stack that is up and is killed in the middle of it. Its argument says what it does, as JSON; what
 * it has done it prints, one line a step.
 *
 * @typedef {Object} Plan
 * @property {Partial<StackOptions> & {backend: 'local' | 'docker' | 'external'}} stack
 * @property {({fault: string, id: string} | {settings: Wanted} | {call: string[], id: string} | {divide: string[][]})[]} steps
 * @property {boolean} [again] over and over, undoing all in between, until it is killed from without
 * @property {boolean} [tellsCommands] the journal is given the stack's commands; default: it is
 */

import {
  clientPause,
  failover,
  groupPartition,
  isolate,
  kill,
  NETWORK,
  partition,
  pause,
  restart,
  stop,
} from '../faults/index.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { askNode } from '../stacks/ask.js';
import { attachStack } from '../stacks/index.js';

/**
 * @import { Wanted } from '../faults/settings.js'
 * @import { Fault } from '../faults/types.js'
 * @import { StackOptions } from '../stacks/types.js'
 */

/** @type {Plan} */
const { stack: options, steps, again, tellsCommands = true } = JSON.parse(process.argv[2]);
const { SENTINEL_BENCH_PASSWORD: password } = process.env;
const stack = await attachStack({ ...options, credentials: { ...options.credentials, password } });
if (!stack) throw new Error('there is no stack');
const journal = createJournal(stack, { commands: tellsCommands ? options.commands : undefined });

/** @type {Record<string, Fault>} */
const faults = { failover, isolate, kill, partition, pause, restart, stop, pauseWrites: clientPause(60_000, 'WRITE') };
do {
  for (const step of steps) {
    if ('settings' in step) await applySettings({ stack, journal }, step.settings);
    else if ('divide' in step) await groupPartition({ groups: step.divide }).inject({ stack, journal }, NETWORK);
    else if ('fault' in step) await faults[step.fault].inject({ stack, journal }, step.id);
    else await askNode(stack, step.id, (control) => control.call(step.call[0], ...step.call.slice(1)));
    process.stdout.write(`${JSON.stringify(step)}\n`);
  }
  if (again) await journal.undoAll();
} while (again);
process.kill(process.pid, 'SIGKILL');
