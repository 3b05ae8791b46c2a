/**
 * A host runs the nodes of one stack. It starts and ends their programs, keeps their files and reads their counters; it knows no database.
 * `local/host.js` runs them as processes of this machine, in network namespaces too; agents serve that host to other machines.
 * `docker/host.js` runs them in containers. `backendOn` makes all of a stack but its database from any host.
 *
 * @typedef {Object} Place of a node on its host
 * @property {string} id
 * @property {string} host at which it listens
 * @property {number} port
 * @property {string} folder its working directory, which exists
 * @property {string} data where it keeps its data: the same folder, or one apart
 * @property {Address} [announced] where its peers reach it; default: where it listens
 *
 * @typedef {Object} Program how a database starts one node
 * @property {string[]} command empty: the host has one for each node, as docker-compose.yml does
 * @property {number} [gid] group of the process; default: that of others
 * @property {NodeJS.ProcessEnv} [env] besides the environment of other nodes
 * @property {() => Promise<boolean>} isUp the node answers
 * @property {number} deadlineMs for that
 * @property {AbortSignal} [signal]
 *
 * @typedef {Object} Host all ids are of its nodes
 * @property {BackendName} backend
 * @property {string} identity of the stack, the same in every process
 * @property {string} path how clients reach the nodes: `StackFacts.path`
 * @property {boolean} [inMemory] `StackFacts.inMemory`
 * @property {readonly Place[]} nodes
 * @property {readonly Ability[]} can beside pausing, stopping and killing nodes: `power-loss` and `fill`, if they have disks of their own
 * @property {(id: string, name: string, text: string) => Promise<void>} write a file in the folder of the node, which only this user may
 *   read; in a container while it runs
 * @property {(id: string, name: string) => Promise<string>} [read] for nodes whose configurations we write
 * @property {(id: string, from: string) => Promise<void>} [put] what a folder of this machine holds becomes data of the node; MariaDB needs it
 * @property {(id: string, kept: readonly string[]) => Promise<void>} [empty] removes the data of the node, which does not run, but for these files
 * @property {(id: string, program: Program) => Promise<void>} start a node that does not run, or was only just started with its host;
 *   resolves when it answers. Rejects if it ends or is silent, and kills nothing
 * @property {(id: string) => Promise<NodeProcess | null>} process null: the node does not run
 * @property {(id: string, action: Action) => Promise<void>} act `pause`, `resume`, `stop`, `kill`, and what `can` says. Does nothing that is already done
 * @property {(id: string, process: NodeProcess) => Promise<Partial<Used>>} [used] what the system says that the node's process has used. Absent: only the node says, and a
 *   Sentinel does not say what memory it uses
 * @property {true} [usedIsAll] `used` says everything, so no node is asked
 * @property {NodeHost['logs']} logs empty: it has not written any
 * @property {NodeFiles} files
 * @property {MemoryLimit} [memoryLimit]
 * @property {() => Promise<void>} remove ends all nodes, however they are, and removes their files; idempotent
 * @typedef {{pid: number, life: string, paused: boolean}} NodeProcess life: of no other process on this host, ever
 *
 * @typedef {Object} Between what lies between the nodes of one stack
 * @property {Links} links
 * @property {Network | null} groups null: it cannot be divided into groups
 * @property {ReadonlyMap<string, number>} [ports] id of a node → the port at which its peers reach it; with names of links where the relay has these
 * @property {(id: string) => string} [sourceOf] the address from which a node has to dial, by which others know it; default: any
 *
 * @typedef {Object} Site of a stack
 * @property {Host} host
 * @property {Between} between its nodes
 * @property {string} why one sentence: why it runs there
 * @property {boolean} ours see `StackFacts`
 * @typedef {Omit<ResourceSample, 'id'>} Used
 *
 * @typedef {Object} Nodes the nodes of a database on a host
 * @property {(id: string) => Promise<void>} prepare writes the files of a node that has not started yet
 * @property {(id: string, signal?: AbortSignal) => Promise<void>} start a node that is prepared; resolves when it answers
 * @property {(id: string) => Promise<void>} startAgain a node that has run before
 *
 * @typedef {Object} Programs what a database says of its nodes
 * @property {Nodes['startAgain']} startAgain
 * @property {(id: string) => Promise<Used>} used what the node says that it has used; what the host knows better replaces it
 * @property {(id: string) => Promise<unknown>} [onJoined] called when a node, which runs, reaches its peers again
 */
