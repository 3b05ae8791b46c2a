import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '../../../errors.js';
import { DISTURBING_ACTIONS, UNDOING } from '../../actions.js';
import { formatAddress, isHost, isPort } from '../../address.js';
import { nodeOf } from '../../ask.js';
import { NETWORK_ABILITIES } from '../../network/network.js';
import { problem } from '../../texts.js';

/** Faults of an existing deployment by shell commands of the user: only those for which a command was named, and one to undo it. */
/** @import { Network } from '../../network/network.js' */
/** @import { Action, FaultProvider, NodeInfo, StackOptions } from '../../types.js' */
/** @typedef {NonNullable<StackOptions['commands']>} Commands */
/** @typedef {{words?: string[], env?: Record<string, string>}} CommandInput words: its arguments, `$1` and so on */

const DEADLINE_MS = 60_000;

/** `join` before `start`, because a node that starts during a partition cannot reach its primary. @type {Action[]} */
const UNDO_ORDER = ['free', 'resume', 'join', 'start'];

/**
 * @param {readonly NodeInfo[]} nodes @param {Commands} commands @param {{deadlineMs?: number}} [limits] @returns {FaultProvider}
 * @throws {UserError} a node has an invalid address, which could mean something to a shell
 */
export function openCommands(nodes, commands, { deadlineMs = DEADLINE_MS } = {}) {
  nodes.forEach(checkWords);
  /** Id of a node → the undoing actions that are due. @type {Map<string, Set<Action>>} */
  const due = new Map(nodes.map(({ id }) => [id, new Set()]));
  const possible = DISTURBING_ACTIONS.filter((action) => commands[action] && commands[UNDOING[action]]);
  const network = commands.divide || commands.unite ? networkOf(nodes, commands, deadlineMs) : undefined;

  /** @type {FaultProvider['act']} */
  async function act(id, action) {
    const { host, port } = nodeOf({ nodes }, id).address;
    const owed = /** @type {Set<Action>} */ (due.get(id));
    const command = commands[action];
    const undoing = /** @type {Partial<Record<Action, Action>>} */ (UNDOING)[action];
    if (!command || (undoing && !commands[undoing])) {
      const orUndoing = undoing ? `, or none for ${undoing}, which undoes it` : '';
      throw problem('no-command', { action, orUndoing });
    }
    // Also if the command fails: it may have had some effect.
    if (undoing) owed.add(undoing);
    const env = { SENTINEL_BENCH_ID: id, SENTINEL_BENCH_HOST: host, SENTINEL_BENCH_PORT: String(port) };
    await run(command, { what: `${action} of ${id}`, deadlineMs, env });
    owed.delete(action);
  }

  return {
    abilities: [...possible, ...(network ? NETWORK_ABILITIES : [])],
    act,
    ...(network && { network }),
    async undo() {
      const failures = /** @type {unknown[]} */ ([]);
      if (network?.isDivided()) await network.join().catch((error) => failures.push(error));
      for (const action of UNDO_ORDER) {
        for (const [id, owed] of due)
          if (owed.has(action)) await act(id, action).catch((error) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/**
 * A network of groups whose packets the user's commands drop. Clients of a run are all on this machine, so they reach every node.
 * @param {readonly NodeInfo[]} nodes @param {Commands} commands @param {number} deadlineMs
 * @returns {Network & {isDivided: () => boolean}} isDivided: by this process
 */
function networkOf(nodes, { divide, unite }, deadlineMs) {
  let isDivided = false;
  return {
    isDivided: () => isDivided,
    by: 'commands of the user; clients reach every node',
    clientAddress: () => undefined,
    adopt() {},
    admit: async () => {},
    async divide({ groups, oneWay = false }) {
      if (!divide) throw new Error('no command divides this network');
      const members = groups.map((group) => nodes.filter(({ id }) => group.includes(id)));
      const input = wordsOfGroups(members, oneWay);
      // Also if the command fails: it may have had some effect.
      isDivided = true;
      await run(divide, { what: 'divide', deadlineMs, ...input });
    },
    async join() {
      if (unite) await run(unite, { what: 'unite', deadlineMs });
      isDivided = false;
    },
  };
}

/** @param {readonly (readonly NodeInfo[])[]} groups @param {boolean} oneWay @returns {CommandInput} @throws {UserError} they share a host */
export function wordsOfGroups(groups, oneWay) {
  const hosts = groups.map((group) => [...new Set(group.map(({ address }) => address.host))]);
  const shared = hosts.flat().find((host, index, all) => all.indexOf(host) !== index);
  if (shared !== undefined) throw problem('groups-share-host', { shared });
  const addresses = groups.map((group) => group.map(({ address }) => formatAddress(address)));
  return {
    words: hosts.map((each) => each.join(',')),
    env: {
      SENTINEL_BENCH_ONE_WAY: oneWay ? 'yes' : '',
      ...Object.fromEntries(addresses.map((each, index) => [`SENTINEL_BENCH_GROUP_${index + 1}`, each.join(' ')])),
    },
  };
}

/** Names and addresses come from Sentinels or files. They must not mean anything to a shell, quoted or not. @param {NodeInfo} node */
function checkWords({ id, address: { host, port } }) {
  if (/^[a-z]+-\d+$/.test(id) && isHost(host) && isPort(port)) return;
  throw problem('node-for-command', { node: JSON.stringify(`${id} at ${host}:${port}`) });
}

/** @param {string} command its output is in no result @param {{what: string, deadlineMs: number} & CommandInput} how */
async function run(command, { what, deadlineMs, words = [], env }) {
  const failed = (/** @type {string} */ how) => problem('command-failed', { what, how });
  // In its own process group, so that Ctrl-C in a terminal does not end it half-way through.
  const child = spawn('sh', ['-c', command, 'sentinel-bench', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 2, 2],
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    process.kill(-Number(child.pid), 'SIGKILL');
  }, deadlineMs);
  const [status, signal] = await once(child, 'exit')
    .catch((error) => {
      throw failed(`could not be run: ${messageOf(error)}`);
    })
    .finally(() => clearTimeout(timer));
  if (isLate) throw failed(`did not end within ${deadlineMs / 1000} s`);
  if (status !== 0) throw failed(signal ? `was ended by ${signal}` : `failed with exit status ${status}`);
}
