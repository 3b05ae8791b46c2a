/** Rounds in which another program makes the load, behind the interface of the load thread. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../private-files.js';
import { environmentForPrograms } from '../programs.js';
import { findClient } from '../registry/clients.js';
import { cpuSecondsIn, statFields } from '../stacks/processes.js';
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { drain } from './drain.js';

/**
 * @import { LoadThread, Turns } from './load-thread.js'
 * @import { Counted, Program, RoundPlan, RoundSample } from './types.js'
 */

/** Time for starting, connecting and ending, beside the timed part. */
const GRACE_MS = 20_000;
/** Batches on each connection in the first run of a shape. Its speed gives the number of operations of a round. */
const FIRST_BATCHES = 100;
/** How much of an output that cannot be parsed is shown, in characters. */
const SHOWN = 300;

const MEMORY_POLL_MS = 50;
const BYTES_PER_KB = 1024;
/** How much of the end of standard error is kept, in characters. */
const ERROR_TAIL = 1000;

/**
 * @param {LoadThread & Turns} loadThread for rounds whose client runs in it
 * @returns {LoadThread & Turns} for all rounds; rejects where `loadThread` would, and when a program fails. Programs take no turns
 */
export function withPrograms(loadThread) {
  const programLoad = startProgramLoad();
  /** @type {LoadThread} which of them `go` uses */
  let prepared = loadThread;
  return {
    ...loadThread,
    async prepare(plan) {
      prepared = findClient(plan.client)?.program ? programLoad : loadThread;
      await prepared.prepare(plan);
    },
    go: (onProgress) => prepared.go(onProgress),
    async close() {
      await Promise.all([programLoad.close(), loadThread.close()]);
    },
  };
}

/** @returns {LoadThread} */
function startProgramLoad() {
  let closing = new AbortController();
  /** @type {Promise<unknown>} */
  let running = Promise.resolve();
  /** Operations a second in the last run of each program and shape. @type {Map<string, number>} */
  const rates = new Map();
  /** @type {RoundPlan | null} */
  let plan = null;

  /**
   * @param {RoundPlan} roundPlan
   * @param {number} amount seconds or operations, whichever the program takes
   * @returns {Promise<Counted & ProgramUse>}
   */
  const run = async (roundPlan, amount) => {
    const program = await programOf(roundPlan);
    const run = runProgram(program.name, program.args(roundPlan, amount, findClient(roundPlan.client)?.firstKey ?? 0), {
      timeoutMs: roundPlan.seconds * 1000 + GRACE_MS,
      signal: closing.signal,
    });
    running = run.catch(() => {});
    const { output, ...use } = await run;
    const counted = parse(program, output, amount);
    rates.set(shapeOf(roundPlan), counted.operations / counted.seconds);
    return { ...counted, ...use };
  };

  return {
    async prepare(roundPlan) {
      plan = roundPlan;
      refuseSecrets(roundPlan);
      if (!(await programOf(roundPlan)).timed && !rates.has(shapeOf(roundPlan))) {
        await run(roundPlan, FIRST_BATCHES * roundPlan.connections * roundPlan.shape.pipeline);
      }
      await drain(roundPlan);
    },
    async go() {
      if (!plan) throw new Error('no round was prepared');
      const rate = rates.get(shapeOf(plan)) ?? 0;
      const amount = (await programOf(plan)).timed
        ? Math.max(1, Math.round(plan.seconds))
        : Math.ceil(rate * plan.seconds);
      return sampleOf(await run(plan, amount));
    },
    async close() {
      closing.abort();
      closing = new AbortController();
      await running;
    },
  };
}

/** @param {Program} program @param {string} output @param {number} amount */
function parse(program, output, amount) {
  let cause;
  try {
    const counted = program.parse(output, amount);
    if (counted.operations > 0 && counted.seconds > 0 && Number.isFinite(counted.seconds)) return counted;
  } catch (error) {
    cause = error;
  }
  throw new Error(`${program.name} did not say what it measured: ${output.slice(-SHOWN).trim()}`, { cause });
}

