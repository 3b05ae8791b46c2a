/** The scenarios of a check, and what the scripted primary does in them. */
import { readYaml } from '../../yaml.js';

/**
 * @import { NeededLogin } from './front.js'
 * @typedef {Object} Scenario
 * @property {string} name @property {string} check the name of its result
 * @property {Object} [writes] default: each is answered at once. Writes have the numbers 0, 1 …
 * @property {number} [writes.delayMs] before the answer
 * @property {number} [writes.scatteredMs] whole milliseconds below this are added, the same for the same write
 * @property {Record<number, string>} [writes.errors] error replies to these
 * @property {number[]} [writes.dropped] the connection is closed when these arrive for the first time
 * @property {number} [writes.silentFrom] from this one on, none is answered
 * @property {{from: number, until: number, count?: number, error?: string}[]} [waits] what WAIT answers after the writes from … until - 1.
 *   Elsewhere each connection has a count of its own, which shows where a count comes from
 * @property {number} rate writes a second; default: 1
 * @property {number} seconds from the start to the end; default: 0 @property {number} concurrency default: 10
 * @property {{replicas: number, timeoutMs: number} | null} wait default: null
 * @property {'stop' | 'input' | 'SIGTERM'} [ending] default: stop @property {number} giveUpMs default: 1000
 * @property {number} drainMs default: 1500 @property {true} [secret] logins are needed
 * @property {true} [lost] the Sentinels know no primary @property {object | string} [task] what is sent instead of a task
 * @property {number} [status] with which it has to refuse the task
 * @property {[number, number]} [deaf] seconds from the start between which its output is not read
 * @typedef {Object} Act what the primary does with a write
 * @property {string} [error] the error reply @property {number} delayMs before the answer
 * @property {'drop' | 'silent'} [instead] of an answer: closes the connection, or never answers
 */

/** The word that must not be in any output; both passwords have it. */
export const TOKEN = 'Zq7xK3vW9';

/** Characters that a shell, JSON, a URL and redis.conf each treat in their own way. */
export const LOGIN = { username: 'app', password: `p"a's$ %41\\${TOKEN}@:/` };
/** @type {NeededLogin} */
export const SENTINEL_LOGIN = { username: null, password: `s'e"${TOKEN} #n` };

const DEFAULTS = { rate: 1, seconds: 0, concurrency: 10, wait: null, giveUpMs: 1000, drainMs: 1500 };

/** @type {Record<string, Scenario>} */
const listed = readYaml(new URL('scenarios.yaml', import.meta.url));

/** By their ids. @type {ReadonlyMap<string, Scenario>} */
export const scenarios = new Map(Object.entries(listed).map(([id, each]) => [id, { ...DEFAULTS, ...each }]));

/** @param {Scenario} scenario @param {number} number of the write @param {number} attempt how often it arrived before @returns {Act} */
export function actOn({ writes = {} }, number, attempt) {
  const { delayMs = 0, scatteredMs = 1, errors = {}, dropped = [], silentFrom = Infinity } = writes;
  if (number >= silentFrom) return { delayMs, instead: 'silent' };
  if (attempt === 0 && dropped.includes(number)) return { delayMs, instead: 'drop' };
  const scattered = (Math.imul(number + 1, 2654435761) >>> 8) % scatteredMs;
  return { delayMs: delayMs + scattered, error: errors[number] };
}

/**
 * @param {Scenario} scenario @param {number} after the last write of any connection @param {number} connection its number, from 1 on
 * @returns {{count?: number, error?: string}} what WAIT answers
 */
export function answerToWait({ waits = [] }, after, connection) {
  return waits.find(({ from, until }) => after >= from && after < until) ?? { count: 1 + (connection % 250) };
}
