/**
 * For tests only: a database in the memory of this process, with two replicas that lag and no Sentinels. It shows what a system has
 * to offer. This file is also the module of its writers, which run in a thread of their own and reach it over a broadcast channel.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Found, valueMaker } from '../audit/value.js';
import { keyName } from '../clients/native-batch.js';
import { Outcome } from '../clients/types.js';
import { createPromiseWriter } from '../load/writers/paced-writer.js';

/**
 * @import { KeysToRead, NodeReading } from '../audit/value.js'
 * @import { TrialPlan, WriterPlan } from '../load/trial-thread.js'
 * @import { WriteAnswer } from '../load/writers/paced-writer.js'
 * @import { Writer } from '../load/writers/writer.js'
 * @import { Action, Stack, Control, NodeInfo, System } from '../stacks/types.js'
 */

/**
 * @typedef {Object} MemoryNode
 * @property {Map<string, string>} data
 * @property {Record<string, string>} settings `lag`: milliseconds until its writes reach the replicas
 * @property {boolean} up
 *
 * @typedef {{writer: string, number: number, key?: string, value?: string, ok?: boolean}} Message a write, or its answer
 */

const LAG = 'lag';
const DOWN_AFTER_MS = 100;

/**
 * @returns {Promise<Stack & {stop: () => void, dropped: () => number}>} the first of three nodes is the primary; dropped: writes that it confirmed and that
 *   no other node got, because it was down by then
 */
export async function startMemoryStack() {
  const ids = ['memory-1', 'memory-2', 'memory-3'];
  /** @type {Map<string, MemoryNode>} */
  const nodes = new Map(ids.map((id) => [id, { data: new Map(), settings: { [LAG]: '0' }, up: true }]));
  const name = `memory-${randomUUID()}`;
  let primaryId = ids[0];
  let dropped = 0;
  /** @param {string} id */
  const nodeOf = (id) => /** @type {MemoryNode} */ (nodes.get(id));

  /** @param {string} key @param {string} value @returns {boolean} false: the primary is down */
  function write(key, value) {
    const primary = nodeOf(primaryId);
    if (!primary.up) return false;
    primary.data.set(key, value);
    setTimeout(() => {
      if (!primary.up) {
        dropped++;
        return;
      }
      for (const node of nodes.values()) if (node.up) node.data.set(key, value);
    }, Number(primary.settings[LAG]));
    return true;
  }

  const channel = new BroadcastChannel(name);
  channel.onmessage = (event) => {
    const { key, value, ...which } = /** @type {Message} */ (/** @type {any} */ (event).data);
    if (key !== undefined && value !== undefined) channel.postMessage({ ...which, ok: write(key, value) });
  };

  /** @type {System} */
  const system = {
    name: 'memory',
    async connect({ id }) {
      const node = nodeOf(id);
      if (!node.up) throw new Error('connection refused');
      return /** @type {Control} */ ({
        async call(command, ...args) {
          const [first, second] = args.map(String);
          if (command === 'get') return node.settings[first];
          if (command === 'set') node.settings[first] = second;
          if (command === 'write') return write(first, second);
          if (command === 'remove') for (const each of nodes.values()) each.data.delete(first);
        },
        info: async () => ({ role: id === primaryId ? 'primary' : 'replica' }),
        lost: () => !node.up,
        close() {},
      });
    },
    isReplyError: /** @type {any} */ (() => false),
    silentNodes: () => [],
    whyNotReady: () => [],
    configuration: async () => ({}),
    settings: {
      barred: [],
      timeoutMs: () => 1000,
      read: async (_stack, _node, control, names) =>
        Object.fromEntries(await Promise.all(names.map(async (each) => [each, await control.call('get', each)]))),
      async write(_stack, _node, control, setting, value) {
        await control.call('set', setting, value);
      },
      undoStep: async (_stack, { id }, _control, former) => ({ kind: 'settings', id, settings: former }),
      async restore(_stack, { id, settings }) {
        Object.assign(nodeOf(id).settings, settings);
      },
      persist: async () => {},
      mayChange: async () => () => true,
    },
    samples: {
      cpu: async () => ({ cpuSeconds: null, mainThreadCpuSeconds: null }),
      state: async () => ({ runId: '', memoryBytes: null, counters: null }),
    },
    keys: { remove: async () => 0, removeByPrefix: async () => 0 },
    read: async ({ host }, keys) => readMemory(nodeOf(host).data, keys, host === primaryId),
    failover: {
      watch: async () => ({ close() {} }),
      detectionSettings: () => ({}),
      downAfterMs: async () => DOWN_AFTER_MS,
      isReplica: async (control) => (await control.info()).role === 'replica',
      follow: async () => {},
      async writeToReplica(control, key) {
        const { data } = nodeOf(ids[1]);
        data.delete(key);
        await control.call('write', key, '');
        while (!data.has(key)) await delay(1);
        return true;
      },
      forget: (control, key) => control.call('remove', key),
      async promote(_stack, id) {
        primaryId = id;
      },
    },
    writers: import.meta.url,
  };

  const infos = ids.map((id) => {
    const address = { host: id, port: 1 };
    return /** @type {NodeInfo} */ ({ id, kind: /** @type {any} */ ('memory'), address, announced: address });
  });
  const infoOf = (/** @type {string} */ id) => /** @type {NodeInfo} */ (infos.find((each) => each.id === id));
  const unused = async () => /** @type {any} */ (undefined);
  return {
    about: {
      backend: 'local',
      identity: name,
      why: 'A test started it.',
      ours: true,
      server: { name: 'memory', version: '1' },
      path: 'memory',
    },
    access: { masterName: name, credentials: {} },
    nodes: infos,
    can: new Set(['kill', 'configure']),
    database: {
      ...system,
      primary: async () => infoOf(primaryId),
      replicas: async () => infos.filter(({ id }) => id !== primaryId),
      observe: unused,
    },
    host: {
      async act(id, /** @type {Action} */ action) {
        nodeOf(id).up = action === 'start';
      },
      stats: async () => [],
      logs: async () => [],
    },
    network: { slow: unused, groups: null },
    async heal() {
      for (const node of nodes.values()) node.up = true;
      // Writes on their way arrive first.
      await delay(2 * Number(nodeOf(primaryId).settings[LAG]));
      const { data } = nodeOf(primaryId);
      for (const node of nodes.values()) node.data = new Map(data);
    },
    close: unused,
    down: unused,
    stop: () => channel.close(),
    dropped: () => dropped,
  };
}

