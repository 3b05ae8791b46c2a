/** @import { Program } from '../types.js' */

/** @type {Program} */
export const program = {
  name: 'memtier_benchmark',
  timed: true,
  args: ({ primary, shape, connections, keyspace }, seconds, firstKey) => [
    ...['--host', primary.host, '--port', String(primary.port), '--threads', '1'],
    ...['--clients', String(connections), '--pipeline', String(shape.pipeline), '--test-time', String(seconds)],
    ...['--ratio', '1:0', '--data-size', String(shape.payloadBytes), '--key-prefix', shape.keyPrefix],
    ...['--key-pattern', 'R:R', '--key-minimum', String(firstKey)],
    ...['--key-maximum', String(firstKey + keyspace - 1)],
    // Without these, all of its connections draw the same few keys, which stay in the server's caches.
    ...['--distinct-client-seed', '--randomize'],
    ...['--hide-histogram', '--out-file', '/dev/null', '--json-out-file', '/dev/stdout'],
  ],
  parse(output) {
    const { Count: operations, 'Ops/sec': perSecond } = JSON.parse(output)['ALL STATS'].Sets;
    return { operations, seconds: operations / perSecond };
  },
};
