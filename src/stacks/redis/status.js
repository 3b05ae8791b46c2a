import chalk, { Chalk } from 'chalk';
import { left, makeTable, right, terminalTable } from '../../table.js';
import { formatAddress, sameAddress } from '../address.js';

/**
 * @import { RedisState, SentinelState, Snapshot } from './observe.js'
 * @import { Column } from '../../table.js'
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
  const tables = [
    makeTable(redisColumns(snapshot), snapshot.redis),
    makeTable(sentinelColumns(snapshot), snapshot.sentinels),
  ];
  return tables.map((table) => terminalTable(table, { paint, frame: true })).join('\n');
}

/** Only the address of a node is known if it did not answer. */
const UNREACHABLE = 'unreachable';

/**
 * @param {Snapshot} snapshot
 * @returns {Column<RedisState>[]} the last one has the error of a node that did not answer
 */
function redisColumns(snapshot) {
  const ifKnown = (/** @type {(node: RedisState) => string} */ cell) => (/** @type {RedisState} */ node) =>
    node.error === null ? cell(node) : '';
  return [
    left('node', ({ id }) => id),
    left('address', ({ announced }) => formatAddress(announced)),
    left('role', (node) => roleOf(node, snapshot).text, { tone: (node) => roleOf(node, snapshot).tone }),
    right(
      'offset',
      ifKnown(({ offset }) => text(offset)),
    ),
    right(
      'lag (bytes)',
      ifKnown(({ lagBytes }) => text(lagBytes)),
    ),
    right(
      'lag (s)',
      ifKnown(({ lagSeconds }) => text(lagSeconds)),
    ),
    left('link', (node) => node.error ?? linkText(node, snapshot), {
      tone: (node) => (node.error !== null || isDown(node) ? 'bad' : undefined),
    }),
  ];
}

/**
 * @param {RedisState} node
 * @param {Snapshot} snapshot
 * @returns {{text: string, tone?: 'good' | 'bad'}}
 */
function roleOf({ id, role, error }, { primary }) {
  if (error !== null) return { text: UNREACHABLE, tone: 'bad' };
  if (role === 'replica') return { text: 'replica' };
  // A second node that acts as a primary loses every write it accepts.
  return id === primary ? { text: 'primary', tone: 'good' } : { text: 'primary (stray)', tone: 'bad' };
}

/** @param {RedisState} node */
function isDown({ role, follows, linkUp }) {
  return role === 'replica' && follows !== null && !linkUp;
}

/**
 * @param {RedisState} node
 * @param {Snapshot} snapshot
 */
function linkText({ role, follows, linkUp }, { redis }) {
  if (role !== 'replica' || follows === null) return '';
  const leader = redis.find(({ announced }) => sameAddress(announced, follows))?.id ?? formatAddress(follows);
  return `${linkUp ? 'up' : 'down'}, follows ${leader}`;
}

/**
 * @param {Snapshot} snapshot
 * @returns {Column<SentinelState>[]} the last one has the error of a Sentinel that did not answer
 */
function sentinelColumns({ redis }) {
  const ifKnown =
    (/** @type {(sentinel: SentinelState) => string} */ cell) => (/** @type {SentinelState} */ sentinel) =>
      sentinel.error === null ? cell(sentinel) : '';
  const primaryOf = (/** @type {SentinelState} */ { primary }) =>
    redis.find(({ announced }) => sameAddress(announced, primary))?.id ?? (primary ? formatAddress(primary) : 'none');
  return [
    left('Sentinel', ({ id }) => id),
    left('address', ({ announced }) => formatAddress(announced)),
    left('primary', ifKnown(primaryOf), { tone: (one) => (primaryOf(one) === 'none' ? 'bad' : undefined) }),
    left('state', stateOf, { tone: (sentinel) => (stateOf(sentinel) === 'ok' ? 'good' : 'bad') }),
    right(
      'replicas',
      ifKnown(({ replicas }) => String(replicas.length)),
    ),
    right(
      'Sentinels',
      ifKnown(({ otherSentinels }) => String(otherSentinels + 1)),
    ),
    left('quorum', ({ error, quorum }) => error ?? (quorum.ok ? 'ok' : quorum.text), {
      tone: ({ error, quorum }) => (error === null && quorum.ok ? 'good' : 'bad'),
    }),
  ];
}

/** @param {SentinelState} sentinel */
function stateOf({ error, flags, tilt }) {
  if (error !== null) return UNREACHABLE;
  return [...flags.filter((flag) => flag !== 'master'), ...(tilt ? ['tilt'] : [])].join(', ') || 'ok';
}

/** @param {number | null} value */
function text(value) {
  return value === null ? '' : String(value);
}
