/**
 * The `local` backend of MariaDB: three child processes on loopback. Such a stack never outlives its process.
 *
 * @import { Between, Host } from '../../host.js'
 * @import { Stack, StackFacts, StackOptions } from '../../types.js'
 */
import { randomBytes } from 'node:crypto';
import { temporaryFolder } from '../../../private-files.js';
import { LOOPBACK } from '../../address.js';
import { askOnce, nodeOf } from '../../ask.js';
import { backendOn, NOTHING_USED, nodesOn } from '../../host.js';
import { createStack } from '../../local/record.js';
import { recoverLocal } from '../../local/recover.js';
import { assignPorts, oneAtATime, startParts } from '../../local/start.js';
import { checkRoom } from '../../own-folders.js';
import { problem, text } from '../../texts.js';
import { connectControl } from '../control.js';
import { mariadbNodes } from '../nodes.js';
import { rows } from '../replication.js';
import { mariadbStack } from '../stack.js';
import { APPLICATION, MARIADB_NODES } from '../topology.js';
import { findMariadb, INSTALL_MARIADB } from './server.js';
import { preparedData } from './template.js';

/** Three data directories and their logs. */
const LEAST_ROOM_BYTES = 1024 * 2 ** 20;

/**
 * Starts a primary and two replicas, and waits until they replicate. First removes what dead processes left.
 * @param {Partial<StackOptions> & {why?: string}} options @returns {Promise<Stack>}
 * @throws {UserError} no server program, no room, or it never becomes ready; everything that was started is removed
 */
export async function startMariadb(options) {
  const { server: wanted, settings, why = text('local-nodes'), tell = () => {}, signal } = options;
  const server = await findMariadb(wanted);
  if (!server) throw problem('no-mariadb', { install: INSTALL_MARIADB });
  await recoverLocal(tell);
  checkRoom(temporaryFolder(), LEAST_ROOM_BYTES, 'three MariaDB servers');
  const template = await preparedData(server);
  signal?.throwIfAborted();
  const { path, name, version } = server;
  const record = await oneAtATime(async () => {
    const nodes = (await assignPorts(MARIADB_NODES)).map((node) => ({ ...node, host: LOOPBACK }));
    return createStack({ system: 'mariadb', detached: false, server: { path, name, version }, nodes });
  });
  const password = randomBytes(16).toString('hex');
  return startParts(record, { ...options, tell, byPort: true }, async (host, between) => {
    tell(`Starting MariaDB ${version}: a primary and two replicas.`);
    const nodes = mariadbNodes(host, { program: path, template, password, settings });
    // One after the other: none may still be copied when a failure removes the folders.
    for (const { id } of host.nodes) await nodes.prepare(id);
    await Promise.all(host.nodes.map(({ id }) => nodes.start(id, signal)));
    const stack = stackOf({ host, between, nodes, password, about: { ours: true, why, server: { name, version } } });
    await stack.heal();
    signal?.throwIfAborted();
    return stack;
  });
}

const TRAFFIC = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')";

/**
 * @param {{host: Host, between: Between, nodes: ReturnType<typeof mariadbNodes>, password: string, about: Pick<StackFacts, 'ours' | 'why' | 'server'>}} parts
 */
function stackOf({ host, between, nodes: { startAgain, ...ofMariadb }, password, about }) {
  const nodes = nodesOn(host);
  const credentials = { username: APPLICATION, password };
  const backend = backendOn(
    host,
    between,
    { nodes, ...about },
    {
      startAgain,
      async used(id) {
        const connecting = connectControl(nodeOf({ nodes }, id).address, credentials);
        const network = await askOnce(connecting, (control) => rows(control, TRAFFIC));
        const [networkInBytes, networkOutBytes] = network.map(({ Value }) => Number(Value));
        return { ...NOTHING_USED, networkInBytes, networkOutBytes };
      },
    },
  );
  return mariadbStack(
    { ...backend, can: host.used ? [...backend.can, 'stats'] : backend.can },
    {
      ...ofMariadb,
      credentials,
      link(from, to) {
        const { address } = nodeOf({ nodes }, to);
        return { ...address, port: between.ports?.get(`${from} ${to}`) ?? address.port };
      },
    },
  );
}
