import { temporaryFolder } from '../private-files.js';
import { UNDOING_ACTIONS } from '../stacks/actions.js';
import { createJournalFile, readJournalFile, reopenJournalFile } from './journal-file.js';
import { removeJournalFile } from './journal-folder.js';
import { doStep, undoEach } from './undo.js';

/**
 * @import { BackendName, Cluster, ClusterOptions, Credentials } from '../stacks/types.js'
 * @import { Deployment, Pending, Writer } from './journal-file.js'
 * @import { JournalFile } from './journal-folder.js'
 * @import { Journal, UndoStep } from './types.js'
 */

/**
 * What has to be undone on one stack: in memory for this process, on disk for the one that comes after it was killed.
 *
 * @typedef {Object} Entry
 * @property {number} n
 * @property {UndoStep} step
 * @property {() => Promise<void>} undo
 */

/**
 * A journal without entries; there is no file until the first.
 *
 * @param {Cluster} cluster
 * @param {Object} [options]
 * @param {Credentials} [options.credentials] default: the cluster's
 * @param {ClusterOptions['commands']} [options.commands] external: as the cluster was given them;
 *   those that undo are kept in the file, and run again do no harm. Without them a recovery cannot undo what the others did,
 *   and asks the user to
 * @returns {Journal}
 */
export function createJournal(cluster, { credentials = cluster.credentials, commands } = {}) {
  return keepJournal(cluster, [], () => createJournalFile(headerOf(cluster, credentials, commands)));
}

/**
 * The journal of a dead process, made this one's.
 *
 * @param {Cluster} cluster the very stack it is about
 * @param {JournalFile} file claimed
 * @param {{undone?: (step: UndoStep) => void}} [options] undone: told each step that was done and struck out
 * @returns {Promise<Journal>}
 */
export async function adoptJournal(cluster, file, { undone } = {}) {
  const pending = (await readJournalFile(file))?.pending ?? [];
  return keepJournal(cluster, pending, async () => ({ ...file, writer: await reopenJournalFile(file) }), undone);
}

/**
 * @param {Cluster} cluster
 * @param {Pending[]} pending oldest first; when there are any, there is a file
 * @param {() => Promise<JournalFile & {writer: Writer}>} openFile
 * @param {(step: UndoStep) => void} [undone]
 * @returns {Journal}
 */
function keepJournal(cluster, pending, openFile, undone) {
  /** @type {Promise<JournalFile & {writer: Writer}> | null} */
  let opening = null;
  /** @type {Map<number, Entry>} what is left to undo, oldest first */
  const left = new Map();
  let lastN = 0;
  let closed = false;
  for (const { n, step } of pending) enter(n, step);

  function opened() {
    // A disk that was full may have room by the next time.
    opening ??= openFile().catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  /**
   * @param {number} n
   * @param {UndoStep} step
   */
  function enter(n, step) {
    lastN = Math.max(lastN, n);
    /** @type {Promise<void> | null} */
    let doing = null;
    const strike = async () => {
      if (!left.has(n)) return;
      if (!closed) await (await opened()).writer.append({ done: n });
      left.delete(n);
    };
    const undo = async () => {
      if (!left.has(n)) return;
      doing ??= doStep(cluster, step)
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

/**
 * @param {Cluster} cluster
 * @param {Credentials} credentials
 * @param {ClusterOptions['commands']} commands
 */
function headerOf(cluster, credentials, commands = {}) {
  const { backend, identity } = cluster;
  const header = { backend, identity, place: placeOf(backend) };
  return backend === 'external' ? { ...header, deployment: deploymentOf(cluster, credentials, commands) } : header;
}

/**
 * @param {BackendName} backend
 * @returns {string} where its stacks are looked for now
 */
export function placeOf(backend) {
  if (backend === 'local') return temporaryFolder();
  return backend === 'docker' ? (process.env.DOCKER_HOST ?? '') : '';
}

/**
 * @param {Cluster} cluster
 * @param {Credentials} credentials
 * @param {NonNullable<ClusterOptions['commands']>} commands
 * @returns {Deployment}
 */
function deploymentOf(
  { masterName, nodes },
  { username, password, sentinelUsername, sentinelPassword, tls },
  commands,
) {
  return {
    masterName,
    nodes: [...nodes],
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
    commands: Object.fromEntries(
      UNDOING_ACTIONS.flatMap((action) => (commands[action] ? [[action, commands[action]]] : [])),
    ),
  };
}
