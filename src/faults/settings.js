import { UserError } from '../errors.js';
import { askNode, nodeOf } from '../stacks/ask.js';
import { isReplyError } from '../stacks/redis/control.js';
import { fileEvidence, meansSame, redisDialect, sentinelDialect, timeoutFor } from '../stacks/redis/settings.js';
import { undoEach } from './journal.js';

/**
 * @import { Control } from '../stacks/redis/control.js'
 * @import { NodeInfo } from '../stacks/types.js'
 * @import { Site, Undo, UndoStep } from './types.js'
 */

/**
 * Changing settings for a while, on many nodes as one thing.
 *
 * @typedef {Record<string, string>} Settings
 *
 * @typedef {Object} Wanted
 * @property {Settings} [redis] of every Redis node
 * @property {Settings} [sentinel] of every Sentinel: down-after-milliseconds, failover-timeout, parallel-syncs, quorum
 * @property {Record<string, Settings>} [nodes] of one node by its id, besides or instead of those
 *
 * @typedef {Object} Change
 * @property {NodeInfo} node
 * @property {Settings} wanted what differs
 * @property {UndoStep} step that undoes it
 */

/** Whoever changes these may not be let in to change them back; and what has been a password is not to be written down. */
export const BARRED = [
  'port',
  'tls-port',
  'bind',
  'unixsocket',
  'protected-mode',
  'requirepass',
  'aclfile',
  'user',
  'masteruser',
  'masterauth',
  // What Valkey calls them.
  'primaryuser',
  'primaryauth',
  'tls-key-file-pass',
  'tls-client-key-file-pass',
];

/**
 * All nodes have the settings when the promise resolves, each read back from the node. A node that already has one keeps it.
 *
 * @param {Site} site
 * @param {Wanted} wanted
 * @returns {Promise<Undo>} puts the former values back and reads them back. A node that does not run then makes it reject,
 *   and its entry stays in the journal: its file may hold a changed value
 * @throws {UserError} a node does not answer, does not know a setting or does not take a value; by then the former values are
 *   back. When even that fails, the error says so, and the journal keeps what is left
 */
