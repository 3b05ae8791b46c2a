/** The check of a driver of a workload: a healthy stack of real servers, where nothing may go wrong, and the ways to begin and to end. */
import { setTimeout as delay } from 'node:timers/promises';
import { askNode } from '../../stacks/ask.js';
import { howEnded } from '../child.js';
import { startWorkload } from '../workload.js';
import { judged, lastLine } from './index.js';

/**
 * @import { UserError } from '../../errors.js'
 * @import { Stack } from '../../stacks/types.js'
 * @import { Command, ChildEnded } from '../child.js'
 * @import { Notice, DrivenOperation, WorkloadDriver, WorkloadTask } from '../workload.js'
 * @typedef {Object} WorkloadRules what only the workload knows
 * @property {(where: Pick<WorkloadTask, 'variant' | 'name' | 'sentinels' | 'masterName' | 'localAddress' | 'keyPrefix' | 'backlog' | 'wait'>) => WorkloadTask} task
 * @property {(lines: readonly (DrivenOperation | Notice)[]) => string[]} harms what the checker of the workload finds
 * @typedef {Awaited<ReturnType<typeof checkWorkload>>} CheckedWorkload
 */

const RUN_MS = 8000;
const DRAIN_MS = 20_000;
const BACKLOG = 100;
/** An operation that began before `stop` may do so a little later on a busy machine. */
const LATE_US = 500_000;
/** A driver is alive if it says so each second. */
const SILENT_US = 3_000_000;
const GIVES_UP_MS = 25_000;
const ADDRESS = '127.0.0.7';
const NOBODY = Object.freeze({ host: '127.0.0.1', port: 1 });

/**
 * @param {Command} command @param {WorkloadRules} rules
 * @param {{stack: Stack, variant?: string, tell?: (scenario: string) => void, signal?: AbortSignal}} options
 */
export async function checkWorkload(command, rules, { stack, variant = 'defaults', tell = () => {}, signal }) {
  const sentinels = stack.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address);
  const place = { variant, name: 'a', sentinels, masterName: stack.access.masterName, wait: null, localAddress: null };
  const taskFor = (/** @type {object} */ changes) =>
    rules.task({ ...place, keyPrefix: 'check:', backlog: 0, ...changes });
  tell('nothing fails');
  await askNode(stack, (await stack.database.primary()).id, (control) => control.call('FLUSHALL'));
  const busy = taskFor({ backlog: BACKLOG, localAddress: ADDRESS });
  const { ready, checks } = await healthy(command, busy, { rules, stack, signal });
  tell('beginning and ending');
  const other = JSON.stringify({ ...taskFor({}), protocol: 'other@1' });
  const [ofInput, ofSignal] = ['check-input:', 'check-term:'].map((keyPrefix) => taskFor({ keyPrefix }));
  const others = [
    refuses('status 2 for a task that is not JSON', command, '{', 2),
    refuses('status 2 for another protocol', command, other, 2),
    refuses('status 4 without a primary', command, taskFor({ sentinels: [NOBODY] }), 4),
    endsOn('ends at the end of input', command, ofInput, (driver) => driver.closeInput()),
    endsOn('ends on SIGTERM', command, ofSignal, (driver) => driver.signal('SIGTERM')),
  ];
  const all = [...checks, ...(await Promise.all(others))];
  return { ready, checks: all, passed: all.every(({ verdict }) => verdict !== 'failed') };
}