/** @param {Counted & ProgramUse} run @returns {RoundSample} without latencies and errors */
function sampleOf({ operations, seconds, cpuSeconds, memoryBytes }) {
  const latencies = newHistogram();
  return {
    seconds,
    operations,
    outcomes: { acked: operations, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    firstError: null,
    histogram: encodeHistogram(latencies),
    latencyNs: latencyOf(latencies),
    load: {
      cpu: cpuSeconds === null ? null : cpuSeconds / seconds,
      eventLoopUtilization: 0,
      cpuPerOperationNs: cpuSeconds === null ? null : (cpuSeconds * 1e9) / operations,
      peakMemoryBytes: memoryBytes,
    },
  };
}

/** @param {RoundPlan} plan */
function shapeOf({ client, connections, shape }) {
  return `${client} ${connections} ${shape.pipeline} ${shape.payloadBytes}`;
}

/** @param {RoundPlan} plan @returns {Promise<Program>} */
async function programOf({ client }) {
  const url = findClient(client)?.program;
  if (url === undefined) throw new Error(`${client} is not a program that makes load`);
  return (await import(url)).program;
}

/** @param {RoundPlan} plan */
function refuseSecrets({ client, primary: { credentials } }) {
  if (credentials?.password === undefined && !credentials?.tls) return;
  throw new Error(
    `${client} would get the password or the certificates on its command line, where every user of this machine can read them. ` +
      'Measure against a stack without them.',
  );
}

/**
 * @typedef {Object} ProgramUse
 * @property {number | null} cpuSeconds user and system time from its start to its end; null if unknown. Correct only
 *   if no other child of this process ends meanwhile
 * @property {number | null} memoryBytes its peak resident memory; null if unknown
 *
 * @typedef {Object} ProgramLimits
 * @property {number} timeoutMs the program is killed after that
 * @property {AbortSignal} signal the program is killed when that is aborted
 */

/**
 * @param {string} name of a program on PATH
 * @param {string[]} args
 * @param {ProgramLimits} limits
 * @returns {Promise<ProgramUse & {output: string}>} output: its standard output. Rejects when the program cannot be started, is killed or
 *   ends with a status other than 0, with its last line of standard error
 */
async function runProgram(name, args, limits) {
  const folder = makeTemporaryFolder('sentinel-bench-');
  try {
    // A file, because Node makes a socket of a pipe, and a program cannot open a socket as /dev/stdout.
    const path = join(folder, 'output');
    const file = await open(path, 'w');
    const cpuBefore = endedChildrenCpuSeconds();
    const memoryBytes = await ended(name, args, { ...limits, output: file.fd, folder }).finally(() => file.close());
    const cpuAfter = endedChildrenCpuSeconds();
    return {
      output: await readFile(path, 'utf8'),
      memoryBytes,
      cpuSeconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {string} name
 * @param {string[]} args
 * @param {ProgramLimits & {output: number, folder: string}} options output: descriptor of its standard output; folder: its working
 *   directory, for what it leaves when it crashes
 * @returns {Promise<number | null>} its peak memory in bytes
 */
function ended(name, args, { output, folder, timeoutMs, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      cwd: folder,
      env: environmentForPrograms(),
      stdio: ['ignore', output, 'pipe'],
      timeout: timeoutMs,
      signal,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    /** @type {number | null} */
    let memoryBytes = null;
    const watch = setInterval(() => {
      if (child.pid !== undefined) memoryBytes = peakMemoryBytes(child.pid) ?? memoryBytes;
    }, MEMORY_POLL_MS);
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      complaint = (complaint + text).slice(-ERROR_TAIL);
    });
    child.on('error', (error) => {
      complaint = error.message;
    });
    child.on('close', (status, killed) => {
      clearInterval(watch);
      if (status === 0) resolve(memoryBytes);
      else reject(new Error(`${name} ended with ${killed ?? `status ${status}`}: ${lastLine(complaint)}`));
    });
  });
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1)?.trim();
}

/** @returns {number | null} seconds of CPU of all children of this process that have ended; null if unknown */
function endedChildrenCpuSeconds() {
  const stat = statFields(process.pid);
  return stat && cpuSecondsIn(stat).endedChildren;
}

/** @param {number} pid @returns {number | null} its peak resident memory in bytes; null if it has ended or this is unknown */
function peakMemoryBytes(pid) {
  try {
    const kilobytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * BYTES_PER_KB;
  } catch {
    // The process has ended, or there is no /proc.
    return null;
  }
}
