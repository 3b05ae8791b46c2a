/**
 * Reading the options of `sentinel-bench run`.
 */
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { CORE_PARTS } from '../run/parameters.js';
import { DEFAULT_STORAGE_LABEL, SLOW_STORAGE_LABEL } from '../run/storages.js';
import { DISTURBING_ACTIONS, UNDOING, UNDOING_ACTIONS } from '../stacks/actions.js';
import { BARRED } from '../stacks/redis/settings.js';
import { NS_A_MS } from '../units.js';
import { countBetween, durationBetween } from './quantities.js';

/**
 * @import { Slo } from '../run/types.js'
 * @import { StackOptions } from '../stacks/types.js'
 */

/** A trial keeps a core busy for two fifths of the time, the servers of its stack included. */
const LANES_A_CORE = 2;
const MOST_LANES = 16;

/**
 * @param {number} cores ≥ 1
 * @returns {number} trials side by side without which writers would fall behind
 */
export const lanesFor = (cores) => Math.min(MOST_LANES, LANES_A_CORE * cores);

export const DEFAULT_LANES = lanesFor(cpus().length || 1);

/** About what a replicated network volume takes for a write. */
export const DEFAULT_SLOW_VOLUME_MS = 5;

/** @type {readonly string[]} */
const ACTIONS = [...DISTURBING_ACTIONS, ...UNDOING_ACTIONS];

/** Settings that decide where a node works and what it follows. A run has to find and stop its nodes, so it sets these itself. */
const SET_BY_RUN = ['daemonize', 'dir', 'include', 'logfile', 'pidfile', 'replicaof', 'slaveof', 'supervised'];

/** Labels that a run gives to storage itself. */
const TAKEN_LABELS = [DEFAULT_STORAGE_LABEL, SLOW_STORAGE_LABEL];

const latencyLimit = durationBetween({ least: 0.001, most: 60_000, shown: '0.001ms and 60s' });
const latency = durationBetween({ least: 0.1, most: 10_000, shown: '0.1ms and 10s' });
const writeDelay = durationBetween({ least: 1, most: 1000, shown: '1ms and 1s' });

/** Milliseconds; `0` needs no unit. */
export const parseLatency = (/** @type {string} */ text) => (text === '0' ? 0 : latency(text));

const downAfter = durationBetween({ least: 100, most: 600_000, shown: '100ms and 10min' });

/** Whole milliseconds, as Sentinel takes them. */
export const parseDownAfter = (/** @type {string} */ text) => Math.round(downAfter(text));

export const parseLanes = countBetween({ least: 1, most: MOST_LANES, shown: `1 and ${MOST_LANES}` });

export const parseTrials = countBetween({ least: 1, most: 10_000, shown: '1 and 10000' });

/** Whole milliseconds, because nbdkit delays by whole milliseconds; `0` needs no unit and means no emulated volume. */
export const parseSlowVolume = (/** @type {string} */ text) => (text === '0' ? 0 : Math.round(writeDelay(text)));

export const parsePreloadKeys = countBetween({ least: 1, most: 100_000_000, shown: '1 and 100m' });

/**
 * @param {string} text such as `p99<2ms`
 * @returns {Slo}
 */
export function parseSlo(text) {
  const match = /^(p50|p90|p95|p99|p99\.9)<(.+)$/.exec(text.replaceAll(' ', ''));
  if (!match) throw new InvalidArgumentError('It must be a percentile and a time, for instance p99<2ms or p99.9<20ms.');
  const percentile = /** @type {Slo['percentile']} */ (match[1].replace('.', ''));
  return { percentile, ns: latencyLimit(match[2]) * NS_A_MS, text: `${match[1]}<${match[2]}` };
}

/**
 * @param {string} text `NAME=VALUE`, as in redis.conf; names of MariaDB have underscores
 * @param {Record<string, string>} [earlier]
 */
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

/**
 * @param {string} text `PART=CPUS`
 * @param {Record<string, string>} [earlier]
 * @returns {Record<string, string>}
 */
export function collectCores(text, earlier = {}) {
  const [, part, cpus] = /^([a-z]+)=(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)$/.exec(text) ?? [];
  if (part === undefined || !CORE_PARTS.some((known) => known === part)) {
    throw new InvalidArgumentError(
      `It must be PART=CPUS, for instance sources=0-3; a part is one of ${CORE_PARTS.join(', ')}.`,
    );
  }
  return { ...earlier, [part]: cpus };
}

/**
 * @param {Record<string, string> | undefined} cores
 * @throws {UserError} a part has no CPUs
 */
export function checkCores(cores) {
  const missing = CORE_PARTS.filter((part) => cores && !(part in cores));
  if (missing.length === 0) return;
  throw new UserError(
    `--cores names no CPUs for ${missing.join(', ')}.`,
    'Name CPUs for each part, or leave out --cores: a part that is not pinned would take time from the others.',
    ExitStatus.badInput,
  );
}

/**
 * @param {string} text `LABEL=PATH`
 * @param {{label: string, path: string}[]} [earlier]
 * @returns {{label: string, path: string}[]} paths are absolute
 */
export function collectDataDirs(text, earlier = []) {
  const [, label, path] = /^([a-z0-9-]{1,20})=(.+)$/s.exec(text) ?? [];
  if (label === undefined) {
    throw new InvalidArgumentError(
      'It must be LABEL=PATH, with a label of at most 20 small letters, digits and hyphens, for instance ssd=/mnt/ssd.',
    );
  }
  if (TAKEN_LABELS.includes(label)) {
    throw new InvalidArgumentError(`The label ${label} is reserved; choose another.`);
  }
  if (earlier.some((each) => each.label === label)) {
    throw new InvalidArgumentError(`The label ${label} is given twice; choose another for one of them.`);
  }
  return [...earlier, { label, path: resolve(path) }];
}

/**
 * @param {string} text `ACTION=COMMAND`
 * @param {StackOptions['commands']} [earlier]
 */
export function collectCommands(text, earlier = {}) {
  const [, action, command] = /^([a-z]+)=(.*\S.*)$/s.exec(text) ?? [];
  if (!ACTIONS.includes(action)) {
    throw new InvalidArgumentError(`It must be ACTION=COMMAND; actions are ${ACTIONS.join(', ')}.`);
  }
  return { ...earlier, [action]: command };
}

/**
 * @param {StackOptions['commands']} commands
 * @throws {UserError} an action without the one that undoes it
 */
export function checkUndoable(commands = {}) {
  const lacking = DISTURBING_ACTIONS.find((action) => commands[action] && !commands[UNDOING[action]]);
  if (!lacking) return;
  throw new UserError(
    `--act has a command for ${lacking}, but none for ${UNDOING[lacking]}, which undoes it.`,
    `Add --act '${UNDOING[lacking]}=COMMAND'.`,
    ExitStatus.badInput,
  );
}
