import { messageOf } from '../../errors.js';
import { cleanLine } from '../../untrusted.js';
import { readAddress } from '../address.js';
import { isReplyError } from './control.js';

/**
 * @import { Address, NodeInfo } from '../types.js'
 * @import { Control } from './control.js'
 * @import { RedisState, SentinelState } from './observe.js'
 */

/**
 * What one node says of itself: the questions, and how their answers are read.
 */

const YEAR_MS = 365 * 24 * 3600 * 1000;

/** @typedef {RedisState & {followers: Record<string, string>}} RawRedisState followers: as the primary has them, by address */

/**
 * @param {NodeInfo} node
 * @param {(question: (control: Control) => Promise<Record<string, string>>) => Promise<Record<string, string>>} ask
 * @returns {Promise<RawRedisState>}
 */
export async function observeRedis(node, ask) {
  /** @type {RawRedisState} */
  const state = {
    id: node.id,
    announced: node.announced,
    error: null,
    role: null,
    follows: null,
    linkUp: false,
    offset: null,
    lagBytes: null,
    lagSeconds: null,
    online: false,
    goodReplicas: null,
    followers: {},
  };
  try {
    const info = await ask((control) => control.info('replication'));
    if (info.role === 'master') {
      state.role = 'primary';
      state.offset = countIn(info.master_repl_offset);
      state.followers = followersOf(info);
      state.goodReplicas = countIn(info.min_slaves_good_slaves);
    } else {
      state.role = 'replica';
      state.follows = readAddress(info.master_host, info.master_port);
      state.linkUp = info.master_link_status === 'up';
      state.offset = countIn(info.slave_repl_offset);
    }
  } catch (error) {
    state.error = messageOf(error);
  }
  return state;
}

/** @param {string | undefined} text */
function countIn(text) {
  return /^\d+$/.test(text ?? '') ? Number(text) : null;
}

/**
 * @param {Record<string, string>} info of a primary
 * @returns {Record<string, string>} each `slaveN` line, by the follower's address
 */
function followersOf(info) {
  /** @type {Record<string, string>} */
  const followers = {};
  for (const [field, value] of Object.entries(info)) {
    if (!/^slave\d+$/.test(field)) continue;
    const parts = parsePairs(value);
    followers[`${parts.ip}:${parts.port}`] = value;
  }
  return followers;
}

/** @param {string} text `a=1,b=2` */
export function parsePairs(text) {
  return Object.fromEntries(text.split(',').map((pair) => pair.split('=')));
}

/**
 * @param {NodeInfo} node
 * @param {string} masterName
 * @param {(question: (control: Control) => Promise<Partial<SentinelState>>) => Promise<Partial<SentinelState>>} ask
 * @returns {Promise<SentinelState>}
 */
export async function observeSentinel(node, masterName, ask) {
  /** @type {SentinelState} */
  const state = {
    id: node.id,
    announced: node.announced,
    error: null,
    primary: null,
    flags: [],
    replicas: [],
    otherSentinels: 0,
    tilt: false,
    quorum: { ok: false, text: '' },
  };
  try {
    const belief = await ask(async (control) => {
      const [primary, master, replicas, quorum, info] = await Promise.all([
        primaryAddress(control, masterName),
        control.call('SENTINEL', 'MASTER', masterName).then(toRecord),
        control.call('SENTINEL', 'REPLICAS', masterName),
        checkQuorum(control, masterName),
        control.info('sentinel'),
      ]);
      return {
        primary,
        flags: master.flags.split(','),
        otherSentinels: Number(master['num-other-sentinels']),
        replicas: /** @type {unknown[]} */ (replicas).map(toRecord).map((replica) => ({
          address: readAddress(replica.ip, replica.port),
          flags: replica.flags.split(','),
          // An age of 0 may also be that of an INFO of this very millisecond; whom it follows is known from INFO only.
          heard: isAge(Number(replica['info-refresh'])) || replica['slave-master-host'] !== '?',
        })),
        quorum,
        tilt: info.sentinel_tilt === '1',
      };
    });
    Object.assign(state, belief);
  } catch (error) {
    state.error = messageOf(error);
  }
  return state;
}

/**
 * @param {number} ms since a Sentinel last had a node's INFO. When it never had: 0, or before Redis 7 the time since 1970.
 */
function isAge(ms) {
  return ms > 0 && ms < YEAR_MS;
}

/**
 * @param {Control} control of a Sentinel
 * @param {string} masterName
 * @returns {Promise<Address | null>}
 */
export async function primaryAddress(control, masterName) {
  const reply = await control.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName);
  return Array.isArray(reply) ? readAddress(reply[0], reply[1]) : null;
}

/**
 * @param {Control} control
 * @param {string} masterName
 */
async function checkQuorum(control, masterName) {
  try {
    return { ok: true, text: String(await control.call('SENTINEL', 'CKQUORUM', masterName)) };
  } catch (error) {
    // A quorum that is not there is what was asked about, and is answered with an error.
    if (isReplyError(error) && error.message.startsWith('NOQUORUM')) return { ok: false, text: error.message };
    throw error;
  }
}

/**
 * @param {unknown} reply field, value, field, value …
 * @returns {Record<string, string>}
 */
export function toRecord(reply) {
  const list = /** @type {string[]} */ (reply);
  /** @type {Record<string, string>} */
  const record = {};
  for (let i = 0; i + 1 < list.length; i += 2) record[list[i]] = cleanLine(String(list[i + 1]));
  return record;
}
