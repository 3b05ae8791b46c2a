/**
 * All faults. The conformance suite runs each of them on every backend.
 * @import { Disturbing, Undoing } from '../stacks/actions.js'
 * @import { Network, Partition } from '../stacks/network/network.js'
 * @import { Ability, Action, Control, LinkShape, Stack } from '../stacks/types.js'
 * @import { Fault, Undo } from './types.js'
 * @typedef {{lostMs: number, wellMs: number}} Flapping a partition that comes and goes until it is undone: so long packets are lost each time,
 *   and so long they pass in between; both ≥ 1
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../errors.js';
import { UNDOING } from '../stacks/actions.js';
import { askNode, nodeOf } from '../stacks/ask.js';
import { describePartition } from '../stacks/network/network.js';
import { readYaml } from '../yaml.js';
import { SENTENCES } from './sentences.js';

/** @type {Readonly<Record<string, {what: string, ability?: Disturbing | 'power-loss', undo?: Undoing, next?: Action}>>} */
const LISTED = readYaml(new URL('faults.yaml', import.meta.url));

const all = Object.fromEntries(Object.keys(LISTED).map((name) => [name, listed(name)]));
export const { kill, lose, stop, pause, partition, isolate, fill, restart } = all;
export const powerLoss = all['power-loss'];

/** @param {string} name one of those in faults.yaml @returns {Fault} */
function listed(name) {
  const { what, ability = /** @type {Disturbing | 'power-loss'} */ (name), undo, next } = LISTED[name];
  const action = undo ?? UNDOING[/** @type {Disturbing} */ (ability)];
  return {
    name,
    what,
    needs: [ability],
    async inject({ stack, journal }, id) {
      const undone = await journal.note({ kind: 'act', id, action });
      await stack.host.act(id, ability);
      if (next) await stack.host.act(id, next);
      return undone;
    },
  };
}

/** Instead of a node: the links between all nodes. */
export const ALL_LINKS = '*';

/** The links of a node with its peers, or {@link ALL_LINKS}, get slower, none with clients. @param {LinkShape} shape @returns {Fault} */
export function slowLink(shape) {
  return {
    name: 'slow-link',
    what: `has slow links with its peers (${describe(shape)})`,
    needs: [shape.latencyMs + (shape.jitterMs ?? 0) > 0 ? 'slow-link' : 'narrow-link'],
    async inject({ stack, journal }, id) {
      const node = id === ALL_LINKS ? {} : { id };
      const undo = await journal.note({ kind: 'slow', ...node });
      await stack.network.slow(shape, node.id);
      return undo;
    },
  };
}

/** @param {LinkShape} shape */
function describe({ latencyMs, jitterMs, bytesPerSecond }) {
  return [
    `${latencyMs} ms a round trip`,
    ...(jitterMs ? [`±${jitterMs} ms in each direction`] : []),
    ...(bytesPerSecond ? [`${bytesPerSecond} bytes/s`] : []),
  ].join(', ');
}

/** As before maintenance. It resolves when a Sentinel has accepted; the failover goes on after that. */
export const failover = plannedFailover('failover', 'is replaced as the primary (SENTINEL FAILOVER)', ['failover']);

/** Valkey 9.0 and later: the primary holds writes until the replica has all of them, see https://valkey.io/topics/sentinel/. */
export const coordinatedFailover = plannedFailover(
  'coordinated-failover',
  'hands over to a replica (SENTINEL FAILOVER COORDINATED)',
  ['failover', 'coordinated-failover'],
  'COORDINATED',
);

/** @param {string} name @param {string} what @param {Fault['needs']} needs @param {...string} more arguments @returns {Fault} */
function plannedFailover(name, what, needs, ...more) {
  return { name, what, needs, planned: true, inject: (site, id) => askForFailover(site, id, ...more) };
}

/** @type {(site: Parameters<Fault['inject']>[0], id: string, ...more: string[]) => Promise<Undo>} id: the primary, or the Sentinel to ask */
async function askForFailover({ stack }, id, ...more) {
  const asked = nodeOf(stack, id);
  const sentinels = asked.kind === 'sentinel' ? [asked] : stack.nodes.filter(({ kind }) => kind === 'sentinel');
  const refusals = [];
  for (const sentinel of sentinels) {
    try {
      const { masterName } = stack.access;
      await askNode(stack, sentinel.id, (control) => control.call('SENTINEL', 'FAILOVER', masterName, ...more));
      return async () => {};
    } catch (error) {
      refusals.push(`${sentinel.id}: ${messageOf(error)}`);
      // This Sentinel is up and refuses. The others would refuse, too, or begin a second failover.
      if (stack.database.isReplyError(error)) break;
    }
  }
  throw SENTENCES.problem('no-failover', { refusals: refusals.join('; ') });
}

