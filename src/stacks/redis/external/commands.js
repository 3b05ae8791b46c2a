import { spawn } from 'node:child_process';
import { ExitStatus, UserError } from '../../../errors.js';
import { DISTURBING_ACTIONS, UNDOING } from '../../actions.js';
import { isHost, isPort } from '../../address.js';

/** @import { Ability, Action, NodeInfo } from '../../types.js' */

/**
 * What may be done to somebody else's nodes: what the user has named a shell command for, and for its undoing, no more.
 *
 * @typedef {Object} Commands
 * @property {Ability[]} abilities
 * @property {(id: string, action: Action) => Promise<void>} act runs the action's command to its end
 * @property {() => Promise<void>} undo undoes what this process has done and not undone; runs nothing otherwise
 */

const DEADLINE_MS = 60_000;

/** A node that starts while it is cut would dial its primary in vain. @type {Action[]} */
const UNDO_ORDER = ['resume', 'join', 'start'];

/**
 * @param {readonly NodeInfo[]} nodes
 * @param {Partial<Record<Action, string>>} commands
 * @param {{deadlineMs?: number}} [limits]
 * @returns {Commands}
 * @throws {UserError} a node's address is not one: a shell could take it for something else
 */
export function openCommands(nodes, commands, { deadlineMs = DEADLINE_MS } = {}) {
  nodes.forEach(checkWords);
  /** @type {Map<string, Set<Action>>} id of a node → the actions that are due */
  const due = new Map(nodes.map(({ id }) => [id, new Set()]));
  const possible = DISTURBING_ACTIONS.filter((action) => commands[action] && commands[UNDOING[action]]);

  /** @type {Commands['act']} */
  async function act(id, action) {
    const node = nodes.find((each) => each.id === id);
    const owed = due.get(id);
    if (!node || !owed) throw new RangeError(`no node is called ${id}`);
    const command = commands[action];
    const undoing = /** @type {Partial<Record<Action, Action>>} */ (UNDOING)[action];
    if (!command || (undoing && !commands[undoing])) throw notNamed(action, undoing);
    // Also when the command fails: it may have done its work in part.
    if (undoing) owed.add(undoing);
    await run(command, node, { what: `${action} of ${id}`, deadlineMs });
    owed.delete(action);
  }

  return {
    abilities: possible,
    act,
    async undo() {
      /** @type {unknown[]} */
      const failures = [];
      for (const action of UNDO_ORDER) {
        for (const [id, owed] of due) {
          // One that cannot be undone must not keep the others from it.
          if (owed.has(action)) await act(id, action).catch((error) => failures.push(error));
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/**
 * @param {Action} action
 * @param {Action | undefined} undoing
 */
function notNamed(action, undoing) {
  return new UserError(
    `The external backend has no command for ${action}${undoing ? `, or none for ${undoing}, which undoes it` : ''}.`,
    'Name one for this run, or use --backend local or --backend docker, which start a stack of their own.',
    ExitStatus.badInput,
  );
}

/**
 * What a node is called comes from a Sentinel, or from a file: it must mean nothing to a shell, however the user quotes it.
 *
 * @param {NodeInfo} node
 */
function checkWords({ id, address: { host, port } }) {
  if (/^[a-z]+-\d+$/.test(id) && isHost(host) && isPort(port)) return;
  throw new UserError(
    `A command cannot be given the node ${JSON.stringify(`${id} at ${host}:${port}`)}: that is not a host name or an IP address with a port.`,
    'Find out who set that address; no command was run.',
  );
}

/**
 * @param {string} command
 * @param {NodeInfo} node
 * @returns {string} `{id}`, `{host}` and `{port}` replaced; other braces stay
 * @throws {UserError} they are not words that mean nothing to a shell
 */
export function fillInNode(command, node) {
  checkWords(node);
  const { id, address } = node;
  /** @type {Record<string, string>} */
  const values = { id, host: address.host, port: String(address.port) };
  return command.replace(/\{(id|host|port)\}/g, (_, name) => values[name]);
}

/**
 * What the command prints goes to standard error as it comes: the user sees it, and no result holds it.
 *
 * @param {string} command finds the node in `$SENTINEL_BENCH_ID`, `_HOST` and `_PORT`, and in `$1`, `$2` and `$3`
 * @param {NodeInfo} node
 * @param {{what: string, deadlineMs: number}} limits
 * @returns {Promise<void>}
 * @throws {UserError} it failed, or did not end in time
 */
function run(command, node, { what, deadlineMs }) {
  const { host, port } = node.address;
  const words = [node.id, host, String(port)];
  const [SENTINEL_BENCH_ID, SENTINEL_BENCH_HOST, SENTINEL_BENCH_PORT] = words;
  /** @param {string} how */
  const failed = (how) =>
    new UserError(
      `The command for ${what} ${how}.`,
      'Try the command by itself; what it printed stands above. Then see that the node is as it was.',
    );
  return new Promise((resolve, reject) => {
    // A process group of its own: Ctrl-C in a terminal must not end it half-way through.
    const child = spawn('sh', ['-c', fillInNode(command, node), 'sentinel-bench', ...words], {
      env: { ...process.env, SENTINEL_BENCH_ID, SENTINEL_BENCH_HOST, SENTINEL_BENCH_PORT },
      stdio: ['ignore', 2, 2],
      detached: true,
    });
    const timer = setTimeout(() => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL');
      }
      reject(failed(`did not end within ${deadlineMs / 1000} s`));
    }, deadlineMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(failed(`could not be run: ${error.message}`));
    });
    child.once('exit', (status, signal) => {
      clearTimeout(timer);
      if (status === 0) resolve();
      else reject(failed(signal ? `was ended by ${signal}` : `failed with exit status ${status}`));
    });
  });
}
