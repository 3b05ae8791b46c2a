/**
 * The host that an agent serves: nodes for a run, and faults in these nodes, in servers beside the agent, and in the network around them.
 * The agent writes each fault to its own journal first. It undoes the fault when the controller asks for that or is lost, and when it ends.
 * If the agent was killed, a recovery on this machine undoes it.
 */
import pLimit from 'p-limit';
import { createJournal } from '../faults/journal.js';
import { once } from '../once.js';
import { formatAddress } from '../stacks/address.js';
import { freePort } from '../stacks/hosts/ports.js';
import { whyNoFirewall } from '../stacks/network/firewall.js';
import { whyForeign, whyNoQueues } from '../stacks/network/queues.js';
import { addressIn, blocksAround, openMachine, thisMachine } from '../stacks/redis/machine/machine.js';
import { listeningServer, ownAddresses } from '../stacks/redis/machine/servers.js';
import { startOf, Unstartable } from '../stacks/redis/machine/start.js';
import { whyModelFails } from '../stacks/volumes/volatile-disk.js';
import { keepSecret } from '../untrusted.js';
import { UNDONE_BY } from './host-protocol.js';
import { findProgram, startNodes } from './own-nodes.js';
import { refusal } from './refusals.js';
import { addressTowards } from './writers-work.js';

/**
 * @import { ServerStart } from '../faults/types.js'
 * @import { Action, Address, Credentials } from '../stacks/types.js'
 * @import { Cut, FoundNodes, NodesToStart, OfferedPlace, SlowedLane } from './host-protocol.js'
 * @import { OwnNodes } from './own-nodes.js'
 * @import { AgentWork } from './operations.js'
 * @typedef {Object} HostSite
 * @property {string} name of the agent
 * @property {ReadonlyMap<number, string>} starts port → shell command of this machine's user that starts the server there
 * @property {Credentials} credentials of the servers beside it @property {() => boolean} writes writers of the run are on this machine
 * @property {Address} nats the server that it uses, which stays reachable; its address towards it is that of its nodes
 * @property {(line: string) => void} tell
 */

const modelFails = once(() => whyModelFails());

/** @implements {AgentWork} */
export class AgentHost {
  #site;
  #record;
  #machine;
  /** One change at a time. */
  #inTurn = pLimit(1);
  /** Aborted at the end of a run: what was asked before it does not go on after it. */
  #run = new AbortController();
  #nodes = /** @type {OwnNodes | null} */ (null);
  #journal = /** @type {ReturnType<typeof createJournal> | null} */ (null);
  /** Undoing action and server, `cut`, or `slow` → what is due. @type {Map<string, () => Promise<void>>} */
  #due = new Map();
  /** Server → those that were lost with its machine. @type {Map<string, readonly Address[]>} */
  #lostWith = new Map();
  /** Connections that this machine makes to servers elsewhere are slowed. */
  slowsWriters = false;

