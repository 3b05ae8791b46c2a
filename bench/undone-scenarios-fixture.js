/**
 * For tests only: the scenarios that are stopped at each of their steps.
 *
 * @typedef {Object} Scenario
 * @property {string[]} needs in test/needs.js
 * @property {string[]} servers of the run, by name
 * @property {RegExp} case its id
 * @property {number} steps faults that it injects, and preparations
 * @property {string} [benchmark] default: its own name
 */

export const VALKEY_9 = 'valkey 9';

/** @type {Readonly<Record<string, Scenario>>} */
export const SCENARIOS = Object.freeze({
  // Three Sentinels, two replicas, the failover, the old primary.
  migrate: {
    needs: ['redis-server', 'valkey-server'],
    servers: ['redis-server', 'valkey-server'],
    case: /-async-by-failover$/,
    steps: 7,
  },
  // Three Sentinels, a replica that leaves, the copy, the cut-over, the two other nodes, a setting.
  'migrate by RedisShake': {
    benchmark: 'migrate',
    needs: ['redis-server', 'valkey-server', 'redis-shake'],
    servers: ['redis-server', 'valkey-server'],
    case: /-async-by-redis-shake$/,
    steps: 9,
  },
  // The replica changes its server, and back.
  downgrade: {
    needs: ['redis-server', 'valkey-server'],
    servers: ['redis-server', 'valkey-server'],
    case: /-async$/,
    steps: 2,
  },
  'rolling-upgrade': {
    needs: ['valkey-server', VALKEY_9],
    servers: ['valkey-server', VALKEY_9],
    case: /-async-coordinated$/,
    steps: 7,
  },
  // Two replicas, the failover script, the old primary.
  'rolling-restart': {
    needs: ['redis-server'],
    servers: ['redis-server'],
    case: /^wait1-min1-aof-by-script$/,
    steps: 4,
  },
  'planned-failover': { needs: [VALKEY_9], servers: [VALKEY_9], case: /^async-coordinated$/, steps: 1 },
  'behind-haproxy': {
    needs: ['redis-server', 'relay', 'haproxy'],
    servers: ['redis-server'],
    case: /^async$/,
    steps: 1,
  },
  'virtual-ip-partition': {
    needs: ['redis-server', 'namespaces', 'busybox'],
    servers: ['redis-server'],
    case: /^async$/,
    steps: 1,
  },
});
