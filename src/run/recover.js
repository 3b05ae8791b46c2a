/**
 * Putting back what processes left behind that were killed: their stacks, and on stacks that stay their faults and settings.
 */

import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { UserError } from '../errors.js';
import { adoptJournal, describeStep, placeOf } from '../faults/journal.js';
import {
  claimJournalFile,
  holderLives,
  isClaimed,
  listJournalFiles,
  readJournalFile,
  releaseJournalFile,
  removeJournalFile,
} from '../faults/journal-file.js';
import { UNDOING_ACTIONS, undoneBy } from '../stacks/actions.js';
import { attachCluster, recover as recoverStacks } from '../stacks/index.js';
import { becomesTrue } from '../stacks/processes.js';
import { openCommands } from '../stacks/redis/external/commands.js';
import { attachNode } from '../stacks/redis/external/index.js';
import { listStacks, runningNodes } from '../stacks/redis/local/stack.js';
import { openMembers } from '../stacks/redis/members.js';
import { lockStack } from '../stacks/stack-lock.js';
import { PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from './passwords.js';

/**
 * @import { Deployment, Header, JournalFile, Pending } from '../faults/journal-file.js'
 * @import { StackLock } from '../stacks/stack-lock.js'
 * @import { Address, Cluster, Credentials } from '../stacks/types.js'
 */

/**
 * @typedef {Object} RecoverOptions
 * @property {(line: string) => void} tell told each thing that is put back
 * @property {Credentials} [credentials] passwords from the environment, and a client's TLS key; no journal has them
 *
 * @typedef {Object} Stuck a stack that is not as it was
 * @property {string | null} identity of the stack; null: its journal cannot be understood
 * @property {UserError} error why, and what to do
 */

/** What somebody else puts back takes as long as it takes a stack to become well, at most. */
const OTHERS_DEADLINE_MS = 120_000;

/**
 * Puts back everything that dead processes left.
 *
 * @param {RecoverOptions} options
 * @throws {UserError} something could not be put back; its journal is kept. Everything else is put back all the same
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
 * Undoes what dead processes left undone on stacks that still are. To be called before a stack is used; costs next to nothing
 * when there is nothing. What a living process is at is left to it.
 *
 * @param {RecoverOptions} options
 * @returns {Promise<Stuck[]>} what could not be put back: a stack of that identity is not to be measured
 */
export async function recoverJournals(options) {
  const deadline = performance.now() + OTHERS_DEADLINE_MS;
  for (;;) {
    const stuck = await recoverDead(options);
    // What another process is putting back meanwhile is not put back yet; and it may give it up.
    if (!(await becomesTrue(() => !isOtherRecovering(), deadline - performance.now()))) return stuck;
    if (!listJournalFiles().some((file) => !holderLives(file)) || stuck.length > 0) return stuck;
  }
}

/** @returns {boolean} another process of this host has claimed a dead one's journal */
function isOtherRecovering() {
  return listJournalFiles().some(
    (file) =>
      file.holder.pid !== process.pid && file.holder.host === hostname() && isClaimed(file) && holderLives(file),
  );
}

/**
 * @param {RecoverOptions} options
 * @returns {Promise<Stuck[]>}
 */
async function recoverDead({ tell, credentials = {} }) {
  const files = listJournalFiles().filter((file) => !holderLives(file));
  // Whose stack goes away as a whole needs nothing undone. What cannot be taken down is told where that is asked for.
  if (files.length > 0) await recoverStacks(tell).catch(() => {});
  /** @type {Stuck[]} */
  const stuck = [];
  // Newest first: what was found changed by a later run was put back to what an earlier one had made of it.
  for (const file of files) {
    const claimed = await claimJournalFile(file);
    // Somebody else recovers, too, and was quicker.
    if (!claimed) continue;
    const trouble = await settleJournal(claimed, { path: file.path, tell, credentials });
    if (!trouble) continue;
    await releaseJournalFile(claimed, file);
    stuck.push(trouble);
  }
  return stuck;
}

/**
 * @param {JournalFile} file claimed; gone when all is put back
 * @param {RecoverOptions & {credentials: Credentials, path: string}} options path: what it is called else
 * @returns {Promise<Stuck | null>} null: all is put back
 */
async function settleJournal(file, { path, tell, credentials }) {
  let content;
  try {
    content = await readJournalFile(file);
  } catch (error) {
    return { identity: null, error: /** @type {UserError} */ (error) };
  }
  // It ended before it did anything, or after it had undone everything.
  if (content === null || content.pending.length === 0) {
    await removeJournalFile(file.path);
    return null;
  }
  const { header } = content;
  try {
    const cluster = await attachAgain(content, { credentials, tell });
    if (cluster) {
      await undoOn(cluster, file, header, tell);
    } else {
      await removeJournalFile(file.path);
      tell(`Dropped what process ${header.owner.pid} had left to undo: its stack is gone.`);
    }
    return null;
  } catch (error) {
    return { identity: header.identity, error: notPutBack(header, path, error) };
  }
}

/**
 * @param {Cluster} cluster is closed
 * @param {JournalFile} file
 * @param {Header} header
 * @param {(line: string) => void} tell
 */
async function undoOn(cluster, file, { owner }, tell) {
  /** @type {StackLock | null} */
  let lock = null;
  try {
    lock = await lockStack(cluster, { command: 'sentinel-bench recover', brief: true, tell });
    const journal = await adoptJournal(cluster, file, {
      undone: (step) => tell(`Undone what process ${owner.pid} left: ${describeStep(step)}.`),
    });
    try {
      // A node of ours that did not answer may do so once the stack is healed; somebody else's is not healed by us.
      if (cluster.backend !== 'external' && (await fails(journal.undoAll()))) {
        await cluster.heal().catch((error) => tell(error.message));
      }
      await journal.undoAll().catch(({ message, cause }) => {
        const remedy = cause instanceof UserError ? cause.remedy : 'Look at `sentinel-bench status` and mend that';
        throw new UserError(message, remedy, undefined, { cause });
      });
    } finally {
      await journal.close();
    }
    await cluster.heal().catch((error) => {
      throw new Unwell(error);
    });
  } finally {
    await lock?.release();
    await cluster.close();
  }
}

/**
 * @param {Promise<unknown>} promise
 * @returns {Promise<boolean>}
 */
function fails(promise) {
  return promise.then(
    () => false,
    () => true,
  );
}

/** Everything was undone, and yet the stack is not well. */
class Unwell extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super('not well', { cause });
  }
}

