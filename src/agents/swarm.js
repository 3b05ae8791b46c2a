/**
 * Agents on the nodes of a Docker Swarm, by deploy/swarm.yml: NATS on the node whose engine is asked, and an agent on each node with the label.
 * They stay until they are taken down. A record of them is on disk first; it has the password of the controller.
 */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { openEngine, runDocker } from '../stacks/docker/engine.js';
import { ownFolders } from '../stacks/own-folders.js';
import { answers } from '../stacks/probe.js';
import { stillRuns, thisProcess } from '../stacks/processes.js';
import { fromOutside } from '../untrusted.js';
import { waitFor } from '../wait.js';
import { connectNats } from './connection.js';
import { discoverAgents } from './controller.js';
import { controllerAt, newPassword, recordsIn } from './records.js';

/**
 * @import { Engine } from '../stacks/docker/engine.js'
 * @import { NatsOptions } from './connection.js'
 *
 * @typedef {{agents: readonly {name: string, host: string}[], nats: NatsOptions}} Placed host: name of the node; nats: for a controller
 */

const FILE = fileURLToPath(new URL('../../deploy/swarm.yml', import.meta.url));
/** One on each Swarm. Its services and secrets have names that begin so. */
const STACK = 'sentinel-bench-agents';
const LABEL = 'sentinel-bench';
const LABEL_VALUE = 'agent';
const RECORD = 'swarm.json';
/** Images may have to be pulled. */
const READY_MS = 300_000;
const GONE_MS = 120_000;
const POLL_MS = 500;
const COMMAND_MS = 120_000;
const swarmFolders = ownFolders('sentinel-bench-swarm');

const RecordSchema = z.object({
  owner: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }),
  ready: z.boolean(),
  address: z.string(),
  password: z.string(),
});

const records = recordsIn(swarmFolders, RECORD, RecordSchema);

/** @typedef {z.infer<typeof RecordSchema> & {folder: string}} SwarmRecord */

/**
 * @param {{signal: AbortSignal, tell: (line: string) => void}} options
 * @returns {Promise<Placed>} all agents answer; everything is gone when it rejects
 * @throws {UserError} exit status 3: there is no Swarm, no node has the label, or agents are up already
 */
export async function bringUpSwarm({ signal, tell }) {
  await recoverSwarm(tell);
  const engine = await openEngine();
  const { node, address } = await managerOf(engine);
  const nodes = await labelledNodes(engine);
  if (records.list().length > 0 || (await tasksOf(engine)).length > 0) {
    throw new UserError(
      'Agents are up on this Swarm already.',
      `Take them down first: \`sentinel-bench agents down\`, or \`docker stack rm ${STACK}\` if another user or machine brought them up.`,
    );
  }
  const record = createRecord(address);
  try {
    await deploy(engine, record, node, signal);
    await untilReady(engine, record, nodes, signal);
    records.save({ ...record, ready: true });
    return { agents: nodes, nats: natsOf(record) };
  } catch (error) {
    await remove(record);
    throw error;
  }
}

/** @returns {NatsOptions | null} of the agents that this user brought up; null: none */
export function findSwarm() {
  const record = records.list().findLast(({ ready }) => ready);
  return record ? natsOf(record) : null;
}

/** @returns {Promise<boolean>} there were some */
export async function takeDownSwarm() {
  const all = records.list();
  for (const record of all) await remove(record);
  return all.length > 0;
}

/**
 * Removes what a killed `agents up --swarm` left.
 *
 * @param {(line: string) => void} tell
 */
export async function recoverSwarm(tell) {
  for (const record of records.list()) {
    if (record.ready || stillRuns(record.owner)) continue;
    await remove(record);
    tell('Removed agents that were left on the Swarm.');
  }
  for (const folder of swarmFolders.abandoned((each) => records.read(each) !== null)) swarmFolders.remove(folder);
}

/** @param {Engine} engine */
async function managerOf(engine) {
  const { Swarm } = await engine.info();
  if (Swarm?.ControlAvailable) return { node: String(Swarm.NodeID), address: String(Swarm.NodeAddr) };
  throw new UserError(
    'This Docker engine manages no Swarm.',
    'Run this on a manager, or make one: `docker swarm init --advertise-addr ADDRESS`.',
  );
}

/** @param {Engine} engine */
async function labelledNodes(engine) {
  const all = await engine.listNodes();
  const chosen = all.filter(
    ({ Spec, Status }) =>
      Spec?.Labels?.[LABEL] === LABEL_VALUE &&
      Spec.Availability === 'active' &&
      /** @type {any} */ (Status)?.State === 'ready',
  );
  if (chosen.length === 0) {
    throw new UserError(
      `No node of the Swarm that is ready has the label ${LABEL}=${LABEL_VALUE}.`,
      `Give it to those that get an agent: \`docker node update --label-add ${LABEL}=${LABEL_VALUE} NODE\`.`,
    );
  }
  return chosen.map(({ ID, Description }) => ({
    name: nameOf(String(ID)),
    host: fromOutside(String(Description?.Hostname)),
  }));
}

