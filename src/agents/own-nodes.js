/**
 * Nodes that an agent starts for a run, in a folder of their own, by the same means as a local stack. They end with the run. The folder is recorded, so that
 * those of a killed agent are found and ended.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sameAddress } from '../stacks/address.js';
import { nodeOf } from '../stacks/ask.js';
import { NO_DISKS, startDisks } from '../stacks/disks.js';
import { signalNode, startProgram } from '../stacks/local/nodes.js';
import { dataFolder, endNodes, nodeFolder, pidOf } from '../stacks/local/record.js';
import * as mariadb from '../stacks/mariadb/control.js';
import { commandOf, removeData, writeConf, writeData } from '../stacks/mariadb/local/files.js';
import { findMariadb, INSTALL_MARIADB } from '../stacks/mariadb/local/server.js';
import { preparedData } from '../stacks/mariadb/local/template.js';
import { checkRoom, ownFolders } from '../stacks/own-folders.js';
import { answers } from '../stacks/probe.js';
import { stillRuns, thisProcess } from '../stacks/processes.js';
import { nodeConf } from '../stacks/redis/conf.js';
import { connectControl } from '../stacks/redis/control.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { kindOf, MASTER_NAME, numberOf } from '../stacks/redis/topology.js';
import { recoverVolumes } from '../stacks/volume.js';
import { KINDS } from '../stacks/volume-kinds.js';
import { recordsIn } from './records.js';
import { refusal } from './refusals.js';

/**
 * @import { Server } from '../stacks/redis/machine/machine.js'
 * @import { Address } from '../stacks/types.js'
 * @import { NodesToStart, OfferedPlace } from './host-protocol.js'
 *
 * @typedef {z.infer<typeof RecordSchema> & {folder: string}} NodesRecord
 *
 * @typedef {{name: OfferedPlace['server']['name'], version: string, path: string}} NodeServer
 * @typedef {{id: string, host: string, port: number, folder: string, data: string}} Place of a node; data: where it keeps its files
 *
 * @typedef {Object} NodePrograms how the nodes of one system are started
 * @property {number} readyMs how long a node may take to answer
 * @property {() => Promise<NodeServer>} find throws a UserError if there is none
 * @property {(place: Place, deployment: NodesToStart) => Promise<void>} prepare writes its files, which may be there
 * @property {(program: NodeServer, place: Place) => string[]} command
 * @property {(place: Place) => number | undefined} groupOf of users, that only this node is in; undefined: that of the agent
 * @property {(place: Place, password: string) => Promise<{close: () => void}>} connect rejects if the node does not answer
 */

const REDIS_CONF = 'server.conf';
/** Sentinels have groups of their own, by which rules know what they send. No name belongs to these numbers, which exist in containers, too. */
const FIRST_GROUP = 64_800;
/** A data directory of MariaDB and its logs. */
const LEAST_ROOM_BYTES = 350 * 2 ** 20;
const ATTEMPT_MS = 1000;

/** Readiness is awaited longer than a start takes: the machine may be busy. @type {Readonly<Record<NodesToStart['system'], NodePrograms>>} */
const SYSTEMS = {
  redis: {
    readyMs: 30_000,
    async find() {
      const server = await findServer();
      if (!server) throw refusal('redis-missing', { install: INSTALL_SERVER });
      return { ...server, name: server.name === 'valkey' ? 'valkey' : 'redis' };
    },
    async prepare({ id, folder, data, host, port }, { nodes, password }) {
      const conf = nodeConf(id, {
        dir: data,
        port,
        nodes: nodes.map((node) => node.id),
        announced: (name) => nodeOf({ nodes }, name),
        ofSentinel: [`bind ${host}`, `sentinel auth-pass ${MASTER_NAME} ${password}`],
        ofRedis: [`bind ${host}`, `requirepass ${password}`, `masterauth ${password}`],
      });
      writeFileSync(join(folder, REDIS_CONF), conf, { mode: 0o600 });
    },
    command: ({ path }, { id, folder }) => [
      path,
      join(folder, REDIS_CONF),
      ...(kindOf(id) === 'sentinel' ? ['--sentinel'] : []),
    ],
    groupOf: ({ id }) =>
      kindOf(id) === 'sentinel' && process.getuid?.() === 0 ? FIRST_GROUP + numberOf(id) : undefined,
    connect: (place, password) => connectControl(place, kindOf(place.id) === 'sentinel' ? {} : { password }),
  },
  mariadb: {
    readyMs: 60_000,
    find: mariadbServer,
    async prepare(place, { password }) {
      removeData(place);
      checkRoom(place.data, LEAST_ROOM_BYTES, 'a MariaDB server');
      const template = await preparedData(await mariadbServer());
      // Controller and other nodes log in from other machines.
      await writeData(place, { template, login: { password, from: '%' } });
      writeConf(place);
    },
    command: ({ path }, place) => commandOf(path, place),
    groupOf: () => undefined,
    connect: (place, password) => mariadb.connectControl(place, { password }, { timeoutMs: ATTEMPT_MS }),
  },
};

