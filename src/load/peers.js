/**
 * Other load generators, to compare `native` with: their arguments for the same load, and how to read their output.
 */
import { KEY_DIGITS, payload } from '../clients/native-batch.js';

/** @import { RoundPlan } from './types.js' */

/**
 * @typedef {'redis-benchmark' | 'memtier_benchmark'} PeerName also the name of the program
 *
 * @typedef {Object} Counted
 * @property {number} operations answered, as the program says
 * @property {number} seconds for them, as the program says; without its start and its connecting
 *
 * @typedef {Object} Peer
 * @property {PeerName} name
 * @property {number} firstKey the lowest key number that it writes
 * @property {boolean} timed it takes a duration in whole seconds; otherwise a number of operations
 * @property {(plan: RoundPlan, amount: number) => string[]} args amount: seconds or operations
 * @property {(output: string, amount: number) => Counted} parse reads its standard output, which is a file; fields are NaN or
 *   absent if the output is not as expected
 */

/** @type {Peer} */
const redisBenchmark = {
  name: 'redis-benchmark',
  // It writes numbers of 12 digits as we do, so the keys are the same.
  firstKey: 0,
  timed: false,
  args: ({ primary, shape, connections, keyspace }, operations) => [
    ...['-h', primary.host, '-p', String(primary.port)],
    ...['-c', String(connections), '-P', String(shape.pipeline), '-n', String(operations), '-r', String(keyspace)],
    // Its own `-t set` writes to `key:…`. Our own SET takes the same code path, under our prefix.
    ...['--csv', 'SET', `${shape.keyPrefix}__rand_int__`, payload(shape.payloadBytes)],
  ],
  parse(output, operations) {
    // "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
    const perSecond = Number(output.trim().split('\n').at(-1)?.split(',').at(-7)?.replaceAll('"', ''));
    return { operations, seconds: operations / perSecond };
  },
};

/** @type {Peer} */
const memtier = {
  name: 'memtier_benchmark',
  // It does not pad numbers. With the lowest 12-digit number its keys are as long as ours.
  firstKey: 10 ** (KEY_DIGITS - 1),
  timed: true,
  args: ({ primary, shape, connections, keyspace }, seconds) => [
    ...['--host', primary.host, '--port', String(primary.port), '--threads', '1'],
    ...['--clients', String(connections), '--pipeline', String(shape.pipeline), '--test-time', String(seconds)],
    ...['--ratio', '1:0', '--data-size', String(shape.payloadBytes), '--key-prefix', shape.keyPrefix],
    ...['--key-pattern', 'R:R', '--key-minimum', String(memtier.firstKey)],
    ...['--key-maximum', String(memtier.firstKey + keyspace - 1)],
    // Without these, all of its connections draw the same few keys, which stay in the server's caches.
    ...['--distinct-client-seed', '--randomize'],
    ...['--hide-histogram', '--out-file', '/dev/null', '--json-out-file', '/dev/stdout'],
  ],
  parse(output) {
    const { Count: operations, 'Ops/sec': perSecond } = JSON.parse(output)['ALL STATS'].Sets;
    return { operations, seconds: operations / perSecond };
  },
};

/** @type {ReadonlyMap<string, Peer>} */
export const peers = new Map([redisBenchmark, memtier].map((peer) => [peer.name, peer]));

export const peerNames = /** @type {PeerName[]} */ ([...peers.keys()]);

/**
 * @param {string} client of a case
 * @returns {number} the lowest key number that it writes
 */
export function firstKeyOf(client) {
  return peers.get(client)?.firstKey ?? 0;
}