/** @param {Command} command @param {WorkloadTask} task @param {{rules: WorkloadRules, stack: Stack, signal?: AbortSignal}} around */
async function healthy(command, task, { rules, stack, signal }) {
  const driver = startWorkload(command, task);
  signal?.addEventListener('abort', () => driver.signal('SIGKILL'));
  const ready = await driver.ready.catch(messageWithLog);
  if (typeof ready === 'string') return { ready: null, checks: [judged('begins', [ready])] };
  driver.start();
  await Promise.race([driver.began, delay(RUN_MS)]);
  await delay(RUN_MS, undefined, { signal });
  const foreign = await connectionsFromElsewhere(stack);
  const stoppedAt = Number(process.hrtime.bigint() / 1000n);
  driver.stop();
  const hasDrained = await driver.drain(DRAIN_MS);
  const { lines, problems } = driver;
  const operations = lines.flatMap((line) => ('at' in line ? [] : [line]));
  const isNew = (/** @type {DrivenOperation} */ { role, begin }) => role !== 'worker' && begin > stoppedAt + LATE_US;
  const begun = operations.filter(isNew).map(({ op }) => op);
  const answered = operations.filter(({ outcome }) => outcome === 'ok').length;
  const left = lines.filter(({ op }) => op === 'stuck').length;
  const exited = lines.filter(({ op }) => op === 'exited');
  const ended = await driver.end();
  const idle = answered === 0 ? ['no operation was answered with yes'] : [];
  const undrained = exited.map(({ process }) => `${process} ended by itself`);
  if (left > 0) undrained.unshift(`${left} jobs were left`);
  if (!hasDrained) undrained.unshift('it did not say so in time');
  const checks = [
    judged('only lines of the protocol', problems),
    judged('does its work', idle, `${answered} operations`),
    judged('invariant where nothing fails', rules.harms(lines)),
    judged('alive each second', silences(lines, RUN_MS)),
    judged('connects from `localAddress`', foreign),
    judged('no new work after `stop`', begun),
    judged('drains', undrained),
    judged('ends on `end`', wrongEnd(ended)),
  ];
  return { ready, checks };
}

/** @param {readonly (DrivenOperation | Notice)[]} lines @param {number} forMs @returns {string[]} */
function silences(lines, forMs) {
  const times = lines.flatMap((line) => ('at' in line && line.op === 'alive' ? [line.at] : []));
  if (times.length < 2) return [`${times.length} lines in ${forMs / 1000} s`];
  const gaps = times.slice(1).map((at, i) => at - times[i]);
  return gaps.flatMap((gap) => (gap > SILENT_US ? [`silent for ${gap / 1e6} s`] : []));
}

/** @param {Stack} stack @returns {Promise<string[]>} what connected to the primary from another address than it was told */
async function connectionsFromElsewhere(stack) {
  const { id } = await stack.database.primary();
  const list = String(await askNode(stack, id, (control) => control.call('CLIENT', 'LIST', 'TYPE', 'normal')));
  const addresses = [...list.matchAll(/(?:^|\s)addr=([^ ]+):\d+ .*?cmd=(\S+)/gm)];
  // Sentinels and this process ask in between; the keys of the workload are used by the driver only.
  const own = addresses.filter(([, , command]) =>
    /^(?:evalsha|eval|set|lpush|brpop|bzpopmin|multi|exec)\b/.test(command),
  );
  return own.flatMap(([, address, command]) => (address === ADDRESS ? [] : [`${command} came from ${address}`]));
}

/** @param {string} name @param {Command} command @param {WorkloadTask | string} task @param {number} status */
async function refuses(name, command, task, status) {
  const driver = startWorkload(command, task, { readyMs: GIVES_UP_MS });
  const isReady = await driver.ready.then(driver.end, () => null);
  if (isReady) return judged(name, ['it said `ready`']);
  const end = await driver.ended;
  const said = lastLine(end.log);
  return judged(name, end.status === status ? [] : [`it ${howEnded(end)}`, said], said);
}

/** @param {string} name @param {Command} command @param {WorkloadTask} task @param {(driver: WorkloadDriver) => void} tellToEnd */
async function endsOn(name, command, task, tellToEnd) {
  const driver = startWorkload(command, task);
  const trouble = await driver.ready.then(() => null, messageWithLog);
  if (trouble !== null) return judged(name, [trouble]);
  driver.start();
  await delay(1000);
  tellToEnd(driver);
  const late = setTimeout(() => driver.signal('SIGKILL'), 5000);
  const ended = await driver.ended;
  clearTimeout(late);
  return judged(name, wrongEnd(ended));
}

function wrongEnd(/** @type {ChildEnded} */ { status, signal }) {
  if (signal !== null) return ['it did not end in time, and was killed'];
  return status === 0 ? [] : [`it ended with status ${status}`];
}

function messageWithLog(/** @type {unknown} */ error) {
  const { message, detail = '' } = /** @type {UserError} */ (error);
  return `${message} ${lastLine(String(detail))}`.trim();
}
