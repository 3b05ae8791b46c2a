import { waitFor } from '../../../wait.js';
import { DISTURBING_ACTIONS } from '../../actions.js';
import { formatAddress } from '../../address.js';
import { actOnProcess } from '../../hosts/daemons.js';
import { openFirewall, openRules } from '../../network/firewall.js';
import { openQueues } from '../../network/queues.js';
import { problem } from '../../texts.js';
import { run } from '../../volumes/volume.js';
import { listeningServer, networkOf, wordsToEnter } from './servers.js';
import { launch } from './start.js';

/** Faults of servers on this machine and of their network: what an agent beside the nodes of a deployment does, and a recovery undoes. */
/** @import { Pending } from '../../../faults/journal-file.js' */
/** @import { ServerStart } from '../../../faults/types.js' */
/** @import { DropRule } from '../../network/firewall.js' */
/** @import { QueueLane } from '../../network/queues.js' */
/** @import { Action, Address, Stack } from '../../types.js' */
/** @typedef {{agent: string, network: string | null}} MachineRecord in journals. network: namespace in which its servers run */
/** @typedef {{pid: () => number | null, act: (action: Action) => Promise<void>}} Server pid: null: it does not run; act: all but `lose` */

const START_MS = 20_000;
/** A look at every process takes milliseconds. */
const POLL_MS = 50;
const EVERYBODY = '0.0.0.0/0';
/** Whose rules are those of cuts; the others are of servers. */
const CUTS = 'cuts';

/**
 * @param {MachineRecord} record
 * @param {{before?: readonly string[], kept?: readonly Address[], own?: (id: string) => Server | undefined}} [options] before: words before
 *   commands that run in its network; kept: servers that stay reachable; own: that the agent started itself
 */
export function openMachine({ agent, network }, { before = [], kept = [], own = () => undefined } = {}) {
  const firewall = openFirewall(`agent_${agent}`, 'machine', before, kept);
  const queues = openQueues(agent, before);
  /** @type {readonly QueueLane[]} */
  let lanes = [];
  /** @type {Map<string, ServerStart>} */
  const starts = new Map();
  const rules = openRules((blocks) => (blocks.length === 0 ? firewall.remove() : firewall.set(blocks)));
  /** @type {Set<string>} servers that will be ended */
  const ending = new Set();

  const serverAt = (/** @type {string} */ id) => own(id) ?? foreignServer(id, { network, before, starts });

  async function act(/** @type {string} */ id, /** @type {Action} */ action) {
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
    /** The process of a server. @param {string} id */
    find: (id) => serverAt(id).pid(),
    /** How a server is started; before it is killed. @param {string} id @param {ServerStart} known */
    remember: (id, known) => void starts.set(id, known),
    /** The server will be ended: undoing what was done to it only lets its packets pass. @param {string} id */
    leave: (id) => void ending.add(id),
    act,
    /** Replaces all rules. @param {readonly DropRule[]} blocks */
    cut: (blocks) => rules.set(CUTS, blocks),
    /** Replaces all lanes. @param {readonly QueueLane[]} wanted */
    async slow(wanted) {
      lanes = wanted;
      await queues.set(wanted);
    },
  };
}

/**
 * A server that somebody else started. @param {string} id its address
 * @param {{network: string | null, before: readonly string[], starts: ReadonlyMap<string, ServerStart>}} machine @returns {Server}
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

/** @param {Address} address @returns {DropRule[]} of all that is sent to and from the server there */
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

/** @param {MachineRecord} record of a dead agent @param {readonly Pending[]} pending @returns null: its network is gone, with its rules */
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

/** The kernel would send again what a killed server had sent. A machine that is lost takes that along. @param {Address} server */
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
