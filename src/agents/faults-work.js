/**
 * Faults that an agent injects on its own machine: into servers that run beside it, and into the network between them and others. Each is in
 * the agent's own journal before it is injected. It is undone when the controller asks for that, when the controller is lost, when the
 * agent ends, and by a recovery on this machine when the agent was killed.
 */
import pLimit from 'p-limit';
import { UserError } from '../errors.js';
import { createJournal } from '../faults/journal.js';
import { formatAddress } from '../stacks/address.js';
import { whyNoFirewall } from '../stacks/network/firewall.js';
import { whyForeign, whyNoQueues } from '../stacks/network/queues.js';
import { addressIn, blocksAround, openMachine, thisMachine } from '../stacks/redis/machine/machine.js';
import { listeningServer, ownAddresses } from '../stacks/redis/machine/servers.js';
import { startOf, Unstartable } from '../stacks/redis/machine/start.js';
import { UNDONE_BY } from './faults-protocol.js';

/**
 * @import { ServerStart } from '../faults/types.js'
 * @import { Machine } from '../stacks/redis/machine/machine.js'
 * @import { Action, Address, Credentials } from '../stacks/types.js'
 * @import { Cut, Found, SlowedLane } from './faults-protocol.js'
 * @import { StartedNodes } from './nodes-work.js'
 * @import { AgentWork } from './operations.js'
 *
 * @typedef {Object} FaultsSite where faults are injected
 * @property {string} name of the agent
 * @property {ReadonlyMap<number, string>} starts port → shell command of this machine's user that starts the server there
 * @property {(server: Address) => Credentials} credentials of the servers beside it
 * @property {Pick<StartedNodes, 'groupOf' | 'serverAt'>} started nodes that it started itself
 * @property {() => boolean} writes writers of the run are on this machine
 * @property {() => Promise<readonly Address[]>} kept servers that stay reachable, such as NATS
 * @property {(line: string) => void} tell
 */

/**
 * @param {FaultsSite} agent
 * @returns {AgentWork & {slowsWriters: () => boolean}} slowsWriters: connections that this machine makes to servers elsewhere are slowed
 */
export function faultsWork(agent) {
  const faults = new Faults(agent);
  /** One change at a time. */
  const inTurn = pLimit(1);
  /** What was asked before the end of a run is not injected after it. */
  let ends = 0;

  /** @template B @param {(body: B) => Promise<unknown>} work */
  const change = (work) => async (/** @type {B} */ body) => {
    const begun = ends;
    await inTurn(async () => {
      if (begun !== ends) throw new UserError('The run has ended.', 'Start it again.');
      await work(body);
    });
  };

  return {
    handlers: {
      'faults-find': ({ nodes }) => find(agent, nodes),
      'faults-act': change(({ node, action }) => faults.act(node, action)),
      'faults-cut': change(({ blocks }) => faults.cut(blocks)),
      'faults-slow': change(({ lanes }) => faults.slow(lanes)),
    },
    slowsWriters: () => faults.slowsWriters,
    async stop() {
      ends++;
      await inTurn(() => faults.undoAll());
    },
  };
}

/** Those of one agent, one change at a time. */
class Faults {
  #agent;
  #record;
  /** @type {Promise<Machine> | null} */
  #opening = null;
  /** @type {ReturnType<typeof createJournal> | null} */
  #journal = null;
  /** Undoing action and server, `cut`, or `slow` → what is due. @type {Map<string, () => Promise<void>>} */
  #due = new Map();
  /** Servers that can be started again. @type {Set<string>} */
  #known = new Set();
  slowsWriters = false;

  /** @param {FaultsSite} agent */
  constructor(agent) {
    this.#agent = agent;
    this.#record = thisMachine(agent.name);
  }

