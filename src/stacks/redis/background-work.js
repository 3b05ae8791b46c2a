/**
 * Keeping a node rewriting its append-only file, or saving a snapshot, for as long as a round lasts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, UserError } from '../../errors.js';
import { connectControl, loginFor } from './control.js';

/**
 * @import { CaseParams } from '../../result/schema.js'
 * @import { Control } from './control.js'
 * @import { Address, Credentials } from '../types.js'
 */

/**
 * @typedef {NonNullable<CaseParams['during']>} Work
 *
 * @typedef {Object} Busy
 * @property {() => Promise<{share: number}>} stop lets the last one end, and resolves when nothing of the kind is under way. share: of
 *   the looks at the node, those that found it at work, 0 … 1. Idempotent. Rejects with what kept it from work: see {@link keepBusy}
 *
 * @typedef {Object} Kind
 * @property {string} title
 * @property {string} command
 * @property {string} running the field of INFO that is 1 meanwhile
 * @property {string} status the field of INFO that is `ok` when the last one was completed
 */

/** @satisfies {Record<Work, Kind>} */
const KINDS = {
  rewrite: {
    title: 'rewrite its append-only file',
    command: 'BGREWRITEAOF',
    running: 'aof_rewrite_in_progress',
    status: 'aof_last_bgrewrite_status',
  },
  snapshot: {
    title: 'save a snapshot',
    command: 'BGSAVE',
    running: 'rdb_bgsave_in_progress',
    status: 'rdb_last_bgsave_status',
  },
};

/**
 * Between two looks. Redis itself sees that a child has ended ten times a second (`hz`), and calls it running until then; a look
 * costs it some tens of microseconds.
 */
const LOOK_MS = 25;
/** A fork of a large data set, or a write to a slow volume, holds up every other command. */
const TIMEOUT_MS = 20_000;
/** What has not got on for so long will not end. A child tells its progress about once a second, but not how its last sync does. */
const STANDSTILL_MS = 60_000;

/**
 * Starts the work as soon as no other is under way, and again whenever it has ended, until it is told to stop.
 *
 * @param {Address} address of the node; it is looked at over a connection of its own, so that nobody else
 *   waits for an answer
 * @param {Work} work
 * @param {{credentials?: Credentials, signal?: AbortSignal}} [options]
 * @returns {Promise<Busy>} when it runs. Rejects, as `stop` does when it comes later, with a UserError when the node
 *   refuses the work or does not complete it, does not answer, or with the signal's reason
 */
export async function keepBusy(address, work, { credentials = {}, signal } = {}) {
  const kind = KINDS[work];
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
  // Whoever asked for it hears of it from `stop`.
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
  /** @type {Promise<{share: number}> | undefined} */
  let stopped;
  return {
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}

/**
 * Waits until no rewrite and no save is under way, and none is about to begin because it was put off.
 *
 * @param {Control} control
 * @param {{signal?: AbortSignal}} [options]
 * @throws {UserError} it does not get on any more
 */
export async function settled(control, { signal } = {}) {
  let progress = '';
  let deadline = 0;
  for (;;) {
    const info = await look(control);
    if (!isBusy(info)) return;
    const now = [info.current_save_keys_processed, info.current_fork_perc, info.aof_rewrite_in_progress].join(' ');
    if (now !== progress || deadline === 0) deadline = performance.now() + STANDSTILL_MS;
    progress = now;
    if (performance.now() > deadline) {
      throw new UserError(
        `A node has been rewriting or saving for ${STANDSTILL_MS / 1000} s without getting on.`,
        'Look whether its storage still takes writes, and give it faster storage or a smaller data set.',
      );
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

/**
 * @param {Control} control
 * @param {Kind} kind
 * @param {Record<string, string>} first what the first look saw
 * @param {AbortSignal} signal ends it, without an error
 * @returns {Promise<number>} the share of the looks that found it running
 */
async function goOn(control, kind, first, signal) {
  let looks = 1;
  let running = first[kind.running] === '1' ? 1 : 0;
  while (await passes(LOOK_MS, signal)) {
    const info = await look(control);
    looks++;
    if (info[kind.running] === '1') running++;
    else if (!isBusy(info)) {
      completed(info, kind);
      await start(control, kind);
    }
  }
  return running / looks;
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} false: the signal came
 */
async function passes(ms, signal) {
  try {
    await delay(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** @param {Control} control */
function look(control) {
  return control.info('persistence');
}

/** @param {Record<string, string>} info */
function isBusy(info) {
  return [info.rdb_bgsave_in_progress, info.aof_rewrite_in_progress, info.aof_rewrite_scheduled].includes('1');
}

/**
 * @param {Control} control
 * @param {Kind} kind
 */
async function start(control, { command }) {
  try {
    await control.call(command);
  } catch (error) {
    // A replica that asked for the whole data set was quicker: the next look finds that, and the one after it the end.
    if (!/already in progress|Another child process/i.test(messageOf(error))) throw error;
  }
}

/**
 * @param {Record<string, string>} info when none is under way
 * @param {Kind} kind
 * @throws {Error} the last one was not completed
 */
function completed(info, { command, status }) {
  if (info[status] !== 'ok') throw new Error(`${command} began, but could not complete its file`);
}

/**
 * @param {unknown} error
 * @param {Address} address
 * @param {Kind} kind
 */
function inWords(error, { host, port }, { title }) {
  if (error instanceof UserError) return error;
  return new UserError(
    `The node at ${host}:${port} could not be kept busy: it was to ${title}, and ${messageOf(error).replace(/\.$/, '')}.`,
    /^NOPERM/.test(messageOf(error))
      ? 'Allow this user INFO, BGSAVE and BGREWRITEAOF.'
      : 'See in its log why, most likely that its storage is full or its directory is gone; then try again.',
    undefined,
    { cause: error },
  );
}
