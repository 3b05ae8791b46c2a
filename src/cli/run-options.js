/** Reading the options of `sentinel-bench run` that are no suite's own. */
import { InvalidArgumentError } from 'commander';
import { cpusToUse } from '../measure/limits.js';
import { countBetween, durationBetween } from '../quantities.js';
import { DOWN_AFTER_MS } from '../run/parameters.js';
import { ALLOWABLE, UNDONE_BY_COMMANDS } from '../stacks/actions.js';
import { BARRED } from '../stacks/redis/settings.js';
import { refusal } from './refusals.js';

/** @import { StackOptions } from '../stacks/types.js' */

/** A trial keeps a core busy for two fifths of the time, the servers of its stack included. */
const LANES_A_CORE = 2;
const MOST_LANES = 16;

/** @param {number} cores > 0, a part of one with a tight quota @returns ≥ 1: trials side by side without which writers would fall behind */
export const lanesFor = (cores) => Math.max(1, Math.min(MOST_LANES, Math.floor(LANES_A_CORE * cores)));

export const DEFAULT_LANES = lanesFor(cpusToUse());

/** @type {readonly string[]} */
const ACTIONS = [...new Set(Object.entries(UNDONE_BY_COMMANDS).flat())];

/** Settings that decide where a node works and what it follows. A run has to find and stop its nodes, so it sets these itself. */
const SET_BY_RUN = ['daemonize', 'dir', 'include', 'logfile', 'pidfile', 'replicaof', 'slaveof', 'supervised'];

const latency = durationBetween('0.1ms and 10s');

/** Milliseconds; `0` needs no unit. */
export const parseLatency = (/** @type {string} */ text) => (text === '0' ? 0 : latency(text));

const downAfter = durationBetween(DOWN_AFTER_MS.shown);

/** Whole milliseconds, as Sentinel takes them. */
export const parseDownAfter = (/** @type {string} */ text) => Math.round(downAfter(text));

export const parseLanes = countBetween(`1 and ${MOST_LANES}`);

export const parseTrials = countBetween('1 and 10000');

/** @param {string} text `NAME=VALUE`, as in redis.conf; names of MariaDB have underscores @param {Record<string, string>} [earlier] */
export function collectSettings(text, earlier = {}) {
  const [, name, value] = /^([a-z][a-z0-9_-]*)=(.*)$/is.exec(text) ?? [];
  if (name === undefined || /[\r\n]/.test(value)) {
    throw new InvalidArgumentError('It must be NAME=VALUE, for instance repl-backlog-size=64mb.');
  }
  const lower = name.toLowerCase();
  if (BARRED.includes(lower)) {
    throw new InvalidArgumentError(`${name} controls access to the node: set it where the node is started.`);
  }
  if (SET_BY_RUN.includes(lower)) {
    throw new InvalidArgumentError(`A run sets ${name} itself, because it has to find and stop its nodes.`);
  }
  return { ...earlier, [lower]: value };
}

/** @param {string} text `ACTION=COMMAND` @param {StackOptions['commands']} [earlier] */
export function collectCommands(text, earlier = {}) {
  const [, action, command] = /^([a-z]+)=(.*\S.*)$/s.exec(text) ?? [];
  if (!ACTIONS.includes(action)) {
    throw new InvalidArgumentError(`It must be ACTION=COMMAND; actions are ${ACTIONS.join(', ')}.`);
  }
  return { ...earlier, [action]: command };
}

/** @param {string} text @param {NonNullable<StackOptions['allow']>} [earlier] */
export function collectAllowed(text, earlier = []) {
  const allowance = ALLOWABLE.find((each) => each === text);
  if (allowance === undefined) throw new InvalidArgumentError(`It must be ${ALLOWABLE.join(' or ')}.`);
  return [...new Set([...earlier, allowance])];
}

/** @param {StackOptions['commands']} commands @throws {UserError} an action without the one that undoes it */
export function checkUndoable(commands = {}) {
  const named = /** @type {Record<string, string>} */ (commands);
  const lacking = Object.entries(UNDONE_BY_COMMANDS).find(([action, undoing]) => named[action] && !named[undoing]);
  if (!lacking) return;
  const [action, undoing] = lacking;
  throw refusal('not-undoable', { action, undoing });
}