/** @param {string} node its id @returns {string} as in the file */
function nameOf(node) {
  return `node-${node.slice(0, 8)}`;
}

/**
 * @param {Engine} engine
 * @param {SwarmRecord} record
 * @param {string} node for NATS
 * @param {AbortSignal} signal
 */
async function deploy(engine, { address, password }, node, signal) {
  const agentsPassword = newPassword();
  const secrets = {
    passwords: `CONTROLLER_PASSWORD: "${password}"\nAGENTS_PASSWORD: "${agentsPassword}"\n`,
    agents: agentsPassword,
  };
  for (const [name, text] of Object.entries(secrets)) {
    await engine.createSecret({
      Name: `${STACK}_${name}`,
      // With it, `docker stack rm` removes the secret, too.
      Labels: { 'com.docker.stack.namespace': STACK },
      Data: Buffer.from(text).toString('base64'),
    });
  }
  signal.throwIfAborted();
  // A stack has no API.
  const ended = await runDocker(['stack', 'deploy', '--with-registry-auth', '--compose-file', FILE, STACK], {
    env: { SENTINEL_BENCH_NATS_NODE: node, SENTINEL_BENCH_NATS_ADDRESS: address },
    signal,
    timeoutMs: COMMAND_MS,
  });
  signal.throwIfAborted();
  if (ended.status !== 0) throw failed('The agents could not be placed on the Swarm.', ended);
}

/**
 * @param {Engine} engine
 * @param {SwarmRecord} record
 * @param {readonly {name: string}[]} nodes
 * @param {AbortSignal} signal
 */
async function untilReady(engine, record, nodes, signal) {
  const nats = natsOf(record);
  const wait = { deadlineMs: READY_MS, pollMs: POLL_MS, signal };
  if (!(await waitFor(() => answers(() => connectNats(nats, { reconnect: false })), wait))) {
    throw new UserError('NATS does not answer.', 'The states of its tasks below say why.', {
      detail: await states(engine),
    });
  }
  const connection = await connectNats(nats, { reconnect: false });
  try {
    const names = nodes.map(({ name }) => name);
    const allThere = async () => (await discoverAgents(connection, names)).length >= names.length;
    if (await waitFor(allThere, wait)) return;
  } finally {
    await connection.close();
  }
  throw new UserError('Not every agent answers.', 'The states of their tasks below say why.', {
    detail: await states(engine),
  });
}

/** @param {Engine} engine */
async function tasksOf(engine) {
  return engine.listTasks({ filters: JSON.stringify({ label: [`com.docker.stack.namespace=${STACK}`] }) });
}

/** @param {Engine} engine @returns {Promise<string>} a line for each task */
async function states(engine) {
  const tasks = await tasksOf(engine);
  return tasks
    .map(({ NodeID, Status }) =>
      fromOutside(`${NodeID ? nameOf(NodeID) : 'nowhere'}: ${Status?.State} ${Status?.Err ?? ''}`),
    )
    .join('\n');
}

/** @param {SwarmRecord} record */
async function remove(record) {
  const engine = await openEngine();
  // Its services ended with the Swarm, or belong to its other managers.
  if ((await engine.info()).Swarm?.LocalNodeState === 'inactive') return swarmFolders.remove(record.folder);
  const ended = await runDocker(['stack', 'rm', STACK], { timeoutMs: COMMAND_MS });
  if (ended.status !== 0) throw failed('The agents could not be removed from the Swarm.', ended);
  const gone = async () => (await tasksOf(engine)).length === 0;
  if (!(await waitFor(gone, { deadlineMs: GONE_MS, pollMs: POLL_MS }))) {
    throw new UserError(
      'Containers of agents did not end in time.',
      'Wait until their nodes answer, then run `sentinel-bench agents down`.',
      { detail: await states(engine) },
    );
  }
  swarmFolders.remove(record.folder);
}

/** @param {string} what @param {import('../programs.js').Ended} ended */
function failed(what, { stderr, failure }) {
  return new UserError(what, 'What docker said is below.', {
    detail: fromOutside(stderr.trim() || String(failure ?? 'no answer')),
  });
}

/** @param {SwarmRecord} record @returns {NatsOptions} */
function natsOf({ address, password }) {
  return controllerAt(address, password);
}

/** @param {string} address @returns {SwarmRecord} on disk */
function createRecord(address) {
  const folder = swarmFolders.make();
  const record = { folder, owner: thisProcess(), ready: false, address, password: newPassword() };
  records.save(record);
  return record;
}
