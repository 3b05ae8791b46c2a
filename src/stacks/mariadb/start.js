import { askOnce, nodeOf } from '../ask.js';
import { backendOn, NOTHING_USED, nodesOn } from '../hosts/host.js';
import { connectControl } from './control.js';
import { rows } from './replication.js';
import { mariadbStack } from './stack.js';
import { APPLICATION } from './topology.js';

/** @import { Host, Nodes, Site } from '../hosts/host.js' */
/** @import { Stack } from '../types.js' */
/** @import { NodesOfMariadb } from './stack.js' */
/** @typedef {Pick<Nodes, 'start' | 'startAgain'> & Pick<NodesOfMariadb, 'keep' | 'rebuild'>} Startable */

const TRAFFIC = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')";

/**
 * @param {Site} site @param {Startable} prepared nodes of the site @param {{password: string, signal?: AbortSignal}} options
 * @returns {Promise<Stack>} its nodes replicate. After a rejection they are left as they are
 */
export async function bringUpMariadb({ host, between, ours, why }, prepared, { password, signal }) {
  await Promise.all(host.nodes.map(({ id }) => prepared.start(id, signal)));
  const nodes = nodesOn(host);
  const credentials = { username: APPLICATION, password };
  /** @param {string} id @param {string} question @returns {Promise<Record<string, unknown>[]>} */
  const ask = (id, question) =>
    askOnce(connectControl(nodeOf({ nodes }, id).address, credentials), (control) => rows(control, question));
  const [{ version }] = await ask(nodes[0].id, 'SELECT VERSION() AS version');
  const server = { name: 'mariadb', version: String(version).split('-')[0] };
  const { startAgain, rebuild, keep } = prepared;
  const backend = backendOn(host, between, {
    ...{ nodes, ours, why, server, startAgain },
    async used(id) {
      const [networkInBytes, networkOutBytes] = (await ask(id, TRAFFIC)).map(({ Value }) => Number(Value));
      return { ...NOTHING_USED, networkInBytes, networkOutBytes };
    },
  });
  const stack = mariadbStack(
    { ...backend, can: host.used ? [...backend.can, 'stats'] : backend.can },
    {
      credentials,
      rebuild,
      keep,
      processInfo: (id) => processInfo(host, id),
      link(from, to) {
        const { announced } = nodeOf({ nodes }, to);
        return { ...announced, port: between.ports?.get(`${from} ${to}`) ?? announced.port };
      },
    },
  );
  await stack.heal();
  signal?.throwIfAborted();
  return stack;
}

/** @param {Host} host @param {string} id @returns {Promise<Record<string, string>>} see `mariadbSystem` */
async function processInfo(host, id) {
  const running = await host.process(id);
  if (!running) return {};
  const used = await host.used?.(id, running);
  return {
    run_id: running.life,
    ...(used && { cpu_seconds: String(used.cpuSeconds), memory_bytes: String(used.memoryBytes) }),
  };
}
