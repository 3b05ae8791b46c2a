/**
 * A configuration in words and as files: what is set, and what a client has to do.
 *
 * @import { DecisionRow } from './decision.js'
 */

import { coordinatedCommand, failoverRunbook } from '../failure/planned-failover.js';
import { lossIn } from './decision.js';

const MINIMUM = 'min-replicas-to-write';

/**
 * @param {DecisionRow} row
 * @returns {string} what is set, with code between backticks: `` `appendonly yes`, `appendfsync always` on every Redis node ``
 */
export function settingsText({ params, note }) {
  const settings = Object.entries(params.settings ?? {}).map(([name, value]) => code(`${name} ${value}`));
  const parts = settings.length === 0 ? [] : [`${settings.join(', ')} on every Redis node`];
  // Every failure case records its Sentinels' down-after; only a variant sets it.
  if (note !== null && params.variant !== undefined && params.downAfterMs !== undefined)
    parts.push(`${code(`down-after-milliseconds ${params.downAfterMs}`)} on every Sentinel`);
  return parts.length === 0 ? 'defaults' : parts.join('; ');
}

/**
 * @param {DecisionRow} row
 * @returns {string} what a client has to do, with code between backticks
 */
export function clientText({ params }) {
  const { wait, waitLocal, waitTimeoutMs, waitMode, settings, writers } = params;
  const parts = [];
  const command = waitLocal === undefined ? `WAIT ${wait}` : `WAITAOF ${waitLocal} ${wait}`;
  if (wait > 0 || waitLocal !== undefined) {
    const sequential = waitMode === 'sequential' && writers === undefined;
    const when = sequential ? 'after the write was answered' : 'sent with each write or pipeline';
    const least = waitLocal === undefined ? `${wait}` : `${waitLocal} and ${wait}`;
    const read = waitLocal === undefined ? 'read its count' : 'read both counts';
    parts.push(
      `${code(`${command} ${waitTimeoutMs}`)} ${when}, on the same connection; ${read}: less than ${least} means not confirmed`,
    );
  }
  if ((settings?.[MINIMUM] ?? '0') !== '0') parts.push(`a write answered ${code('NOREPLICAS')} was not applied`);
  return parts.length === 0 ? 'read the answer' : parts.join('; ');
}

/** @param {string} text */
export function code(text) {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``;
}

/**
 * @param {DecisionRow} row
 * @returns {string} lines of redis.conf
 */
function redisConf({ title, params }) {
  const lines = Object.entries(params.settings ?? {}).map(([name, value]) => `${name} ${value}`);
  // With `appendonly yes` and an RDB file only, a node of Redis 7 starts empty:
  // https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
  const caution =
    params.settings?.appendonly === 'yes' ? '. CONFIG SET appendonly yes first, or a restart starts empty' : '';
  return [`# ${title}: redis.conf, all nodes${caution}`, ...lines].join('\n');
}

/** As in conf/sentinel.conf. For a mode that no fault was tested with. */
const USUAL_DOWN_AFTER_MS = 5000;
/** A result from elsewhere may name its primary in any way, and people paste what is printed. */
const PLAIN_NAME = /^[\w.-]+$/;

/**
 * @typedef {Object} Paste what to paste for a mode
 * @property {string} redisConf
 * @property {string} sentinelConf with the detection time that was tested
 * @property {string} client JavaScript
 * @property {string} runbook of a planned failover, for a shell
 * @property {string} [coordinated] the command that does the same, where the server has it and lost nothing
 */

/**
 * @param {DecisionRow} row
 * @param {string} masterName
 * @returns {Paste}
 */
export function pasteOf(row, masterName) {
  const name = PLAIN_NAME.test(masterName) ? masterName : 'MASTER_NAME';
  return {
    redisConf: redisConf(row),
    sentinelConf: [
      '# sentinel.conf of each of the three Sentinels',
      `sentinel monitor ${name} PRIMARY_HOST 6379 2`,
      `sentinel down-after-milliseconds ${name} ${row.downAfterMs ?? USUAL_DOWN_AFTER_MS}`,
    ].join('\n'),
    client: clientCode(row, name),
    runbook: failoverRunbook(name),
    ...(lossIn(row, 'coordinated')?.most === 0 && { coordinated: coordinatedCommand(name) }),
  };
}

/**
 * @param {DecisionRow} row
 * @param {string} name of the primary
 * @returns {string} JavaScript
 */
function clientCode({ params: { wait, waitLocal, waitTimeoutMs } }, name) {
  if (waitLocal !== undefined)
    return [
      '// The client needs one connection to the primary for both commands.',
      `const [, counts] = await Promise.all([client.set(key, value), client.sendCommand(['WAITAOF', '${waitLocal}', '${wait}', '${waitTimeoutMs}'])]);`,
      `if (counts[0] < ${waitLocal} || counts[1] < ${wait}) throw new Error('not confirmed');`,
    ].join('\n');
  if (wait === 0)
    return '// An error after sending means that the outcome is unknown. Never repeat such a write blindly.\nawait client.set(key, value);';
  return [
    '// Copy examples/node-redis.js. examples/ioredis.js has the same API.',
    "import { connect } from './node-redis.js';",
    `const redis = await connect({ sentinels: [{ host: 'SENTINEL', port: 26379 }], name: '${name}' });`,
    `const { outcome } = await redis.confirmedSet(key, value, { replicas: ${wait}, timeoutMs: ${waitTimeoutMs} });`,
    "if (outcome !== 'acked') throw new Error('not confirmed: ' + outcome);",
  ].join('\n');
}
