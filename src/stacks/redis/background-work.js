import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, UserError } from '../../errors.js';
import { once } from '../../once.js';
import { problem, text } from '../texts.js';
import { connectControl, loginFor } from './control.js';
import { KNOWN } from './known.js';

/** Keeps a node rewriting its append-only file or saving snapshots during a round. */
/** @import { CaseParams } from '../../result/schema.js' */
/** @import { FileWork } from './known.js' */
/** @import { Address, Control, Credentials } from '../types.js' */

/** Redis itself looks for the end of its child ten times a second. A look costs it tens of µs. */
const LOOK_MS = 25;
/** A fork of a large data set, or a write to a slow volume, delays every other command. */
const TIMEOUT_MS = 20_000;
/** A child reports progress about once a second, but none during its last sync. */
const STANDSTILL_MS = 60_000;

/**
 * Starts the work once no other is under way, and again whenever it has ended, until it is stopped.
 * @param {Address} address of the node; looks use a connection of their own, so that they delay nobody else
 * @param {NonNullable<CaseParams['during']>} work @param {{credentials?: Credentials, signal?: AbortSignal}} [options]
 * @returns stop: resolves when none is under way. share: of the looks at the node, the part that found it at work, 0 … 1. Both reject with a
 *   UserError if the node refuses the work or does not complete it, or with the signal's reason
 */
export async function keepBusy(address, work, { credentials = {}, signal } = {}) {
  const kind = KNOWN.works[work];
  const control = await connectControl(address, loginFor(credentials, 'redis'), { timeoutMs: TIMEOUT_MS });
  /** @param {unknown} error */
  const explain = (error) => (signal?.aborted ? signal.reason : inWords(error, address, kind));
  /** @type {Record<string, string>} */
  let first;
  try {
    await settled(control, { signal });
    await start(control, kind);
    first = await look(control);
    if (!isBusy(first)) completed(first, kind);
  } catch (error) {
    control.close();
    throw explain(error);
  }

  const stopping = new AbortController();
  const ended = goOn(control, kind, first, signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal);
  ended.catch(() => {});

  async function end() {
    stopping.abort();
    try {
      const share = await ended;
      signal?.throwIfAborted();
      await settled(control, { signal });
      completed(await look(control), kind);
      return { share };
    } catch (error) {
      throw explain(error);
    } finally {
      control.close();
    }
  }
  return { stop: once(end) };
}

/** Waits until no rewrite or save is under way or scheduled. @param {Control} control @param {{signal?: AbortSignal}} [options] */
export function settled(control, options) {
  return untilOver(control, (info) => !isBusy(info), options);
}

/**
 * @param {Control} control @param {(info: Record<string, string>) => boolean} isOver what it throws ends the wait
 * @param {{signal?: AbortSignal}} [options] @throws {UserError} there is no progress
 */
export async function untilOver(control, isOver, { signal } = {}) {
  let progress = '';
  let deadline = 0;
  for (;;) {
    const info = await look(control);
    if (isOver(info)) return;
    const now = [info.current_save_keys_processed, info.current_fork_perc, info.aof_rewrite_in_progress].join(' ');
    if (now !== progress || deadline === 0) deadline = performance.now() + STANDSTILL_MS;
    progress = now;
    if (performance.now() > deadline) throw problem('work-stands-still', { seconds: STANDSTILL_MS / 1000 });
    await delay(LOOK_MS, undefined, { signal });
  }
}

/**
 * @param {Control} control @param {FileWork} kind @param {Record<string, string>} first state @param {AbortSignal} signal
 * @returns the share of the looks that found it running
 */
async function goOn(control, kind, first, signal) {
  let looks = 1;
  let running = first[kind.running] === '1' ? 1 : 0;
  for (;;) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return running / looks;
    const info = await look(control);
    looks++;
    if (info[kind.running] === '1') running++;
    else if (!isBusy(info)) {
      completed(info, kind);
      await start(control, kind);
    }
  }
}

const look = (/** @type {Control} */ control) => control.info('persistence');

function isBusy(/** @type {Record<string, string>} */ info) {
  return [info.rdb_bgsave_in_progress, info.aof_rewrite_in_progress, info.aof_rewrite_scheduled].includes('1');
}

async function start(/** @type {Control} */ control, /** @type {FileWork} */ { command }) {
  try {
    await control.call(command);
  } catch (error) {
    // A full sync of a replica was quicker. Later looks see it and its end.
    if (!/already in progress|Another child process/i.test(messageOf(error))) throw error;
  }
}

/** @param {Record<string, string>} info while none is under way @param {FileWork} kind */
function completed(info, { command, status }) {
  if (info[status] !== 'ok') throw new Error(`${command} began, but could not complete its file`);
}

/** @param {unknown} error @param {Address} address @param {FileWork} kind */
function inWords(error, address, { title }) {
  if (error instanceof UserError) return error;
  const said = messageOf(error);
  const remedy = said.startsWith('NOPERM') ? text('allow-work') : text('see-its-log');
  return problem('not-kept-busy', { address, title, error, remedy }, { cause: error });
}
