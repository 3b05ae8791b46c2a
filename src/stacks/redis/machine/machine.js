/** Faults of servers on this machine and of their network: what an agent beside the nodes of a deployment does, and a recovery undoes. */
import { waitFor } from '../../../wait.js';
import { DISTURBING_ACTIONS } from '../../actions.js';
import { formatAddress } from '../../address.js';
import { actOnProcess } from '../../daemons.js';
import { openFirewall, openRules } from '../../network/firewall.js';
import { openQueues } from '../../network/queues.js';
import { problem } from '../../texts.js';
import { run } from '../../volume.js';
import { listeningServer, networkOf, wordsToEnter } from './servers.js';
import { launch } from './start.js';

/**
 * @import { Pending } from '../../../faults/journal-file.js'
 * @import { ServerStart } from '../../../faults/types.js'
 * @import { DropRule } from '../../network/firewall.js'
 * @import { QueueLane } from '../../network/queues.js'
 * @import { Action, Address, Stack } from '../../types.js'
 *
 * @typedef {Object} MachineRecord in journals
 * @property {string} agent its name
 * @property {string | null} network namespace in which its servers run
 *
 * @typedef {Object} Server on this machine
 * @property {() => number | null} pid of its process; null: it does not run
 * @property {(action: Action) => Promise<void>} act all but `lose`
 *
 * @typedef {Object} Machine
 * @property {Stack} stack as much of one as journals need; its ids are addresses, `HOST:PORT`
 * @property {(id: string) => number | null} find the process of a server
 * @property {(id: string, start: ServerStart) => void} remember how a server is started; before it is killed
 * @property {(id: string) => void} leave the server will be ended: undoing what was done to it only lets its packets pass
 * @property {(id: string, action: Action) => Promise<void>} act
 * @property {(blocks: readonly DropRule[]) => Promise<void>} cut replaces all rules; none: it removes them
 * @property {(lanes: readonly QueueLane[]) => Promise<void>} slow replaces all lanes; none: it removes them
 */

const START_MS = 20_000;
/** A look at every process takes milliseconds. */
const POLL_MS = 50;
const EVERYBODY = '0.0.0.0/0';
/** Whose rules are those of cuts; the others are of servers. */
const CUTS = 'cuts';

/**
 * @param {MachineRecord} record
 * @param {Object} [options]
 * @param {readonly string[]} [options.before] words before commands that run in its network
 * @param {readonly Address[]} [options.kept] servers that stay reachable
 * @param {(id: string) => Server | undefined} [options.own] that the agent started itself
 * @returns {Machine}
 */
export function openMachine({ agent, network }, { before = [], kept = [], own = () => undefined } = {}) {
  const firewall = openFirewall(`agent_${agent}`, 'machine', before, kept);
  const queues = openQueues(agent, before);
  /** @type {readonly QueueLane[]} */
  let lanes = [];
  /** @type {Map<string, ServerStart>} */
  const starts = new Map();
  /** Cuts, and what surrounds servers that were lost with all that they had sent. */
  const rules = openRules((blocks) => (blocks.length === 0 ? firewall.remove() : firewall.set(blocks)));
  /** @type {Set<string>} servers that will be ended */
  const ending = new Set();

  const serverAt = (/** @type {string} */ id) => own(id) ?? foreignServer(id, { network, before, starts });

  /** @type {Machine['act']} */
  async function act(id, action) {
    if (ending.has(id) || action === 'start') await rules.set(id, []);
    if (ending.has(id)) return;
    if (action !== 'lose') return serverAt(id).act(action);
    await rules.set(id, blocksAround(addressIn(id)));
    // What waits in queues has passed the rules already.
    if (lanes.length > 0) await queues.discard();
    await serverAt(id).act('kill');
    if (lanes.length > 0) await queues.set(lanes);
    await forgetConnections(addressIn(id));
  }

  const stack = {
    about: { backend: 'external', identity: `the machine of the agent ${agent}` },
    access: { credentials: {} },
    nodes: [],
    can: new Set([...DISTURBING_ACTIONS, 'narrow-link']),
    host: { act },
    network: {
      async slow() {
        lanes = [];
        await queues.remove();
      },
      groups: { join: () => rules.set(CUTS, []) },
    },
    heal: async () => {},
    close: async () => {},
  };
  return {
    // Journals do nothing else with it.
    stack: /** @type {Stack} */ (/** @type {unknown} */ (stack)),
    find: (id) => serverAt(id).pid(),
    remember: (id, known) => void starts.set(id, known),
    leave: (id) => void ending.add(id),
    act,
    cut: (blocks) => rules.set(CUTS, blocks),
    async slow(wanted) {
      lanes = wanted;
      await queues.set(wanted);
    },
  };
}

/**
 * A server that somebody else started.
 * @param {string} id its address
 * @param {{network: string | null, before: readonly string[], starts: ReadonlyMap<string, ServerStart>}} machine
 * @returns {Server}
 */
function foreignServer(id, { network, before, starts }) {
  const pid = () => listeningServer(addressIn(id), { network });

  async function start() {
    if (pid() !== null) return;
    const known = starts.get(id);
    if (!known) throw problem('start-unknown', { id });
    launch(known, before);
    if (await waitFor(() => pid() !== null, { deadlineMs: START_MS, pollMs: POLL_MS })) return;
    throw problem('start-failed', { id, seconds: START_MS / 1000 });
  }

  return {
    pid,
    async act(action) {
      if (action === 'start') return start();
      const process = pid();
      if (process === null) throw problem('nobody-listens', { id });
      return actOnProcess(id, process, action);
    },
  };
}

/** @param {Address} address @returns {DropRule[]} everything that is sent to and from the server at that address */
export function blocksAround({ host, port }) {
  return [
    { from: [EVERYBODY], to: [host], toPort: port },
    { from: [host], to: [EVERYBODY], fromPort: port },
  ];
}

/** @param {string} id @returns {Address} */
export function addressIn(id) {
  const [host, port] = id.split(':');
  return { host, port: Number(port) };
}

/** @param {string} agent @returns {MachineRecord} */
export function thisMachine(agent) {
  return { agent, network: networkOf() };
}

/**
 * @param {MachineRecord} record in the journal of a dead agent
 * @param {readonly Pending[]} pending
 * @returns {Stack | null} null: its network is gone, with its rules
 */
export function reattachMachine(record, pending) {
  const before = record.network === null ? [] : wordsToEnter(record.network);
  if (before === null) return null;
  const machine = openMachine(record, { before });
  for (const { step } of pending) {
    if (step.kind !== 'act') continue;
    if (step.own) machine.leave(step.id);
    else if (step.start) machine.remember(step.id, step.start);
  }
  return machine.stack;
}

const GONE_MS = 5000;

/** The kernel would send again what a killed server had sent, once its packets pass again. A machine that is lost takes that along. @param {Address} server */
async function forgetConnections(server) {
  const of = ['--tcp', '--numeric', '--no-header', 'src', formatAddress(server)];
  const areGone = async () => {
    await run('ss', ['--kill', ...of]);
    const { status, output } = await run('ss', of);
    return status === 0 && output === '';
  };
  if (await waitFor(areGone, { deadlineMs: GONE_MS })) return;
  throw problem('connections-stay', { address: server });
}
