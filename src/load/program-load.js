/**
 * Rounds in which another program makes the load, behind the interface of the load thread.
 * @import { LoadThread, Turns } from './load-thread.js'
 * @import { ProgramCount, Program, RoundPlan, RoundSample } from './types.js'
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../private-files.js';
import { runProgram } from '../programs.js';
import { findClient } from '../registry/clients.js';
import { cpuSecondsIn, statFields, textOf } from '../stacks/hosts/processes.js';
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { KIB } from '../units.js';
import { drain } from './drain.js';
import { text } from './sentences.js';

/** Time for starting, connecting and ending, beside the timed part. */
const GRACE_MS = 20_000;
/** Batches on each connection in the first run of a shape. Its speed gives the number of operations of a round. */
const FIRST_BATCHES = 100;
const SHOWN = 300;

const MEMORY_POLL_MS = 50;

/**
 * @param {LoadThread & Turns} loadThread for rounds whose client runs in it
 * @returns {LoadThread & Turns} for all rounds; also rejects when a program fails. Programs take no turns
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
  /** Operations a second in the last run, by program and shape. @type {Map<string, number>} */
  const rates = new Map();
  let prepared = /** @type {{plan: RoundPlan, program: Program} | null} */ (null);

  /** @param {RoundPlan} plan @param {Program} program @param {number} amount seconds or operations, whichever it takes */
  async function run(plan, program, amount) {
    const timeoutMs = plan.seconds * 1000 + GRACE_MS;
    const args = program.args(plan, amount, findClient(plan.client)?.firstKey ?? 0);
    const run = runMeasured(program.name, args, { timeoutMs, signal: closing.signal });
    running = run.catch(() => {});
    const { output, ...use } = await run;
    const counted = parse(program, output, amount);
    rates.set(shapeOf(plan), counted.operations / counted.seconds);
    return { ...counted, ...use };
  }

  return {
    async prepare(plan) {
      const { client, primary } = plan;
      if (primary.credentials?.password !== undefined || primary.credentials?.tls)
        throw new Error(text('secrets', { client }));
      /** @type {{program: Program}} */
      const { program } = await import(String(findClient(client)?.program));
      prepared = { plan, program };
      if (!program.timed && !rates.has(shapeOf(plan))) {
        await run(plan, program, FIRST_BATCHES * plan.connections * plan.shape.pipeline);
      }
      await drain(plan);
    },
    async go() {
      if (!prepared) throw new Error('no round was prepared');
      const { plan, program } = prepared;
      const operations = Math.ceil((rates.get(shapeOf(plan)) ?? 0) * plan.seconds);
      const amount = program.timed ? Math.max(1, Math.round(plan.seconds)) : operations;
      return sampleOf(await run(plan, program, amount));
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

/** @param {ProgramCount & ProgramUse} run @returns {RoundSample} without latencies and errors */
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

function shapeOf(/** @type {RoundPlan} */ { client, connections, shape }) {
  return `${client} ${connections} ${shape.pipeline} ${shape.payloadBytes}`;
}

/**
 * @typedef {{cpuSeconds: number | null, memoryBytes: number | null}} ProgramUse user and system time from its start to its end, and its peak resident
 *   memory; null: unknown. The time is correct only if no other child of this process ends meanwhile
 */

/** Its output goes to a file: a program cannot open the socket that Node makes of a pipe as /dev/stdout. */
const SCRIPT = 'exec "$0" "$@" >output';

/**
 * @param {string} name of a program on PATH @param {string[]} args
 * @param {{timeoutMs: number, signal: AbortSignal}} limits it is ended after that, or when that is aborted
 * @returns {Promise<ProgramUse & {output: string}>} its standard output. Rejects with its last line of standard error when it cannot be
 *   started, is ended or ends with a status other than 0
 */
async function runMeasured(name, args, limits) {
  // Also for what it leaves when it crashes.
  const cwd = makeTemporaryFolder('sentinel-bench-');
  let memoryBytes = /** @type {number | null} */ (null);
  let watch = /** @type {NodeJS.Timeout | undefined} */ (undefined);
  /** @param {number} pid */
  const onStart = (pid) => {
    watch = setInterval(() => {
      memoryBytes = peakMemoryBytes(pid) ?? memoryBytes;
    }, MEMORY_POLL_MS);
  };
  try {
    const cpuBefore = endedChildrenCpuSeconds();
    const { status, stderr } = await runProgram(['sh', '-c', SCRIPT, name, ...args], { ...limits, cwd, onStart });
    if (status !== 0) throw new Error(`${name} ended with status ${status}: ${stderr.trim().split('\n').at(-1)}`);
    const cpuAfter = endedChildrenCpuSeconds();
    const cpuSeconds = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
    return { output: await readFile(join(cwd, 'output'), 'utf8'), memoryBytes, cpuSeconds };
  } finally {
    clearInterval(watch);
    await rm(cwd, { recursive: true });
  }
}

/** @returns {number | null} seconds of CPU of all children of this process that have ended; null: unknown */
function endedChildrenCpuSeconds() {
  const stat = statFields(process.pid);
  return stat && cpuSecondsIn(stat).endedChildren;
}

/** @param {number} pid @returns {number | null} null: it has ended, or there is no /proc */
function peakMemoryBytes(pid) {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * KIB;
}
