/**
 * The durability levels that failures are survived with, or not: what a writer asks for, and what the nodes are set to.
 *
 * @typedef {Object} Level
 * @property {number} wait replicas WAIT (or WAITAOF) asks for
 * @property {0 | 1} [waitLocal] WAITAOF, with this node's own file
 * @property {Readonly<Record<string, string>>} settings of every Redis node
 */

const NO_MINIMUM = { 'min-replicas-to-write': '0' };
const MINIMUM = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' };
const MINIMUM_TWO = { ...MINIMUM, 'min-replicas-to-write': '2' };
const AOF = { appendonly: 'yes', appendfsync: 'everysec' };

/** @satisfies {Record<string, Level>} */
const levels = {
  async: { wait: 0, settings: NO_MINIMUM },
  min1: { wait: 0, settings: MINIMUM },
  'min1-lag1': {
    wait: 0,
    settings: { ...MINIMUM, 'min-replicas-max-lag': '1' },
  },
  'min1-lag5': {
    wait: 0,
    settings: { ...MINIMUM, 'min-replicas-max-lag': '5' },
  },
  min2: { wait: 0, settings: MINIMUM_TWO },
  'min2-lag1': {
    wait: 0,
    settings: { ...MINIMUM_TWO, 'min-replicas-max-lag': '1' },
  },
  'min2-lag5': {
    wait: 0,
    settings: { ...MINIMUM_TWO, 'min-replicas-max-lag': '5' },
  },
  wait1: { wait: 1, settings: NO_MINIMUM },
  wait2: { wait: 2, settings: NO_MINIMUM },
  'wait1-min1': { wait: 1, settings: MINIMUM },
  'aof-no': {
    wait: 0,
    settings: { ...NO_MINIMUM, ...AOF, appendfsync: 'no' },
  },
  aof: { wait: 0, settings: { ...NO_MINIMUM, ...AOF } },
  'aof-always': {
    wait: 0,
    settings: { ...NO_MINIMUM, ...AOF, appendfsync: 'always' },
  },
  'waitaof-local': {
    wait: 0,
    waitLocal: 1,
    settings: { ...NO_MINIMUM, ...AOF, appendfsync: 'always' },
  },
  waitaof: {
    wait: 1,
    waitLocal: 1,
    // With everysec each WAITAOF waits for the next second.
    settings: { ...NO_MINIMUM, ...AOF, appendfsync: 'always' },
  },
};

/** @typedef {keyof typeof levels} LevelName */

/** @type {Readonly<Record<LevelName, Level>>} */
export const LEVELS = Object.freeze(levels);

/** The first Redis that knows WAITAOF; every Valkey does. */
const WAITAOF_SINCE = [7, 2];

/**
 * @param {LevelName} level
 * @param {{name: string, version: string}} server
 * @returns {boolean} whether the server knows what the level needs
 */
export function isPossible(level, { name, version }) {
  if (LEVELS[level].waitLocal === undefined || name === 'valkey') return true;
  const [major, minor] = version.split('.').map(Number);
  return major > WAITAOF_SINCE[0] || (major === WAITAOF_SINCE[0] && minor >= WAITAOF_SINCE[1]);
}
