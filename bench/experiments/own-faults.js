/** Faults that belong to single experiments. */
import { fill, slowLink } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { readAddress, sameAddress } from '../../src/stacks/address.js';
import { askNode, nodeOf } from '../../src/stacks/ask.js';
import { toRecord } from '../../src/stacks/redis/observe.js';
import { WATCHER } from '../../src/stacks/redis/sentinel-events.js';
import { waitFor } from '../../src/wait.js';
import { numbersOf } from './data.js';

/** @import { CaseParams, ChooseFault, Fault, Stack } from '../types.js' */

/**
 * @param {string} name
 * @param {string} what happens
 * @param {{node?: Record<string, string>, sentinels?: Record<string, string>}} settings of the node that it is injected into, and of every Sentinel
 * @returns {Fault}
 */
export function settingsFault(name, what, { node, sentinels }) {
  return Object.freeze({
    name,
    what,
    needs: /** @type {Fault['needs']} */ (['configure']),
    inject: (/** @type {Parameters<Fault['inject']>[0]} */ site, /** @type {string} */ id) =>
      applySettings(site, { ...(node && { nodes: { [id]: node } }), ...(sentinels && { sentinels }) }),
  });
}

export const quorumOne = settingsFault('quorum-one', 'is called down by a single Sentinel (quorum 1)', {
  sentinels: { quorum: '1' },
});

/** Less than an empty server uses, so the next write is refused. */
export const fullMemory = settingsFault(
  'memory-full',
  'has no memory left and evicts nothing (maxmemory, noeviction)',
  {
    node: { maxmemory: '1', 'maxmemory-policy': 'noeviction' },
  },
);

/** 4 ms a key: a snapshot takes seconds. The least backlog: a replica that was away needs all data. The delay: both get the same snapshot. */
export const slowSnapshot = settingsFault(
  'slow-snapshot',
  'needs seconds to send a snapshot (rdb-key-save-delay), and has the least backlog',
  { node: { 'rdb-key-save-delay': '4000', 'repl-backlog-size': '16kb', 'repl-diskless-sync-delay': '5' } },
);

/** Sentinels compare priorities before offsets; the lower one wins. */
const PREFERRED = { 'replica-priority': '1' };
/** A Sentinel asks nodes for INFO every 10 s, and a busy one later. */
const LOOK_MS = 25_000;

/** @type {Fault} */
export const preferred = {
  name: 'replica-priority',
  what: 'is promoted before the other replica (replica-priority 1)',
  needs: ['configure'],
  async inject(site, id) {
    const undo = await applySettings(site, { nodes: { [id]: PREFERRED } });
    if (await waitFor(() => sentinelsPrefer(site.stack, id), { deadlineMs: LOOK_MS, pollMs: 200 })) return undo;
    await undo();
    throw new Error(`the Sentinels did not see the replica-priority of ${id} within ${LOOK_MS / 1000} s`);
  },
};

/** @param {Stack} stack @param {string} id @returns {Promise<boolean>} every Sentinel has seen the priority */
async function sentinelsPrefer(stack, id) {
  const { announced } = nodeOf(stack, id);
  const answers = await Promise.all(
    stack.nodes
      .filter(({ kind }) => kind === 'sentinel')
      .map((sentinel) =>
        askNode(stack, sentinel.id, (control) => control.call('SENTINEL', 'REPLICAS', stack.access.masterName)),
      ),
  );
  return answers.every((answer) =>
    /** @type {string[][]} */ (answer)
      .map(toRecord)
      .some(
        ({ ip, port, 'slave-priority': priority }) =>
          sameAddress(readAddress(ip, port), announced) && priority === PREFERRED['replica-priority'],
      ),
  );
}

/** Where a server keeps its data: the snapshot, and the append-only file, which is a folder since Redis 7. */
const DATA_FILES = ['dump.rdb', 'appendonlydir', 'appendonly.aof'];

/** As a node whose disk was replaced: it has its settings, and no data. @type {Fault} */
export const emptied = {
  name: 'restart-empty',
  what: 'is killed (SIGKILL) and started again without its data',
  needs: ['kill', 'configure'],
  async inject({ stack, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await askNode(stack, id, (control) => control.call('CONFIG', 'REWRITE'));
    // Before the kill, because nothing can be removed from a container that does not run. The server does not write them again.
    for (const file of DATA_FILES) await stack.host.files?.remove(id, file);
    await stack.host.act(id, 'kill');
    await stack.host.act(id, 'start');
    return undo;
  },
};

/** With appendfsync always the node ends itself when it cannot write, so it is started when there is room again. @type {Fault} */
export const fillAndStart = {
  ...fill,
  needs: [...fill.needs, 'kill'],
  async inject(site, id) {
    const start = await site.journal.note({ kind: 'act', id, action: 'start' });
    const free = await fill.inject(site, id);
    return async () => {
      await free();
      await start();
    };
  },
};

/** @type {Fault} */
export const cutSubscribers = {
  name: 'sentinel-connection-lost',
  what: 'closes the connections of all clients that wait for its messages (CLIENT KILL)',
  needs: [],
  async inject({ stack }, id) {
    await askNode(stack, id, async (control) => {
      const list = String(await control.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
      for (const client of subscribersIn(list)) await control.call('CLIENT', 'KILL', 'ID', client);
    });
    return async () => {};
  },
};

/** @param {string} list the reply to CLIENT LIST @returns {string[]} ids of the clients, without the one that writes the timeline */
export function subscribersIn(list) {
  return list.split('\n').flatMap((line) => {
    const id = /^id=(\d+) /.exec(line)?.[1];
    return id === undefined || line.includes(` name=${WATCHER} `) ? [] : [id];
  });
}

/** A SET in the replication stream has these bytes around its value: the command, the lengths, and the key. */
const BYTES_BESIDE_VALUE = 80;

/** @type {ChooseFault} */
export const narrowLink = ({ primary }, params) => ({
  fault: slowLink({ latencyMs: 0, bytesPerSecond: narrowFor(params) }),
  target: primary.id,
});

/** @param {Pick<CaseParams, 'rate' | 'writers' | 'payloadBytes'>} params @returns {number} bytes a second, too few for the writes */
export function narrowFor({ rate = 0, writers = [], payloadBytes }) {
  const { narrow } = numbersOf('narrow-link');
  return Math.round((rate * writers.length * (payloadBytes + BYTES_BESIDE_VALUE)) / narrow);
}
