/**
 * Nodes that an agent starts for a run, in a folder of their own, as a local stack does. They end with the run. The folder names the agent, so that those
 * of a killed agent are found and ended.
 */
import { mkdirSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { once } from '../once.js';
import { sameAddress } from '../stacks/address.js';
import { nodeOf } from '../stacks/ask.js';
import { NO_DISKS, startDisks } from '../stacks/disks.js';
import { signalNode, startProgram } from '../stacks/local/nodes.js';
import { dataFolder, endNodes, nodeFolder, pidOf } from '../stacks/local/record.js';
import { ownFolders } from '../stacks/own-folders.js';
import { freePort } from '../stacks/ports.js';
import { answers } from '../stacks/probe.js';
import { stillRuns, thisProcess } from '../stacks/processes.js';
import { ownAddresses } from '../stacks/redis/machine/servers.js';
import { whyModelFails } from '../stacks/volatile-disk.js';
import { recoverVolumes } from '../stacks/volume.js';
import { KINDS } from '../stacks/volume-kinds.js';
import { keepSecret } from '../untrusted.js';
import { mariadbNodes } from './mariadb-nodes.js';
import { recordsIn } from './records.js';
import { redisNodes } from './redis-nodes.js';
import { addressTowards } from './writers-work.js';

/**
 * @import { Disks } from '../stacks/disks.js'
 * @import { Server } from '../stacks/redis/machine/machine.js'
 * @import { Address, Credentials } from '../stacks/types.js'
 * @import { NodesToStart, OfferedPlace, System } from './nodes-protocol.js'
 * @import { AgentWork } from './operations.js'
 *
 * @typedef {Object} StartedNodes by their addresses
 * @property {(address: Address) => Credentials | undefined} credentialsOf a node that it started
 * @property {(address: Address) => number | undefined} groupOf that nobody else has; only of a Sentinel that it started as root
 * @property {(address: Address) => Server | undefined} serverAt a node that it started, and will end
 *
 * @typedef {z.infer<typeof RecordSchema> & {folder: string}} NodesRecord
 *
 * @typedef {{name: OfferedPlace['server']['name'], version: string, path: string}} NodeServer
 * @typedef {{id: string, host: string, port: number, folder: string, data: string}} Place of a node; data: where it keeps its files: its folder, or one on a
 *   disk of its own
 *
 * @typedef {Object} NodePrograms how the nodes of one system are started
 * @property {number} readyMs how long a node may take to answer
 * @property {() => Promise<NodeServer>} program throws a UserError if there is none
 * @property {(password: string) => Credentials} credentials of a node
 * @property {(place: Place, deployment: NodesToStart) => Promise<void>} prepare writes its files
 * @property {(program: NodeServer, place: Place) => string[]} command
 * @property {(place: Place) => number | undefined} [groupOf] of users, that only this node is in; undefined: that of the agent
 * @property {(place: Place, password: string) => Promise<{close: () => void}>} connect rejects if the node does not answer
 * @property {(place: Place) => void} [empty] removes the data of a node that does not run; absent: its nodes are never rebuilt
 *
 * @typedef {Object} Nodes of one deployment, on this machine
 * @property {NodesRecord} record
 * @property {NodesToStart} deployment
 * @property {NodeServer} program
 * @property {Disks} disks
 */

/** @type {Readonly<Record<z.infer<typeof System>, NodePrograms>>} */
const SYSTEMS = Object.freeze({ redis: redisNodes, mariadb: mariadbNodes });

const RecordSchema = z.object({
  owner: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }),
  ids: z.array(z.string().regex(/^[a-z]+-\d+$/)),
  disks: z.record(z.string(), z.string()).describe('where nodes with a disk of their own have their files'),
});

const folders = ownFolders('sentinel-bench-nodes');
const records = recordsIn(folders, 'nodes.json', RecordSchema);

/**
 * @param {Object} agent
 * @param {() => Promise<readonly Address[]>} agent.nats the server that it uses: its address towards it is that of its nodes
 * @param {() => Promise<void>} agent.undoFaults before its nodes end
 * @param {(line: string) => void} agent.tell
 * @returns {AgentWork & {started: StartedNodes}}
 */
export function nodesWork({ nats, undoFaults, tell }) {
  const started = new Started(undoFaults, tell);
  const modelFails = once(() => whyModelFails());
  return {
    stop: () => started.stop(),
    started,
    handlers: {
      async 'nodes-place'({ system, nodes, disk }) {
        const { name, version } = await SYSTEMS[system].program();
        const [{ host }] = await nats();
        const ports = new Set();
        while (ports.size < nodes) ports.add(await freePort(ports));
        const whyNoDisk = disk ? await modelFails() : null;
        return { address: await addressTowards(host), ports: [...ports], whyNoDisk, server: { name, version } };
      },
      'nodes-start': (wanted) => started.start(wanted),
      'nodes-rebuild': ({ node }) => started.rebuild(node),
      'nodes-stop': () => started.stop(),
    },
  };
}

/** @implements {StartedNodes} */
class Started {
  #undoFaults;
  #tell;
  /** @type {Nodes | null} */
  #running = null;
  /** The same, until the faults of its nodes are undone. @type {Nodes | null} */
  #known = null;
  /** Files are being written, so nothing may be removed. @type {Promise<void>} */
  #writing = Promise.resolve();
  /** What began before an end does not go on after it. */
  #ends = 0;

  /** @param {() => Promise<void>} undoFaults @param {(line: string) => void} tell */
  constructor(undoFaults, tell) {
    this.#undoFaults = undoFaults;
    this.#tell = tell;
  }

