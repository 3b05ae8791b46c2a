/**
 * The journal of one stack, in memory for this process, and on disk for a recovery after this process was killed.
 * @typedef {{n: number, step: UndoStep, undo: () => Promise<void>}} JournalEntry
 * @import { BackendName, Stack, StackOptions } from '../stacks/types.js'
 * @import { AttachedDeployment, Header, JournalFile, Pending, JournalWriter } from './journal-file.js'
 * @import { Journal, UndoStep } from './types.js'
 */

import { messageOf } from '../errors.js';
import { temporaryFolder } from '../private-files.js';
import { UNDONE_BY_COMMANDS, undoneBy } from '../stacks/actions.js';
import { askNode } from '../stacks/ask.js';
import { waitFor } from '../wait.js';
import { createJournalFile, readJournalFile, removeJournalFile, reopenJournalFile } from './journal-file.js';
import { SENTENCES } from './sentences.js';

/**
 * An empty journal; the first entry creates its file. @param {Stack} stack
 * @param {{commands?: StackOptions['commands'], machine?: Header['machine']}} [options] commands: external: as the user gave them. Those
 *   that undo are kept in the file; without them a recovery has to ask the user. machine: the stack is that of an agent's machine
 * @returns {Journal}
 */
export function createJournal(stack, { commands, machine } = {}) {
  const { backend, identity } = stack.about;
  const owner = () => (machine ? { machine } : backend === 'external' && { deployment: deploymentOf(stack, commands) });
  const openFile = () => createJournalFile({ backend, identity, place: placeOf(backend), ...owner() });
  return keepJournal(stack, [], openFile);
}

/** @param {Stack} stack @param {JournalFile} file claimed @param {{undone?: (step: UndoStep) => void}} [options] told of each step */
export async function adoptJournal(stack, file, { undone } = {}) {
  const pending = (await readJournalFile(file))?.pending ?? [];
  return keepJournal(stack, pending, async () => ({ ...file, writer: await reopenJournalFile(file) }), undone);
}

/**
 * @param {Stack} stack @param {Pending[]} pending oldest first; if there are any, the file exists
 * @param {() => Promise<JournalFile & {writer: JournalWriter}>} openFile @param {(step: UndoStep) => void} [undone] @returns {Journal}
 */