  #machine() {
    const { kept, started } = this.#agent;
    this.#opening ??= kept().then((addresses) =>
      openMachine(this.#record, { kept: addresses, own: (id) => started.serverAt(addressIn(id)) }),
    );
    return this.#opening;
  }

  /** @param {string} key @param {Parameters<ReturnType<typeof createJournal>['note']>[0]} step */
  async #note(key, step) {
    if (this.#due.has(key)) return;
    const { stack } = await this.#machine();
    this.#journal ??= createJournal(stack, { machine: this.#record });
    const undo = await this.#journal.note(step);
    this.#due.set(key, async () => {
      await undo();
      this.#due.delete(key);
    });
  }

  /** @param {Address} node @param {Action} action */
  async act(node, action) {
    const { started, tell } = this.#agent;
    const id = checkOwn(this.#agent, node, this.#known);
    const { find: processOf, remember, act: doIt } = await this.#machine();
    const undoing = UNDONE_BY[action];
    if (undoing === undefined) {
      await (this.#due.get(`${action} ${id}`) ?? (() => doIt(id, action)))();
      tell(`${action} ${id}`);
      return;
    }
    const pid = processOf(id);
    if (pid === null) throw new UserError(`No server listens at ${id}.`, 'Start it first.');
    const own = started.serverAt(node) !== undefined;
    // A server may end itself when its disk is full.
    const start = !own && ['start', 'free'].includes(undoing) ? await mayStart(this.#agent, node, pid) : undefined;
    if (start) {
      remember(id, start);
      this.#known.add(id);
    }
    await this.#note(`${undoing} ${id}`, {
      kind: 'act',
      id,
      action: undoing,
      ...(start && { start }),
      ...(own && { own: true }),
    });
    tell(`${action} ${id}`);
    await doIt(id, action);
  }

  /** @param {readonly Cut[]} blocks */
  async cut(blocks) {
    const rules = blocks.flatMap((block) => rulesOf(this.#agent, block, this.#known));
    if (rules.length === 0) return this.#due.get('cut')?.();
    const why = await whyNoFirewall('machine');
    if (why !== null) throw new UserError(`Packets cannot be dropped there: ${why}.`, 'See to that, then try again.');
    await this.#note('cut', { kind: 'network' });
    const shown = rules.map(({ from, to }) => `${from.join(', ')} → ${to.join(', ')}`);
    this.#agent.tell(`drop packets: ${shown.join('; ')}`);
    await (await this.#machine()).cut(rules);
  }

  /** @param {readonly SlowedLane[]} lanes */
  async slow(lanes) {
    const { name, tell } = this.#agent;
    await checkLanes(this.#agent, lanes, this.#known);
    if (lanes.length === 0) {
      await this.#due.get('slow')?.();
      this.slowsWriters = false;
      return;
    }
    const how = lanes.some(({ delayMs, jitterMs }) => delayMs + jitterMs > 0) ? 'slow' : 'narrow';
    const why = await whyNotSlow(name, how, lanes);
    if (why !== null) throw new UserError(`Links cannot be slowed there: ${why}.`, 'See to that, then try again.');
    await this.#note('slow', { kind: 'slow' });
    tell(`slow links: ${lanes.map(({ from, to }) => `${from} → ${to}`).join('; ')}`);
    this.slowsWriters = lanes.some(({ toPort }) => toPort !== undefined);
    await (await this.#machine()).slow(lanes);
  }

  async undoAll() {
    if (!this.#journal) return;
    this.#agent.tell('undo all faults');
    await this.#journal.undoAll();
    await this.#journal.close();
    this.#journal = null;
    this.slowsWriters = false;
    this.#due.clear();
    this.#known.clear();
  }
}

/**
 * @param {FaultsSite} agent
 * @param {readonly Address[]} nodes of the deployment
 * @returns {Promise<Found>}
 */
async function find(agent, nodes) {
  const { name, started } = agent;
  const own = ownAddresses();
  const found = [];
  for (const node of nodes) {
    const pid = own.includes(node.host) ? processAt(agent, node) : null;
    if (pid === null) continue;
    const isOwn = started.serverAt(node) !== undefined;
    found.push({
      ...node,
      whyNoStart: isOwn ? null : (await howToStart(agent, node, pid)).why,
      alone: started.groupOf(node) !== undefined,
    });
  }
  const others = nodes.filter(({ host }) => !own.includes(host)).map(({ host }) => ({ to: host }));
  return {
    nodes: found,
    whyNoRules: await whyNoFirewall('machine'),
    whyNotNarrow: await whyNotSlow(name, 'narrow', others),
    whyNotSlow: await whyNotSlow(name, 'slow', others),
  };
}

/** @param {FaultsSite} agent @param {Address} node @returns {number | null} its process */
function processAt({ started }, node) {
  return started.serverAt(node)?.pid() ?? listeningServer(node);
}

/**
 * @param {FaultsSite} agent
 * @param {Address} node
 * @param {ReadonlySet<string>} known servers that may not run now
 * @returns {string} its id on this machine
 * @throws {UserError} it is not on this machine, or no server
 */
function checkOwn(agent, { host, port }, known) {
  if (!ownAddresses().includes(host))
    throw new UserError(`${host} is no address of its machine.`, 'Ask the agent that runs beside that node.');
  const id = formatAddress({ host, port });
  if (known.has(id) || agent.started.serverAt({ host, port }) || processAt(agent, { host, port }) !== null) return id;
  throw new UserError(`No Redis or Valkey server and no Sentinel listens at ${id}.`, 'Check the address.');
}

/**
 * @param {FaultsSite} agent
 * @param {Cut} block
 * @param {ReadonlySet<string>} known
 * @throws {UserError} it is not about this machine
 */
function rulesOf(agent, block, known) {
  if ('around' in block) {
    checkOwn(agent, block.around, known);
    return blocksAround(block.around);
  }
  if ('sentBy' in block) {
    checkOwn(agent, block.sentBy, known);
    const group = agent.started.groupOf(block.sentBy);
    if (group === undefined)
      throw new UserError(`${formatAddress(block.sentBy)} has no group of its own.`, 'Separate its machine.');
    return [{ from: [block.sentBy.host], to: [block.to.host], toPort: block.to.port, group }];
  }
  const own = ownAddresses();
  if ([block.from, block.to].some((addresses) => addresses.every((each) => own.includes(each)))) return [block];
  throw new UserError('It drops only packets from and to its own addresses.', 'Ask the agents of those machines.');
}

/**
 * @param {FaultsSite} agent
 * @param {readonly SlowedLane[]} lanes
 * @param {ReadonlySet<string>} known
 * @throws {UserError} they are not about this machine, or would slow what must stay fast
 */
async function checkLanes(agent, lanes, known) {
  const own = ownAddresses();
  const always = await agent.kept();
  for (const { from, to, fromPort, toPort } of lanes) {
    if (!own.includes(from) || own.includes(to))
      throw new UserError('It slows only what it sends to other machines.', 'Ask the agents of those machines.');
    if (fromPort !== undefined) checkOwn(agent, { host: from, port: fromPort }, known);
    if (always.some(({ host, port }) => host === to && port === toPort))
      throw new UserError('It does not slow its connection to NATS.', 'Check the address.');
    if (toPort !== undefined && agent.writes())
      throw new UserError(
        `Writers on its machine dial ${formatAddress({ host: to, port: toPort })}, and would be slowed, too.`,
        'Use more agents, so that writers have machines without nodes.',
      );
  }
}

/** @param {string} name of the agent @param {'narrow' | 'slow'} how @param {readonly {to: string}[]} lanes */
async function whyNotSlow(name, how, lanes) {
  return (await whyNoQueues(how)) ?? (await whyForeign(name, [...new Set(lanes.map(({ to }) => to))]));
}

/**
 * @param {FaultsSite} agent
 * @param {Address} node
 * @param {number} pid
 * @returns {Promise<{start: ServerStart, why: null} | {why: string}>} why it could not be started again
 */
async function howToStart({ starts, credentials }, node, pid) {
  const shell = starts.get(node.port);
  try {
    const start = shell === undefined ? await startOf(pid, node, credentials(node)) : { shell };
    return { start, why: null };
  } catch (error) {
    if (error instanceof Unstartable) return { why: error.message };
    throw error;
  }
}

/** @param {FaultsSite} agent @param {Address} node @param {number} pid @returns {Promise<ServerStart>} */
async function mayStart(agent, node, pid) {
  const found = await howToStart(agent, node, pid);
  if (found.why === null) return found.start;
  throw new UserError(
    `${formatAddress(node)} could not be started again: ${found.why}.`,
    `Name its start command to that agent: --start '${node.port}=COMMAND'.`,
  );
}
