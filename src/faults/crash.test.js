/**
 * The process dies after any single step of a fault or of a change of settings: what the journal holds then restores the stack
 * completely. A recovery that dies after any of its own steps leaves the rest to the next one.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { UNDOING, undoneBy } from '../stacks/actions.js';
import { journalNames } from './fixture.js';
import * as faults from './index.js';
import { adoptJournal, createJournal } from './journal.js';
import { listJournalFiles } from './journal-file.js';
import { applySettings } from './settings.js';

/**
 * @import { Disturbing, Undoing } from '../stacks/actions.js'
 * @import { Cluster, NodeInfo } from '../stacks/types.js'
 * @import { Fault, Journal, Site, Undo } from './types.js'
 */

const NODES = ['redis-1', 'redis-2'];
const FORMER = { 'min-replicas-to-write': '0', appendonly: 'no' };

/** Ends the simulated process. */
class Crash extends Error {}

/**
 * A stack in memory that outlives the process that disturbs it.
 *
 * @typedef {Object} World
 * @property {Map<string, Set<string>>} disturbed by node: what was done to it and not undone
 * @property {Map<string, Record<string, string>>} settings by node
 */

/** @returns {World} */
function newWorld() {
  return {
    disturbed: new Map([...NODES, faults.ALL_LINKS].map((id) => [id, new Set()])),
    settings: new Map(NODES.map((id) => [id, { ...FORMER }])),
  };
}

/**
 * A process that sees the world, and dies.
 *
 * @param {World} world
 * @param {{lifetime: number, unheard?: boolean}} end it dies after so many steps; Infinity: it lives on. unheard: it dies within the step
 *   after these, which the world has noticed by then
 */
function processIn(world, { lifetime, unheard = false }) {
  let steps = 0;

  /**
   * @template T
   * @param {() => T | Promise<T>} work what the world notices
   * @returns {Promise<T>}
   */
  async function step(work) {
    const last = steps === lifetime && unheard;
    if (steps >= lifetime && !last) throw new Crash();
    steps++;
    const result = await work();
    if (last) throw new Crash();
    return result;
  }

  /** @param {string} id */
  const disturbances = (id) => /** @type {Set<string>} */ (world.disturbed.get(id));
  /** @param {string} id */
  const settingsOf = (id) => /** @type {Record<string, string>} */ (world.settings.get(id));
  const cluster = /** @type {Cluster} */ (
    /** @type {unknown} */ ({
      backend: 'local',
      identity: 'a stack in memory',
      ours: false,
      credentials: {},
      server: { name: 'redis', version: '7.0.15' },
      nodes: NODES.map((id) => ({ id, kind: 'redis' })),
      can: new Set([...Object.keys(UNDOING), 'slow-link']),
      act: (/** @type {string} */ id, /** @type {Disturbing | Undoing | 'power-loss'} */ action) =>
        step(() => {
          if (action === 'power-loss') disturbances(id).add('kill');
          else if (action in UNDOING) disturbances(id).add(action);
          else for (const undone of undoneBy(/** @type {Undoing} */ (action))) disturbances(id).delete(undone);
        }),
      slow: (/** @type {object | null} */ shape, id = faults.ALL_LINKS) =>
        step(() => {
          if (shape === null) disturbances(id).delete('slow');
          else disturbances(id).add('slow');
        }),
      system: {
        isReplyError: () => false,
        connect: async (/** @type {NodeInfo} */ { id }) => ({
          call: (/** @type {string} */ _command, /** @type {string} */ what) =>
            step(() => {
              if (what === 'UNPAUSE') disturbances(id).delete('paused clients');
              else disturbances(id).add('paused clients');
            }),
          lost: () => false,
          close() {},
        }),
        settings: {
          barred: [],
          timeoutMs: () => 1000,
          read: async (/** @type {Cluster} */ _, /** @type {NodeInfo} */ { id }) => ({ ...settingsOf(id) }),
          write: (
            /** @type {Cluster} */ _,
            /** @type {NodeInfo} */ { id },
            /** @type {unknown} */ __,
            /** @type {string} */ name,
            /** @type {string} */ value,
          ) => step(() => void Object.assign(settingsOf(id), { [name]: value })),
          undoStep: async (
            /** @type {Cluster} */ _,
            /** @type {NodeInfo} */ { id },
            /** @type {unknown} */ __,
            /** @type {Record<string, string>} */ settings,
          ) => ({ kind: 'settings', id, settings }),
          restore: (
            /** @type {Cluster} */ _,
            /** @type {{id: string, settings: Record<string, string>}} */ { id, settings },
          ) => step(() => void Object.assign(settingsOf(id), settings)),
        },
      },
    })
  );
  return { cluster, step, steps: () => steps };
}

