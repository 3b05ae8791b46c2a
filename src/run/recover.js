/**
 * Cleans up after killed processes: takes their stacks down, and undoes their faults and settings on stacks that stay.
 * @import { Header, JournalFile } from '../faults/journal-file.js'
 * @import { StackLock } from '../stacks/locks/stack-lock.js'
 * @import { Stack, Credentials } from '../stacks/types.js'
 * @typedef {{tell: (line: string) => void, credentials?: Credentials}} RecoverOptions tell: told everything that is put back; credentials: from
 *   the environment, and the client's TLS key; journals do not contain them
 * @typedef {{identity: string | null, error: UserError}} Stuck a stack that could not be restored. identity: null: its journal cannot be understood
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
 * Undoes what dead processes changed on stacks that still run, before a stack is used. Fast if there is nothing to undo.
 * @param {RecoverOptions} options @returns {Promise<Stuck[]>} what could not be put back; a stack of that identity must not be measured
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
  const others = journals
    .listJournalFiles()
    .filter(({ holder }) => holder.pid !== process.pid && holder.host === hostname());
  return others.some((file) => journals.isClaimed(file) && journals.holderLives(file));
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

/** Undoes what a killed agent of this name left on this machine. @param {string} name @param {(line: string) => void} tell */
export async function recoverAgent(name, tell) {
  for (const file of journals.listJournalFiles().filter((each) => !journals.holderLives(each))) {
    const content = await journals.readJournalFile(file).catch(() => null);
    if (content?.header.machine?.agent !== name) continue;
    for (const { error } of await settleFile(file, { tell, credentials: {} })) tell(`${error.message} ${error.remedy}`);
  }
}

/** @param {JournalFile} file of a dead process @param {RecoverOptions & {credentials: Credentials}} options */
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
  const { identity, owner } = header;
  try {
    const stack = await reattach(content, { credentials, tell });
    if (stack) {
      const unwell = await undoOn(stack, file, header, tell);
      return unwell && { identity, error: unwell };
    }
    await journals.removeJournalFile(file.path);
    tell(SENTENCES.text('dropped', owner));
    return null;
  } catch (error) {
    const first = error instanceof UserError ? error.remedy.replace(/\.$/, '') : 'See to that';
    return { identity, error: whyLeft('left-by-process', error, { pid: owner.pid, first, path }) };
  }
}

/**
 * @param {Stack} stack is closed @param {JournalFile} file @param {Header} header @param {(line: string) => void} tell
 * @returns {Promise<UserError | null>} everything was undone, but the stack is not healthy
 */
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
    return await stack.heal().then(
      () => null,
      (error) => whyLeft('unwell', error, { pid: owner.pid }),
    );
  } finally {
    await lock?.release();
    await stack.close();
  }
}

/** @param {string} id of a problem @param {unknown} cause @param {Record<string, unknown>} values */
function whyLeft(id, cause, values) {
  const detail = cause instanceof UserError ? cause.detail : undefined;
  return SENTENCES.problem(id, { why: reasonOf(cause), ...values }, { cause, detail });
}
