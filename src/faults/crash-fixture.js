/** For tests only: a process that dies after a chosen step of its work on a stack, and a list of all faults. */
import assert from 'node:assert/strict';
import * as faults from './index.js';
import { createJournal } from './journal.js';

/**
 * @import { Stack } from '../stacks/types.js'
 * @import { Fault, Site, Undo } from './types.js'
 */

/**
 * @typedef {Object} End
 * @property {number} lifetime number of steps after which it dies; Infinity: it lives on
 * @property {boolean} [unheard] it dies within the step after these, which the stack has noticed by then
 *
 * @typedef {ReturnType<typeof lifeOf>} Life
 */

/** Ends the simulated process. */
class Crash extends Error {}

/** Commands that change nothing. Dying after one of them leaves what dying before it leaves. */
const READS = ['CONFIG GET', 'SENTINEL MASTER', 'SENTINEL REPLICAS'];

/** @param {End} end */
export function lifeOf({ lifetime, unheard = false }) {
  let steps = 0;
  let over = false;

  function die() {
    over = true;
    throw new Crash();
  }

  return {
    /**
     * @template T
     * @param {() => T | Promise<T>} work what others notice
     * @returns {Promise<T>}
     */
    async step(work) {
      const last = steps === lifetime && unheard;
      if (steps >= lifetime && !last) die();
      steps++;
      const result = await work();
      if (last) die();
      return result;
    },
    /** A dead process does not even ask. */
    live() {
      if (over) die();
    },
    steps: () => steps,
    over: () => over,
  };
}

/**
 * @param {Stack} stack
 * @param {Life} life
 * @returns {Stack} the same stack, as the mortal process reaches it: each change is a step
 */
export function seenFrom(stack, { step, live }) {
  const { host, network, database } = stack;
  const { files } = host;
  const { groups } = network;
  return {
    ...stack,
    host: {
      ...host,
      act: (...args) => step(() => host.act(...args)),
      ...(files && { files: { ...files, remove: (...args) => step(() => files.remove(...args)) } }),
    },
    network: {
      slow: (...args) => step(() => network.slow(...args)),
      groups: groups && {
        ...groups,
        divide: (partition) => step(() => groups.divide(partition)),
        join: () => step(() => groups.join()),
      },
    },
    database: {
      ...database,
      async connect(...args) {
        live();
        const control = await database.connect(...args);
        return {
          ...control,
          call(command, ...more) {
            const ask = () => control.call(command, ...more);
            return READS.includes(`${command} ${more[0]}`) ? ask() : step(ask);
          },
        };
      },
    },
  };
}

/**
 * Disturbs a stack and undoes that, unless it dies. A journal that a dead process leaves stays on the disk.
 * @param {Stack} stack
 * @param {(site: Site) => Promise<Undo>} work
 * @param {End} end
 * @returns {Promise<{steps: number, died: boolean}>}
 */
export async function disturb(stack, work, end) {
  const life = lifeOf(end);
  const seen = seenFrom(stack, life);
  const inner = createJournal(seen);
  try {
    const undo = await work({
      stack: seen,
      journal: { ...inner, note: (what) => life.step(() => inner.note(what)) },
    });
    await undo();
  } catch (error) {
    if (!life.over()) throw error;
  } finally {
    // Entries that are left keep the file.
    await inner.close();
  }
  return { steps: life.steps(), died: life.over() };
}

/** @typedef {{fault: Fault, id?: string}} CrashCase id: of the node that the fault strikes, or ALL_LINKS; default: any node */

/** Longer than a test, so that only the undo ends it. */
const LONG_MS = 600_000;

/** The primary of a new stack and a Sentinel, and the others. */
const GROUPS = [
  ['redis-1', 'sentinel-1'],
  ['redis-2', 'redis-3', 'sentinel-2', 'sentinel-3'],
];
/** A test is over before the first change, so each of its steps has the same number each time. */
const FLAPPING = { lostMs: LONG_MS, wellMs: LONG_MS };

/** Faults with parameters, by the export that makes them. @type {Readonly<Record<string, CrashCase[]>>} */
const MADE = Object.freeze({
  slowLink: [
    { fault: faults.slowLink({ latencyMs: 10 }) },
    { fault: faults.slowLink({ latencyMs: 10 }), id: faults.ALL_LINKS },
  ],
  groupPartition: [
    { fault: faults.groupPartition({ groups: GROUPS }), id: faults.NETWORK },
    { fault: faults.groupPartition({ groups: GROUPS, oneWay: true, flapping: FLAPPING }), id: faults.NETWORK },
  ],
  blockingCommand: [{ fault: faults.blockingCommand(1000) }],
});

/** Exports that are no fault. */
const OTHERS = ['ALL_LINKS', 'NETWORK'];

/** @param {unknown} value @returns {value is Fault} */
function isFault(value) {
  return typeof value === 'object' && value !== null && 'inject' in value;
}

/** @type {readonly CrashCase[]} every fault there is */
const CASES = Object.entries(faults)
  .filter(([name]) => !OTHERS.includes(name))
  .flatMap(([name, value]) => {
    const cases = isFault(value) ? [{ fault: value }] : MADE[name];
    assert.ok(cases, `no test ends a process after each step of ${name}: add it to MADE`);
    return cases;
  });

/** All but the planned failovers: their new roles stay, so there is nothing to undo. */
export const FAULTS = CASES.filter(({ fault }) => !fault.planned);
