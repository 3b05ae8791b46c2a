/** @import { CheckedNode } from '../types.js' @import { FindingTest } from './index.js' */
import { sum } from '../../stats/statistics.js';
import { directReplicas } from '../predict.js';
import { isKnown } from '../unknown.js';

/** What a replica gains with a snapshot: bytes a second over a usual link, sent, written and loaded. A guess, and named as such. */
const SYNC_BYTES_A_SECOND = 50e6;
/** A shorter restart of a machine is rare. */
const ABSENCE_SECONDS = 60;
/** As measured in the suite of client libraries, with their defaults. */
const STAY = /redis-py|lettuce|ioredis|redis-rb/i;
const POOLED = /go-redis|jedis|redis-py/i;

/** @param {string} text such as `normal 0 0 0 slave 268435456 67108864 60` @returns {number} bytes at which a replica is cut off */
function replicaBuffer(text) {
  return Number(/(?:slave|replica) (\d+)/.exec(text)?.[1] ?? 0);
}

/** @param {CheckedNode} primary @param {RegExp} which */
function using({ libraries }, which) {
  const found = Object.entries(libraries).filter(([name]) => which.test(name));
  return (
    found.length > 0 && { list: found.map(([name]) => name).join(', '), count: sum(found.map(([, count]) => count)) }
  );
}

/** @type {Readonly<Record<string, FindingTest<CheckedNode>>>} */
export const OF_PRIMARY = Object.freeze({
  'no-replica': (primary, d) => directReplicas(d, primary).length === 0 && {},
  'writes-stopped': (primary, d, _, { wait }) => {
    const [needed, there] = [Math.max(wait, Number(primary.minReplicas)), directReplicas(d, primary).length];
    return there < needed && { needed, there };
  },
  eviction: ({ maxmemory, policy, evicted }) => maxmemory > 0 && policy !== 'noeviction' && { policy, evicted },
  'no-maxmemory': ({ maxmemory }) => maxmemory === 0 && {},
  'buffer-small': ({ settings, bytesPerSecond, dataBytes }) => {
    const hard = replicaBuffer(String(settings['client-output-buffer-limit']));
    const rate = isKnown(bytesPerSecond) ? bytesPerSecond : 0;
    const need = Math.max(Number(settings['repl-backlog-size']), rate * (dataBytes / SYNC_BYTES_A_SECOND));
    return hard > 0 && hard < need && { hard, need };
  },
  'backlog-short': ({ bytesPerSecond, backlogBytes: size }) => {
    const rate = Number(bytesPerSecond);
    return size < rate * ABSENCE_SECONDS && { lasts: size / rate, size, need: rate * ABSENCE_SECONDS };
  },
  'sync-too-long': ({ dataBytes: size, settings }) => {
    const [takes, timeout] = [size / SYNC_BYTES_A_SECOND, Number(settings['repl-timeout'])];
    return takes > timeout && { takes, timeout, size };
  },
  'libraries-stay': (primary) => using(primary, STAY),
  'wait-elsewhere': (primary) => using(primary, POOLED),
});