  /** @type {AgentWork['handlers']} */
  handlers = {
    'faults-find': ({ nodes }) => this.#find(nodes),
    'faults-act': ({ node, action, besides }) => this.#change(() => this.#act(node, action, besides)),
    'faults-cut': ({ blocks }) => this.#change(() => this.#cut(blocks)),
    'faults-slow': ({ lanes }) => this.#change(() => this.#slow(lanes)),
    'faults-undo': () => this.#change(() => this.#undo()),
    'nodes-place': (wanted) => this.#place(wanted),
    'nodes-start': (deployment) => this.#change((signal) => this.#start(deployment, signal)),
    'nodes-rebuild': ({ node: id }) =>
      this.#change(async (signal) => {
        if (!this.#nodes) throw refusal('not-started', { id });
        await this.#nodes.rebuild(id, signal);
      }),
    'nodes-stop': () => this.stop(),
  };

  /** @param {HostSite} site */
  constructor(site) {
    this.#site = site;
    this.#record = thisMachine(site.name);
    const own = (/** @type {string} */ id) => this.#nodes?.serverAt(addressIn(id));
    this.#machine = openMachine(this.#record, { kept: [site.nats], own });
  }

  #change(/** @type {(signal: AbortSignal) => Promise<void>} */ work) {
    const { signal } = this.#run;
    return this.#inTurn(() => {
      signal.throwIfAborted();
      return work(signal);
    });
  }

  async stop() {
    this.#run.abort(refusal('run-ended'));
    this.#run = new AbortController();
    await this.#inTurn(() => this.#clear());
  }

  async #clear() {
    try {
      await this.#undo();
    } finally {
      await this.#nodes?.end();
      this.#nodes = null;
    }
  }

  async #undo() {
    if (!this.#journal) return;
    this.#site.tell('undo all faults');
    await this.#journal.undoAll();
    await this.#journal.close();
    this.#journal = null;
    this.slowsWriters = false;
    this.#due.clear();
    this.#lostWith.clear();
  }

  /** @param {{system: NodesToStart['system'], nodes: number, disk: boolean}} wanted @returns {Promise<OfferedPlace>} */
  async #place({ system, nodes, disk }) {
    const { name, version } = await findProgram(system);
    const ports = new Set();
    while (ports.size < nodes) ports.add(await freePort(ports));
    const address = await addressTowards(this.#site.nats.host);
    return { address, ports: [...ports], whyNoDisk: disk ? await modelFails() : null, server: { name, version } };
  }

  /** @param {NodesToStart} deployment @param {AbortSignal} signal */
  async #start(deployment, signal) {
    await this.#clear();
    const strange = deployment.nodes.find(({ own, host }) => own && !ownAddresses().includes(host));
    if (strange) throw refusal('not-own', { host: strange.host });
    keepSecret(deployment.password);
    this.#nodes = await startNodes(deployment, { signal, tell: this.#site.tell });
  }

  /** @param {string} key @param {Parameters<ReturnType<typeof createJournal>['note']>[0]} step */
  async #note(key, step) {
    if (this.#due.has(key)) return;
    this.#journal ??= createJournal(this.#machine.stack, { machine: this.#record });
    const undo = await this.#journal.note(step);
    this.#due.set(key, async () => {
      await undo();
      this.#due.delete(key);
    });
  }

  /** @param {Address} node @param {Action} action @param {readonly Address[]} besides lost with its machine; they start with it */
  async #act(node, action, besides) {
    const id = formatAddress(node);
    if (action === 'lose') this.#lostWith.set(id, besides);
    const others = action === 'lose' || action === 'start' ? (this.#lostWith.get(id) ?? []) : [];
    for (const each of [node, ...others]) await this.#actOn(each, action);
    if (action === 'start') this.#lostWith.delete(id);
  }

  /** @param {Address} node @param {Action} action */
  async #actOn(node, action) {
    const id = this.#checkOwn(node);
    const { find, remember, act } = this.#machine;
    const undoing = UNDONE_BY[action];
    if (undoing === undefined) {
      await (this.#due.get(`${action} ${id}`) ?? (() => act(id, action)))();
    } else {
      const pid = find(id);
      if (pid === null) throw refusal('no-server', { id });
      const how = /** @type {{own?: true, start?: ServerStart}} */ ({});
      if (this.#nodes?.serverAt(node)) how.own = true;
      // A server may end itself when its disk is full.
      else if (['start', 'free'].includes(undoing)) {
        how.start = await this.#startOf(node, pid).catch((error) => {
          throw refusal('unstartable', { node: id, why: whyUnstartable(error), port: node.port });
        });
        remember(id, how.start);
      }
      await this.#note(`${undoing} ${id}`, { kind: 'act', id, action: undoing, ...how });
      await act(id, action);
    }
    this.#site.tell(`${action} ${id}`);
  }

  async #cut(/** @type {readonly Cut[]} */ blocks) {
    const rules = blocks.flatMap((block) => this.#rulesOf(block));
    if (rules.length === 0) return this.#due.get('cut')?.();
    const why = await whyNoFirewall('machine');
    if (why !== null) throw refusal('cannot-drop', { why });
    await this.#note('cut', { kind: 'network' });
    this.#site.tell(`drop packets: ${rules.map(({ from, to }) => `${from.join(', ')} → ${to.join(', ')}`).join('; ')}`);
    await this.#machine.cut(rules);
  }

  async #slow(/** @type {readonly SlowedLane[]} */ lanes) {
    this.#checkLanes(lanes);
    if (lanes.length === 0) {
      await this.#due.get('slow')?.();
    } else {
      const how = lanes.some(({ delayMs, jitterMs }) => delayMs + jitterMs > 0) ? 'slow' : 'narrow';
      const why = await this.#whyNotSlow(how, lanes);
      if (why !== null) throw refusal('cannot-slow', { why });
      await this.#note('slow', { kind: 'slow' });
      this.#site.tell(`slow links: ${lanes.map(({ from, to }) => `${from} → ${to}`).join('; ')}`);
    }
    this.slowsWriters = lanes.some(({ toPort }) => toPort !== undefined);
    if (lanes.length > 0) await this.#machine.slow(lanes);
  }

  /** @param {readonly Address[]} nodes of a deployment @returns {Promise<FoundNodes>} */
  async #find(nodes) {
    const own = ownAddresses();
    const found = [];
    for (const node of nodes.filter(({ host }) => own.includes(host))) {
      const started = this.#nodes?.serverAt(node);
      const pid = started?.pid() ?? listeningServer(node);
      if (pid === null) continue;
      const whyNoStart = started ? null : await this.#startOf(node, pid).then(() => null, whyUnstartable);
      found.push({ ...node, whyNoStart, alone: started?.group !== undefined });
    }
    const others = nodes.filter(({ host }) => !own.includes(host)).map(({ host }) => ({ to: host }));
    const narrow = await this.#whyNotSlow('narrow', others);
    const delay = narrow === null ? await this.#whyNotSlow('slow', others) : null;
    return { nodes: found, whyNot: { drop: await whyNoFirewall('machine'), narrow, delay } };
  }

  /** @param {'narrow' | 'slow'} how @param {readonly {to: string}[]} lanes */
  async #whyNotSlow(how, lanes) {
    return (await whyNoQueues(how)) ?? (await whyForeign(this.#site.name, [...new Set(lanes.map(({ to }) => to))]));
  }

  /** @param {Address} node @returns {string} its id on this machine @throws {UserError} it is not on this machine, or no server */
  #checkOwn(node) {
    if (!ownAddresses().includes(node.host)) throw refusal('not-own', { host: node.host });
    const id = formatAddress(node);
    const isDue = [...this.#due.keys()].some((key) => key.endsWith(` ${id}`));
    if (isDue || this.#nodes?.serverAt(node) || listeningServer(node) !== null) return id;
    throw refusal('no-redis', { id });
  }

  /** @param {Cut} block @throws {UserError} it is not about this machine */
  #rulesOf(block) {
    if ('around' in block) {
      this.#checkOwn(block.around);
      return blocksAround(block.around);
    }
    if ('sentBy' in block) {
      const id = this.#checkOwn(block.sentBy);
      const group = this.#nodes?.serverAt(block.sentBy)?.group;
      if (group === undefined) throw refusal('no-group', { id });
      return [{ from: [block.sentBy.host], to: [block.to.host], toPort: block.to.port, group }];
    }
    const own = ownAddresses();
    if ([block.from, block.to].some((addresses) => addresses.every((each) => own.includes(each)))) return [block];
    throw refusal('drops-own');
  }

  /** @param {readonly SlowedLane[]} lanes @throws {UserError} they are not about this machine, or would slow what must stay fast */
  #checkLanes(lanes) {
    const own = ownAddresses();
    const nats = formatAddress(this.#site.nats);
    for (const { from, to, fromPort, toPort } of lanes) {
      if (!own.includes(from) || own.includes(to)) throw refusal('slows-own');
      if (fromPort !== undefined) this.#checkOwn({ host: from, port: fromPort });
      if (toPort === undefined) continue;
      const there = formatAddress({ host: to, port: toPort });
      if (there === nats) throw refusal('slows-nats');
      if (this.#site.writes()) throw refusal('writers-dial', { there });
    }
  }

  /** @param {Address} node @param {number} pid @returns {Promise<ServerStart>} @throws {Unstartable} */
  async #startOf(node, pid) {
    const shell = this.#site.starts.get(node.port);
    return shell === undefined ? startOf(pid, node, this.#site.credentials) : { shell };
  }
}

/** @param {unknown} error @returns {string} why a server could not be started again */
function whyUnstartable(error) {
  if (error instanceof Unstartable) return error.message;
  throw error;
}
