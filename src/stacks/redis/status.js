import chalk, { Chalk } from 'chalk';
import Table from 'cli-table3';
import { formatAddress, sameAddress } from '../address.js';

/**
 * @import { RedisState, Snapshot } from './observe.js'
 * @import { ChalkInstance } from 'chalk'
 */

/**
 * The text of `sentinel-bench status`: each node's role, offset, lag and link, and what each Sentinel believes.
 *
 * @param {Snapshot} snapshot
 * @param {{color?: boolean}} [options] default: colour if standard output supports it
 * @returns {string} several lines, no newline at the end
 */
export function renderStatus(snapshot, { color } = {}) {
  const paint = color === undefined ? chalk : new Chalk({ level: color ? 1 : 0 });
  return [redisTable(snapshot, paint), sentinelTable(snapshot, paint)].join('\n');
}

/**
 * @param {Snapshot} snapshot
 * @param {ChalkInstance} paint
 */
function redisTable(snapshot, paint) {
  const table = newTable(['node', 'address', 'role', 'offset', 'lag (bytes)', 'lag (s)', 'link'], [3, 4, 5]);
  for (const node of snapshot.redis) {
    const start = [node.id, formatAddress(node.announced)];
    if (node.error !== null) {
      table.push([...start, { colSpan: 5, content: paint.red(node.error) }]);
      continue;
    }
    table.push([
      ...start,
      roleText(node, snapshot, paint),
      text(node.offset),
      text(node.lagBytes),
      text(node.lagSeconds),
      linkText(node, snapshot, paint),
    ]);
  }
  return table.toString();
}

/**
 * @param {RedisState} node
 * @param {Snapshot} snapshot
 * @param {ChalkInstance} paint
 */
function roleText(node, snapshot, paint) {
  if (node.role === 'replica') return 'replica';
  // A second node that acts as a primary loses every write it accepts.
  return node.id === snapshot.primary ? paint.green('primary') : paint.red('primary (stray)');
}

/**
 * @param {RedisState} node
 * @param {Snapshot} snapshot
 * @param {ChalkInstance} paint
 */
function linkText(node, snapshot, paint) {
  if (node.role !== 'replica' || node.follows === null) return '';
  const { follows } = node;
  const leader = snapshot.redis.find((other) => sameAddress(other.announced, follows))?.id ?? formatAddress(follows);
  return node.linkUp ? `${paint.green('up')}, follows ${leader}` : `${paint.red('down')}, follows ${leader}`;
}

/**
 * @param {Snapshot} snapshot
 * @param {ChalkInstance} paint
 */
function sentinelTable(snapshot, paint) {
  const table = newTable(['Sentinel', 'address', 'primary', 'state', 'replicas', 'Sentinels', 'quorum'], [4, 5]);
  for (const sentinel of snapshot.sentinels) {
    const start = [sentinel.id, formatAddress(sentinel.announced)];
    if (sentinel.error !== null) {
      table.push([...start, { colSpan: 5, content: paint.red(sentinel.error) }]);
      continue;
    }
    const troubles = [...sentinel.flags.filter((flag) => flag !== 'master'), ...(sentinel.tilt ? ['tilt'] : [])];
    const named = snapshot.redis.find((node) => sameAddress(node.announced, sentinel.primary))?.id;
    table.push([
      ...start,
      named ?? (sentinel.primary ? formatAddress(sentinel.primary) : paint.red('none')),
      troubles.length === 0 ? paint.green('ok') : paint.red(troubles.join(', ')),
      String(sentinel.replicas.length),
      String(sentinel.otherSentinels + 1),
      sentinel.quorum.ok ? paint.green('ok') : paint.red(sentinel.quorum.text),
    ]);
  }
  return table.toString();
}

/**
 * @param {string[]} head
 * @param {number[]} numeric columns aligned to the right
 */
function newTable(head, numeric) {
  return new Table({
    head,
    colAligns: head.map((_, column) => (numeric.includes(column) ? 'right' : 'left')),
    style: { head: [], border: [] },
  });
}

/** @param {number | null} value */
function text(value) {
  return value === null ? '' : String(value);
}
