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

const ALONE = { needs: ['redis-server'], servers: ['redis-server'] };
/** Its table of the firewall has to go, too. */
const GROUPS = { ...ALONE, needs: ['redis-server', 'firewall'] };
const RELAYED = { ...ALONE, needs: ['redis-server', 'relay'] };
const ON_DISK = { ...ALONE, needs: ['redis-server', 'volatile disk'] };
const BOTH = { needs: ['redis-server', 'valkey-server'], servers: ['redis-server', 'valkey-server'] };
const OFTEN = { often: /** @type {const} */ (true) };
/** A mode in most of them. */
const USUAL = /^wait1-min1-aof$/;

/** @type {Readonly<Record<string, UndoneScenario>>} */
export const SCENARIOS = Object.freeze({
  // Three Sentinels, two replicas, the failover, the old primary.
  migrate: { ...BOTH, ...OFTEN, case: /-async-by-failover$/, steps: 7 },
  // The replica changes its server, and back.
  downgrade: { ...BOTH, ...OFTEN, case: /-async$/, steps: 2 },
  'rolling-upgrade': {
    ...OFTEN,
    needs: ['valkey-server', VALKEY_9],
    servers: ['valkey-server', VALKEY_9],
    case: /-async-coordinated$/,
    steps: 7,
  },
  // Two replicas, the failover script or SENTINEL FAILOVER, the old primary.
  'rolling-restart': { ...ALONE, ...OFTEN, case: /^wait1-min1-aof-by-script$/, steps: 4 },
  'rolling-restart by SENTINEL FAILOVER': {
    ...ALONE,
    benchmark: 'rolling-restart',
    case: /^wait1-min1-aof-by-failover$/,
    steps: 4,
  },
  'planned-failover': { ...OFTEN, needs: [VALKEY_9], servers: [VALKEY_9], case: /^async-coordinated$/, steps: 1 },
  'behind-haproxy': { ...RELAYED, ...OFTEN, needs: [...RELAYED.needs, 'haproxy'], case: /^async$/, steps: 1 },
  'virtual-ip-partition': {
    ...ALONE,
    ...OFTEN,
    needs: ['redis-server', 'namespaces', 'busybox'],
    case: /^async$/,
    steps: 1,
  },
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
  // The narrow link, the lost machine.
  'narrow-link': { ...RELAYED, case: /^async$/, steps: 2 },
  // The setting of the Sentinels, the partition.
  'quorum-one': { ...GROUPS, ...OFTEN, case: USUAL, steps: 2 },
  // The first primary, the second.
  'settings-on-primary': { ...RELAYED, case: /^wait1-min1-aof-first-only$/, steps: 2 },
  // The partition, the replica, the primary.
  'confirming-replica-lost': { ...GROUPS, case: USUAL, steps: 3 },
  // The priority, the partition, the primary; before it the restart without data; or the failover instead.
  'stale-replica-preferred': { ...GROUPS, case: USUAL, steps: 3 },
  'stale-replica-preferred, empty': {
    ...GROUPS,
    benchmark: 'stale-replica-preferred',
    case: /^wait1-min1-aof-empty$/,
    steps: 4,
  },
  'stale-replica-preferred by SENTINEL FAILOVER': {
    ...GROUPS,
    benchmark: 'stale-replica-preferred',
    case: /^wait1-min1-aof-by-failover$/,
    steps: 3,
  },
  'replica-frozen-then-primary': { ...ALONE, case: USUAL, steps: 2 },
  'memory-full': { ...ALONE, case: USUAL, steps: 2 },
  'disk-full': { ...ON_DISK, case: /^aof-always$/, steps: 1 },
  // Every node.
  'power-lost-everywhere': { ...ON_DISK, case: USUAL, steps: 3 },
  // The file, the restart.
  'primary-loading': { ...ALONE, case: /^aof$/, steps: 2 },
  // The slow snapshot, two replicas, the primary.
  'resync-interrupted': { ...ALONE, case: /^wait1-min1-aof-load-swapdb$/, steps: 4 },
  topology: { ...GROUPS, case: /^wait2-aof-apart-with-2$/, steps: 1 },
  // The setting of the Sentinels, the priority, the primary, the chosen replica.
  'failover-timing': { ...ALONE, case: /^async-hung-timeout-3s-down-after-2s$/, steps: 4 },
});
