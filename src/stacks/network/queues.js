/**
 * Slow links of this machine: queues of the kernel (`tc`) on its interfaces. Packets that match a lane wait there; all others pass at once.
 * A tree of queues replaces the kernel's default queue of an interface, and is known by its handle, which only this agent has. A queue that
 * somebody else put there is never touched. Deleting the root of the tree gives the kernel's default back.
 * @typedef {Object} QueueLane packets of TCP from one address of this machine to another machine, of the connections with one server at
 *   either end. Each of these connections has a queue of its own, unless the last digits of their ports happen to be the same
 * @property {string} from IPv4
 * @property {string} to
 * @property {number} [fromPort] of the server, if it is here; this or the next one is there
 * @property {number} [toPort] of the server, if it is there
 * @property {number} delayMs ≥ 0
 * @property {number} jitterMs the delay varies by up to this, either way; the order of packets stays
 * @property {number} [bytesPerSecond] default: no limit
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../../errors.js';
import { onceFor } from '../../once.js';
import { programPath, runTool, SYSTEM_FOLDERS, whyNotAsRoot } from '../../programs.js';

const PROTOCOL_TCP = 6;
/** Each connection of a lane has a queue of its own, chosen by the last byte of the port at its other end. */
const BUCKETS = 256;
/** Where the ports are in a packet of IPv4 without options, in bytes. */
const PORTS_AT = 20;
/** Faster than any link; also what netem needs to keep the order of packets. */
const UNLIMITED = '100gbit';
/** Two full packets. Larger ones, which the kernel makes of several, go into debt. */
const BURST_BYTES = 3200;
/** More than a connection has under way: its sender stops long before. */
const MOST_PACKETS = 10_000;
/** Those that the kernel chooses itself begin at 8000. */
const [FIRST_HANDLE, HANDLES] = [0x10_00, 0x70_00];
const DEFAULT_HANDLE = '0:';

/** @typedef {'narrow' | 'slow'} How narrow: a limit of bytes a second; slow: a delay */

/** Tries it in a network of its own. @returns why links cannot be slowed here, without a full stop; null: they can */
export const whyNoQueues = onceFor(async (/** @type {How | undefined} */ how) => {
  const missing = whyNotAsRoot('it needs tc', { tc: 'install iproute2', unshare: 'install util-linux' });
  if (missing !== null) return missing;
  const shape = how === 'slow' ? { delayMs: 1 } : { delayMs: 0, bytesPerSecond: 1000 };
  const lane = { from: '127.255.255.253', to: '127.255.255.254', toPort: 1, jitterMs: 0, ...shape };
  try {
    await runTool(['unshare', '--net', '--', 'tc', '-batch', '-'], treeText('lo', '1', [lane]));
    return null;
  } catch (error) {
    const part = how === 'slow' ? 'netem' : 'htb and u32';
    const [said] = messageOf(error).split('\n');
    return `the kernel there has no ${part} (${said.replace(/^Error: |\.$/g, '')})`;
  }
});

/**
 * @param {string} owner whose queues they are: the name of an agent
 * @param {readonly string[]} [before] words before the command, which then runs in another network namespace
 */
export function openQueues(owner, before = []) {
  const handle = handleOf(owner);

  async function ours() {
    const roots = await rootsOf(before);
    return [...roots].flatMap(([device, root]) => (root === `${handle}:` ? device : []));
  }

  async function discard() {
    for (const device of await ours()) await runTool([...before, 'tc', 'qdisc', 'delete', 'dev', device, 'root']);
  }

  return {
    /** Replaces all lanes; none: removes them. @param {readonly QueueLane[]} lanes */
    async set(lanes) {
      const byDevice = await devicesOf(lanes, before);
      await refuseForeign(handle, byDevice.keys(), before);
      await discard();
      for (const [device, own] of byDevice)
        await runTool([...before, 'tc', '-batch', '-'], treeText(device, handle, own));
    },
    /** Drops all packets that wait, and lets further ones pass until `set`. */
    discard,
    async remove() {
      if (programPath('tc', SYSTEM_FOLDERS) !== null) await discard();
    },
  };
}