async function mariadbServer() {
  const found = await findMariadb();
  if (!found) throw refusal('mariadb-missing', { install: INSTALL_MARIADB });
  return { ...found, name: /** @type {const} */ ('mariadb') };
}

/** @param {NodesToStart['system']} system @throws {UserError} it is not installed here */
export const findProgram = (system) => SYSTEMS[system].find();

/** disks: where nodes with a disk of their own have their files. */
const RecordSchema = z.object({
  owner: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }),
  ids: z.array(z.string().regex(/^[a-z]+-\d+$/)),
  disks: z.record(z.string(), z.string()),
});

const folders = ownFolders('sentinel-bench-nodes');
const records = recordsIn(folders, 'nodes.json', RecordSchema);

/** Those of one deployment, on this machine. */
export class OwnNodes {
  #deployment;
  #programs;
  #program;
  /** @type {NodesRecord} */
  #record;
  #disks = NO_DISKS;

  /** It is recorded, and nothing runs yet. @param {NodesToStart} deployment @param {NodeServer} program */
  constructor(deployment, program) {
    this.#deployment = deployment;
    this.#programs = SYSTEMS[deployment.system];
    this.#program = program;
    const ids = deployment.nodes.flatMap(({ id, own }) => (own ? [id] : []));
    this.#record = { folder: folders.make(), owner: thisProcess(), ids, disks: {} };
    records.save(this.#record);
  }

  /** @param {{signal: AbortSignal, tell: (line: string) => void}} options signal: abandons it; `end` is due then, too */
  async start({ signal, tell }) {
    const { disk } = this.#deployment;
    const record = this.#record;
    this.#disks = await startDisks(disk === null ? [] : [disk], {
      kind: 'agent',
      signal,
      tell,
      onStarted(id, { path }) {
        record.disks[id] = path;
        records.save(record);
      },
    });
    for (const id of record.ids) {
      mkdirSync(nodeFolder(record, id), { mode: 0o700 });
      await this.#prepare(id, signal);
    }
    await Promise.all(record.ids.map((id) => this.#launch(id, signal)));
    for (const each of this.#disks.list) await each.disk.flush();
  }

  /** The node begins again with an empty database. @param {string} id @param {AbortSignal} signal */
  async rebuild(id, signal) {
    await signalNode(this.#record, id, 'kill');
    await this.#prepare(id, signal);
    await this.#launch(id, signal);
  }

  /** @param {string} id */
  has(id) {
    return this.#record.ids.includes(id);
  }

  async end() {
    await remove(this.#record);
    await this.#disks.close();
  }

  /** @param {Address} address @returns {Server & {group: number | undefined} | undefined} group: that nobody else is in */
  serverAt(address) {
    const node = this.#deployment.nodes.find((each) => each.own && sameAddress(each, address));
    if (!node) return undefined;
    const { id } = node;
    const pid = () => pidOf(this.#record, id);
    return {
      pid,
      group: this.#programs.groupOf(this.#placeOf(id)),
      act: (action) =>
        this.#disks.act(id, action, async (each) => {
          if (each !== 'start') await signalNode(this.#record, id, each);
          else if (pid() === null) await this.#launch(id);
        }),
    };
  }

  /** @param {string} id @returns {Place} */
  #placeOf(id) {
    const { host, port } = nodeOf(this.#deployment, id);
    return { id, host, port, folder: nodeFolder(this.#record, id), data: dataFolder(this.#record, id) };
  }

  /** @param {string} id @param {AbortSignal} signal */
  async #prepare(id, signal) {
    await this.#programs.prepare(this.#placeOf(id), this.#deployment);
    signal.throwIfAborted();
  }

  /** @param {string} id of a node whose files are written, and that does not run @param {AbortSignal} [signal] */
  async #launch(id, signal) {
    const { command, groupOf, connect, readyMs } = this.#programs;
    const place = this.#placeOf(id);
    await startProgram(this.#record, id, {
      command: command(this.#program, place),
      gid: groupOf(place),
      isUp: () => answers(() => connect(place, this.#deployment.password)),
      deadlineMs: readyMs,
      signal,
    });
  }
}

/** @param {NodesRecord} record */
async function remove(record) {
  await endNodes(record, record.ids);
  folders.remove(record.folder);
}

/** Ends the nodes of agents that were killed on this machine. @param {(line: string) => void} tell */
export async function recoverNodes(tell) {
  for (const record of records.list()) {
    if (stillRuns(record.owner)) continue;
    await remove(record);
    tell(`Ended ${record.ids.join(', ')}, which a killed agent had started.`);
  }
  await recoverVolumes(tell, [KINDS.agent]);
  for (const folder of folders.abandoned((each) => records.read(each) !== null)) folders.remove(folder);
}
