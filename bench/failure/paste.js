/**
 * What to paste for a mode: settings of the nodes, and code of a client.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 */

const MINIMUM = 'min-replicas-to-write';
/** As in conf/sentinel.conf. For a mode that no fault was tested with. */
const USUAL_DOWN_AFTER_MS = 5000;
/** A result from elsewhere may name its primary in any way, and people paste what is printed. */
const PLAIN_NAME = /^[\w.-]+$/;

/**
 * @param {string} masterName
 * @returns {string} safe to paste
 */
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

/**
 * @param {Readonly<Record<string, string>>} [settings]
 * @returns {string} lines of redis.conf
 */
export function redisConf(settings = {}) {
  return wantedSettings(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join('\n');
}

/**
 * @param {string} name of the primary, from {@link pastedName}
 * @param {number | null} [downAfterMs] that was tested
 * @returns {string} a line of sentinel.conf
 */
export function sentinelConf(name, downAfterMs) {
  return `sentinel down-after-milliseconds ${name} ${downAfterMs ?? USUAL_DOWN_AFTER_MS}`;
}

/** Awaits the first append-only file; until then a restart would find an incomplete one. */
const AWAIT_REWRITE =
  "while redis-cli -h NODE INFO persistence | grep -qE 'aof_rewrite_(in_progress|scheduled):1'; do sleep 1; done";
const KEEP = 'redis-cli -h NODE CONFIG REWRITE';
const KEEP_IF_WRITTEN = `redis-cli -h NODE INFO persistence | grep aof_last_bgrewrite_status:ok && ${KEEP}`;

/**
 * The settings are made while the servers run. With `appendonly yes` in a file and an RDB file only, a node of Redis 7 starts empty:
 * https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 *
 * @param {string} title of the mode
 * @param {Readonly<Record<string, string>>} [settings]
 * @returns {string} commands of a shell, for one node after the other
 */
export function rollOut(title, settings = {}) {
  const wanted = wantedSettings(settings);
  if (wanted.length === 0) return `# ${title}: the servers need no setting for it`;
  const asks = wanted.some(([name]) => name === MINIMUM);
  const set = (/** @type {[string, string]} */ [name, value]) => `redis-cli -h NODE CONFIG SET ${name} ${value}`;
  const persistent = settings.appendonly === 'yes';
  // The file is complete before writes depend on it, and a primary refuses writes from the moment it asks for replicas.
  const last = ['appendonly', MINIMUM];
  const of = (/** @type {string} */ name) => wanted.filter(([each]) => each === name).map(set);
  return [
    `# ${title}: each replica in turn, then the primary (NODE).${persistent ? ' It writes all data once' : ''}`,
    ...wanted.filter(([name]) => !last.includes(name)).map(set),
    ...of('appendonly'),
    ...(persistent ? [AWAIT_REWRITE] : []),
    ...(asks
      ? [`# From here on a primary refuses writes while fewer than ${Number(settings[MINIMUM])} replicas are connected`]
      : []),
    ...of(MINIMUM),
    persistent ? KEEP_IF_WRITTEN : KEEP,
  ].join('\n');
}

/** What {@link rollOut} does not say. */
export const ROLL_OUT_NOTE =
  'Do not edit redis.conf first: a server that restarts with a new `appendonly yes` finds no append-only file and starts empty. `CONFIG REWRITE` writes the file; ' +
  'a server without one needs the settings in its command line. Passwords: `REDISCLI_AUTH`.';

/**
 * @param {string} name of the primary, from {@link pastedName}
 * @param {number | null} [downAfterMs] that was tested
 * @returns {string} commands of a shell
 */
export function sentinelCommands(name, downAfterMs) {
  return [
    '# Each Sentinel (tested: three, quorum 2). SENTINEL SET saves it; a running Sentinel overwrites an edit of sentinel.conf',
    `redis-cli -h SENTINEL -p 26379 SENTINEL SET ${name} down-after-milliseconds ${downAfterMs ?? USUAL_DOWN_AFTER_MS}`,
  ].join('\n');
}

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
    `const redis = await connect({ sentinels: [{ host: 'SENTINEL', port: 26379 }], name: '${name}' });`,
    `const { outcome } = await redis.confirmedSet(key, value, { replicas: ${wait}, timeoutMs: ${waitTimeoutMs} });`,
    '// rejected: not written, send it again. under-acked, unknown: perhaps written, so never send an INCR again blindly.',
    "if (outcome !== 'acked') throw new Error('not confirmed: ' + outcome);",
  ].join('\n');
}