/**
 * @param {Header} header
 * @param {string} path of the journal
 * @param {unknown} error
 */
function notPutBack({ owner }, path, error) {
  const cause = error instanceof Unwell ? error.cause : error;
  const reason = `${(cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')}.`;
  const more = { cause, detail: cause instanceof UserError ? cause.detail : undefined };
  if (error instanceof Unwell) {
    return new UserError(
      `What process ${owner.pid} left was undone, but its stack is not well: ${reason}`,
      'Look at `sentinel-bench status`; a stack of our own can be taken down with `sentinel-bench down`.',
      undefined,
      more,
    );
  }
  const first = cause instanceof UserError ? cause.remedy.replace(/\.$/, '') : 'See to that';
  return new UserError(
    `What process ${owner.pid} left could not be put back: ${reason}`,
    `${first}, then run \`sentinel-bench recover\`; or, if its stack is gone for good, remove ${path}.`,
    undefined,
    more,
  );
}

/**
 * Finding the stack of a dead process's journal again.
 */

/** A Sentinel asks a replica that was away for its state every 10 s. */
const READY_DEADLINE_MS = 60_000;

/**
 * @param {{header: Header, pending: Pending[]}} content of a dead process's journal; what dead processes left of stacks of
 *   their own is gone
 * @param {Object} options
 * @param {Credentials} options.credentials what no journal has: passwords, a client's TLS key
 * @param {(line: string) => void} options.tell
 * @returns {Promise<Cluster | null>} the very stack; null: it is gone
 * @throws {UserError} it cannot be reached, or it cannot be told whether it is gone
 */
export async function attachAgain({ header, pending }, options) {
  if (header.deployment) return attachDeployment(header, header.deployment, pending, options);
  const { backend, identity } = header;
  checkPlace(header);
  const cluster = await attachCluster({ backend });
  if (cluster?.identity === identity) return cluster;
  await cluster?.close();
  if (backend === 'docker') await checkProjectGone(identity);
  else checkStackGone(identity);
  return null;
}

/**
 * A stack that is not found is only gone if it was looked for where it was.
 *
 * @param {Header} header
 */
function checkPlace({ backend, place }) {
  if (place === placeOf(backend)) return;
  if (backend === 'local' && !existsSync(place)) return;
  const variable = backend === 'local' ? 'TMPDIR' : 'DOCKER_HOST';
  throw new UserError(
    place === '' ? `Its stack was started without ${variable}.` : `Its stack was started with ${variable}=${place}.`,
    place === '' ? `Unset ${variable}` : `Set ${variable} to that`,
  );
}

