/**
 * Cleans up after killed processes: takes their stacks down, and undoes their faults and settings on stacks that stay.
 * @import { Header, JournalFile } from '../faults/journal-file.js'
 * @import { StackLock } from '../stacks/locks/stack-lock.js'
 * @import { Stack, Credentials } from '../stacks/types.js'
 * @typedef {Object} RecoverOptions
 * @property {(line: string) => void} tell told everything that is put back
 * @property {Credentials} [credentials] passwords from the environment and the client's TLS key; journals do not contain them
 *
 * @typedef {Object} Stuck a stack that could not be restored
 * @property {string | null} identity of the stack; null: its journal cannot be understood
 * @property {UserError} error why, and what to do
 */
import { hostname } from 'node:os';
import { reasonOf, UserError } from '../errors.js';
import { adoptJournal, describeStep } from '../faults/journal.js';
import * as journals from '../faults/journal-file.js';
import { reattach, recover as recoverStacks } from '../stacks/index.js';
import { lockStack } from '../stacks/locks/stack-lock.js';
import { waitFor } from '../wait.js';
import { SENTENCES } from './sentences.js';

/** Another recovery takes at most as long as a stack takes to become healthy. */
const OTHERS_DEADLINE_MS = 120_000;

/**
 * @param {RecoverOptions} options
 * @throws {UserError} something could not be put back; its journal is kept. Everything else is put back nevertheless
 */
export async function recover(options) {
  const [stacks] = await Promise.allSettled([recoverStacks(options.tell)]);
  const stuck = await recoverJournals(options);
  const errors = [...(stacks.status === 'rejected' ? [stacks.reason] : []), ...stuck.map(({ error }) => error)];
  if (errors.length === 0) return;
  for (const { message, remedy = '' } of errors.slice(1)) options.tell(`${message} ${remedy}`.trimEnd());
  throw errors[0];
}

/**
 * Undoes what dead processes changed on stacks that still run. Call it before a stack is used. It is fast if there is nothing to undo, and
 * leaves alone what living processes do.
 * @param {RecoverOptions} options
 * @returns {Promise<Stuck[]>} what could not be put back; a stack of that identity must not be measured
 */
export async function recoverJournals(options) {
  const deadline = performance.now() + OTHERS_DEADLINE_MS;
  for (;;) {
    const stuck = await recoverDead(options);
    // Another process may be recovering, too. It may also fail and give its journal back.
    if (!(await waitFor(() => !isOtherRecovering(), { deadlineMs: deadline - performance.now() }))) return stuck;
    if (!journals.listJournalFiles().some((file) => !journals.holderLives(file)) || stuck.length > 0) return stuck;
  }
}

/** @returns {boolean} another process of this host has claimed a dead one's journal */
function isOtherRecovering() {
  return journals
    .listJournalFiles()
    .some(
      (file) =>
        file.holder.pid !== process.pid &&
        file.holder.host === hostname() &&
        journals.isClaimed(file) &&
        journals.holderLives(file),
    );
}

/** @param {RecoverOptions} options @returns {Promise<Stuck[]>} */
async function recoverDead({ tell, credentials = {} }) {
  const files = journals.listJournalFiles().filter((file) => !journals.holderLives(file));
  // A stack that is taken down needs no undoing. `recover` reports stacks that cannot be taken down.
  if (files.length > 0) await recoverStacks(tell).catch(() => {});
  /** @type {Stuck[]} */
  const stuck = [];
  // Newest first: the former values of a later run may be the changed values of an earlier one.
  for (const file of files) stuck.push(...(await settleFile(file, { tell, credentials })));
  return stuck;
}

/**
 * Undoes the faults that an agent of this name left on this machine when it was killed.
 * @param {string} name @param {(line: string) => void} tell
 */
