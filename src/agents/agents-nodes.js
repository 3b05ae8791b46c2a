/**
 * A deployment whose nodes agents start on their machines, for one run. Two Sentinels are beside the last Redis node, so a partition may leave it
 * with their majority (placement “apart”).
 */
import { UserError } from '../errors.js';
import { hostsOf } from '../stacks/network/hosts.js';
import { connectControl } from '../stacks/redis/control.js';
import { MASTER_NAME, nodesOf } from '../stacks/redis/topology.js';
import { keepSecret } from '../untrusted.js';
import { waitFor } from '../wait.js';
import { PlaceReply } from './nodes-protocol.js';
import { Nothing } from './protocol.js';
import { newPassword } from './records.js';

/**
 * @import { Login } from '../stacks/redis/control.js'
 * @import { Address, Control, StackOptions } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 */

const PLACE_MS = 30_000;
const START_MS = 60_000;
const KNOWN_MS = 60_000;
/** Preferred less: the Sentinels beside the last node would lose their majority to its side when it is the primary. */
const LAST_PRIORITY = 200;
const PRIORITY = 100;

/**
 * @param {Controller} controller its agents allow nodes
 * @param {{replicas?: number, sentinelCount?: number}} size
 * @returns {Promise<Pick<StackOptions, 'sentinels' | 'credentials'>>} when a Sentinel knows all replicas, and all are in sync
 * @throws {UserError} there are too few agents, or one cannot start nodes
 */
export async function startAgentsNodes(controller, size) {
  const { agents } = controller;
  const nodes = nodesOf(size);
  const ids = (/** @type {string} */ kind) => nodes.filter((node) => node.kind === kind).map(({ id }) => id);
  const [primary, ...replicas] = ids('redis');
  const hosts = hostsOf('apart', { primary, replicas, sentinels: ids('sentinel') });
  // Writers go to the first agents, so these have machines of their own if there are enough.
  const names = agents.slice(-hosts.length).map(({ name }) => name);
  if (names.length < hosts.length) {
    throw new UserError(
      `${hosts.length} agents with --allow nodes are needed, one for each Redis node, and there are ${names.length}.`,
      'Start more agents, or use fewer --replicas.',
    );
  }
  const places = await Promise.all(
    hosts.map((ofHost, index) =>
      controller.ask(names[index], 'nodes-place', { nodes: ofHost.length }, PlaceReply, PLACE_MS),
    ),
  );
  checkAlike(names, places);
  const placed = hosts.flatMap((ofHost, index) =>
    ofHost.map((id, place) => ({ id, host: places[index].address, port: places[index].ports[place], index })),
  );
  const password = newPassword();
  keepSecret(password);
  await Promise.all(
    names.map((name, own) => {
      const request = {
        nodes: placed.map(({ index, ...node }) => ({ ...node, own: index === own })),
        password,
        settings: { 'replica-priority': own === hosts.length - 1 ? LAST_PRIORITY : PRIORITY },
      };
      return controller.ask(name, 'nodes-start', request, Nothing, START_MS);
    }),
  );
  const sentinels = placed.filter(({ id }) => id.startsWith('sentinel')).map(({ host, port }) => ({ host, port }));
  await untilWell(sentinels[0], { ...placed[0], password }, replicas.length);
  return { sentinels, credentials: { password } };
}

/**
 * @param {readonly string[]} names
 * @param {readonly {address: string, server: {name: string, version: string}}[]} places
 */
function checkAlike(names, places) {
  const text = (/** @type {{name: string, version: string}} */ { name, version }) => `${name} ${version}`;
  const other = places.findIndex(({ server }) => text(server) !== text(places[0].server));
  if (other > 0)
    throw new UserError(
      `The agents ${names[0]} and ${names[other]} have different servers: ${text(places[0].server)} and ${text(places[other].server)}.`,
      'Install the same version on all machines.',
    );
  const shared = places.findIndex(
    ({ address }, index) => places.findIndex((each) => each.address === address) !== index,
  );
  if (shared > 0)
    throw new UserError(
      `The agent ${names[shared]} has the address of another, ${places[shared].address}.`,
      'Each node needs a machine of its own.',
    );
}

/**
 * @param {Address} sentinel
 * @param {Address & {password: string}} primary
 * @param {number} replicas
 */
async function untilWell(sentinel, { password, ...primary }, replicas) {
  const isKnown = () =>
    ask(sentinel, {}, async (control) => {
      const reply = /** @type {string[][]} */ (await control.call('SENTINEL', 'REPLICAS', MASTER_NAME));
      return reply.filter((words) => words[words.indexOf('flags') + 1] === 'slave').length === replicas;
    });
  const isInSync = () =>
    ask(primary, { password }, async (control) => {
      const states = Object.values(await control.info('replication'));
      return states.filter((state) => /\bstate=online\b.*\blag=[01]$/.test(state)).length === replicas;
    });
  if (await waitFor(async () => (await isKnown()) && (await isInSync()), { deadlineMs: KNOWN_MS, pollMs: 200 })) return;
  throw new UserError(
    'The nodes that agents started do not find each other.',
    'See that the machines reach each other.',
  );
}

/**
 * @param {Address} address
 * @param {Login} login
 * @param {(control: Control) => Promise<boolean>} question
 * @returns {Promise<boolean>} false: it does not answer
 */
async function ask(address, login, question) {
  try {
    const control = await connectControl(address, login);
    return await question(control).finally(control.close);
  } catch {
    return false;
  }
}
