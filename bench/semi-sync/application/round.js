/** A round of the article's benchmarks: the application is started, and wrk writes or reads through it, or nothing happens. */
/** @import { ServedApplication } from './server.js' */
/** @import { Measure, NodeInfo, RoundSite, Stack } from '../../types.js' */
/** @import { Control } from '../../../src/stacks/types.js' */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DATABASE, ENTRIES } from '../../../src/clients/mysql.js';
import { environmentForPrograms, programPath } from '../../../src/programs.js';
import { untilAborted } from '../../../src/run/interruption.js';
import { roundAround } from '../../../src/run/round.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { askNode } from '../../../src/stacks/ask.js';
import { isInSync } from '../../../src/stacks/mariadb/replication.js';
import { encodeHistogram, newHistogram } from '../../../src/stats/histogram.js';
import { MS_A_SECOND, NS_A_US, US_A_SECOND } from '../../../src/units.js';
import { waitFor } from '../../../src/wait.js';

export const PROFILE_BYTES = 256;
const SERVER = fileURLToPath(new URL('server.js', import.meta.url));
/** People who are registered before a round, so that a search finds a page of them. */
const PEOPLE = 10_000;
const STATEMENT_MS = 20_000;
const IN_SYNC_MS = 120_000;

/** Stacks whose database has the people. @type {WeakSet<Stack>} */
const filled = new WeakSet();

/** Every node has the people then. @param {RoundSite} site */
export async function readyNodes({ testbed: { stack, primary, replicas = [] }, keyPrefix }) {
  if (!primary) throw new Error('the stack has no primary');
  await fillPeople(stack, primary.id, keyPrefix);
  await untilReplicated(stack, primary, replicas);
  return { primary, replicas };
}

/**
 * @param {RoundSite} site
 * @param {{primary: NodeInfo, readers: readonly NodeInfo[]}} nodes
 * @returns {Promise<{url: string, close: () => Promise<void>}>} it answers
 */
export async function startApplication({ testbed, keyPrefix: prefix }, { primary, readers }) {
  const child = fork(SERVER, { env: environmentForPrograms(), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    /** @type {ServedApplication} */
    const plan = {
      primary: primary.address,
      readers: readers.map(({ address }) => address),
      credentials: testbed.stack.access.credentials,
      connections: CONNECTIONS,
      profileBytes: PROFILE_BYTES,
      prefix,
    };
    child.send(plan);
    const [port] = await untilAborted(once(child, 'message'), testbed.signal);
    return { url: `http://${LOOPBACK}:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As many people begin with each two letters. @param {Stack} stack @param {string} primaryId @param {string} prefix of the application's keys */
async function fillPeople(stack, primaryId, prefix) {
  if (filled.has(stack)) return;
  const key = 'CONCAT(?, CHAR(97 + seq MOD 26), CHAR(97 + seq DIV 26 MOD 26), seq)';
  const people = `SELECT ${key}, REPEAT('x', ${PROFILE_BYTES}) FROM ${DATABASE}.seq_0_to_${PEOPLE - 1}`;
  const fill = (/** @type {Control} */ control) =>
    control.call(`INSERT IGNORE INTO ${ENTRIES} (k, v) ${people}`, prefix);
  await askNode(stack, primaryId, fill, { timeoutMs: STATEMENT_MS });
  filled.add(stack);
}

/** @param {Stack} stack @param {NodeInfo} primary @param {readonly NodeInfo[]} replicas @throws {Error} a replica does not catch up */
async function untilReplicated(stack, primary, replicas) {
  const { gtid_binlog_pos: position } = await askNode(stack, primary.id, (control) => control.info());
  for (const { id } of replicas) {
    const has = () =>
      askNode(stack, id, async (control) => {
        const state = await control.info();
        return isInSync(state, Number(state.master_port), position);
      });
    if (!(await waitFor(has, { deadlineMs: IN_SYNC_MS }))) throw new Error(`${id} did not catch up`);
  }
}

let runs = 0;

/** @returns {string} what the names of a run of wrk begin with; no searched name begins so */
export function nextRun() {
  runs += 1;
  return String(runs);
}

/** @type {Measure} */
export async function measureActivity(site) {
  const { testbed, theCase, now } = site;
  const { signal, profile } = testbed;
  const { operation, readFrom } = theCase.params;
  const { primary, replicas } = await readyNodes(site);
  if (operation === 'idle') {
    now('nothing');
    return roundAround(testbed, () => rest(profile.seconds, signal));
  }
  const activity = operation === 'get' ? 'search' : 'register';
  const readers = readFrom === 'replicas' ? replicas : [primary];
  const application = await startApplication(site, { primary, readers });
  const load = (/** @type {number} */ seconds) =>
    startWrk({ url: application.url, activity, run: nextRun(), seconds: Math.max(1, Math.round(seconds)), signal })
      .counted;
  try {
    now(`wrk: ${activity}`);
    await load(profile.warmUpSeconds);
    return await roundAround(testbed, async () => sampleOf(await load(profile.seconds), activity));
  } finally {
    await application.close();
  }
}

/** @param {number} seconds @param {AbortSignal} signal */
async function rest(seconds, signal) {
  await delay(seconds * MS_A_SECOND, undefined, { signal });
  return {
    seconds,
    operations: 0,
    outcomes: { acked: 0, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    histogram: encodeHistogram(newHistogram()),
    load: { cpu: 0, eventLoopUtilization: 0 },
  };
}

/** @typedef {'register' | 'search'} Activity */
/**
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
