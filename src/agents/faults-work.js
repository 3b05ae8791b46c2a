/**
 * Faults that an agent injects on its own machine: into servers that run beside it, and into the network between them and others. Each is in
 * the agent's own journal before it is injected. It is undone when the controller asks for that, when the controller is lost, when the
 * agent ends, and by a recovery on this machine when the agent was killed.
 */
import { UserError } from '../errors.js';
import { createJournal } from '../faults/journal.js';
import { formatAddress } from '../stacks/address.js';
import { whyNoFirewall } from '../stacks/network/firewall.js';
import { whyForeign, whyNoQueues } from '../stacks/network/queues.js';
import { addressIn, blocksAround, openMachine, thisMachine } from '../stacks/redis/machine/machine.js';
import { listeningServer, ownAddresses } from '../stacks/redis/machine/servers.js';
import { startOf, Unstartable } from '../stacks/redis/machine/start.js';
import { ActRequest, CutRequest, FindRequest, SlowRequest, UNDONE_BY } from './faults-protocol.js';

/**
 * @import { z } from 'zod'
 * @import { Start } from '../faults/journal-file.js'
 * @import { Disturbing } from '../stacks/actions.js'
 * @import { Action, Address, Credentials } from '../stacks/types.js'
 * @import { Operation, Work } from './agent.js'
 * @import { FindReply } from './faults-protocol.js'
 * @import { StartedNodes } from './nodes-work.js'
 *
 * @typedef {() => Promise<void>} Undo
 */

/**
 * @param {Object} agent
 * @param {string} agent.name
 * @param {ReadonlyMap<number, string>} agent.starts port → shell command of this machine's user that starts the server there
 * @param {(server: Address) => Credentials} agent.credentials of the servers beside it
 * @param {Pick<StartedNodes, 'isOwn' | 'groupOf' | 'act'>} agent.started nodes that it started itself
 * @param {() => boolean} agent.writes writers of the run are on this machine
 * @param {() => Promise<readonly Address[]>} agent.kept servers that stay reachable, such as NATS
 * @param {(line: string) => void} agent.tell
 * @returns {Work & {slowsWriters: () => boolean}} slowsWriters: connections that this machine makes to servers elsewhere are slowed
 */
