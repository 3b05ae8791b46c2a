/**
 * The options of failure benchmarks.
 */
import { cpus } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { DISTURBING_ACTIONS, UNDOING, UNDOING_ACTIONS } from '../stacks/actions.js';
import { countBetween, durationBetween } from '../units.js';

/**
 * @import { CaseParams } from '../result/schema.js'
 * @import { BackendName, ClusterOptions } from '../stacks/types.js'
 */

/** Two trials a core wait for their Sentinels most of the time; more than four bring little. */
export const DEFAULT_LANES = Math.min(4, Math.max(1, 2 * cpus().length));

/** @type {readonly string[]} */
const ACTIONS = [...DISTURBING_ACTIONS, ...UNDOING_ACTIONS];

/** Milliseconds; `0` needs no unit. */
export const parseLatency = (/** @type {string} */ text) => (text === '0' ? 0 : latency(text));
const latency = durationBetween({ least: 0.1, most: 10_000, shown: '0.1ms and 10s' });

export const parseDownAfter = durationBetween({ least: 100, most: 600_000, shown: '100ms and 10min' });

export const parseLanes = countBetween({ least: 1, most: 16, shown: '1 and 16' });

/**
 * @param {string} text `ACTION=COMMAND`
 * @param {ClusterOptions['commands']} [earlier]
 */
export function collectCommands(text, earlier = {}) {
  const [, action, command] = /^([a-z]+)=(.*\S.*)$/s.exec(text) ?? [];
  if (!ACTIONS.includes(action)) {
    throw new InvalidArgumentError(`It must be ACTION=COMMAND; actions are ${ACTIONS.join(', ')}.`);
  }
  return { ...earlier, [action]: command };
}

/**
 * @param {Record<string, any>} options as commander parsed them
 * @returns {Partial<CaseParams>} of every case of a failure benchmark
 */
export function trialParams({ linkLatency, downAfter }) {
  return {
    ...(linkLatency && { linkLatencyMs: linkLatency }),
    ...(downAfter !== undefined && { downAfterMs: Math.round(downAfter) }),
  };
}

/**
 * @param {Record<string, any>} options as commander parsed them
 * @param {BackendName | 'auto'} backend
 * @returns {ClusterOptions['commands']}
 * @throws {UserError} commands for a stack that needs none; one that nothing would undo
 */
export function commandsFor({ act }, backend) {
  if (act === undefined) return undefined;
  if (backend !== 'external') {
    throw new UserError(
      '--act says what is to be done to a deployment that exists, and none was named.',
      'Add --sentinel HOST:PORT, or leave it out.',
      ExitStatus.badInput,
    );
  }
  const lacking = DISTURBING_ACTIONS.find((action) => act[action] && !act[UNDOING[action]]);
  if (lacking) {
    throw new UserError(
      `--act names a command for ${lacking}, but none for ${UNDOING[lacking]}, which undoes it.`,
      `Add --act '${UNDOING[lacking]}=COMMAND'.`,
      ExitStatus.badInput,
    );
  }
  return act;
}