function keepJournal(stack, pending, openFile, undone) {
  let opening = /** @type {Promise<JournalFile & {writer: JournalWriter}> | null} */ (null);
  /** @type {Map<number, JournalEntry>} entries left to undo, oldest first */
  const left = new Map();
  let lastN = 0;
  let closed = false;
  for (const { n, step } of pending) enter(n, step);

  function opened() {
    // A full disk may have room the next time.
    opening ??= openFile().catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  /** @param {number} n @param {UndoStep} step */
  function enter(n, step) {
    lastN = Math.max(lastN, n);
    let doing = /** @type {Promise<void> | null} */ (null);
    const strike = async () => {
      if (!left.has(n)) return;
      if (!closed) await (await opened()).writer.append({ done: n });
      left.delete(n);
    };
    const undo = async () => {
      if (!left.has(n)) return;
      doing ??= doStep(stack, step)
        .then(strike)
        .then(() => undone?.(step))
        .finally(() => {
          doing = null;
        });
      await doing;
    };
    left.set(n, { n, step, undo });
    return Object.assign(undo, { strike });
  }

  return {
    async note(step) {
      if (closed) throw new Error('a closed journal takes no notes');
      const n = lastN + 1;
      lastN = n;
      const { writer } = await opened();
      await writer.append({ n, undo: step });
      return enter(n, step);
    },
    undoAll: () => undoEach([...left.values()].reverse()),
    async close({ abandon = false } = {}) {
      if (abandon) left.clear();
      if (closed) return;
      closed = true;
      if (opening === null) return;
      const { path, writer } = await opening;
      await writer.close();
      if (left.size === 0) await removeJournalFile(path);
    },
  };
}

/** @param {BackendName} backend @returns where stacks of this backend are looked for now */
export function placeOf(backend) {
  if (backend === 'local') return temporaryFolder();
  return backend === 'docker' ? (process.env.DOCKER_HOST ?? '') : '';
}

/** @param {Stack} stack @param {StackOptions['commands']} [commands] @returns {AttachedDeployment} */
function deploymentOf({ about: { endsWithRun }, access, nodes }, commands = {}) {
  const { masterName, keyPrefix, credentials } = access;
  const undoing = Object.values(UNDONE_BY_COMMANDS);
  const { username, password, sentinelUsername, sentinelPassword, tls } = credentials;
  return {
    masterName,
    ...(endsWithRun && { endsWithRun }),
    nodes: [...nodes],
    ...(keyPrefix && { keyPrefix }),
    username,
    sentinelUsername,
    password: password !== undefined,
    sentinelPassword: sentinelPassword !== undefined,
    tls: tls && {
      ca: tls.ca,
      serverName: tls.serverName,
      insecure: tls.insecure,
      clientCertificate: tls.cert !== undefined,
    },
    commands: Object.fromEntries(Object.entries(commands).filter(([action]) => undoing.includes(action))),
  };
}

/** Doing it again does no harm. @param {Stack} stack @param {UndoStep} step */
export async function doStep(stack, step) {
  switch (step.kind) {
    case 'act':
      if (undoneBy(step.action).some((ability) => stack.can.has(ability))) await stack.host.act(step.id, step.action);
      else await checkDone(stack, step);
      return;
    case 'slow':
      // The relay that slows links ends with its process: a stack that was attached again has none.
      if (stack.can.has('slow-link') || stack.can.has('narrow-link')) await stack.network.slow(null, step.id);
      return;
    case 'network':
      await stack.network.groups?.join();
      return;
    case 'call':
      return callUnlessBusy(stack, step);
    case 'heal':
      return stack.heal();
    case 'keys':
      return removeKeys(stack, step.prefix);
    default:
      return stack.database.settings.restore(stack, step);
  }
}

const BUSY = /^BUSY\b/;
const BUSY_POLL_MS = 200;
const CALL_MS = 3000;

/** @param {Stack} stack @param {UndoStep & {kind: 'call'}} step */
async function callUnlessBusy(stack, { id, command: [name, ...args], withinMs }) {
  /** @type {unknown} */
  let busy;
  const isDone = async () => {
    try {
      await askNode(stack, id, (control) => control.call(String(name), ...args), { timeoutMs: withinMs });
      return true;
    } catch (error) {
      if (!(stack.database.isReplyError(error) && BUSY.test(error.message))) throw error;
      busy = error;
      return false;
    }
  };
  if (!(await waitFor(isDone, { deadlineMs: withinMs ?? CALL_MS, pollMs: BUSY_POLL_MS }))) throw busy;
}

/** @param {Stack} stack @param {string} prefix that we made */
async function removeKeys(stack, prefix) {
  const { id } = await stack.database.primary();
  await askNode(stack, id, async (control) => {
    // Writes of a killed writer may still arrive while keys are removed.
    while ((await stack.database.keys.removeByPrefix(control, prefix)) > 0);
  });
}

/** If a deployment that is not ours is healthy, its owner did it. @param {Stack} stack @param {UndoStep & {kind: 'act'}} step */
async function checkDone(stack, { id, action }) {
  const [doubt] = stack.database.whyNotReady(await stack.database.observe());
  if (doubt === undefined) return;
  throw SENTENCES.problem('not-healthy', { action, id, doubt });
}

/** @param {UndoStep} step @returns such as `start redis-2` */
export function describeStep(step) {
  switch (step.kind) {
    case 'act':
      return SENTENCES.text(step.action === 'join' ? 'step-join' : 'step-act', step);
    case 'slow':
      return SENTENCES.text(step.id === undefined ? 'step-slow-all' : 'step-slow', step);
    case 'call':
      return SENTENCES.text('step-call', { id: step.id, command: step.command.join(' ') });
    case 'config':
    case 'sentinel':
    case 'settings':
      return SENTENCES.text('step-settings', { id: step.id, names: Object.keys(step.settings).join(', ') });
    default:
      return SENTENCES.text(`step-${step.kind}`, step);
  }
}

/** In this order. @param {{step: UndoStep, undo: () => Promise<void>}[]} entries @throws {UserError} names each step that failed */
export async function undoEach(entries) {
  const failures = /** @type {{step: UndoStep, error: unknown}[]} */ ([]);
  for (const { step, undo } of entries) {
    await undo().catch((error) => failures.push({ step, error }));
  }
  if (failures.length === 0) return;
  const list = failures.map(({ step, error }) => `${describeStep(step)} (${messageOf(error).replace(/\.$/, '')})`);
  throw SENTENCES.problem('not-undone', { list: list.join('; ') }, { cause: failures[0].error });
}