import { nodeOf } from '../ask.js';
import { NETWORK_ABILITIES, NO_LINKS } from '../network/network.js';

/**
 * @import { Links, Network } from '../network/network.js'
 * @import { Ability, Action, Address, Backend, BackendName, MemoryLimit, NodeFiles, NodeHost, NodeInfo, NodeKind, ResourceSample, StackFacts } from '../types.js'
 */

/** @type {readonly Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'configure', 'logs'];

/** @type {Used} */
export const NOTHING_USED = Object.freeze({
  cpuSeconds: 0,
  memoryBytes: 0,
  networkInBytes: 0,
  networkOutBytes: 0,
  blockInBytes: 0,
  blockOutBytes: 0,
  pids: 1,
});

/** @type {Between} */
export const NOTHING_BETWEEN = Object.freeze({ links: NO_LINKS, groups: null });

/** @param {Host} host @param {Between['ports']} [ports] @returns {NodeInfo[]} */
export function nodesOn(host, ports) {
  return host.nodes.map(({ id, host: name, port, announced }) => {
    const kind = /** @type {NodeKind} */ (id.split('-')[0]);
    const address = Object.freeze({ host: name, port });
    const forPeers = Object.freeze(announced ?? { host: name, port: ports?.get(id) ?? port });
    return Object.freeze({ id, kind, address, announced: forPeers });
  });
}

/**
 * @param {Host} host @param {Between} between
 * @param {Pick<StackFacts, 'ours' | 'why' | 'server'> & Pick<Backend, 'nodes'> & Programs} about @returns {Backend}
 */
export function backendOn(host, { links, groups }, { nodes, startAgain, used, onJoined, ...about }) {
  const sample = samplerOn(host, used);

  async function startHere(/** @type {string} */ id) {
    if ((await host.process(id)) === null) await startAgain(id);
  }

  async function joined(/** @type {string} */ id) {
    if ((await host.process(id))?.paused === false) await onJoined?.(id);
  }

  /** @type {NodeHost['act']} */
  async function act(id, action) {
    nodeOf({ nodes }, id);
    switch (action) {
      case 'partition':
        return links.separate(id, 'peers');
      case 'isolate':
        return links.separate(id, 'everybody');
      case 'join':
        await links.join(id);
        return joined(id);
      case 'lose':
        return links.lose(id);
      case 'start':
        for (const each of new Set([...(await links.restore(id)), id])) await startHere(each);
        return;
      default:
        return host.act(id, action);
    }
  }

  return {
    about: { backend: host.backend, identity: host.identity, path: host.path, inMemory: host.inMemory, ...about },
    nodes,
    can: [...ALWAYS, ...links.can, ...(groups ? NETWORK_ABILITIES : []), ...host.can],
    host: {
      act,
      stats: async () => (await Promise.all(nodes.map(({ id }) => sample(id)))).flat(),
      logs: host.logs,
      memoryLimit: host.memoryLimit,
      files: host.files,
    },
    network: {
      groups,
      async slow(shape, id) {
        if (id !== undefined) nodeOf({ nodes }, id);
        await links.slow(shape, id);
      },
    },
    async revive() {
      await groups?.join();
      const away = await links.clear();
      // One after the other: a host of namespaces starts all its nodes.
      for (const { id, kind } of nodes) {
        // A Sentinel that was stopped goes into TILT for 30 s. One that restarts continues from its file at once.
        if ((await host.process(id))?.paused) await host.act(id, kind === 'sentinel' ? 'kill' : 'resume');
        await act(id, 'start');
      }
      for (const id of groups ? nodes.map((node) => node.id) : away) await joined(id);
    },
    remove: host.remove,
  };
}

/** @param {Host} host @param {Programs['used']} used @returns {(id: string) => Promise<ResourceSample[]>} none: the node does not run */
function samplerOn(host, used) {
  /** @type {Map<string, {life: string, said: Used}>} */
  const samples = new Map();

  /** @param {string} id @param {NodeProcess} process of the node */
  async function saidBy(id, { life, paused }) {
    const last = samples.get(id);
    // A paused node cannot be asked, and has used nothing since.
    const said = paused ? (last?.life === life ? last.said : NOTHING_USED) : await used(id);
    samples.set(id, { life, said });
    return said;
  }

  return async (id) => {
    const process = await host.process(id);
    if (process === null) return [];
    const said = host.usedIsAll ? NOTHING_USED : await saidBy(id, process);
    return [{ id, ...said, ...(await host.used?.(id, process)) }];
  };
}
