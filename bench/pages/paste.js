/** What to paste for a mode: settings of the nodes, and code of a client. */
/** @import { CaseParams } from '../types.js' */

import { filled } from '../../src/sentences.js';
import { readYaml } from '../../src/yaml.js';
import { SYNC_ALWAYS } from '../choices.js';

const TEXTS = readYaml(new URL('paste.yaml', import.meta.url));
const MINIMUM = 'min-replicas-to-write';
/** What Sentinels call a primary if nobody says otherwise. */
const USUAL_NAME = 'mymaster';
/** A result from elsewhere may name its primary in any way, and people paste what is printed. */
const PLAIN_NAME = /^[\w.-]+$/;

/** @param {string} masterName @returns {string} safe to paste */
export function pastedName(masterName) {
  return PLAIN_NAME.test(masterName) ? masterName : 'MASTER_NAME';
}

/** The same of settings, which become arguments of a shell. */
const PLAIN_VALUE = /^[\w.-]+( [\w.-]+)*$/;

/** Safe to paste, without those that change nothing. @param {Readonly<Record<string, string>>} settings @returns {[name: string, value: string][]} */
function wantedSettings(settings) {
  // 0 is the default. A node that asks for replicas already goes on doing so. A limit without a number of replicas has no effect.
  const asks = (settings[MINIMUM] ?? '0') !== '0';
  return Object.entries(settings)
    .filter(([name]) => PLAIN_NAME.test(name) && (asks || !name.startsWith('min-replicas')))
    .map(([name, value]) => [name, PLAIN_VALUE.test(value) ? value : 'VALUE']);
}

/**
 * Pasted commands would go on after an error, and nothing would ask whether all nodes are well. `configure` does, and shows the commands. With
 * `appendonly yes` in a file and an RDB file only, a node of Redis 7 starts empty, so the settings are made while it runs:
 * https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 * @param {string} title of the mode @param {Readonly<Record<string, string>>} [settings]
 * @param {string} [name] of the primary, from {@link pastedName} @returns {string} a command for a shell
 */
export function rollOut(title, settings = {}, name = USUAL_NAME) {
  const command = commandFor(settings, name);
  if (command === null) return filled(TEXTS.none, { title });
  const replicas = Number(settings[MINIMUM] ?? 0);
  // With fewer replicas it stops all writes, with more it may lose some.
  return filled(TEXTS.rollOut, { title, command, exactly: replicas >= 2 ? filled(TEXTS.exactly, { replicas }) : '' });
}

/** @param {string} name of the primary, from {@link pastedName} @returns {string} for a shell: a command for each choice */
export const chosenCommands = (name) => filled(TEXTS.chosen, { command: configureCommand(name) });

/** @param {string} name */
export const configureCommand = (name) =>
  filled(TEXTS.command, { named: name === USUAL_NAME ? '' : ` --master-name ${name}` });

/** @param {Readonly<Record<string, string>>} settings @param {string} name @returns {string | null} null: none is needed */
function commandFor(settings, name) {
  const wanted = wantedSettings(settings);
  if (wanted.length === 0) return null;
  const all = settings.appendonly === 'yes' ? [...wanted, ...Object.entries(SYNC_ALWAYS)] : wanted;
  return linesOf([configureCommand(name), ...all.map((setting) => `--set ${word(setting.join('='))}`)]).join(' \\\n');
}

/** As wide as a page prints a block. */
const WIDTH = 118;

/** @param {readonly string[]} words @returns {string[]} lines that hold as many as fit, indented but for the first */
function linesOf([first, ...words]) {
  const lines = [first];
  for (const each of words) {
    const longer = `${lines.at(-1)} ${each}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`  ${each}`);
  }
  return lines;
}

/** @param {string} text without quotes @returns {string} one word of a shell */
const word = (text) => (text.includes(' ') ? `'${text}'` : text);

export const { login: LOGIN_LINE, redisCli: REDIS_CLI } = TEXTS;

/** JavaScript. @param {Pick<CaseParams, 'wait' | 'waitLocal' | 'waitTimeoutMs'>} params @param {string} name from {@link pastedName} */
export function clientCode({ wait, waitLocal, waitTimeoutMs }, name) {
  if (waitLocal !== undefined) return filled(TEXTS.client.waitaof, { wait, waitLocal, waitTimeoutMs });
  return wait === 0 ? TEXTS.client.plain : filled(TEXTS.client.wait, { wait, waitTimeoutMs, name });
}

/** @param {string} name of the primary, from {@link pastedName} @returns {string} for a shell, in a clone of this repository */
export const failoverCommand = (name) => filled(TEXTS.failover, { name });

/** @param {string} name likewise @returns {string} the failover without loss */
export const failoverRunbook = (name) => filled(TEXTS.runbook, { name });

/** @param {string} name likewise @returns {string} that of Valkey 9.0 and later */
export const coordinatedCommand = (name) => filled(TEXTS.coordinated, { name });

/** @param {string} name likewise @param {number} downAfterMs @param {boolean} hangs a chosen replica that hangs was measured @returns {string} */
export function sentinelSettings(name, downAfterMs, hangs) {
  const sentinel = filled(TEXTS.sentinel, { redisCli: REDIS_CLI });
  const lines = [TEXTS.timing, ...(hangs ? [TEXTS.hangs] : [])];
  return lines.map((text) => filled(text, { login: LOGIN_LINE, sentinel, name, downAfterMs })).join('\n');
}
