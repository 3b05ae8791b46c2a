import { addressOf, freeNet } from '../../hosts/local/addresses.js';
import { openLocalHost } from '../../hosts/local/host.js';
import { makeStackHosts } from '../../hosts/local/hosts.js';
import { createStack, listStacks, runningNodes, saveStack } from '../../hosts/local/record.js';
import { recoverLocal } from '../../hosts/local/recover.js';
import { betweenNodes, oneAtATime, startParts, takenPorts } from '../../hosts/local/start.js';
import { choosePorts, takenBy } from '../../hosts/ports.js';
import { whyNoFirewall } from '../../network/firewall.js';
import { whyNoNamespaces } from '../../network/namespaces.js';
import { chooseFilesFolder } from '../../records/files-folder.js';
import { problem, text } from '../../texts.js';
import {
  placeVirtualAddress,
  sentinelLines,
  VIRTUAL_ADDRESS_ABILITIES,
  virtualAddressOf,
} from '../hosts/virtual-address.js';
import { redisNodes } from '../nodes.js';
import { bringUpRedis, openRedis, PortLostError } from '../start.js';
import { isUsual, kindOf, nodesOf } from '../topology.js';
import { findServer, INSTALL_SERVER, isOpenToOthers, programOf } from './server.js';

/** The `local` backend: child processes on loopback, six of them in a stack of the usual size. */
/** @import { Stack, StackOptions } from '../../types.js' */
/** @import { StackRecord } from '../../hosts/local/record.js' */

const PORT_ATTEMPTS = 5;

/**
 * First removes what dead processes left. @param {Partial<StackOptions> & {why?: string}} options @returns {Promise<Stack>} ready
 * @throws {UserError} no server program, or the stack never becomes ready; everything that was started is removed
 */
export async function startLocal(options) {
  const { tell = () => {}, signal, detached = false } = options;
  if (options.links && options.detached) throw problem('links-detached');
  if (options.network || options.hosts) await checkNetwork(options);
  if (options.shards && !isUsual(options)) throw problem('cluster-size');
  const server = await findServer(options.server);
  if (!server) throw problem('no-server', { install: INSTALL_SERVER });
  await recoverLocal(tell);
  if (isOpenToOthers(server)) tell(text('open-to-others', { version: server.version }));
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const record = await placeStack(server, options, tell);
    try {
      return await startParts(record, { ...options, tell }, async (host, between) => {
        if (record.hosts) await makeStackHosts(record, options.neighbour);
        if (record.virtual) await placeVirtualAddress(record);
        const why = options.why ?? (options.hosts ? text('local-hosts') : text('local-nodes'));
        const site = { host, between, ours: !detached, why, more: ofVirtualAddress(record) };
        const more = { everywhere: record.virtual, sentinelLines: sentinelLines(record) };
        const stack = await bringUpRedis(site, server, { ...options, ...more });
        saveStack({ ...record, detached });
        return stack;
      });
    } catch (error) {
      if (!(error instanceof PortLostError) || attempt === PORT_ATTEMPTS) throw error;
      tell(`${error.message}; trying others.`);
    }
  }
}

/** @param {Partial<StackOptions>} [options] @returns the stack that `up` started, healthy or not; null: none of its nodes runs */
export async function attachLocal(options) {
  const record = listStacks().findLast((each) => each.detached && runningNodes(each).length > 0);
  if (!record) return null;
  const host = openLocalHost(record);
  const between = betweenNodes(record, host, null);
  const site = { host, between, ours: false, why: 'A local stack is already up.', more: ofVirtualAddress(record) };
  const { server } = record;
  const nodes = redisNodes(host, { program: () => programOf(record, options?.server), server });
  return openRedis(site, nodes, { name: server.name, version: server.version });
}

function ofVirtualAddress(/** @type {StackRecord} */ record) {
  if (!record.virtual) return undefined;
  return { can: VIRTUAL_ADDRESS_ABILITIES, access: { virtualAddress: virtualAddressOf(record) } };
}

/** @param {StackRecord['server']} server @param {Partial<StackOptions>} options @param {(line: string) => void} tell */
function placeStack(server, options, tell) {
  const { dataDir, replicaDataDir, detached = false, hosts = false, network = false } = options;
  const virtual = hosts && options.virtualAddress;
  return oneAtATime(async () => {
    const files = {
      ...(dataDir !== undefined && { files: chooseFilesFolder(dataDir) }),
      ...(replicaDataDir !== undefined && { replicaFiles: chooseFilesFolder(replicaDataDir) }),
    };
    // A run stops nodes for a while, and another user's stack would take such a port meanwhile.
    const useUsual = detached && !network && !hosts;
    const { placed, lost } = await choosePorts(nodesOf(options), takenPorts(), useUsual);
    if (useUsual && lost !== undefined) {
      const places = placed.map(({ id, port }) => `${id} on ${port}`).join(', ');
      tell(`Port ${lost} is taken${takenBy(lost)}, so the stack uses others: ${places}.`);
    }
    const taken = new Set(listStacks().flatMap((stack) => stack.net ?? []));
    const net = hosts || network ? freeNet(taken, hosts) : undefined;
    const nodes = placed.map(({ id, port }) => ({
      id,
      host: addressOf(net, id),
      // A virtual address has one port, so all Redis nodes have that one. Each is on a host of its own.
      port: virtual && kindOf(id) === 'redis' ? placed[0].port : port,
    }));
    const kinds = { ...(hosts && { hosts }), ...(virtual && { virtual }) };
    return createStack({ detached: false, server, nodes, ...(net && { net }), ...kinds, ...files });
  });
}

async function checkNetwork(/** @type {Partial<StackOptions>} */ { links, shards, hosts }) {
  if (links || shards) throw problem('network-or-links');
  const whyNoHosts = hosts ? await whyNoNamespaces() : null;
  if (whyNoHosts !== null) throw problem('no-hosts', { why: whyNoHosts.charAt(0).toUpperCase() + whyNoHosts.slice(1) });
  const why = hosts ? null : await whyNoFirewall();
  if (why !== null) throw problem('no-groups', { why });
}
