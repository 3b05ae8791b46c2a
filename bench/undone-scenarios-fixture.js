/**
 * For tests only: the scenarios that are stopped at each of their steps.
 *
 * @typedef {Object} UndoneScenario
 * @property {string[]} needs in test/needs.js
 * @property {string[]} servers of the run, by name
 * @property {RegExp} case its id
 * @property {number} steps faults that it injects, and preparations
 * @property {string} [benchmark] default: its own name
 * @property {'standard'} [profile] that has the case; default: quick
 * @property {true} [often] runs always, not only where SENTINEL_BENCH_KILLS asks for many
 */

export const VALKEY_9 = 'valkey 9';

/** Scenarios that change servers, and those with other programs. @type {Readonly<Record<string, Omit<UndoneScenario, 'often'>>>} */
const OTHERS = {
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
};

/** Its table of the firewall has to go, too. */
const GROUPS = { needs: ['redis-server', 'firewall'], servers: ['redis-server'] };
const ALONE = { needs: ['redis-server'], servers: ['redis-server'] };
/** A mode in most of them. */
const USUAL = /^wait1-min1-aof$/;

/** Faults of more than one node, and sequences of faults. @type {Readonly<Record<string, UndoneScenario>>} */
const SEVERAL_NODES = {
  'partition-with-replica': { ...GROUPS, case: USUAL, steps: 1 },
  'partition-one-way': { ...GROUPS, case: USUAL, steps: 1 },
  'partition-flapping': { ...GROUPS, case: USUAL, steps: 1 },
  'sentinels-cut-off': { ...GROUPS, case: USUAL, steps: 1 },
  'host-partitioned-briefly': { ...GROUPS, case: /^wait1-min1-aof-until-promoted$/, steps: 1 },
  'primary-paused-briefly': { ...ALONE, case: /^wait1-min1-aof-until-promoted$/, steps: 1 },
  'primary-blocked': { ...ALONE, case: /^wait1-min1-aof-plus-1000ms$/, steps: 1 },
  'primary-blocked by a script': {
    ...ALONE,
    benchmark: 'primary-blocked',
    case: /^wait1-min1-aof-lua$/,
    steps: 1,
    profile: 'standard',
  },
  // Two replicas, the failover, the primary.
  'rolling-restart by SENTINEL FAILOVER': {
    ...ALONE,
    benchmark: 'rolling-restart',
    case: /^wait1-min1-aof-by-failover$/,
    steps: 4,
  },
  // The narrow link, the lost machine.
  'narrow-link': { needs: ['redis-server', 'relay'], servers: ['redis-server'], case: /^async$/, steps: 2 },
  // The setting of the Sentinels, the partition.
  'quorum-one': { ...GROUPS, case: USUAL, steps: 2, often: true },
  // The first primary, the second.
  'settings-on-primary': {
    needs: ['redis-server', 'relay'],
    servers: ['redis-server'],
    case: /^wait1-min1-aof-first-only$/,
    steps: 2,
  },
  // The partition, the replica, the primary.
  'confirming-replica-lost': { ...GROUPS, case: USUAL, steps: 3 },
  // The priority, the partition, the primary.
  'stale-replica-preferred': { ...GROUPS, case: USUAL, steps: 3 },
  // The priority, the partition, the restart without data, the primary.
  'stale-replica-preferred, empty': {
    ...GROUPS,
    benchmark: 'stale-replica-preferred',
    case: /^wait1-min1-aof-empty$/,
    steps: 4,
  },
  // The priority, the partition, the failover.
  'stale-replica-preferred by SENTINEL FAILOVER': {
    ...GROUPS,
    benchmark: 'stale-replica-preferred',
    case: /^wait1-min1-aof-by-failover$/,
    steps: 3,
  },
  'replica-frozen-then-primary': { ...ALONE, case: USUAL, steps: 2 },
  'memory-full': { ...ALONE, case: USUAL, steps: 2 },
  'disk-full': { needs: ['redis-server', 'volatile disk'], servers: ['redis-server'], case: /^aof-always$/, steps: 1 },
  // Every node.
  'power-lost-everywhere': {
    needs: ['redis-server', 'volatile disk'],
    servers: ['redis-server'],
    case: USUAL,
    steps: 3,
  },
  // The file, the restart.
  'primary-loading': { ...ALONE, case: /^aof$/, steps: 2 },
  // The slow snapshot, two replicas, the primary.
  'resync-interrupted': { ...ALONE, case: /^wait1-min1-aof-load-swapdb$/, steps: 4 },
  topology: { ...GROUPS, case: /^wait2-aof-apart-with-2$/, steps: 1 },
  // The setting of the Sentinels, the priority, the primary, the chosen replica.
  'failover-timing': { ...ALONE, case: /^async-hung-timeout-3s-down-after-2s$/, steps: 4 },
};

/** @type {Readonly<Record<string, UndoneScenario>>} */
export const SCENARIOS = Object.freeze({
  ...Object.fromEntries(
    Object.entries(OTHERS).map(([name, scenario]) => [name, { ...scenario, often: /** @type {const} */ (true) }]),
  ),
  ...SEVERAL_NODES,
});