/** @param {string} project */
async function checkProjectGone(project) {
  // Loaded when asked for, as everywhere: it takes its time.
  const [{ openEngine }, { whatIsLeft }] = await Promise.all([
    import('../stacks/redis/docker/engine.js'),
    import('../stacks/redis/docker/project.js'),
  ]);
  // Without an engine there is no telling: this rejects.
  const left = await whatIsLeft(await openEngine(), project);
  if (left.length === 0) return;
  throw new UserError(
    `Of its stack there is ${left.join(', ')}, which is not the whole stack of this project.`,
    `Set COMPOSE_PROJECT_NAME=${project}, or take it down with \`docker compose --project-name ${project} down --volumes\``,
  );
}

/** @param {string} name of a stack's folder */
function checkStackGone(name) {
  if (!listStacks().some((stack) => basename(stack.folder) === name && runningNodes(stack).length > 0)) return;
  throw new UserError('Another local stack is up besides its own.', 'Take that down with `sentinel-bench down`');
}

/**
 * @param {Header} header
 * @param {Deployment} deployment
 * @param {Pending[]} pending
 * @param {{credentials: Credentials, tell: (line: string) => void}} options
 * @returns {Promise<Cluster>} its nodes are called as they were then, though another may be the primary
 */
async function attachDeployment({ identity }, deployment, pending, { credentials, tell }) {
  const { masterName, nodes, commands = {} } = deployment;
  if (!nodes.some(({ kind }) => kind === 'sentinel'))
    return attachTarget(nodes[0].address, login(deployment, credentials));
  // The Sentinels leave a node out that is away; the commands know it all the same.
  const { act } = openCommands(nodes, commands);
  const attach = () =>
    attachCluster({
      backend: 'external',
      sentinels: nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
      masterName,
      credentials: login(deployment, credentials),
      tell,
    });
  const cluster = await attach().catch(async (error) => {
    const able = pending.flatMap(({ step }) => (step.kind === 'act' && commands[step.action] ? [step] : []));
    if (able.length === 0) throw error;
    // Without its primary, or without any Sentinel, there is nobody to ask.
    for (const { id, action } of able.reverse()) await act(id, action);
    return attach();
  });
  if (cluster?.identity !== identity) {
    await cluster?.close();
    throw new UserError(
      `Other Sentinels watch ${masterName} there than before.`,
      'Look whether it still is that deployment',
    );
  }
  const undoable = UNDOING_ACTIONS.flatMap((action) => (commands[action] ? undoneBy(action) : []));
  const members = openMembers(nodes, { masterName, credentials: cluster.credentials });
  return {
    ...cluster,
    nodes,
    can: new Set([...cluster.can, ...undoable]),
    act,
    observe: members.observer.snapshot,
    async heal() {
      await members.ready({ deadlineMs: READY_DEADLINE_MS });
    },
    async close() {
      members.close();
      await cluster.close();
    },
  };
}

/**
 * @param {Address} address that a load was sent to
 * @param {Credentials} credentials
 */
async function attachTarget(address, credentials) {
  const { cluster, control } = await attachNode(address, credentials);
  control.close();
  return cluster;
}

/**
 * @param {Deployment} deployment
 * @param {Credentials} given
 * @returns {Credentials}
 * @throws {UserError} something is needed that was not given
 */
function login({ username, sentinelUsername, tls, ...needs }, { password, sentinelPassword, tls: givenTls }) {
  const variables = [
    ...(needs.password && password === undefined ? [PASSWORD_VARIABLE] : []),
    ...(needs.sentinelPassword && sentinelPassword === undefined ? [SENTINEL_PASSWORD_VARIABLE] : []),
  ];
  if (variables.length > 0) {
    throw new UserError('Its deployment wants a password.', `Set ${variables.join(' and ')}`);
  }
  if (tls?.clientCertificate && givenTls?.key === undefined) {
    throw new UserError('Its deployment wants a client’s certificate.', 'Add --tls-cert FILE and --tls-key FILE');
  }
  const { clientCertificate: _, ...server } = tls ?? { clientCertificate: false };
  return {
    username,
    sentinelUsername,
    password: needs.password ? password : undefined,
    sentinelPassword: needs.sentinelPassword ? sentinelPassword : undefined,
    ...(tls && { tls: { ...server, ...(tls.clientCertificate && { cert: givenTls?.cert, key: givenTls?.key }) } }),
  };
}