export function faultsWork({ name, starts, credentials, started, writes, kept, tell }) {
  const record = thisMachine(name);
  /** @type {Promise<ReturnType<typeof openMachine>> | null} */
  let opening = null;
  /** @type {ReturnType<typeof createJournal> | null} */
  let journal = null;
  /** Undoing action and server, `cut`, or `slow` → what is due. @type {Map<string, Undo>} */
  const due = new Map();
  /** Servers that can be started again. @type {Set<string>} */
  const known = new Set();
  /** One change at a time. @type {Promise<unknown>} */
  let last = Promise.resolve();
  let slowsWriters = false;
  /** What was asked before the end of a run is not injected after it. */
  let ends = 0;

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  function inTurn(work) {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  function duringRun(work) {
    const begun = ends;
    return inTurn(() => {
      if (begun !== ends) throw new UserError('The run has ended.', 'Start it again.');
      return work();
    });
  }

  function machine() {
    opening ??= kept().then((addresses) =>
      openMachine(record, {
        kept: addresses,
        isOwn: (id) => started.isOwn(addressIn(id)),
        around: (id, action, onNode) => started.act(addressIn(id), action, onNode),
      }),
    );
    return opening;
  }

  /** @param {Address} node @returns {number | null} its process */
  const processAt = (node) => listeningServer(node, { own: started.isOwn(node) });

  /** @param {Address} node */
  function checkOwn({ host, port }) {
    if (!ownAddresses().includes(host))
      throw new UserError(`${host} is no address of its machine.`, 'Ask the agent that runs beside that node.');
    const id = formatAddress({ host, port });
    if (processAt({ host, port }) !== null || known.has(id)) return id;
    throw new UserError(`No Redis or Valkey server and no Sentinel listens at ${id}.`, 'Check the address.');
  }

  /** @param {Address} node @param {number} pid @returns {Promise<Start>} */
  async function howToStart(node, pid) {
    const shell = starts.get(node.port);
    return shell === undefined ? startOf(pid, node, credentials(node)) : { shell };
  }

  /**
   * @param {string} key
   * @param {Parameters<ReturnType<typeof createJournal>['note']>[0]} step
   */
  async function note(key, step) {
    if (due.has(key)) return;
    const { stack } = await machine();
    journal ??= createJournal(stack, { machine: record });
    const undo = await journal.note(step);
    due.set(key, async () => {
      await undo();
      due.delete(key);
    });
  }

  /**
   * @param {Address} node
   * @param {Action} action
   */
  async function act(node, action) {
    const id = checkOwn(node);
    const { find, remember, act: doIt } = await machine();
    const undoing = UNDONE_BY[action];
    if (undoing === undefined) {
      const undo = due.get(`${action} ${id}`);
      await (undo ? undo() : doIt(id, action));
      tell(`${action} ${id}`);
      return;
    }
    const pid = find(id);
    if (pid === null) throw new UserError(`No server listens at ${id}.`, 'Start it first.');
    // A server may end itself when its disk is full.
    const start =
      undoing === 'start' || undoing === 'free'
        ? await howToStart(node, pid).catch((error) => refuseStart(id, error))
        : undefined;
    if (start) {
      remember(id, start);
      known.add(id);
    }
    await note(`${undoing} ${id}`, {
      kind: 'act',
      id,
      action: undoing,
      ...(start && { start }),
      ...(started.isOwn(node) && { own: true }),
    });
    tell(`${action} ${id}`);
    await doIt(id, action);
  }

  /** @param {z.infer<typeof CutRequest>['blocks']} blocks */
  async function cut(blocks) {
    const own = ownAddresses();
    const isOwn = (/** @type {readonly string[]} */ addresses) => addresses.every((each) => own.includes(each));
    const rules = blocks.flatMap((block) => {
      if ('around' in block) {
        checkOwn(block.around);
        return blocksAround(block.around);
      }
      if ('sentBy' in block) {
        checkOwn(block.sentBy);
        const group = started.groupOf(block.sentBy);
        if (group === undefined)
          throw new UserError(`${formatAddress(block.sentBy)} has no group of its own.`, 'Separate its machine.');
        return [{ from: [block.sentBy.host], to: [block.to.host], toPort: block.to.port, group }];
      }
      if (isOwn(block.from) || isOwn(block.to)) return [block];
      throw new UserError('It drops only packets from and to its own addresses.', 'Ask the agents of those machines.');
    });
    if (rules.length === 0) {
      await due.get('cut')?.();
      return;
    }
    const why = await whyNoFirewall('machine');
    if (why !== null) throw new UserError(`Packets cannot be dropped there: ${why}.`, 'See to that, then try again.');
    await note('cut', { kind: 'network' });
    tell(`drop packets: ${rules.map(({ from, to }) => `${from.join(', ')} → ${to.join(', ')}`).join('; ')}`);
    await (await machine()).cut(rules);
  }

  /** @param {z.infer<typeof SlowRequest>['lanes']} lanes */
  async function slow(lanes) {
    const own = ownAddresses();
    const always = await kept();
    for (const { from, to, fromPort, toPort } of lanes) {
      if (!own.includes(from) || own.includes(to))
        throw new UserError('It slows only what it sends to other machines.', 'Ask the agents of those machines.');
      if (fromPort !== undefined) checkOwn({ host: from, port: fromPort });
      if (always.some(({ host, port }) => host === to && port === toPort))
        throw new UserError('It does not slow its connection to NATS.', 'Check the address.');
      if (toPort !== undefined && writes())
        throw new UserError(
          `Writers on its machine dial ${formatAddress({ host: to, port: toPort })}, and would be slowed, too.`,
          'Use more agents, so that writers have machines without nodes.',
        );
    }
    if (lanes.length === 0) {
      await due.get('slow')?.();
      slowsWriters = false;
      return;
    }
    const why = await whyNotSlow(
      lanes.some(({ delayMs, jitterMs }) => delayMs + jitterMs > 0) ? 'slow' : 'narrow',
      lanes,
    );
    if (why !== null) throw new UserError(`Links cannot be slowed there: ${why}.`, 'See to that, then try again.');
    await note('slow', { kind: 'slow' });
    tell(`slow links: ${lanes.map(({ from, to }) => `${from} → ${to}`).join('; ')}`);
    slowsWriters = lanes.some(({ toPort }) => toPort !== undefined);
    await (await machine()).slow(lanes);
  }

  /** @param {'narrow' | 'slow'} how @param {readonly {to: string}[]} lanes */
  async function whyNotSlow(how, lanes) {
    return (await whyNoQueues(how)) ?? (await whyForeign(name, [...new Set(lanes.map(({ to }) => to))]));
  }

  async function undoAll() {
    if (!journal) return;
    tell('undo all faults');
    await journal.undoAll();
    await journal.close();
    journal = null;
    slowsWriters = false;
    due.clear();
    known.clear();
  }

  /** @type {Record<string, Operation>} */
  const operations = {
    'faults-find': {
      request: FindRequest,
      allow: 'faults',
      /** @returns {Promise<z.infer<typeof FindReply>>} */
      async run(/** @type {z.infer<typeof FindRequest>} */ { nodes }) {
        const own = ownAddresses();
        const found = [];
        for (const node of nodes) {
          const pid = own.includes(node.host) ? processAt(node) : null;
          if (pid === null) continue;
          const alone = started.groupOf(node) !== undefined;
          found.push({ ...node, whyNoStart: await whyNoStart(howToStart(node, pid)), alone });
        }
        const others = nodes.filter(({ host }) => !own.includes(host)).map(({ host }) => ({ to: host }));
        return {
          nodes: found,
          whyNoRules: await whyNoFirewall('machine'),
          whyNotNarrow: await whyNotSlow('narrow', others),
          whyNotSlow: await whyNotSlow('slow', others),
        };
      },
    },
    'faults-act': {
      request: ActRequest,
      allow: 'faults',
      async run(/** @type {z.infer<typeof ActRequest>} */ { node, action }) {
        await duringRun(() => act(node, action));
        return {};
      },
    },
    'faults-cut': {
      request: CutRequest,
      allow: 'faults',
      async run(/** @type {z.infer<typeof CutRequest>} */ { blocks }) {
        await duringRun(() => cut(blocks));
        return {};
      },
    },
    'faults-slow': {
      request: SlowRequest,
      allow: 'faults',
      async run(/** @type {z.infer<typeof SlowRequest>} */ { lanes }) {
        await duringRun(() => slow(lanes));
        return {};
      },
    },
  };

  return {
    operations,
    slowsWriters: () => slowsWriters,
    async stop() {
      ends++;
      await inTurn(undoAll);
    },
  };
}

/** @param {Promise<Start>} how @returns {Promise<string | null>} */
async function whyNoStart(how) {
  try {
    await how;
    return null;
  } catch (error) {
    if (error instanceof Unstartable) return error.message;
    throw error;
  }
}

/** @param {string} id @param {unknown} error @returns {never} */
function refuseStart(id, error) {
  if (!(error instanceof Unstartable)) throw error;
  throw new UserError(
    `${id} could not be started again: ${error.message}.`,
    `Name its start command to that agent: --start '${id.split(':')[1]}=COMMAND'.`,
  );
}
