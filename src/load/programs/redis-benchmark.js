import { payload } from '../../clients/native-batch.js';

/** @import { Program } from '../types.js' */

/** @type {Program} */
export const program = {
  name: 'redis-benchmark',
  timed: false,
  args: ({ primary, shape, connections, keyspace }, operations) => [
    ...['-h', primary.host, '-p', String(primary.port)],
    ...['-c', String(connections), '-P', String(shape.pipeline), '-n', String(operations), '-r', String(keyspace)],
    // Its own `-t set` writes to `key:…`. Our own SET takes the same code path, under our prefix.
    // It writes numbers of 12 digits as we do, so the keys are the same.
    ...['--csv', 'SET', `${shape.keyPrefix}__rand_int__`, payload(shape.payloadBytes)],
  ],
  parse(output, operations) {
    // "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
    const perSecond = Number(output.trim().split('\n').at(-1)?.split(',').at(-7)?.replaceAll('"', ''));
    return { operations, seconds: operations / perSecond };
  },
};
