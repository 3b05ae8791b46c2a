/**
 * Nodes that an agent starts for a run: Redis nodes and Sentinels, from the same templates as those of a local stack, in a folder of their own.
 * They end with the run. Each records its process before it becomes the server, and the folder names the agent, so that those of a killed
 * agent are found and ended.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { once } from '../once.js';
import { readOwnFile } from '../private-files.js';
import { endRecorded, PID_FILE, runApart } from '../stacks/daemons.js';
import { NO_DISKS, startDisks } from '../stacks/disks.js';
import { ownFolders } from '../stacks/own-folders.js';
import { freePort } from '../stacks/ports.js';
import { stillRuns, thisProcess, worksIn } from '../stacks/processes.js';
import { confWord, redisConf, sentinelConf } from '../stacks/redis/conf.js';
import { connectControl } from '../stacks/redis/control.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { ownAddresses } from '../stacks/redis/machine/servers.js';
import { FIRST_PRIMARY, kindOf, MASTER_NAME, numberOf } from '../stacks/redis/topology.js';
import { whyModelFails } from '../stacks/volatile-disk.js';
import { KINDS, recoverVolumes } from '../stacks/volume.js';
import { keepSecret } from '../untrusted.js';
import { waitFor } from '../wait.js';
import { PlaceRequest, StartRequest } from './nodes-protocol.js';
import { Nothing } from './protocol.js';
import { addressTowards } from './writers-work.js';

/**
 * @import { Disks } from '../stacks/disks.js'
 * @import { Action, Address, Credentials } from '../stacks/types.js'
 * @import { Work } from './agent.js'
 * @import { PlaceReply } from './nodes-protocol.js'
 *
 * @typedef {Object} StartedNodes by their ports
 * @property {(port: number) => Credentials | undefined} credentialsOf a node that it started
 * @property {(port: number) => boolean} isOwn it started the node, and will end it
 * @property {(port: number) => number | undefined} groupOf that nobody else has; only of a Sentinel that it started as root
 * @property {(port: number, action: Action, onNode: (action: Action) => Promise<void>) => Promise<void>} act what the action means for the disk of the node,
 *   and the rest by `onNode`
 *
 * @typedef {z.infer<typeof StartRequest>} Deployment
 * @typedef {z.infer<typeof OwnerSchema> & {folder: string}} NodesRecord
 */

const folders = ownFolders('sentinel-bench-nodes');
const RECORD = 'owner.json';
const CONF = 'server.conf';
/** Sentinels have groups of their own, by which rules know what they send. No name belongs to these numbers, which exist in containers, too. */
const FIRST_GROUP = 64_800;
/** A server starts in half a second; the machine may be busy. */
const READY_MS = 30_000;

const OwnerSchema = z.object({
  pid: z.int().positive(),
  startTime: z.string().nullable(),
  ids: z.array(z.string().regex(/^[a-z]+-\d+$/)),
  disk: z.string().optional().describe('where one of them has its files'),
});

/**
 * @param {Object} agent
 * @param {() => Promise<readonly Address[]>} agent.nats the server that it uses: its address towards it is that of its nodes
 * @param {() => Promise<void>} agent.undoFaults before its nodes end
 * @param {(line: string) => void} agent.tell
 * @returns {Work & {started: StartedNodes}}
 */
export function nodesWork({ nats, undoFaults, tell }) {
  /** @type {NodesRecord | null} */
  let running = null;
  /** Of the node that has one. @type {Disks} */
  let disks = NO_DISKS;
  /** @type {Map<number, string>} port → id */
  const ids = new Map();
  const modelFails = once(() => whyModelFails());
  /** @type {Map<number, Credentials>} */
  const credentials = new Map();

  async function stop() {
    const ending = running;
    running = null;
    await undoFaults();
    const used = disks;
    disks = NO_DISKS;
    credentials.clear();
    ids.clear();
    if (ending) await endNodes(ending);
    await used.close();
  }

  return {
    stop,
    started: {
      credentialsOf: (port) => credentials.get(port),
      isOwn: (port) => ids.has(port),
      groupOf: (port) => groupOf(ids.get(port)),
      act: (port, action, onNode) => disks.act(ids.get(port) ?? '', action, onNode),
    },
    operations: {
      'nodes-place': {
        request: PlaceRequest,
        allow: 'nodes',
        /** @returns {Promise<z.infer<typeof PlaceReply>>} */
        async run(/** @type {z.infer<typeof PlaceRequest>} */ { nodes, disk }) {
          const { name, version } = await program();
          const [{ host }] = await nats();
          const ports = new Set();
          while (ports.size < nodes) ports.add(await freePort(ports));
          const server = {
            name: name === 'valkey' ? /** @type {const} */ ('valkey') : /** @type {const} */ ('redis'),
            version,
          };
          const whyNoDisk = disk ? await modelFails() : null;
          return { address: await addressTowards(host), ports: [...ports], whyNoDisk, server };
        },
      },
      'nodes-start': {
        request: StartRequest,
        allow: 'nodes',
        async run(/** @type {Deployment} */ deployment) {
          await stop();
          const own = deployment.nodes.filter((node) => node.own);
          const strange = own.find(({ host }) => !ownAddresses().includes(host));
          if (strange) throw new UserError(`${strange.host} is no address of its machine.`, 'Start the run again.');
          keepSecret(deployment.password);
          const { path } = await program();
          /** @type {NodesRecord} */
          const record = { ...thisProcess(), ids: own.map(({ id }) => id), folder: folders.make() };
          running = record;
          writeRecord(record);
          if (deployment.disk !== null) {
            disks = await startDisks([deployment.disk], { kind: 'agent', tell });
            record.disk = disks.list[0].disk.path;
            writeRecord(record);
          }
          const { password } = deployment;
          for (const node of own) {
            credentials.set(node.port, { password });
            ids.set(node.port, node.id);
            const folder = join(record.folder, node.id);
            const files = node.id === deployment.disk ? record.disk : folder;
            start(folder, path, node.id, { ...deployment, files });
          }
          for (const node of own) await whenReady(node, password);
          for (const { disk } of disks.list) await disk.flush();
          return {};
        },
      },
      'nodes-stop': {
        request: Nothing,
        allow: 'nodes',
        async run() {
          await stop();
          return {};
        },
      },
    },
  };
}

