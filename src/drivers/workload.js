/** One driver of a workload: the protocol `sentinel-bench/workload@1` (docs/drivers.md) on the input and output of a child process. */
import { z } from 'zod';
import { messageOf } from '../errors.js';
import { fromOutside } from '../untrusted.js';
import { firstProblems, startWithTask } from './child.js';

/**
 * @import { Address } from '../stacks/types.js'
 * @import { Command } from './child.js'
 */

export const WORKLOAD_PROTOCOL = 'sentinel-bench/workload@1';
const END_MS = 3000;
/** A driver says that it has drained at the latest so long after the deadline that it was given. */
const DRAINED_MS = 5000;
const SHOWN = 80;

const Text = z.string().min(1).max(200);
const Microseconds = z.number().int().nonnegative();

const ReadySchema = z.object({
  library: Text,
  version: Text,
  language: Text,
  visibilityMs: z.number().int().positive().nullable(),
});

const OperationSchema = z.object({
  process: Text,
  role: Text,
  op: Text,
  key: Text.optional(),
  value: z.union([Text, z.number()]).optional(),
  libraryId: z.union([Text, z.number()]).optional(),
  leaseMs: z.number().nonnegative().nullable().optional(),
  limit: z.number().optional(),
  windowMs: z.number().optional(),
  begin: Microseconds,
  end: Microseconds.nullable(),
  outcome: z.enum(['ok', 'no', 'refused', 'unknown']),
  error: z.string().max(1000).optional(),
});

/** Lines without an operation: `alive`, `stuck`, `drained`, and `exited` of a process that the driver started. */
const NoticeSchema = z.object({
  process: Text,
  op: z.enum(['alive', 'stuck', 'drained', 'exited']),
  value: z.union([Text, z.number()]).optional(),
});

/**
 * @typedef {Object} WorkloadTask the first line that a driver gets
 * @property {typeof WORKLOAD_PROTOCOL} protocol @property {string} workload `lock`, `limiter`, `queue` @property {string} variant
 * @property {string} name stands before the names of its processes and before its job ids
 * @property {readonly Address[]} sentinels @property {string} masterName
 * @property {string | null} localAddress from which it connects; null: the system chooses @property {string} keyPrefix
 * @property {number} keys locks or limited keys @property {Readonly<Record<string, number>>} roles how many processes each role has
 * @property {number} rate operations a second of all clients or producers together
 * @property {number} backlog jobs that are added before `ready`
 * @property {readonly [number, number]} workMs shortest and longest time that a job takes or a lock is held
 * @property {number} leaseMs @property {number} limit @property {number} windowMs
 * @property {{replicas: number, timeoutMs: number} | null} wait
 * @typedef {z.infer<typeof ReadySchema>} WorkloadReady
 * @typedef {z.infer<typeof OperationSchema>} DrivenOperation one operation; times in microseconds on CLOCK_MONOTONIC
 * @typedef {z.infer<typeof NoticeSchema> & {at: number}} Notice at: when it was read, in microseconds on CLOCK_MONOTONIC
 * @typedef {ReturnType<typeof startWorkload>} WorkloadDriver
 */

/**
 * @param {Command} command @param {WorkloadTask | string} task a string is sent as it is
 * @param {{readyMs?: number}} [limits] of the time that it takes to connect and to add the backlog; default: 45 s
 * @throws {UserError} the program cannot be started
 */
export function startWorkload(command, task, { readyMs } = {}) {
  const lines = /** @type {(DrivenOperation | Notice)[]} */ ([]);
  const problems = /** @type {string[]} */ ([]);
  let isEnding = false;
  let onDrained = () => {};
  let onBegan = () => {};
  const onProblem = firstProblems((what) => problems.push(what));

  /** @param {string} text @returns {WorkloadReady | undefined} */
  function onLine(text) {
    const line = readWorkloadLine(text);
    if ('library' in line) return line;
    if ('problem' in line) {
      onProblem(line.problem);
      return undefined;
    }
    lines.push(line);
    if ('outcome' in line && line.outcome === 'ok' && line.role !== 'producer') onBegan();
    if (line.op === 'drained') onDrained();
    return undefined;
  }

  const child = startWithTask(command, task, { onLine, readyMs });
  child.ended.then(({ status, signal }) => {
    if (isEnding) return;
    const error = signal === null ? `status ${status}` : `${signal}`;
    lines.push({ process: command.name, op: 'exited', value: error, at: nowUs() });
  });
  const began = new Promise((/** @type {(value: void) => void} */ resolve) => {
    onBegan = resolve;
    child.ended.then(() => resolve());
  });

  return {
    ...child,
    /** Resolves when a holder, a client or a worker was told yes for the first time, or when it has ended. */
    began,
    lines,
    problems,
    start: () => child.send('start'),
    stop: () => child.send('stop'),
    /** Finishes what is queued. @param {number} withinMs @returns {Promise<boolean>} false: it did not say so, or has ended */
    drain: (withinMs) =>
      new Promise((resolve) => {
        const finish = (/** @type {boolean} */ drained) => {
          clearTimeout(late);
          resolve(drained);
        };
        const late = setTimeout(finish, withinMs + DRAINED_MS, false);
        onDrained = () => finish(true);
        child.ended.then(() => finish(false));
        child.send(`drain ${withinMs}`);
      }),
    /** Kills it if it stays; idempotent. */
    end() {
      isEnding = true;
      child.send('end');
      return child.endWithin(END_MS);
    },
  };
}

/** @param {string} text a line of a driver, which may be anything @returns {WorkloadReady | DrivenOperation | Notice | {problem: string}} */
export function readWorkloadLine(text) {
  const bad = (/** @type {string} */ what) => ({
    problem: `${what}: ${JSON.stringify(fromOutside(text.slice(0, SHOWN)))}`,
  });
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return bad(`a line that is not JSON (${messageOf(error)})`);
  }
  const schema =
    document?.op === 'ready' ? ReadySchema : document?.begin === undefined ? NoticeSchema : OperationSchema;
  const { success, data, error } = schema.safeParse(document);
  if (!success) return bad(`an invalid field ${error.issues[0].path.join('.')} (${error.issues[0].message})`);
  if (schema === NoticeSchema) return /** @type {Notice} */ ({ ...data, at: nowUs() });
  const { begin, end } = /** @type {Partial<DrivenOperation>} */ (data);
  if (begin !== undefined && end != null && end < begin) return bad('an operation that ended before it began');
  return /** @type {WorkloadReady | DrivenOperation} */ (data);
}

/** @returns {number} microseconds on CLOCK_MONOTONIC */
function nowUs() {
  return Number(process.hrtime.bigint() / 1000n);
}