/** What a partition is injected into, instead of a node. */
export const NETWORK = 'network';

/**
 * Packets between groups are lost, so connections stay open and time out. A second partition replaces the first.
 * @param {Partition & {flapping?: Flapping}} partition @returns {Fault}
 */
export function groupPartition({ flapping, ...partition }) {
  return Object.freeze({
    name: 'group-partition',
    what: `is divided: ${describePartition(partition)}${flapping ? `, ${flapping.lostMs} ms of every ${flapping.lostMs + flapping.wellMs} ms` : ''}`,
    needs: /** @type {Ability[]} */ (['group-partition']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }) {
      const { groups } = stack.network;
      if (!groups) throw new Error('this stack has no network of groups');
      const join = await journal.note({ kind: 'network' });
      await groups.divide(partition);
      if (!flapping) return join;
      const stop = flap(groups, partition, flapping);
      return async () => {
        await stop();
        await join();
      };
    },
  });
}

/** @param {Network} network divided @param {Partition} partition @param {Flapping} flapping @returns rejects if a change failed */
function flap(network, partition, { lostMs, wellMs }) {
  const over = new AbortController();
  const wait = (/** @type {number} */ ms) => delay(ms, undefined, { signal: over.signal, ref: false });

  async function repeat() {
    for (;;) {
      await wait(lostMs);
      await network.join();
      await wait(wellMs);
      await network.divide(partition);
    }
  }

  const flapping = repeat().catch((error) => {
    if (!over.signal.aborted) throw error;
  });
  // It is reported by the undo.
  flapping.catch(() => {});
  return async () => {
    over.abort();
    await flapping;
  };
}

/** A node needs this long to answer once the command is over. */
const SLACK_MS = 3000;
/** A script may have to count CPU time, of which a busy machine gives less. */
const BUSY_FACTOR = 5;
/** `busy-reply-threshold`: a server whose script lasts longer answers others with BUSY. */
const BUSY_AFTER_MS = 5000;
const SCRIPT_MS = 4000;
/** Newer servers stop TIME within a script; older ones have no `os`. */
const SCRIPT = `
local function clock() return os.clock() end
if not pcall(clock) then
  clock = function() local time = redis.call('TIME') return time[1] + time[2] / 1e6 end
end
local over = clock() + ARGV[1] / 1000
while clock() < over do end
return 1`;

/**
 * The node executes one command for so long, as KEYS on many keys does. Nothing ends it before, so undoing it waits for its end.
 * @param {number} ms ≥ 1; scripts last longer on a busy machine
 * @param {{script?: boolean}} [how] script: a single one, which a Sentinel that has called the node down ends with SCRIPT KILL
 */
export function blockingCommand(ms, { script = false } = {}) {
  return Object.freeze({
    name: script ? 'slow-script' : 'blocking-command',
    what: script
      ? `is busy with one script for ${ms} ms, and answers nobody or, after ${BUSY_AFTER_MS / 1000} s, with BUSY`
      : `is busy with one command for ${ms} ms and answers nobody`,
    needs: /** @type {Ability[]} */ (['blocking-command']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }, id) {
      const withinMs = BUSY_FACTOR * ms + SLACK_MS;
      const undo = await journal.note({ kind: 'call', id, command: ['PING'], withinMs });
      const limits = { timeoutMs: withinMs };
      const control = await stack.database.connect(nodeOf(stack, id), stack.access.credentials, limits);
      try {
        const commands = script ? [['EVAL', SCRIPT, 0, ms]] : await blockingCommands(control, stack, ms);
        // A node that is killed meanwhile answers nothing.
        Promise.allSettled(commands.map(([name, ...args]) => control.call(String(name), ...args))).then(control.close);
      } catch (error) {
        control.close();
        throw error;
      }
      return undo;
    },
  });
}

/**
 * To be sent at once: scripts in one transaction if the server refuses DEBUG SLEEP.
 * @param {Control} control @param {Stack} stack @param {number} ms @returns {Promise<(string | number)[][]>}
 */
async function blockingCommands(control, { database }, ms) {
  try {
    await control.call('DEBUG', 'SLEEP', 0);
    return [['DEBUG', 'SLEEP', ms / 1000]];
  } catch (error) {
    if (!database.isReplyError(error)) throw error;
  }
  await control.call('EVAL', SCRIPT, 0, 0);
  const parts = Array.from({ length: Math.ceil(ms / SCRIPT_MS) }, (_, index) =>
    Math.min(SCRIPT_MS, ms - index * SCRIPT_MS),
  );
  const scripts = parts.map((part) => ['EVAL', SCRIPT, 0, part]);
  return [['MULTI'], ...scripts, ['EXEC']];
}
