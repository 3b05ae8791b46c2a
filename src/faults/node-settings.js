import { setTimeout as delay } from 'node:timers/promises';
import { toRecord } from '../stacks/redis/observe.js';

/** @import { Control } from '../stacks/redis/control.js' */

/**
 * Reading and writing the settings of one node, in the node's own spelling.
 *
 * @typedef {Record<string, string>} Settings
 *
 * @typedef {Object} Dialect how one kind of node is asked
 * @property {(control: Control, names: string[]) => Promise<Partial<Settings>>} read without those it does not know
 * @property {(control: Control, name: string, value: string) => Promise<void>} write resolves when it is in force
 */

/** The first rewrite of a large data set takes long; one that has not got on for so long never ends. */
const AOF_STANDSTILL_MS = 60_000;
const POLL_MS = 20;

const TIMEOUT_MS = 10_000;
/** Whoever turns the append-only file off waits until all that the system still holds of it is on disk. */
const SYNC_TIMEOUT_MS = 60_000;

/** What `SENTINEL SET` takes and `SENTINEL MASTER` shows. */
const SENTINEL_SETTINGS = ['down-after-milliseconds', 'failover-timeout', 'parallel-syncs', 'quorum'];

/**
 * @param {Readonly<Settings>} settings that are going to be changed
 * @returns {number} how long connecting, and each command, may take
 */
export function timeoutFor(settings) {
  return Object.keys(settings).some((name) => name.toLowerCase() === 'appendonly') ? SYNC_TIMEOUT_MS : TIMEOUT_MS;
}

/** @type {Dialect} */
export const redisDialect = {
  async read(control, names) {
    /** @type {Partial<Settings>} */
    const settings = {};
    for (const name of names) {
      // One at a time: several need Redis 7. A pattern would be answered with whatever it fits.
      if (/[*?[\]\\]/.test(name)) continue;
      const [value] = Object.values(toRecord(await control.call('CONFIG', 'GET', name)));
      if (value !== undefined) settings[name] = value;
    }
    return settings;
  },
  async write(control, name, value) {
    const turnsOn = name.toLowerCase() === 'appendonly' && value.toLowerCase() === 'yes';
    const sound = turnsOn && (await control.info('persistence')).aof_last_bgrewrite_status === 'ok';
    await control.call('CONFIG', 'SET', name, value);
    if (turnsOn) await appendOnlyComplete(control, sound);
  },
};

/**
 * @param {string} masterName
 * @returns {Dialect} a Sentinel writes each change to its own file at once
 */
export function sentinelDialect(masterName) {
  return {
    async read(control, names) {
      const master = toRecord(await control.call('SENTINEL', 'MASTER', masterName));
      return Object.fromEntries(
        names.filter((name) => SENTINEL_SETTINGS.includes(name)).map((name) => [name, master[name]]),
      );
    },
    async write(control, name, value) {
      await control.call('SENTINEL', 'SET', masterName, name, value);
    },
  };
}

/**
 * The file is only whole, and `WAITAOF` only means something, after the first rewrite.
 *
 * @param {Control} control
 * @param {boolean} sound the last rewrite before this had not failed
 * @throws {Error} a rewrite ended without it, which the server would try again for ever
 */
async function appendOnlyComplete(control, sound) {
  let progress;
  let deadline = 0;
  let began = false;
  for (;;) {
    const info = await control.info('persistence');
    if (info.current_save_keys_processed !== progress || deadline === 0)
      deadline = performance.now() + AOF_STANDSTILL_MS;
    progress = info.current_save_keys_processed;
    const rewriting = info.aof_rewrite_in_progress === '1';
    began ||= rewriting;
    // The server tries again a tenth of a second later: that may be under way when it is asked next.
    if ((sound || (began && !rewriting)) && info.aof_last_bgrewrite_status !== 'ok') {
      throw new Error('its append-only file could not be written; most often the disk is full');
    }
    const busy = rewriting || info.aof_rewrite_scheduled === '1';
    if (info.aof_enabled === '1' && !busy && info.aof_last_bgrewrite_status === 'ok') return;
    if (performance.now() >= deadline) {
      throw new Error(`its append-only file is not complete and has not got on for ${AOF_STANDSTILL_MS / 1000} s`);
    }
    await delay(POLL_MS);
  }
}

const UNITS = /** @type {Record<string, number>} */ ({
  '': 1,
  b: 1,
  k: 1e3,
  kb: 2 ** 10,
  m: 1e6,
  mb: 2 ** 20,
  g: 1e9,
  gb: 2 ** 30,
});

/**
 * @param {string} asked as a user writes it
 * @param {string} told as the node spells it
 * @returns {boolean | null} do they mean the same; null: a node may spell this in ways of its own (the classes of buffer
 *   limits, the letters of keyspace events)
 */
export function meansSame(asked, told) {
  const [ours, theirs] = [wordsOf(asked), wordsOf(told)];
  if (ours.length === theirs.length && ours.every((word, index) => word === theirs[index])) return true;
  if (ours.length === 0 || theirs.length === 0) return false;
  const plain = [...ours, ...theirs].every((word) => /^(-?\d+|yes|no)$/.test(word));
  return plain && ours.length === theirs.length ? false : null;
}

/**
 * @param {string} value
 * @returns {string[]} sizes as bytes, other words in lower case
 */
function wordsOf(value) {
  const words = value.trim().split(/\s+/);
  return (value.trim() === '' ? [] : words).map((word) => {
    const [, digits, unit] = /^(-?\d+)([a-z]{0,2})$/i.exec(word) ?? [];
    const factor = UNITS[unit?.toLowerCase()];
    return factor === undefined ? word.toLowerCase() : String(Number(digits) * factor);
  });
}
