/**
 * Hosts made of network namespaces: each has a network stack of its own, an interface with addresses of its own, and a cable to a switch.
 * The switch is a bridge in one more namespace, so rules of this machine for bridged packets do not apply to it. This machine has a cable
 * to the switch, too: for the harness and for clients.
 * Everything is found by names that hold the identity of its stack, which nobody else has. The folder of the stack is on disk before the
 * first namespace is made. With the namespaces their interfaces, rules and queues end.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { once } from '../../once.js';
import * as programs from '../../programs.js';
import { whyNoFirewall } from './firewall.js';

const NAMES = '/run/netns';

const PORT = 'port';
const SWITCH = 'switch';
export const INTERFACE = 'eth0';
export const PREFIX_LENGTH = 24;
const ALL_HOSTS = '198.18.0.0/15';

/** Changes nothing. @returns {Promise<string | null>} why no host can be made here, and the remedy, without a full stop; null: it can */
export const whyNoNamespaces = once(async () => {
  const missing = programs.whyNotAsRoot('hosts are made of network namespaces', {
    ip: 'install iproute2',
    nsenter: 'install util-linux',
    unshare: 'install util-linux',
  });
  if (missing !== null) return missing;
  if ((await programs.runProgram(['unshare', '--net', 'true'])).status !== 0)
    return 'this machine allows no new network namespaces, so give this process CAP_SYS_ADMIN and CAP_NET_ADMIN, for instance with a privileged container';
  return whyNoFirewall('bridge');
});

/** @param {string} identity of a stack @param {number} index of a host, from 0 @returns the name of its namespace */
const hostName = (identity, index) => `sentinel-bench-${identity}-${index + 1}`;

const switchName = (/** @type {string} */ identity) => `sentinel-bench-${identity}-${SWITCH}`;

/** @param {string} identity @returns the interface of this machine; its name has at most 15 characters */
const ownInterface = (identity) => `sb${digestOf(identity).slice(0, 10)}`;

/** Words before a command, which then runs there. @param {string} identity @param {number | typeof SWITCH} where index of a host */
export function commandIn(identity, where) {
  const name = where === SWITCH ? switchName(identity) : hostName(identity, where);
  return [programs.programPath('nsenter') ?? 'nsenter', `--net=${NAMES}/${name}`, '--'];
}

/**
 * @param {{identity: string, hosts: readonly (readonly string[])[], harness: readonly string[]}} wanted hosts: the IPv4 addresses of each;
 *   harness: those of this machine on the switch; the first is the one it dials from by default
 * @returns they reach each other and this machine; after a rejection {@link removeHosts} removes what was made
 */
export async function makeHosts({ identity, hosts, harness }) {
  const middle = switchName(identity);
  const names = hosts.map((_, index) => hostName(identity, index));
  for (const name of [middle, ...names]) await run(['netns', 'add', name]);
  const outside = ownInterface(identity);
  await batch(null, [
    `link add name ${outside} type veth peer name ${PORT}-0 netns ${middle}`,
    ...names.map((_, index) => cableOf(identity, index)),
    ...harness.map((address) => `address add ${address}/${PREFIX_LENGTH} dev ${outside}`),
    `link set ${outside} up`,
  ]);
  answerForOwnAddresses(outside);
  await batch(middle, [
    `link add ${SWITCH} type bridge`,
    `link set ${SWITCH} up`,
    ...[`${PORT}-0`, ...names.map((_, index) => portOf(index))].map((port) => `link set ${port} master ${SWITCH} up`),
  ]);
  await Promise.all(names.map((_, index) => setUp(identity, index, hosts[index])));
}

/**
 * A line for `ip -batch`: the cable of a host to the switch. Its hardware address stays when the host is made anew, as that of a machine
 * does; the others may still have it in their caches. @param {string} identity @param {number} index of a host
 */
function cableOf(identity, index) {
  const digest = digestOf(hostName(identity, index));
  // 02: assigned locally, of one interface.
  const hardware = ['02', ...(digest.slice(0, 10).match(/../g) ?? [])].join(':');
  const peer = `peer name ${INTERFACE} address ${hardware} netns ${hostName(identity, index)}`;
  return `link add name ${portOf(index)} netns ${switchName(identity)} type veth ${peer}`;
}

/** @param {string} identity @param {number} index of a host that has its cable @param {readonly string[]} addresses */
async function setUp(identity, index, addresses) {
  await batch(hostName(identity, index), [
    'link set lo up',
    ...addresses.map((address) => `address add ${address}/${PREFIX_LENGTH} dev ${INTERFACE}`),
    `link set ${INTERFACE} up`,
    // Hosts behind a switch that is joined to this one.
    `route add ${ALL_HOSTS} dev ${INTERFACE}`,
  ]);
}

/** On joined switches this machine has two interfaces. Each answers for its own addresses only. @param {string} name */
function answerForOwnAddresses(name) {
  try {
    writeFileSync(`/proc/sys/net/ipv4/conf/${name}/arp_ignore`, '1');
  } catch {
    // Read-only in some containers. Answers on both interfaces reach this machine, too.
  }
}