/** @param {string} owner @param {readonly string[]} addresses of other machines @returns whose queue is there already, in a sentence */
export async function whyForeign(owner, addresses) {
  try {
    const devices = new Set();
    for (const to of addresses) devices.add(await deviceTo(to));
    await refuseForeign(handleOf(owner), devices, []);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** @param {string} handle @param {Iterable<string>} devices @param {readonly string[]} before */
async function refuseForeign(handle, devices, before) {
  const roots = await rootsOf(before);
  for (const device of devices) {
    const root = roots.get(device) ?? DEFAULT_HANDLE;
    if (root !== DEFAULT_HANDLE && root !== `${handle}:`)
      throw new Error(
        `its interface ${device} has a queue of somebody else (${root}, see \`tc qdisc show dev ${device}\`)`,
      );
  }
}

/** Of the roots of its trees. @param {string} owner */
export function handleOf(owner) {
  const digest = createHash('sha256').update(owner).digest().readUInt16BE(0);
  return (FIRST_HANDLE + (digest % HANDLES)).toString(16);
}

/** @param {readonly string[]} before @returns {Promise<Map<string, string>>} interface → handle of its root, with a colon */
async function rootsOf(before) {
  /** @type {{root?: boolean, dev: string, handle: string}[]} */
  const all = JSON.parse(await runTool([...before, 'tc', '-json', 'qdisc', 'show']));
  return new Map(all.flatMap(({ root, dev, handle }) => (root ? [[dev, handle]] : [])));
}

/** @param {readonly QueueLane[]} lanes @param {readonly string[]} before @returns by interface */
async function devicesOf(lanes, before) {
  const found = /** @type {Map<string, QueueLane[]>} */ (new Map());
  for (const lane of lanes) {
    const device = await deviceTo(lane.to, before);
    found.set(device, [...(found.get(device) ?? []), lane]);
  }
  return found;
}

/** @param {string} to @param {readonly string[]} [before] @returns {Promise<string>} the interface by which packets leave */
async function deviceTo(to, before = []) {
  const [route] = JSON.parse(await runTool([...before, 'ip', '-json', 'route', 'get', to]));
  return route.dev;
}

/**
 * Lines for `tc -batch`. Each lane has a table of hashes, by which u32 finds the queue of a connection.
 * @param {string} device @param {string} handle @param {readonly QueueLane[]} lanes
 */
export function treeText(device, handle, lanes) {
  const root = `${handle}:`;
  const filter = `filter add dev ${device} parent ${root} protocol ip prio 1`;
  return [
    `qdisc add dev ${device} root handle ${root} htb`,
    // The first table is made by u32 itself.
    ...lanes.flatMap((lane, index) => {
      const table = `${(index + 1).toString(16)}:`;
      return [
        ...buckets(index).flatMap((minor) => [
          `class add dev ${device} parent ${root} classid ${root}${minor} htb ${rateOf(lane)}`,
          ...(lane.delayMs + lane.jitterMs > 0
            ? [`qdisc add dev ${device} parent ${root}${minor} netem ${delayOf(lane)}`]
            : []),
        ]),
        `${filter} handle ${table} u32 divisor ${BUCKETS}`,
        ...buckets(index).map(
          (minor, bucket) => `${filter} u32 ht ${table}${bucket.toString(16)}: match u32 0 0 flowid ${root}${minor}`,
        ),
        `${filter} u32 ht 800:: ${matchOf(lane)} link ${table}`,
      ];
    }),
    '',
  ].join('\n');
}

/** The numbers of its queues. @param {number} index of a lane */
function buckets(index) {
  return Array.from({ length: BUCKETS }, (_, bucket) => ((index + 1) * BUCKETS + bucket).toString(16));
}

function rateOf(/** @type {QueueLane} */ { bytesPerSecond }) {
  const rate = bytesPerSecond === undefined ? UNLIMITED : `${bytesPerSecond}bps`;
  return `rate ${rate} ceil ${rate} burst ${BURST_BYTES} cburst ${BURST_BYTES} quantum ${BURST_BYTES}`;
}

function delayOf(/** @type {QueueLane} */ { delayMs, jitterMs }) {
  const microseconds = (/** @type {number} */ ms) => `${Math.round(ms * 1000)}us`;
  const jitter = jitterMs > 0 ? ` ${microseconds(jitterMs)} rate ${UNLIMITED}` : '';
  return `limit ${MOST_PACKETS} delay ${microseconds(delayMs)}${jitter}`;
}

function matchOf(/** @type {QueueLane} */ { from, to, fromPort, toPort }) {
  const [which, port, mask] =
    fromPort === undefined ? ['dport', toPort, '0x00ff0000'] : ['sport', fromPort, '0x000000ff'];
  return [
    `match ip src ${from}/32 match ip dst ${to}/32 match ip protocol ${PROTOCOL_TCP} 0xff match ip ${which} ${port} 0xffff`,
    `hashkey mask ${mask} at ${PORTS_AT}`,
  ].join(' ');
}