export async function applySettings({ cluster, journal }, { redis = {}, sentinel = {}, nodes = {} }) {
  for (const id of Object.keys(nodes)) nodeOf(cluster, id);
  const plan = cluster.nodes
    .map((node) => ({ node, wanted: { ...(node.kind === 'redis' ? redis : sentinel), ...nodes[node.id] } }))
    .filter(({ wanted }) => Object.keys(wanted).length > 0);
  // Everything is read before anything is changed: most that can go wrong shows here.
  const changes = (await Promise.all(plan.map(({ node, wanted }) => compare(cluster, node, wanted)))).flat();

  /** @type {{step: UndoStep, undo: Undo}[]} */
  const entries = [];
  const undoAll = () => undoEach(entries.slice().reverse());
  try {
    for (const { step } of changes) entries.push({ step, undo: await journal.note(step) });
    const outcomes = await Promise.allSettled(changes.map((change) => carryOut(cluster, change)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  } catch (error) {
    await undoAll();
    throw error;
  }
  return undoAll;
}

/**
 * @param {Site['cluster']} cluster
 * @param {NodeInfo} node
 */
function dialectOf({ masterName }, { kind }) {
  return kind === 'redis' ? redisDialect : sentinelDialect(masterName);
}

/**
 * @param {Site['cluster']} cluster
 * @param {NodeInfo} node
 * @param {Settings} wanted
 * @returns {Promise<Change[]>} one, or none when it has all of them
 */
async function compare(cluster, node, wanted) {
  const { id } = node;
  const names = Object.keys(wanted);
  const barred = names.find((name) => BARRED.includes(name.toLowerCase()));
  if (barred) {
    throw new UserError(
      `The setting ${barred} of ${id} cannot be changed for a while: it decides who is let in.`,
      'Set it where the node is started.',
    );
  }
  return asking(cluster, node, 'tell its settings', async (control) => {
    const now = await dialectOf(cluster, node).read(control, names);
    const unknown = names.find((name) => now[name] === undefined);
    if (unknown !== undefined) {
      throw new UserError(
        `${id} (${cluster.server.name} ${cluster.server.version ?? 'of unknown version'}) has no setting called ${unknown} that can be changed; nothing was changed.`,
        'Correct the name, or use a server that knows it.',
      );
    }
    const former = Object.fromEntries(
      names
        .filter((name) => meansSame(wanted[name], String(now[name])) !== true)
        .map((name) => [name, String(now[name])]),
    );
    if (Object.keys(former).length === 0) return [];
    /** @type {UndoStep} */
    const step =
      node.kind === 'redis'
        ? {
            kind: 'config',
            id,
            settings: former,
            before: await fileEvidence(control),
            ...(turnsAppendOnlyOn(former) && (await whatStays(cluster, id, control))),
          }
        : { kind: 'sentinel', id, settings: former };
    return [{ node, wanted: Object.fromEntries(Object.keys(former).map((name) => [name, wanted[name]])), step }];
  });
}

/** @param {Settings} former of those that are changed */
function turnsAppendOnlyOn(former) {
  return Object.entries(former).some(([name, value]) => name.toLowerCase() === 'appendonly' && value === 'no');
}

/**
 * A server that is told to append no more leaves what it has written: the next start with `appendonly yes` would load that,
 * and not the snapshot.
 *
 * @param {Site['cluster']} cluster
 * @param {string} id
 * @param {Control} control
 * @returns {Promise<{leaves?: string}>} a name in the node's directory that is not there yet; nothing: it stays as it is
 */
async function whatStays({ ours, files }, id, control) {
  // What is ours goes away as a whole; what is somebody else's is not ours to remove.
  if (ours || files === undefined) return {};
  // A folder since Redis 7, a single file before.
  const { appenddirname, appendfilename } = await redisDialect.read(control, ['appenddirname', 'appendfilename']);
  const name = appenddirname ?? appendfilename;
  return name === undefined || (await files.has(id, name)) ? {} : { leaves: name };
}

/**
 * @param {Site['cluster']} cluster
 * @param {Change} change
 */
async function carryOut(cluster, { node, wanted }) {
  const dialect = dialectOf(cluster, node);
  await asking(
    cluster,
    node,
    'take settings',
    async (control) => {
      for (const [name, value] of Object.entries(wanted)) {
        await dialect.write(control, name, value).catch((error) => {
          throw refused(node, name, value, error);
        });
      }
      const now = await dialect.read(control, Object.keys(wanted));
      for (const [name, value] of Object.entries(wanted)) {
        // Of a list that the node spells in its own way its OK is all there is.
        if (meansSame(value, String(now[name])) !== false) continue;
        throw new UserError(
          `${node.id} accepted ${name} ${value}, but has ${now[name]}.`,
          `Look what changes ${name} there, or leave it as it is.`,
        );
      }
    },
    timeoutFor(wanted),
  );
}

/**
 * @param {NodeInfo} node
 * @param {string} name
 * @param {string} value
 * @param {Error} error
 */
function refused({ id }, name, value, error) {
  return new UserError(
    `${id} does not take ${name} ${JSON.stringify(value)}: ${error.message.replace(/\.$/, '')}.`,
    isReplyError(error)
      ? 'Give a value that this server takes; the former values were put back.'
      : 'See that the node is well, then try again; the former values were put back.',
    undefined,
    { cause: error },
  );
}

/**
 * @template T
 * @param {Site['cluster']} cluster
 * @param {NodeInfo} node
 * @param {string} what it was to do
 * @param {(control: Control) => Promise<T>} question
 * @param {number} [timeoutMs]
 * @returns {Promise<T>}
 */
async function asking(cluster, { id }, what, question, timeoutMs = timeoutFor({})) {
  try {
    return await askNode(cluster, id, question, { timeoutMs });
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UserError(
      `${id} did not ${what} (${message || code}).`,
      isReplyError(error)
        ? 'Allow this user CONFIG and INFO on the nodes, and SENTINEL on the Sentinels.'
        : 'See with `sentinel-bench status` that the node runs, and heal the stack with `sentinel-bench recover`.',
      undefined,
      { cause: error },
    );
  }
}
