/** The scenarios of a check: what the scripted primary does, and how the driver is ended. */

/**
 * @import { NeededLogin } from './front.js'
 * @import { AnswerScript } from './deployment.js'
 *
 * @typedef {Object} Scenario
 * @property {string} name
 * @property {AnswerScript} script
 * @property {number} rate
 * @property {number} seconds from the start to the end
 * @property {number} [concurrency] default: 10
 * @property {{replicas: number, timeoutMs: number} | null} [wait]
 * @property {'stop' | 'input' | 'SIGTERM'} [ending] default: stop
 * @property {number} [giveUpMs] default: 1000
 * @property {number} [drainMs] default: 1500
 * @property {boolean} [secret] logins are needed
 * @property {boolean} [lost] the Sentinels know no primary
 * @property {object | string} [task] what is sent instead of a task
 * @property {[number, number]} [deaf] seconds from the start between which its output is not read
 */

/** The word that must not be in any output; both passwords have it. */
export const TOKEN = 'Zq7xK3vW9';

/** Characters that a shell, JSON, a URL and redis.conf each treat in their own way. @type {NeededLogin} */
export const LOGIN = { username: 'app', password: `p"a's$ %41\\${TOKEN}@:/` };
/** @type {NeededLogin} */
export const SENTINEL_LOGIN = { username: null, password: `s'e"${TOKEN} #n` };

const always = () => ({ count: 2 });

/** A number from 0 to 99 that looks random, and is the same for the same write. @param {number} number */
const scattered = (number) => (Math.imul(number + 1, 2654435761) >>> 8) % 100;

/** Error replies, by the number of the write. They are apart, so that each has recovered before the next. */
const ERRORS = Object.freeze(
  /** @type {Record<number, string>} */ ({
    10: 'NOREPLICAS Not enough good replicas to write.',
    22: "OOM command not allowed when used memory > 'maxmemory'.",
    34: 'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    46: 'LOADING Redis is loading the dataset in memory',
    64: "READONLY You can't write against a read only replica.",
  }),
);

/** @type {readonly number[]} */
export const DROPPED = Object.freeze([15, 40]);
const SILENT_FROM = 20;

/** Writes after which WAIT counts none, and after which it fails. */
const NONE = [30, 40];
const FAILING = [55, 60];

/** Each connection has a count of its own, which shows where a count comes from. @type {AnswerScript['wait']} */
function countOfConnection(after, connection) {
  if (after >= NONE[0] && after < NONE[1]) return { count: 0 };
  if (after >= FAILING[0] && after < FAILING[1]) return { error: 'ERR scripted error instead of a count' };
  return { count: 1 + (connection % 250) };
}

/** @type {AnswerScript} */
const prompt = { write: () => ({}), wait: always };

export const SCENARIOS = Object.freeze(
  /** @type {const} @satisfies {Record<string, Scenario>} */ ({
    answers: {
      name: 'answers',
      script: { write: (number) => ({ delayMs: 5 + scattered(number) }), wait: always },
      rate: 50,
      seconds: 1.6,
    },
    errors: {
      name: 'errors',
      script: { write: (number) => (number in ERRORS ? { error: ERRORS[number] } : {}), wait: always },
      rate: 25,
      seconds: 3.4,
      concurrency: 5,
    },
    dropped: {
      name: 'dropped connection',
      script: {
        write: (number, attempt) => (attempt === 0 && DROPPED.includes(number) ? { instead: 'drop' } : {}),
        wait: always,
      },
      rate: 25,
      seconds: 3,
      concurrency: 5,
    },
    silent: {
      name: 'silent server',
      script: { write: (number) => (number >= SILENT_FROM ? { instead: 'silent' } : {}), wait: always },
      rate: 30,
      seconds: 2.2,
      giveUpMs: 500,
      drainMs: 1000,
    },
    backlog: {
      name: 'backlog at the end',
      // Each write takes so long that no library can send them all. With more writes the reading of their reports
      // takes longer than a driver may need for its end, on a busy machine.
      script: { write: () => ({ delayMs: 20 }), wait: always },
      rate: 10_000,
      seconds: 0.5,
      concurrency: 10,
      giveUpMs: 60_000,
      drainMs: 200,
    },
    wait: {
      name: 'WAIT',
      script: { write: (number) => ({ delayMs: scattered(number) }), wait: countOfConnection },
      rate: 40,
      seconds: 2,
      wait: { replicas: 1, timeoutMs: 500 },
    },
    secret: { name: 'login', script: prompt, rate: 30, seconds: 1, secret: true },
    input: { name: 'end of input', script: prompt, rate: 50, seconds: 0.8, ending: 'input' },
    sigterm: { name: 'SIGTERM', script: prompt, rate: 50, seconds: 0.8, ending: 'SIGTERM' },
    invalid: { name: 'invalid task', script: prompt, rate: 1, seconds: 0, task: 'this is no task' },
    protocol: {
      name: 'another protocol',
      script: prompt,
      rate: 1,
      seconds: 0,
      task: { protocol: 'sentinel-bench/driver@999' },
    },
    lost: { name: 'no primary', script: prompt, rate: 1, seconds: 0, secret: true, lost: true },
    deaf: { name: 'nobody reads', script: prompt, rate: 700, seconds: 3, deaf: [0.2, 2.6] },
  }),
);
