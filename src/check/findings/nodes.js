/** @import { CheckedNode, Deployment } from '../types.js' @import { FindingTest } from './index.js' */
import { downAfterSeconds, primaryOf } from '../machines.js';
import { cannotBePromoted } from '../predict.js';

/** @param {string} id @param {Deployment} d @returns {boolean} the primary says that this node copies it now */
const getsWrites = (id, d) => primaryOf(d)?.followers.includes(id) ?? false;

/** @type {Readonly<Record<string, FindingTest<CheckedNode>>>} */
export const OF_NODES = Object.freeze({
  'second-primary': ({ id, role }, { primary, sentinels }) =>
    role === 'primary' &&
    primary !== null &&
    id !== primary &&
    !sentinels.some(({ view }) => view?.primary === id) && { primary },
  'down-after-short': ({ slowestMs, forkMs }, d) => {
    const slow = Math.max(Number(slowestMs), forkMs) / 1000;
    return slow > downAfterSeconds(d) && { slow, downAfter: downAfterSeconds(d) };
  },
  'wrong-address': ({ id, why, heard }, d) => why !== null && !heard && getsWrites(id, d) && {},
  'cannot-be-promoted': (node) =>
    Array.isArray(node.hidden) &&
    cannotBePromoted({ ...node, deniedToSentinel: [] }) && { list: node.hidden.join(', ') },
  'sentinel-denied': ({ deniedToSentinel }) =>
    Array.isArray(deniedToSentinel) && deniedToSentinel.length > 0 && { list: deniedToSentinel.join(', ') },
  'replica-link-down': ({ id, why, role, linkUp, follows }, d) =>
    why === null && role === 'replica' && !linkUp && id !== d.primary && { follows },
  'replica-behind': ({ lagBytes }, d) => {
    const rate = primaryOf(d)?.bytesPerSecond;
    const late = lagBytes !== null && typeof rate === 'number' && rate > 0 ? lagBytes / rate : 0;
    return late > 1 && { late, lagBytes };
  },
  'replica-away': ({ why, heard, id }, d) =>
    why !== null && !heard && id !== d.primary && !getsWrites(id, d) && { why },
  'chained-replica': (node, d) =>
    node.role === 'replica' &&
    node.follows !== d.primary &&
    d.nodes.some(({ id, role }) => id === node.follows && role === 'replica') && { follows: node.follows },
  'saving-fails': ({ saved }) => !saved.ok && {},
  'no-configuration-file': ({ hasFile, why }) => why === null && !hasFile && {},
  'replica-writable': ({ settings, role }) => role === 'replica' && settings['replica-read-only'] === 'no' && {},
  'no-password': ({ login, settings }) => !login && settings['protected-mode'] === 'no' && {},
  'old-version': ({ server: { name, version } }) => {
    const [major, minor] = version.split('.').map(Number);
    return name === 'redis' && version !== '' && (major < 6 || (major === 6 && minor < 2)) && { version };
  },
  'waitaof-early': ({ server: { name, version }, settings, aof }) =>
    name === 'valkey' && /^[89]\./.test(version) && aof && settings.appendfsync === 'everysec' && { version },
});
