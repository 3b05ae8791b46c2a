/** wrk, with the article's flags, against the application. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentForPrograms, programPath } from '../../../src/programs.js';
import { untilAborted } from '../../../src/run/interruption.js';
import { encodeHistogram, newHistogram } from '../../../src/stats/histogram.js';
import { NS_A_US, US_A_SECOND } from '../../../src/units.js';

/**
 *
 * @typedef {'register' | 'search'} Activity
 *
 * @typedef {Object} WrkFigures what the script prints
 * @property {number} requests that were answered
 * @property {number} durationUs
 * @property {number} bytes received
 * @property {number} confirmed registrations
 * @property {number} refused answers with a status of 400 or more
 * @property {number} timeouts answers that took longer than wrk's limit; they are among the requests
 * @property {number} broken connections that could not be made, read or written
 * @property {number[]} permilleUs latencies: of a thousandth of the requests, of two …
 */

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url));
const THREADS = 3;
export const CONNECTIONS = 50;
/** Its limit of an answer, as in the article. @type {Readonly<Record<Activity, string>>} */
const TIMEOUT = Object.freeze({ register: '1s', search: '10s' });
const SHOWN_CHARACTERS = 300;

/** @returns {string | null} why wrk cannot be run, and the remedy */
export const whyNoWrk = () =>
  programPath('wrk') === null ? 'wrk is not installed. Install it (Debian: `apt install wrk`).' : null;

/**
 * @param {{url: string, activity: Activity, run: string, seconds: number, signal: AbortSignal}} options run: names of this run begin with it; seconds: whole
 *   ones, at least 1
 * @returns {{counted: Promise<WrkFigures>, stop: () => void}} stop: it ends early and prints what it has counted
 */
export function startWrk({ url, activity, run, seconds, signal }) {
  const args = ['--latency', '--timeout', TIMEOUT[activity], '-d', `${seconds}s`, '-t', String(THREADS)];
  const child = spawn(
    programPath('wrk') ?? 'wrk',
    [...args, '-c', String(CONNECTIONS), '-s', SCRIPT, url, '--', activity, run],
    { env: environmentForPrograms(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const counted = untilAborted(ended, signal)
    .finally(() => child.kill('SIGKILL'))
    .then(() => countedIn(output));
  counted.catch(() => {});
  return { counted, stop: () => void child.kill('SIGINT') };
}

/** @param {string} output @returns {WrkFigures} @throws {Error} it has no figures */
function countedIn(output) {
  const line = output.split('\n').find((each) => each.startsWith('{"requests"'));
  if (line === undefined)
    throw new Error(`wrk did not say what it measured: ${output.slice(-SHOWN_CHARACTERS).trim()}`);
  return JSON.parse(line);
}

/** @param {WrkFigures} counted @param {Activity} activity */
export function sampleOf({ permilleUs, ...counted }, activity) {
  const { requests, durationUs, bytes, confirmed, refused, timeouts, broken } = counted;
  const histogram = newHistogram();
  for (const [i, us] of permilleUs.entries()) {
    const [from, to] = [i, i + 1].map((part) => Math.floor((requests * part) / permilleUs.length));
    if (to > from) histogram.recordValueWithCount(us * NS_A_US, to - from);
  }
  const acked = activity === 'register' ? confirmed : requests - refused;
  return {
    seconds: durationUs / US_A_SECOND,
    operations: requests + broken,
    outcomes: { acked, underAcked: 0, rejected: requests - acked, unknown: broken },
    errors: Object.fromEntries(
      Object.entries({ 'HTTP status': refused, CONNECTION: broken }).filter(([, times]) => times > 0),
    ),
    histogram: encodeHistogram(histogram),
    load: { cpu: null, eventLoopUtilization: 0 },
    application: { requests, confirmed: acked, refused, timeouts, receivedBytes: bytes },
  };
}