/**
 * @param {ReturnType<typeof processIn>} process
 * @param {Journal} inner
 * @returns {Journal} that dies before or after it has written an entry
 */
function mortal({ step }, inner) {
  return { ...inner, note: (what) => step(() => inner.note(what)) };
}

/**
 * @param {World} world
 * @param {number} lifetime of the recovering process
 * @returns {Promise<boolean>} false: it died
 */
async function recover(world, lifetime) {
  const { cluster } = processIn(world, { lifetime, unheard: true });
  const [file] = listJournalFiles();
  // The process died before it noted anything.
  if (file === undefined) return true;
  const journal = await adoptJournal(cluster, file);
  const done = await journal.undoAll().then(
    () => true,
    () => false,
  );
  await journal.close();
  return done;
}

/**
 * @param {World} world
 * @param {string} when
 */
function assertRestored(world, when) {
  assert.deepEqual(world, newWorld(), when);
  assert.deepEqual(journalNames(), [], when);
}

/** @typedef {[name: string, disturb: (site: Site) => Promise<Undo>]} Disturbance */

/**
 * @param {Fault} fault
 * @param {string} [id]
 * @returns {Disturbance}
 */
function of(fault, id = 'redis-1') {
  return [`${fault.name} of ${id}`, (site) => fault.inject(site, id)];
}

/** Faults with parameters, by the export that makes them. @type {Readonly<Record<string, Disturbance[]>>} */
const MADE = Object.freeze({
  slowLink: [of(faults.slowLink({ latencyMs: 10 })), of(faults.slowLink({ latencyMs: 10 }), faults.ALL_LINKS)],
  clientPause: [of(faults.clientPause(1000, 'WRITE')), of(faults.clientPause(1000, 'ALL'))],
});

/** Exports that are no fault; and the planned failovers, whose new roles stay: there is nothing to undo. */
const OTHERS = ['ALL_LINKS', 'faultByAction', 'failover', 'coordinatedFailover'];

/** @param {unknown} value @returns {value is Fault} */
function isFault(value) {
  return typeof value === 'object' && value !== null && 'inject' in value;
}

/** @type {Disturbance[]} */
const DISTURBANCES = [
  ...Object.entries(faults)
    .filter(([name]) => !OTHERS.includes(name))
    .flatMap(([name, value]) => {
      const own = isFault(value) ? [of(value)] : MADE[name];
      assert.ok(own, `no test ends a process after each step of ${name}: add it to MADE`);
      return own;
    }),
  [
    'settings of every node',
    (site) => applySettings(site, { all: { 'min-replicas-to-write': '1', appendonly: 'yes' } }),
  ],
  [
    'two faults and settings, one after the other',
    async (site) => {
      await faults.pause.inject(site, 'redis-1');
      await applySettings(site, { nodes: { 'redis-2': { appendonly: 'yes' } } });
      await faults.cut.inject(site, 'redis-2');
      return () => site.journal.undoAll();
    },
  ],
];

describe('a crash after any step', () => {
  const { XDG_STATE_HOME } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'crash-test-'));
  before(() => {
    mkdirSync(join(folder, 'state'));
    process.env.XDG_STATE_HOME = join(folder, 'state');
  });
  after(() => {
    if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
    rmSync(folder, { recursive: true });
  });

  /**
   * Disturbs a new world and undoes that.
   *
   * @param {(site: Site) => Promise<Undo>} disturb
   * @param {Parameters<typeof processIn>[1]} end
   * @returns {Promise<{world: World, steps: number, died: boolean}>}
   */
  async function live(disturb, end) {
    const world = newWorld();
    const process = processIn(world, end);
    const inner = createJournal(process.cluster);
    let died = false;
    try {
      const undo = await disturb({ cluster: process.cluster, journal: mortal(process, inner) });
      await undo();
    } catch {
      died = true;
    }
    // A dead process removes no file: entries that are left keep it.
    await inner.close();
    return { world, steps: process.steps(), died };
  }

  for (const [name, disturb] of DISTURBANCES) {
    test(name, async () => {
      const { world, steps, died } = await live(disturb, { lifetime: Number.POSITIVE_INFINITY });
      assert.equal(died, false);
      assertRestored(world, 'nothing died');
      assert.ok(steps >= 3, 'a fault notes, acts and undoes');

      for (let lifetime = 0; lifetime < steps; lifetime++) {
        for (const unheard of [false, true]) {
          const first = await live(disturb, { lifetime, unheard });
          assert.ok(first.died);
          // Each recovery dies one step later than the one before.
          let dead = 0;
          while (!(await recover(first.world, dead))) dead++;
          assertRestored(
            first.world,
            `dead ${unheard ? 'within the step after' : 'after'} step ${lifetime}, ${dead} dead recoveries`,
          );
        }
      }
    });
  }
});
