/** The network of groups of a stack in containers. Its rules are in the bridges of this machine, so they outlive a container's restart. */
/** @import { Network } from '../../network/network.js' */
/** @import { Engine } from './engine.js' */
/** @import { DockerSite } from './nodes.js' */
import { existsSync } from 'node:fs';
import { programPath, runTool, SYSTEM_FOLDERS } from '../../../programs.js';
import { openFirewall, whyNoFirewall } from '../../network/firewall.js';
import { openNetwork } from '../../network/network.js';

/** Beyond the addresses of the nodes on `clients`, see docker-compose.yml. */
const FIRST_CLIENT = 241;

/** @param {DockerSite} site @returns {Promise<Network | null>} null: its packets do not pass this machine, or it may not drop them */
export async function openGroups({ engine, project, containers, direct }) {
  if (!direct || containers.length === 0 || (await whyNoFirewall('bridge')) !== null) return null;
  const bridge = await bridgeOf(engine, `${project}_clients`);
  if (bridge === null || programPath('ip', SYSTEM_FOLDERS) === null) return null;
  return openNetwork(netOf(containers[0].onData.host), {
    by: 'nftables on the bridges of the containers',
    family: 'bridge',
    nodes: new Map(containers.map(({ id, onData, onClients }) => [id, [onData.host, onClients.host]])),
    firstClient: FIRST_CLIENT,
    // It goes with the bridge, which goes with the stack.
    addAddress: (address) => runTool(['ip', 'address', 'replace', `${address}/32`, 'dev', bridge]),
  });
}

/** Deletes the rules of a stack that is taken down. @param {Engine} engine @param {string} project */
export async function removeRules(engine, project) {
  if ((await whyNoFirewall('bridge')) !== null) return;
  const networks = await engine.listNetworks({ filters: { label: [`com.docker.compose.project=${project}`] } });
  const subnets = networks.flatMap(({ IPAM }) => (IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []));
  for (const net of new Set(subnets.map(netOf))) await openFirewall(net, 'bridge').remove();
}

/** @param {string} address IPv4, of a node or a subnet @returns its first three numbers: all addresses of a stack have the same */
const netOf = (address) => address.split('.').slice(0, 3).join('.');

/** @param {Engine} engine @param {string} name of a network @returns its interface on this machine; null: the engine is on another one */
async function bridgeOf(engine, name) {
  const { Id, Options } = await engine.getNetwork(name).inspect();
  const bridge = Options?.['com.docker.network.bridge.name'] ?? `br-${Id.slice(0, 12)}`;
  return existsSync(`/sys/class/net/${bridge}`) ? bridge : null;
}