/**
 * @param {ReadonlyMap<string, string>} data
 * @param {KeysToRead} keys
 * @param {boolean} primary
 * @returns {NodeReading}
 */
function readMemory(data, { keyPrefix, count, payloadBytes }, primary) {
  const makeValue = valueMaker(keyPrefix, payloadBytes);
  const found = Uint8Array.from({ length: count }, (_, number) => {
    const value = data.get(keyName(keyPrefix, number));
    if (value === undefined) return Found.absent;
    return value === makeValue(number) ? Found.right : Found.wrong;
  });
  const ownKeys = [...data.keys()].filter((key) => key.startsWith(keyPrefix)).length;
  return { found, surplus: ownKeys - found.filter((what) => what !== Found.absent).length, primary };
}

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @returns {Writer} always writes to the node that is the primary
 */
export function createWriter(plan, trial) {
  return createPromiseWriter(plan, trial, async (report) => {
    const makeValue = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
    const channel = new BroadcastChannel(trial.masterName);
    /** @type {Map<number, (answer: WriteAnswer) => void>} */
    const underWay = new Map();
    channel.onmessage = (event) => {
      const { writer, number, ok } = /** @type {Message} */ (/** @type {any} */ (event).data);
      if (writer !== plan.name || ok === undefined) return;
      if (!ok) report.error('CLOSED the primary is down');
      const outcome = ok ? Outcome.acked : Outcome.rejected;
      underWay.get(number)?.({ outcome, waitCount: -1, falseAck: false, node: 1 });
    };
    return {
      write(number) {
        const key = keyName(plan.shape.keyPrefix, number);
        channel.postMessage({ writer: plan.name, number, key, value: makeValue(number) });
        return new Promise((resolve) => underWay.set(number, resolve));
      },
      node: () => 1,
      close: () => channel.close(),
    };
  });
}

/** @type {import('../load/stale-reads.js').OpenReader} */
export async function openReader() {
  return { lost: false, has: async () => true, close() {} };
}