  async stop() {
    this.#ends++;
    const ending = this.#running;
    this.#running = null;
    await this.#undoFaults();
    if (this.#known === ending) this.#known = null;
    await this.#writing.catch(() => {});
    if (ending) await remove(ending.record);
    await ending?.disks.close();
  }

  /** @param {NodesToStart} deployment */
  async start(deployment) {
    await this.stop();
    const begun = this.#ends;
    const { system, disk, password } = deployment;
    const own = deployment.nodes.filter((node) => node.own);
    const strange = own.find(({ host }) => !ownAddresses().includes(host));
    if (strange) throw new UserError(`${strange.host} is no address of its machine.`, 'Start the run again.');
    keepSecret(password);
    const program = await SYSTEMS[system].program();
    this.#checkGoesOn(begun);
    const ids = own.map(({ id }) => id);
    /** @type {NodesRecord} */
    const record = { folder: folders.make(), owner: thisProcess(), ids, disks: {} };
    records.save(record);
    /** @type {Nodes} */
    const nodes = { record, deployment, program, disks: NO_DISKS };
    this.#running = nodes;
    this.#known = nodes;
    await this.#write(begun, async () => {
      nodes.disks = await startDisks(disk === null ? [] : [disk], {
        kind: 'agent',
        tell: this.#tell,
        onStarted(id, { path }) {
          record.disks[id] = path;
          records.save(record);
        },
      });
      for (const id of ids) {
        mkdirSync(nodeFolder(record, id), { mode: 0o700 });
        await SYSTEMS[system].prepare(placeOf(nodes, id), deployment);
      }
    });
    await Promise.all(ids.map((id) => launch(nodes, id)));
    for (const each of nodes.disks.list) await each.disk.flush();
  }

  /** @param {string} id */
  async rebuild(id) {
    const nodes = this.#running;
    const { prepare, empty } = nodes ? SYSTEMS[nodes.deployment.system] : {};
    if (!nodes?.record.ids.includes(id) || !prepare || !empty)
      throw new UserError(`It has started no ${id} that can be rebuilt.`, 'Start the run again.');
    const begun = this.#ends;
    await signalNode(nodes.record, id, 'kill');
    await this.#write(begun, async () => {
      empty(placeOf(nodes, id));
      await prepare(placeOf(nodes, id), nodes.deployment);
    });
    await launch(nodes, id);
  }

  /** @param {number} begun the ends of that time @throws {UserError} the run has ended since */
  #checkGoesOn(begun) {
    if (begun !== this.#ends) throw new UserError('The run has ended.', 'Start it again.');
  }

  /** @param {number} begun @param {() => Promise<void>} write */
  async #write(begun, write) {
    this.#checkGoesOn(begun);
    this.#writing = write();
    await this.#writing;
    this.#checkGoesOn(begun);
  }

  /** @param {Address} address @returns {{nodes: Nodes, place: Place} | undefined} */
  #find(address) {
    const nodes = this.#known;
    const node = nodes?.deployment.nodes.find((each) => each.own && sameAddress(each, address));
    return nodes && node ? { nodes, place: placeOf(nodes, node.id) } : undefined;
  }

  /** @param {Address} address */
  credentialsOf(address) {
    const { system, password } = this.#find(address)?.nodes.deployment ?? {};
    return system && password ? SYSTEMS[system].credentials(password) : undefined;
  }

  /** @param {Address} address */
  groupOf(address) {
    const found = this.#find(address);
    return found && SYSTEMS[found.nodes.deployment.system].groupOf?.(found.place);
  }

  /** @param {Address} address */
  serverAt(address) {
    const found = this.#find(address);
    return found && ownServer(found.nodes, found.place.id);
  }
}

/** @param {Nodes} nodes @param {string} id @returns {Place} */
function placeOf({ record, deployment }, id) {
  const { host, port } = nodeOf(deployment, id);
  return { id, host, port, folder: nodeFolder(record, id), data: dataFolder(record, id) };
}

/** @param {Nodes} nodes @param {string} id of a node whose files are written, and that does not run */
async function launch(nodes, id) {
  const { record, deployment, program } = nodes;
  const { command, groupOf, connect, readyMs } = SYSTEMS[deployment.system];
  const place = placeOf(nodes, id);
  await startProgram(record, id, {
    command: command(program, place),
    gid: groupOf?.(place),
    isUp: () => answers(() => connect(place, deployment.password)),
    deadlineMs: readyMs,
  });
}

/** @param {Nodes} nodes @param {string} id @returns {Server} */
function ownServer(nodes, id) {
  const { record, disks } = nodes;
  return {
    pid: () => pidOf(record, id),
    act: (action) =>
      disks.act(id, action, async (each) => {
        if (each !== 'start') await signalNode(record, id, each);
        else if (pidOf(record, id) === null) await launch(nodes, id);
      }),
  };
}

/** @param {NodesRecord} record */
async function remove(record) {
  await endNodes(record, record.ids);
  folders.remove(record.folder);
}

/**
 * Ends the nodes of agents that were killed on this machine.
 *
 * @param {(line: string) => void} tell
 */
export async function recoverNodes(tell) {
  for (const record of records.list()) {
    if (stillRuns(record.owner)) continue;
    await remove(record);
    tell(`Ended ${record.ids.join(', ')}, which a killed agent had started.`);
  }
  await recoverVolumes(tell, [KINDS.agent]);
  for (const folder of folders.abandoned((each) => records.read(each) !== null)) folders.remove(folder);
}
