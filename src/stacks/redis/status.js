import chalk, { Chalk } from 'chalk';
import { left, makeTable, right, terminalTable } from '../../table.js';
import { formatAddress, sameAddress } from '../address.js';
import { AWAY, unknownNode, unknownSentinel } from './observe.js';

/** @import { Address } from '../types.js' */
/** @import { RedisState, SentinelState, Snapshot } from './observe.js' */

/** What `sentinel-bench status` prints. @param {Snapshot} snapshot @param {{color?: boolean}} [options] default: as it is supported */
export function renderStatus(snapshot, { color } = {}) {
  const paint = color === undefined ? chalk : new Chalk({ level: color ? 1 : 0 });
  const leftOut = (/** @type {string} */ kind) =>
    (snapshot.leftOut ?? []).flatMap((each) => (each.kind === kind ? { ...each, announced: each.address } : []));
  const replicas = leftOut('redis').map((node) => ({ ...unknownNode(node), error: node.why }));
  const sentinels = leftOut('sentinel').map(({ why, names = null, ...node }) => ({
    ...unknownSentinel(node),
    error: names ? null : why,
    primary: names,
    quorum: { ok: false, text: why },
  }));
  const tables = [
    makeTable(redisColumns(snapshot), [...snapshot.redis, ...replicas]),
    makeTable(sentinelColumns(snapshot), [...snapshot.sentinels, ...sentinels]),
  ];
  return tables.map((table) => terminalTable(table, { paint, frame: true })).join('\n');
}

/** @param {SentinelState} sentinel @param {Snapshot} snapshot @returns it names another primary than most, or most name none */
function contradicts({ error, primary }, snapshot) {
  const leader = snapshot.redis.find(({ id }) => id === snapshot.primary);
  return error === null && !sameAddress(primary, leader?.announced ?? null);
}

function nameOf(/** @type {Address | null} */ address, /** @type {Snapshot} */ { redis }) {
  if (address === null) return 'none';
  return redis.find(({ announced }) => sameAddress(announced, address))?.id ?? formatAddress(address);
}

const UNREACHABLE = 'unreachable';

function redisColumns(/** @type {Snapshot} */ snapshot) {
  /** @param {string} title @param {'offset' | 'lagBytes' | 'lagSeconds' | 'priority'} field */
  const number = (title, field) =>
    right(title, (/** @type {RedisState} */ { error, [field]: value }) => (error === null ? String(value ?? '') : ''));
  return [
    left('node', ({ id }) => id),
    left('address', ({ announced }) => formatAddress(announced)),
    left('role', (node) => roleOf(node, snapshot).text, { tone: (node) => roleOf(node, snapshot).tone }),
    number('offset', 'offset'),
    number('lag (bytes)', 'lagBytes'),
    number('lag (s)', 'lagSeconds'),
    number('priority', 'priority'),
    left('link', (node) => node.error ?? linkText(node, snapshot), {
      tone: (node) => (node.error !== null || isDown(node) ? 'bad' : undefined),
    }),
  ];
}

/** @param {RedisState} node @param {Snapshot} snapshot @returns {{text: string, tone?: 'good' | 'bad'}} */
function roleOf({ id, role, error }, { primary }) {
  if (error !== null) return { text: UNREACHABLE, tone: 'bad' };
  if (role === 'replica') return { text: 'replica' };
  // A second node that acts as a primary loses every write it accepts.
  return id === primary ? { text: 'primary', tone: 'good' } : { text: 'primary (stray)', tone: 'bad' };
}

/** @param {RedisState} node */
const isDown = ({ role, follows, linkUp }) => role === 'replica' && follows !== null && !linkUp;

function linkText(/** @type {RedisState} */ { role, follows, linkUp }, /** @type {Snapshot} */ snapshot) {
  if (role !== 'replica' || follows === null) return '';
  return `${linkUp ? 'up' : 'down'}, follows ${nameOf(follows, snapshot)}`;
}

function sentinelColumns(/** @type {Snapshot} */ snapshot) {
  // One that is left out was not asked what it knows.
  const count = (/** @type {string} */ title, /** @type {(sentinel: SentinelState) => number} */ of) =>
    right(title, (/** @type {SentinelState} */ sentinel) =>
      sentinel.error === null && snapshot.sentinels.includes(sentinel) ? String(of(sentinel)) : '',
    );
  const primaryOf = (/** @type {SentinelState} */ { error, primary }) =>
    error === null ? nameOf(primary, snapshot) : '';
  const stateOf = (/** @type {SentinelState} */ sentinel) => stateIn(sentinel, snapshot);
  const quorumText = (/** @type {SentinelState} */ sentinel) => quorumIn(sentinel, snapshot);
  return [
    left('Sentinel', ({ id }) => id),
    left('address', ({ announced }) => formatAddress(announced)),
    left('primary', primaryOf, { tone: (one) => (primaryOf(one) === 'none' ? 'bad' : undefined) }),
    left('state', stateOf, { tone: (sentinel) => (stateOf(sentinel) === 'ok' ? 'good' : 'bad') }),
    count('replicas', ({ replicas }) => replicas.length),
    count('Sentinels', ({ otherSentinels }) => otherSentinels + 1),
    left('quorum', quorumText, { tone: (sentinel) => (quorumText(sentinel) === 'ok' ? 'good' : 'bad') }),
  ];
}

function stateIn(/** @type {SentinelState} */ sentinel, /** @type {Snapshot} */ snapshot) {
  const { error, flags, tilt } = sentinel;
  if (error !== null) return UNREACHABLE;
  const words = [
    ...flags.filter((flag) => flag !== 'master'),
    ...(tilt ? ['tilt'] : []),
    ...(contradicts(sentinel, snapshot) ? ['disagrees'] : []),
  ];
  return words.join(', ') || 'ok';
}

/** @param {SentinelState} sentinel @param {Snapshot} snapshot @returns `ok` only if it could also promote a replica */
function quorumIn({ error, quorum, replicas }, { redis }) {
  if (error !== null || !quorum.ok) return error ?? quorum.text;
  const isBarred = (/** @type {Address} */ address) =>
    redis.some(({ announced, priority }) => priority === 0 && sameAddress(announced, address));
  const isAway = (/** @type {string[]} */ flags) => flags.some((flag) => AWAY.includes(flag));
  return replicas.some(({ address, flags }) => !isAway(flags) && !isBarred(address))
    ? 'ok'
    : 'enough Sentinels, but no replica to promote';
}