export async function recoverAgent(name, tell) {
  for (const file of journals.listJournalFiles().filter((each) => !journals.holderLives(each))) {
    const content = await journals.readJournalFile(file).catch(() => null);
    if (content?.header.machine?.agent !== name) continue;
    for (const { error } of await settleFile(file, { tell, credentials: {} })) tell(`${error.message} ${error.remedy}`);
  }
}

/**
 * @param {JournalFile} file of a dead process
 * @param {RecoverOptions & {credentials: Credentials}} options
 */
async function settleFile(file, options) {
  const claimed = await journals.claimJournalFile(file);
  // Another recovery was quicker.
  if (!claimed) return [];
  const trouble = await settleJournal(claimed, { path: file.path, ...options });
  if (!trouble) return [];
  await journals.releaseJournalFile(claimed, file);
  return [trouble];
}

/**
 * @param {JournalFile} file claimed; removed once all is put back
 * @param {RecoverOptions & {credentials: Credentials, path: string}} options path: its name before it was claimed
 * @returns {Promise<Stuck | null>} null: all is put back
 */
async function settleJournal(file, { path, tell, credentials }) {
  let content;
  try {
    content = await journals.readJournalFile(file);
  } catch (error) {
    return { identity: null, error: /** @type {UserError} */ (error) };
  }
  // The process died before it changed anything, or after it had undone everything.
  if (content === null || content.pending.length === 0) {
    await journals.removeJournalFile(file.path);
    return null;
  }
  const { header } = content;
  try {
    const stack = await reattach(content, { credentials, tell });
    if (stack) {
      await undoOn(stack, file, header, tell);
    } else {
      await journals.removeJournalFile(file.path);
      tell(SENTENCES.text('dropped', header.owner));
    }
    return null;
  } catch (error) {
    return { identity: header.identity, error: error instanceof Unwell ? error : notPutBack(header, path, error) };
  }
}

/** @param {Stack} stack is closed @param {JournalFile} file @param {Header} header @param {(line: string) => void} tell */
async function undoOn(stack, file, { owner, machine }, tell) {
  /** @type {StackLock | null} */
  let lock = null;
  try {
    // An agent that was killed holds its machine alone.
    if (!machine) lock = await lockStack(stack, { command: 'sentinel-bench recover', brief: true, tell });
    const journal = await adoptJournal(stack, file, {
      undone: (step) => tell(SENTENCES.text('undone', { ...owner, step: describeStep(step) })),
    });
    try {
      // A silent node of our stack may answer once the stack is healed. Other people's stacks are not ours to heal.
      if (stack.about.backend !== 'external')
        await journal.undoAll().catch(() => stack.heal().catch((error) => tell(error.message)));
      await journal.undoAll().catch(({ message, cause }) => {
        const remedy = cause instanceof UserError ? cause.remedy : 'Look at `sentinel-bench status` and mend that';
        throw new UserError(message, remedy, { cause });
      });
    } finally {
      await journal.close();
    }
    await stack.heal().catch((error) => {
      throw new Unwell(owner.pid, error);
    });
  } finally {
    await lock?.release();
    await stack.close();
  }
}

/** Everything was undone, but the stack is not healthy. */
class Unwell extends UserError {
  /** @param {number} pid of the process that disturbed it @param {unknown} cause */
  constructor(pid, cause) {
    const words = SENTENCES.words('unwell', { pid, why: reasonOf(cause) });
    super(...words, { cause, detail: detailOf(cause) });
  }
}

/** @param {unknown} error */
const detailOf = (error) => (error instanceof UserError ? error.detail : undefined);

/** @param {Header} header @param {string} path of the journal @param {unknown} cause */
function notPutBack({ owner: { pid } }, path, cause) {
  const first = cause instanceof UserError ? cause.remedy.replace(/\.$/, '') : 'See to that';
  const values = { pid, why: reasonOf(cause), first, path };
  return SENTENCES.problem('left-by-process', values, { cause, detail: detailOf(cause) });
}