/** Connects two sets of hosts. The cable ends with either switch. @param {string} one identity of hosts @param {string} other */
export async function joinSwitches(one, other) {
  const [here, there] = [other, one].map((identity) => `join${digestOf(identity).slice(0, 10)}`);
  const ends = `name ${here} netns ${switchName(one)} type veth peer name ${there} netns ${switchName(other)}`;
  await run(['link', 'add', ...ends.split(' ')]);
  await run(['-n', switchName(one), 'link', 'set', here, 'master', SWITCH, 'up']);
  await run(['-n', switchName(other), 'link', 'set', there, 'master', SWITCH, 'up']);
}

const digestOf = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex');

/**
 * Idempotent, also after a part was made, or while another process does the same. Processes in the hosts have to end first. The interface of
 * this machine goes first: the kernel removes what is in a deleted namespace some time later, and until then a next start would find its
 * network taken. @param {string} identity @param {number} count of hosts
 */
export async function removeHosts(identity, count) {
  const outside = ownInterface(identity);
  await runUnlessGone(`/sys/class/net/${outside}`, ['link', 'delete', outside]);
  const names = [switchName(identity), ...Array.from({ length: count }, (_, index) => hostName(identity, index))];
  for (const name of names) await removeNamespace(name);
}

/** @param {string} name */
const removeNamespace = (name) => runUnlessGone(`${NAMES}/${name}`, ['netns', 'delete', name]);

/** @param {string} path that exists while there is something to remove @param {readonly string[]} args for `ip`, which removes it */
async function runUnlessGone(path, args) {
  if (!existsSync(path)) return;
  await run(args).catch((error) => {
    // A recovery removes it, too, or an `ip` that outlives a killed process.
    if (existsSync(path)) throw error;
  });
}

/** Pulls the cable of a host at once: neither side hears that a connection ended. @param {string} identity @param {number} index */
export function unplug(identity, index) {
  const ip = programs.programPath('ip', programs.SYSTEM_FOLDERS) ?? 'ip';
  const args = ['-n', switchName(identity), 'link', 'set', portOf(index), 'down'];
  execFileSync(ip, args, { stdio: 'pipe', env: programs.environmentForPrograms() });
}

/**
 * Removes a host with its cable and all that its kernel holds: connections, bytes not yet received, rules. Idempotent. The cable comes
 * first, because a namespace stays until its last process has ended.
 * @param {string} identity @param {number} index of the host; its processes were killed
 */
export async function removeHost(identity, index) {
  if (await portIn(identity, index)) await run(['-n', switchName(identity), 'link', 'delete', portOf(index)]);
  await removeNamespace(hostName(identity, index));
}

/** @param {string} identity @param {number} index of an existing host @param {string} address one more, until the host ends */
export async function giveAddress(identity, index, address) {
  await run(['-n', hostName(identity, index), 'address', 'add', `${address}/${PREFIX_LENGTH}`, 'dev', INTERFACE]);
}

/** Makes it anew. {@link plugIn} connects it. @param {string} identity @param {number} index @param {readonly string[]} addresses */
export async function makeHost(identity, index, addresses) {
  await run(['netns', 'add', hostName(identity, index)]);
  await batch(null, [cableOf(identity, index)]);
  await setUp(identity, index, addresses);
}

/** @param {string} identity @param {number} index of an existing host; idempotent */
export async function plugIn(identity, index) {
  await run(['-n', switchName(identity), 'link', 'set', portOf(index), 'master', SWITCH, 'up']);
}

/** The host is complete: its cable is plugged in last. @param {string} identity @param {number} index */
export async function isPluggedIn(identity, index) {
  const link = await portIn(identity, index);
  return hasHost(identity, index) && (link?.flags.includes('UP') ?? false);
}

/** @param {string} identity @param {number} index @returns the host has its namespace */
export const hasHost = (identity, index) => existsSync(`${NAMES}/${hostName(identity, index)}`);

/** The switch's end. @param {string} identity @param {number} index @returns {Promise<{ifname: string, flags: string[]} | undefined>} */
async function portIn(identity, index) {
  const links = JSON.parse(await run(['-n', switchName(identity), '-json', 'link', 'show']));
  return links.find((/** @type {{ifname: string}} */ { ifname }) => ifname === portOf(index));
}

/** @param {number} index of a host */
const portOf = (index) => `${PORT}-${index + 1}`;

/** @param {readonly string[]} args of `ip` @param {string} [input] */
const run = (args, input) => programs.runTool(['ip', ...args], input);

/** @param {string | null} namespace null: that of this process @param {readonly string[]} lines for `ip -batch` */
const batch = (namespace, lines) =>
  run([...(namespace === null ? [] : ['-n', namespace]), '-batch', '-'], [...lines, ''].join('\n'));
