/**
 * A process that disturbs a stack that is up and is killed in the middle of it. Its argument says what it does, as JSON.
 *
 * @typedef {Object} RecoverPlan
 * @property {Partial<StackOptions> & {backend: 'local' | 'external'}} stack
 * @property {({fault: string, id: string} | {settings: Wanted} | {divide: string[][]})[]} steps
 */

import { failover, groupPartition, kill, NETWORK, pause, stop } from '../faults/index.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { attachStack } from '../stacks/index.js';

/**
 * @import { Wanted } from '../faults/settings.js'
 * @import { Fault } from '../faults/types.js'
 * @import { StackOptions } from '../stacks/types.js'
 */

/** @type {RecoverPlan} */
const { stack: options, steps } = JSON.parse(process.argv[2]);
const { SENTINEL_BENCH_PASSWORD: password } = process.env;
const stack = await attachStack({ ...options, credentials: { ...options.credentials, password } });
if (!stack) throw new Error('there is no stack');
const journal = createJournal(stack, { commands: options.commands });

/** @type {Record<string, Fault>} */
const faults = { failover, kill, pause, stop };
for (const step of steps) {
  if ('settings' in step) await applySettings({ stack, journal }, step.settings);
  else if ('divide' in step) await groupPartition({ groups: step.divide }).inject({ stack, journal }, NETWORK);
  else await faults[step.fault].inject({ stack, journal }, step.id);
}
process.kill(process.pid, 'SIGKILL');
