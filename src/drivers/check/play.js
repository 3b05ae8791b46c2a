/** Plays one scenario with a driver, and keeps all that both sides saw. */
import { setTimeout as delay } from 'node:timers/promises';
import { valueMaker } from '../../audit/value.js';
import { UserError } from '../../errors.js';
import { processesOfGroup, textOf } from '../../stacks/hosts/processes.js';
import { END_MS, startDriver } from '../process.js';
import { makeTask } from '../task.js';
import { openDeployment } from './deployment.js';
import { now } from './front.js';
import { LOGIN, SENTINEL_LOGIN, TOKEN } from './scenarios.js';

/**
 * @import { Stack } from '../../stacks/types.js'
 * @import { OutcomeReport } from '../lines.js'
 * @import { Command } from '../child.js'
 * @import { Driver } from '../process.js'
 * @import { Scenario } from './scenarios.js'
 * @typedef {Awaited<ReturnType<typeof play>>} Play what both sides saw
 * @typedef {{readyMs: number, endMs: number, signal?: AbortSignal}} PlayLimits endMs: beyond what the driver has for its answers; signal: kills the
 *   driver, and rejects
 */

/** Longer than any driver needs to start, and longer than the 15 s after which it has to give up. */
export const LIMITS = Object.freeze({ readyMs: 25_000, endMs: END_MS });

const PAYLOAD_BYTES = 40;
const UNKNOWN_MASTER = 'nobody';
const AHEAD_MS = 20;
/** A password may be cut in two by a buffer. */
const KEPT_BYTES = 64;

/** @param {Command} command @param {string} variant @param {Scenario} scenario @param {Stack} stack @param {PlayLimits} limits */
export async function play(command, variant, scenario, stack, limits) {
  limits.signal?.throwIfAborted();
  const keyPrefix = `sentinel-bench:check:${Math.random().toString(36).slice(2, 8)}:`;
  const { secret, lost, wait, rate, concurrency, giveUpMs, drainMs } = scenario;
  const { sentinels, writes, close } = await openDeployment(stack, {
    scenario,
    keyPrefix,
    value: valueMaker(keyPrefix, PAYLOAD_BYTES),
    login: secret ? LOGIN : null,
    sentinelLogin: secret ? SENTINEL_LOGIN : null,
  });
  const { username, password } = LOGIN;
  const task =
    scenario.task ??
    makeTask({
      variant,
      sentinels,
      masterName: lost ? UNKNOWN_MASTER : stack.access.masterName,
      credentials: secret ? { username, password, sentinelPassword: SENTINEL_LOGIN.password } : {},
      command: 'SET',
      wait,
      rate,
      concurrency,
      keyPrefix,
      payloadBytes: PAYLOAD_BYTES,
      giveUpMs,
      drainMs,
    });
  try {
    const seen = await watched(command, task, scenario, { ...limits, endMs: drainMs + limits.endMs });
    const { attempts, waits, strange } = writes;
    // What is lost is only known while the fronts are open.
    return { scenario, ...seen, attempts: attempts.map((each) => ({ ...each })), waits, strange };
  } finally {
    close();
  }
}

/** @param {Command} command @param {object | string} task @param {Scenario} scenario @param {PlayLimits} limits */
async function watched(command, task, scenario, { readyMs, endMs, signal }) {
  const reports = /** @type {OutcomeReport[]} */ ([]);
  const problems = /** @type {string[]} */ ([]);
  /** Where the password was seen. @type {string | null} */
  let leak = null;
  const tails = { stdout: '', stderr: '' };
  const driver = startDriver(command, task, {
    readyMs,
    onReport: (report) => void reports.push(report),
    onProblem: (problem) => void problems.push(problem),
    onOutput(chunk, stream) {
      const text = tails[stream] + chunk.toString('latin1');
      if (text.includes(TOKEN)) leak ??= stream === 'stdout' ? 'standard output' : 'standard error';
      tails[stream] = text.slice(-KEPT_BYTES);
    },
  });
  const kill = () => driver.signal('SIGKILL');
  signal?.addEventListener('abort', kill, { once: true });
  let notReady = /** @type {string | null} */ (null);
  /** When write 0 was due, and when it was told to end, as `now()`. */
  let times = { startAt: 0, endAt: 0 };
  const ready = await driver.ready.catch((error) => {
    if (!(error instanceof UserError)) throw error;
    notReady = error.message;
    return null;
  });
  if (ready) {
    leak ??= leakOf(driver.pid);
    times = await drive(driver, scenario);
  }
  let killed = false;
  const timer = setTimeout(() => {
    killed = true;
    kill();
  }, endMs);
  const ended = await driver.ended;
  clearTimeout(timer);
  signal?.removeEventListener('abort', kill);
  signal?.throwIfAborted();
  return { ready, notReady, ended, killed, ...times, reports, problems, leak };
}

/** Tells it to end, unless it has ended by itself. @param {Driver} driver that is ready @param {Scenario} scenario */
async function drive(driver, { seconds, deaf, ending }) {
  const startNs = process.hrtime.bigint() + BigInt(AHEAD_MS * 1e6);
  driver.start(startNs);
  const over = delay(AHEAD_MS + seconds * 1000);
  if (deaf) {
    const [from, until] = deaf;
    await delay(AHEAD_MS + from * 1000);
    driver.read(false);
    await delay((until - from) * 1000);
    driver.read(true);
  }
  await Promise.race([over, driver.ended]);
  const endAt = now();
  if (ending === 'SIGTERM') driver.signal('SIGTERM');
  else if (ending === 'input') driver.closeInput();
  else driver.stop();
  return { startAt: Number(startNs) / 1e6, endAt };
}

/** @param {number} group of processes @returns where one of them shows the password; null: nowhere, or this system has no /proc */
function leakOf(group) {
  for (const pid of processesOfGroup(group)) {
    if (textOf(`/proc/${pid}/cmdline`).includes(TOKEN)) return 'the command line of a process';
    if (textOf(`/proc/${pid}/environ`).includes(TOKEN)) return 'the environment of a process';
  }
  return null;
}
