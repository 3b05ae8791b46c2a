/** For tests only: a stack in memory that outlives the process that disturbs it, and what a recovery makes of it. */
import assert from 'node:assert/strict';
import { UNDOING, undoneBy } from '../stacks/actions.js';
import { askNode } from '../stacks/ask.js';
import { mariadbSystem } from '../stacks/mariadb/system.js';
import { disturb, lifeOf, seenFrom } from './crash-fixture.js';
import { journalNames } from './fixture.js';
import * as faults from './index.js';
import { adoptJournal } from './journal.js';
import { listJournalFiles } from './journal-file.js';

/**
 * @import { Disturbing, Undoing } from '../stacks/actions.js'
 * @import { Stack, Control, NodeInfo, SettingsOf, SystemName } from '../stacks/types.js'
 * @import { Site, Undo } from './types.js'
 */

/** The primary and a replica. */
export const NODES = ['redis-1', 'redis-2'];
/** Of a stack of Redis. */
const SENTINEL = 'sentinel-1';
/** @type {Readonly<Record<SystemName, Record<string, string>>>} */
const FORMER = {
  redis: {
    'min-replicas-to-write': '0',
    appendonly: 'no',
    'replica-priority': '100',
    'rdb-key-save-delay': '0',
    'repl-backlog-size': '1048576',
    'repl-diskless-sync-delay': '5',
  },
  mariadb: {
    sync_binlog: '1',
    rpl_semi_sync_master_wait_point: 'AFTER_COMMIT',
    rpl_semi_sync_master_timeout: '10000',
    rpl_semi_sync_master_enabled: 'OFF',
  },
};

/** @type {Readonly<Record<string, string>>} */
const SENTINEL_FORMER = { quorum: '2', 'failover-timeout': '180000' };

/** A semi-synchronous mode. */
export const SEMI_SYNC = {
  rpl_semi_sync_master_wait_point: 'AFTER_SYNC',
  rpl_semi_sync_master_timeout: '1000',
  rpl_semi_sync_master_enabled: 'ON',
};

const HOST = '10.0.0.1';
const FIRST_PORT = 7001;

/**
 * A stack in memory that outlives the process that disturbs it.
 *
 * @typedef {Object} StackInMemory
 * @property {SystemName} system
 * @property {Map<string, Set<string>>} disturbed by node: what was done to it and not undone
 * @property {Map<string, Record<string, string>>} settings by node: those in force
 * @property {Map<string, Record<string, string>>} kept by node: those that it has after a restart, where the stack keeps them
 */

/** @param {SystemName} system @returns {StackInMemory} */
function newWorld(system) {
  const former = () =>
    new Map([
      ...NODES.map((id) => /** @type {const} */ ([id, { ...FORMER[system] }])),
      ...(system === 'redis' ? [/** @type {const} */ ([SENTINEL, { ...SENTINEL_FORMER }])] : []),
    ]);
  return {
    system,
    disturbed: new Map([...NODES, faults.ALL_LINKS, faults.NETWORK].map((id) => [id, new Set()])),
    settings: former(),
    kept: former(),
  };
}

/** @param {StackInMemory} world @returns {Stack} */
function stackIn(world) {
  /** @param {string} id */
  const disturbances = (id) => /** @type {Set<string>} */ (world.disturbed.get(id));
  const stack = /** @type {Stack} */ (
    /** @type {unknown} */ ({
      about: {
        backend: 'local',
        identity: 'a stack in memory',
        ours: false,
        server: { name: 'redis', version: '7.0.15' },
      },
      access: { masterName: 'mymaster', credentials: {} },
      nodes: [...world.settings.keys()].map((id, index) => ({
        id,
        kind: id === SENTINEL ? 'sentinel' : 'redis',
        announced: { host: HOST, port: FIRST_PORT + index },
      })),
      can: new Set([...Object.keys(UNDOING), 'slow-link', 'group-partition']),
      database: {
        ...(world.system === 'mariadb' ? mariadb(world) : redis(world)),
        primary: async () => ({ id: NODES[0] }),
      },
      host: {
        async act(/** @type {string} */ id, /** @type {Disturbing | Undoing | 'power-loss'} */ action) {
          if (action === 'power-loss') disturbances(id).add('kill');
          else if (action in UNDOING) disturbances(id).add(action);
          else for (const undone of undoneBy(/** @type {Undoing} */ (action))) disturbances(id).delete(undone);
        },
      },
      network: {
        async slow(/** @type {object | null} */ shape, id = faults.ALL_LINKS) {
          if (shape === null) disturbances(id).delete('slow');
          else disturbances(id).add('slow');
        },
        groups: {
          divide: async () => disturbances(faults.NETWORK).add('divided'),
          join: async () => disturbances(faults.NETWORK).delete('divided'),
        },
      },
    })
  );
  return stack;
}

/** @param {StackInMemory['settings']} settings @returns {string[][]} what SENTINEL REPLICAS answers */
function replicasIn(settings) {
  return NODES.map((id, index) => [
    ...['ip', HOST, 'port', String(FIRST_PORT + index)],
    ...['slave-priority', String(settings.get(id)?.['replica-priority'])],
  ]);
}

