/** Chooses the published ports of a stack and the addresses of its networks, and starts it there. */
/** @import { Container } from 'dockerode' */
/** @import { Engine } from './engine.js' */
import { randomInt } from 'node:crypto';
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { NODES } from '../../redis/topology.js';
import { problem } from '../../texts.js';
import { choosePorts } from '../ports.js';
import { ifThere, runCompose } from './engine.js';
import { PORT_LOST } from './host.js';
import { removeProject } from './project.js';

const DEFAULT_NET = '10.213.79';
const NET_VARIABLE = 'SENTINEL_BENCH_NET';

const NODE_LABEL = 'sentinel-bench.node';

const UP_DEADLINE_MS = 120_000;

/** Other processes, or other lanes of this one, may take a port or a subnet after we found it free: with several at once more than once. */
const ATTEMPTS = 10;
const NET_LOST = /Pool overlaps/i;

/**
 * Starts the containers of a stack where it has room. @param {Engine} engine @param {string} project
 * @param {{place: Parameters<typeof choosePlacement>[1], services: readonly string[], files: () => Promise<string[]>,
 *   env: (net: string) => Record<string, string>, signal?: AbortSignal}} options files: further Compose files. What a failed attempt left is removed
 *   before the next; net: the first three numbers of the addresses
 * @throws {UserError} Compose could not start it, or something that the user fixed is not available
 */
export async function startPlaced(engine, project, { place, services, files, env: more, signal }) {
  for (let attempt = 1; ; attempt += 1) {
    const { env, movable } = await choosePlacement(engine, place);
    const ended = await runCompose(project, ['up', '--detach', '--pull', 'never', ...services], {
      files: await files(),
      env: { ...env, ...more(env[NET_VARIABLE]) },
      signal,
      timeoutMs: UP_DEADLINE_MS,
    });
    signal?.throwIfAborted();
    if (ended.status === 0) return;
    const lost = PORT_LOST.test(ended.stderr) || NET_LOST.test(ended.stderr);
    if (!lost || !movable || attempt === ATTEMPTS) {
      const detail = ended.stderr.trim();
      const lastLine = detail.slice(detail.lastIndexOf('\n') + 1).replace(/\.$/, '');
      const reason = ended.timedOut ? `not done after ${UP_DEADLINE_MS / 1000} s` : lastLine;
      throw problem('compose-failed', { reason }, { detail });
    }
    await removeProject(engine, project);
  }
}

/** @param {string} id of a node */
export function portVariable(id) {
  return `SENTINEL_BENCH_${id.toUpperCase().replaceAll('-', '_')}_PORT`;
}

/**
 * @param {Engine} engine
 * @param {{useDefaults: boolean, nodes?: readonly {id: string, port: number}[], environment?: NodeJS.ProcessEnv,
 *   tell?: (line: string) => void}} options useDefaults: the default ports if they are free; environment: what the user fixed
 * @returns env: for Compose; movable: another attempt may choose others, because the user fixed none @throws {UserError} no network is free
 */
export async function choosePlacement(engine, { useDefaults, nodes = NODES, environment = process.env, tell }) {
  const { placed, lost } = await choosePorts(nodes, await publishedPorts(engine), useDefaults);
  const net = environment[NET_VARIABLE] || (await freeNet(engine));
  const ports = placed.map(({ id, port }) => [portVariable(id), environment[portVariable(id)] || String(port)]);
  const env = /** @type {Record<string, string>} */ ({ [NET_VARIABLE]: net, ...Object.fromEntries(ports) });
  const moved = placed.flatMap(({ id, port }) => (environment[portVariable(id)] ? [] : `${id} on ${port}`)).join(', ');
  if (useDefaults && lost !== undefined && moved !== '')
    tell?.(`Default ports are taken; published instead: ${moved}.`);
  return { env, movable: Object.keys(env).every((name) => !environment[name]) };
}

/**
 * Ports of this machine that containers have. Binding does not show this: a port that only packet filter rules forward can still be bound,
 * and a stopped node of a stack needs its port when it starts again. @param {Engine} engine
 */
async function publishedPorts(engine) {
  const containers = await engine.listContainers({ all: true });
  const ports = containers.map(({ Id, State, Labels, Ports }) =>
    State !== 'running' && NODE_LABEL in Labels
      ? portsAsked(engine.getContainer(Id))
      : Ports.flatMap(({ PublicPort }) => PublicPort ?? []),
  );
  return new Set((await Promise.all(ports)).flat());
}

/** @param {Container} container @returns ports of this machine that it has while it runs; empty: it is gone */
async function portsAsked(container) {
  const { HostConfig } = (await ifThere(container.inspect())) ?? {};
  const bindings = /** @type {{HostPort: string}[][]} */ (Object.values(HostConfig?.PortBindings ?? {}));
  return bindings.flat().map(({ HostPort }) => Number(HostPort));
}

/** @param {Engine} engine @returns the first three numbers of a /24 that no Docker network and no interface here uses */
async function freeNet(engine) {
  const used = await usedSubnets(engine);
  // Docker does not take addresses from 10/8 itself, and its upper half is seldom used elsewhere.
  const others = Array.from({ length: 1000 }, () => `10.${128 + randomInt(127)}.${randomInt(256)}`);
  const net = [DEFAULT_NET, ...others].find((each) => !used.some((subnet) => overlaps(each, subnet)));
  if (net) return net;
  throw problem('no-free-net', { variable: NET_VARIABLE });
}

/** @param {Engine} engine @returns IPv4 subnets as address/prefix */
async function usedSubnets(engine) {
  const networks = await engine.listNetworks();
  const subnets = [
    ...networks.flatMap((network) => (network.IPAM?.Config ?? []).map((config) => config.Subnet)),
    ...Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((each) => each.cidr)),
  ];
  return subnets.flatMap((subnet) => (subnet && /^[\d.]+\/\d+$/.test(subnet) ? [subnet] : []));
}

/** @param {string} net first three numbers: a /24 @param {string} subnet */
function overlaps(net, subnet) {
  const [address, prefix] = subnet.split('/');
  const ours = new BlockList();
  ours.addSubnet(`${net}.0`, 24);
  const theirs = new BlockList();
  theirs.addSubnet(address, Number(prefix));
  return ours.check(address) || theirs.check(`${net}.0`);
}
