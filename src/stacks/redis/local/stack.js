/** Existing processes, as a Stack. */
import { localBackend, localNodes } from '../../local/backend.js';
import { NOTHING_USED } from '../../local/host.js';
import { portOf, readLog } from '../../local/nodes.js';
import { HAS_PROC } from '../../processes.js';
import { VIRTUAL_ADDRESS_ABILITIES, virtualAddressOf } from '../hosts/virtual-address.js';
import { openMembers, redial } from '../members.js';
import { openShards } from '../shards.js';
import { OWN_ABILITIES, redisStack } from '../stack.js';
import { MASTER_NAME } from '../topology.js';
import { startAgain } from './nodes.js';

/**
 * @import { NodeHost, Stack } from '../../types.js'
 * @import { Members } from '../members.js'
 * @import { LocalParts } from '../../local/backend.js'
 * @import { StackRecord } from '../../local/record.js'
 */

/** Sections of INFO for a sample. A short question, because its reply counts in what the node sent. */
const SAMPLE_SECTIONS = HAS_PROC ? ['stats'] : ['stats', 'cpu', 'memory'];

/**
 * @param {StackRecord} record
 * @param {Object} [how]
 * @param {ReadonlyMap<string, number>} [how.relayed] id of a node → the port at which its peers reach it, if that is the relay's
 * @param {boolean} [how.shards] its nodes form a Redis Cluster. Its Sentinels do not start, so their ports are free for the cluster bus
 */
export function openStackMembers(record, { relayed, shards = false } = {}) {
  const nodes = localNodes(record, relayed);
  const logs = async (/** @type {string} */ id, /** @type {number} */ lines) => readLog(record, id, lines);
  if (!shards) return openMembers(nodes, { masterName: MASTER_NAME, logs });
  return openShards(nodes, { busPorts: new Map(nodes.map(({ id }) => [id, busPortOf(record, id)])), logs });
}

/**
 * @param {StackRecord} record
 * @param {string} id of a node of a Redis Cluster
 * @returns {number} the port at which its peers reach it
 */
export function busPortOf(record, id) {
  return portOf(record, id.replace('redis', 'sentinel'));
}

/**
 * @param {StackRecord} record
 * @param {Members} members
 * @param {Object} facts
 * @param {boolean} facts.ours
 * @param {string} facts.why
 * @param {LocalParts} facts.parts
 * @param {(id: string) => Promise<string>} facts.program finds the server program for a node that starts again
 * @param {NodeHost['changeServer']} [facts.changeServer]
 * @returns {Promise<Stack>}
 */
export function stackOf(record, members, { ours, why, parts, program, changeServer }) {
  const { nodes, ask } = members.observer;
  const backend = localBackend(record, { nodes, ours, why }, parts, {
    start: async (id) => startAgain(record, id, await program(id)),
    async onJoined(id) {
      const node = nodes.find((each) => each.id === id);
      if (node?.kind === 'redis') await redial(node.address);
    },
    async used(id) {
      const info = await ask(id, (control) => control.info(...SAMPLE_SECTIONS));
      return {
        ...NOTHING_USED,
        networkInBytes: Number(info.total_net_input_bytes),
        networkOutBytes: Number(info.total_net_output_bytes),
        cpuSeconds: Number(info.used_cpu_sys) + Number(info.used_cpu_user),
        memoryBytes: Number(info.used_memory_rss),
      };
    },
  });
  const can = [...backend.can, ...OWN_ABILITIES, ...(record.virtual ? VIRTUAL_ADDRESS_ABILITIES : [])];
  const access = record.virtual ? { virtualAddress: virtualAddressOf(record) } : {};
  return redisStack({ ...backend, can, host: { ...backend.host, changeServer } }, members, { access });
}
