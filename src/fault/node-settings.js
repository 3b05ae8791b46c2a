import { setTimeout as delay } from 'node:timers/promises';
import { toRecord } from '../cluster/observe-node.js';

/**
 * Reading and writing the settings of one node, in the node's own spelling.
 *
 * @typedef {import('../cluster/control.js').Control} Control
 * @typedef {Record<string, string>} Settings
 *
 * @typedef {Object} Dialect how one kind of node is asked
 * @property {(control: Control, names: string[]) => Promise<Partial<Settings>>} read without those it does not know
 * @property {(control: Control, name: string, value: string) => Promise<void>} write resolves when it is in force
 */

const AOF_DEADLINE_MS = 20_000;
const POLL_MS = 20;

/** What `SENTINEL SET` takes and `SENTINEL MASTER` shows. */
const SENTINEL_SETTINGS = ['down-after-milliseconds', 'failover-timeout', 'parallel-syncs', 'quorum'];

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
    await control.call('CONFIG', 'SET', name, value);
    if (name.toLowerCase() === 'appendonly' && value.toLowerCase() === 'yes') await appendOnlyComplete(control);
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
 */
async function appendOnlyComplete(control) {
  const deadline = performance.now() + AOF_DEADLINE_MS;
  for (;;) {
    const info = await control.info('persistence');
    const busy = [info.aof_rewrite_in_progress, info.aof_rewrite_scheduled].includes('1');
    if (info.aof_enabled === '1' && !busy && info.aof_last_bgrewrite_status === 'ok') return;
    if (performance.now() >= deadline) {
      throw new Error(`its append-only file was not complete within ${AOF_DEADLINE_MS / 1000} s`);
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