/** What a fault has written. */
const KEYS = 'keys';

/** @param {StackInMemory} world */
function redis({ disturbed, settings }) {
  const disturbances = (/** @type {string} */ id) => /** @type {Set<string>} */ (disturbed.get(id));
  const settingsOf = (/** @type {string} */ id) => /** @type {Record<string, string>} */ (settings.get(id));
  /** @type {Partial<SettingsOf>} */
  const changing = {
    barred: [],
    timeoutMs: () => 1000,
    read: async (_, { id }) => ({ ...settingsOf(id) }),
    write: async (_, __, control, name, value) => void (await control.call('CONFIG', 'SET', name, value)),
    undoStep: async (_, { id }, __, former) => ({ kind: 'settings', id, settings: former }),
    restore: (from, { id, settings: former }) =>
      askNode(from, id, async (control) => {
        for (const [name, value] of Object.entries(former)) await control.call('CONFIG', 'SET', name, value);
      }),
  };
  return {
    isReplyError: () => false,
    connect: async (/** @type {NodeInfo} */ { id }) => ({
      async call(/** @type {string} */ command, /** @type {string} */ what, /** @type {string[]} */ ...args) {
        if (command === 'CONFIG') Object.assign(settingsOf(id), what === 'SET' && { [args[0]]: args[1] });
        else if (command === 'SENTINEL') return replicasIn(settings);
        else if (command === 'SETRANGE' || (command === 'EVAL' && Number(args[0]) > 0)) disturbances(id).add(KEYS);
        else if (command === 'UNLINK') return disturbances(id).delete(KEYS) ? 1 : 0;
        else if (command === 'PING') disturbances(id).delete('blocked');
        else if (command === 'DEBUG' || command === 'EVAL') disturbances(id).add('blocked');
        else assert.fail(`nothing sends ${command}`);
      },
      lost: () => false,
      close() {},
    }),
    keys: {
      removeByPrefix: (/** @type {Control} */ control, /** @type {string} */ prefix) => control.call('UNLINK', prefix),
    },
    settings: changing,
  };
}

/** MariaDB changes its settings itself, over connections to nodes in memory. @param {StackInMemory} world */
function mariadb({ settings, kept }) {
  const of = (/** @type {StackInMemory['settings']} */ values, /** @type {string} */ id) =>
    /** @type {Record<string, string>} */ (values.get(id));
  const system = mariadbSystem({
    credentials: {},
    processInfo: () => ({}),
    keep: (id, name, value) => Object.assign(of(kept, id), { [name]: value }),
    roles: { semiSync: new Map(), promote: async () => {}, follow: async () => {} },
  });
  return {
    ...system,
    connect: async (/** @type {NodeInfo} */ { id }) => ({
      info: async () =>
        id === NODES[0]
          ? {
              rpl_semi_sync_master_clients: '1',
              rpl_semi_sync_master_status: of(settings, id).rpl_semi_sync_master_enabled,
            }
          : { master_host: NODES[0] },
      async call(/** @type {string} */ statement) {
        const [, name, value] = /^SET GLOBAL (\w+) = '?(\w+)'?$/.exec(statement) ?? [];
        if (name !== undefined) return Object.assign(of(settings, id), { [name]: value });
        return Object.entries(of(settings, id)).map(([Variable_name, Value]) => ({ Variable_name, Value }));
      },
      lost: () => false,
      close() {},
    }),
  };
}

/**
 * @param {StackInMemory} world
 * @param {number} lifetime of the recovering process
 * @returns {Promise<boolean>} false: it died
 */
async function recover(world, lifetime) {
  const stack = seenFrom(stackIn(world), lifeOf({ lifetime, unheard: true }));
  const [file] = listJournalFiles();
  // The process died before it noted anything.
  if (file === undefined) return true;
  const journal = await adoptJournal(stack, file);
  const done = await journal.undoAll().then(
    () => true,
    () => false,
  );
  await journal.close();
  return done;
}

/** @param {StackInMemory} world @param {string} when */
function assertRestored(world, when) {
  assert.deepEqual(world, newWorld(world.system), when);
  assert.deepEqual(journalNames(), [], when);
}

/**
 * Fails if the journal of a process that dies after any of its steps, or within one, does not restore the stack.
 * @param {(site: Site) => Promise<Undo>} work
 * @param {SystemName} [system]
 */
export async function assertRestoredAfterEachStep(work, system = 'redis') {
  const whole = newWorld(system);
  const { steps, died } = await disturb(stackIn(whole), work, { lifetime: Number.POSITIVE_INFINITY });
  assert.equal(died, false);
  assertRestored(whole, 'nothing died');
  assert.ok(steps >= 3, 'a fault notes, acts and undoes');

  for (let lifetime = 0; lifetime < steps; lifetime++) {
    for (const unheard of [false, true]) {
      const world = newWorld(system);
      assert.ok((await disturb(stackIn(world), work, { lifetime, unheard })).died);
      // Each recovery dies one step later than the one before.
      let dead = 0;
      while (!(await recover(world, dead))) dead++;
      assertRestored(
        world,
        `dead ${unheard ? 'within the step after' : 'after'} step ${lifetime}, ${dead} dead recoveries`,
      );
    }
  }
}
