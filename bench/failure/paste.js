/**
 * What to paste for a mode: settings of the nodes, and code of a client.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 */

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

/**
 * @param {string} title of the mode
 * @param {Readonly<Record<string, string>>} [settings]
 * @returns {string} lines of redis.conf
 */
export function redisConf(title, settings = {}) {
  // 0 is the default. A node that asks for replicas already goes on doing so.
  const lines = Object.entries(settings)
    .filter(([name, value]) => name !== 'min-replicas-to-write' || value !== '0')
    .map(([name, value]) => `${name} ${value}`);
  if (lines.length === 0) return `# ${title}: redis.conf needs no line for it`;
  // With `appendonly yes` and an RDB file only, a node of Redis 7 starts empty:
  // https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
  const caution =
    settings.appendonly === 'yes' ? '. First CONFIG SET appendonly yes and await its rewrite, or it starts empty' : '';
  return [`# ${title}: redis.conf${caution}`, ...lines].join('\n');
}

/**
 * @param {string} name of the primary, from {@link pastedName}
 * @param {number | null} [downAfterMs] that was tested
 * @returns {string} lines of sentinel.conf
 */
export function sentinelConf(name, downAfterMs) {
  return [
    '# sentinel.conf of each of the three Sentinels, after sentinel monitor with quorum 2',
    `sentinel down-after-milliseconds ${name} ${downAfterMs ?? USUAL_DOWN_AFTER_MS}`,
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