/** @param {NodesRecord} record */
function writeRecord({ folder, ...kept }) {
  writeFileSync(join(folder, RECORD), JSON.stringify(kept), { mode: 0o600 });
}

async function program() {
  const server = await findServer();
  if (server) return server;
  throw new UserError('There is no Redis or Valkey server there.', `${INSTALL_SERVER}.`);
}

/**
 * @param {string} folder of the node
 * @param {string} server program
 * @param {string} id
 * @param {Deployment & {files?: string}} deployment files: where it keeps them; default: in its folder
 */
function start(folder, server, id, deployment) {
  mkdirSync(folder, { mode: 0o700 });
  const conf = join(folder, CONF);
  writeFileSync(conf, confOf(folder, id, deployment), { mode: 0o600 });
  const flags = kindOf(id) === 'sentinel' ? ['--sentinel'] : [];
  const options = { cwd: folder, log: join(folder, 'log'), gid: groupOf(id) };
  runApart([server, conf, ...flags], options).once('error', () => {});
}

/** @param {string} [id] @returns {number | undefined} undefined: that of the agent */
function groupOf(id) {
  if (id === undefined || kindOf(id) !== 'sentinel' || process.getuid?.() !== 0) return undefined;
  return FIRST_GROUP + numberOf(id);
}

/**
 * @param {string} folder
 * @param {string} id
 * @param {Deployment & {files?: string}} deployment
 */
function confOf(folder, id, { nodes, password, files = folder }) {
  const announced = (/** @type {string} */ name) => {
    const node = nodes.find((each) => each.id === name);
    if (!node) throw new UserError(`The deployment has no ${name}.`, 'Start the run again.');
    return { host: node.host, port: node.port };
  };
  const { host, port } = announced(id);
  const primary = announced(FIRST_PRIMARY);
  if (kindOf(id) === 'sentinel') {
    const text = sentinelConf(id, { dir: folder, nodes: nodes.map((node) => node.id), announced });
    return [text, `port ${port}`, `bind ${host}`, `sentinel auth-pass ${MASTER_NAME} ${password}`, ''].join('\n');
  }
  return [
    redisConf(),
    `port ${port}`,
    `bind ${host}`,
    `dir ${confWord(files)}`,
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(id === FIRST_PRIMARY ? [] : [`replicaof ${primary.host} ${primary.port}`]),
    '',
  ].join('\n');
}

/**
 * @param {Deployment['nodes'][number]} node
 * @param {string} password
 */
async function whenReady({ id, host, port }, password) {
  let why = '';
  const login = kindOf(id) === 'sentinel' ? {} : { password };
  const answers = async () => {
    try {
      const control = await connectControl({ host, port }, login);
      await control.call('PING').finally(control.close);
      return true;
    } catch (error) {
      why = messageOf(error);
      return false;
    }
  };
  if (await waitFor(answers, { deadlineMs: READY_MS, pollMs: 50 })) return;
  throw new UserError(`${id} did not start within ${READY_MS / 1000} s (${why}).`, 'Look at that machine.');
}

/** @param {NodesRecord} record */
async function endNodes({ folder, ids, disk }) {
  const own = ids.map((id) => join(folder, id));
  const recorded = () =>
    ids.flatMap((id) => {
      const pid = Number(readOwnFile(join(folder, id, PID_FILE)));
      const isOurs = worksIn(pid, join(folder, id)) || (disk !== undefined && worksIn(pid, disk));
      return pid > 0 && isOurs ? [{ id, pid }] : [];
    });
  const left = await endRecorded(recorded, { folders: own, others: disk === undefined ? [] : [disk] });
  if (left !== null)
    throw new UserError(`Nodes did not end in time: ${left.join(', ')}.`, 'Run `sentinel-bench recover` there.');
  folders.remove(folder);
}

/**
 * Ends the nodes of agents that were killed on this machine.
 *
 * @param {(line: string) => void} tell
 */
export async function recoverNodes(tell) {
  for (const folder of folders.list()) {
    const parsed = OwnerSchema.safeParse(jsonIn(join(folder, RECORD)));
    if (!parsed.success || stillRuns(parsed.data)) continue;
    await endNodes({ ...parsed.data, folder });
    tell(`Ended ${parsed.data.ids.join(', ')}, which a killed agent had started.`);
  }
  await recoverVolumes(tell, [KINDS.agent]);
  for (const folder of folders.abandoned((each) => readOwnFile(join(each, RECORD)) !== null)) folders.remove(folder);
}

/** @param {string} file */
function jsonIn(file) {
  try {
    return JSON.parse(readOwnFile(file) ?? 'null');
  } catch {
    // Half of it was written, before any node was started.
    return null;
  }
}
