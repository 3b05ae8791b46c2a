/**
 * What to paste for a mode: settings of the nodes, and code of a client.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 */

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

/**
 * @param {Readonly<Record<string, string>>} settings
 * @returns {[name: string, value: string][]} safe to paste, without those that change nothing
 */
function wantedSettings(settings) {
  // 0 is the default. A node that asks for replicas already goes on doing so. A limit without a number of replicas has no effect.
  const asks = (settings[MINIMUM] ?? '0') !== '0';
  return Object.entries(settings)
    .filter(([name]) => PLAIN_NAME.test(name) && (asks || !name.startsWith('min-replicas')))
    .map(([name, value]) => [name, PLAIN_VALUE.test(value) ? value : 'VALUE']);
}

/** What a fresh server has, of the settings that confirm or keep writes. @type {Readonly<Record<string, string>>} */
const DEFAULTS = Object.freeze({ 'min-replicas-to-write': '0', appendonly: 'no' });

/** During a rewrite of the file nothing would be synced, whatever `appendfsync` says. */
const SYNC_ALWAYS = ['no-appendfsync-on-rewrite', 'no'];

/**
 * Pasted commands would go on after an error, and nothing would ask whether all nodes are well. `configure` does, and shows the commands. With
 * `appendonly yes` in a file and an RDB file only, a node of Redis 7 starts empty, so the settings are made while it runs:
 * https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 * @param {string} title of the mode
 * @param {Readonly<Record<string, string>>} [settings]
 * @param {string} [name] of the primary, from {@link pastedName}
 * @returns {string} a command for a shell
 */
export function rollOut(title, settings = {}, name = USUAL_NAME) {
  const wanted = wantedSettings(settings);
  if (wanted.length === 0) return `# ${title}: the servers need no setting for it`;
  const all = settings.appendonly === 'yes' ? [...wanted, SYNC_ALWAYS] : wanted;
  const named = name === USUAL_NAME ? '' : ` --master-name ${name}`;
  const command = `npx sentinel-bench configure --sentinel SENTINEL-HOST:26379${named}`;
  return [
    `# In a clone: ${title}${forWhom(settings)}. Shows the commands; --apply makes them`,
    `${command} \\`,
    linesOf(all.map((setting) => `--set ${word(setting.join('='))}`)).join(' \\\n'),
    `# Undo: ${command} ${undoOf(wanted)}`,
  ].join('\n');
}

/** @param {readonly [name: string, value: string][]} wanted @returns {string} arguments that put the defaults back */
function undoOf(wanted) {
  return wanted.flatMap(([name]) => (name in DEFAULTS ? [`--set ${name}=${DEFAULTS[name]}`] : [])).join(' ');
}

/** @param {Readonly<Record<string, string>>} settings @returns {string} with fewer replicas it stops all writes, with more it may lose some */
function forWhom({ [MINIMUM]: replicas = '0' }) {
  return Number(replicas) >= 2 ? `, for exactly ${Number(replicas)} replicas` : '';
}

/** As wide as a page prints a block. */
const WIDTH = 110;

/** @param {readonly string[]} words @returns {string[]} indented lines that hold as many as fit */
function linesOf(words) {
  /** @type {string[]} */
  const lines = [];
  for (const each of words) {
    const longer = `${lines.at(-1)} ${each}`;
    if (lines.length > 0 && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`  ${each}`);
  }
  return lines;
}

/** @param {string} text without quotes @returns {string} one word of a shell */
const word = (text) => (text.includes(' ') ? `'${text}'` : text);

/** The first line of a block of redis-cli. Passwords stay in the environment, because every user of the machine can read command lines. */
export const LOGIN_LINE =
  "# With a login, first: read -rs REDISCLI_AUTH; export REDISCLI_AUTH; LOGIN='--user NAME --tls --cacert FILE'";
/** Without -e redis-cli ends with status 0 when the server refuses a command. */
export const REDIS_CLI = 'redis-cli -e $LOGIN';

/** With one Sentinel only, a client could not start while that is down. */
const PASTED_SENTINELS = "['SENTINEL-1', 'SENTINEL-2', 'SENTINEL-3'].map((host) => ({ host, port: 26379 }))";

/**
 * @param {Pick<CaseParams, 'wait' | 'waitLocal' | 'waitTimeoutMs'>} params
 * @param {string} name of the primary, from {@link pastedName}
 * @returns {string} JavaScript
 */
export function clientCode({ wait, waitLocal, waitTimeoutMs }, name) {
  if (waitLocal !== undefined)
    return [
      '// The client needs one connection to the primary for both commands.',
      `const [, counts] = await Promise.all([client.set(key, value), client.sendCommand(['WAITAOF', '${waitLocal}', '${wait}', '${waitTimeoutMs}'])]);`,
      `if (counts[0] < ${waitLocal} || counts[1] < ${wait}) throw new Error('not confirmed');`,
    ].join('\n');
  if (wait === 0)
    return '// An error after sending means that the outcome is unknown. Never repeat such a write blindly.\nawait client.set(key, value);';
  return [
    "import { connect } from './node-redis.js'; // a copy of examples/node-redis.js; examples/ioredis.js has the same API",
    `const sentinels = ${PASTED_SENTINELS};`,
    `const redis = await connect({ sentinels, name: '${name}' });`,
    `const { outcome } = await redis.confirmedSet(key, value, { replicas: ${wait}, timeoutMs: ${waitTimeoutMs} });`,
    "if (outcome === 'rejected') throw new Error('not written: try again later');",
    '// under-acked, unknown: perhaps written, so never send an INCR again blindly.',
    "if (outcome !== 'acked') throw new Error('perhaps written: ' + outcome);",
  ].join('\n');
}
