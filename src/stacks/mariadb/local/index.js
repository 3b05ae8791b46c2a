/** The `local` backend of MariaDB: three child processes on loopback. Such a stack never outlives its process. */
import { randomBytes } from 'node:crypto';
import { temporaryFolder } from '../../../private-files.js';
import { LOOPBACK } from '../../address.js';
import { askOnce, nodeOf } from '../../ask.js';
import { localBackend, localNodes, NOTHING_USED } from '../../local/backend.js';
import { portOf } from '../../local/nodes.js';
import { createStack } from '../../local/record.js';
import { recoverLocal } from '../../local/recover.js';
import { assignPorts, oneAtATime, startParts } from '../../local/start.js';
import { checkRoom } from '../../own-folders.js';
import { HAS_PROC } from '../../processes.js';
import { problem, text } from '../../texts.js';
import { connectControl } from '../control.js';
import { rows } from '../replication.js';
import { mariadbStack } from '../stack.js';
import { APPLICATION, MARIADB_NODES } from '../topology.js';
import { createNodes } from './nodes.js';
import { findMariadb, INSTALL_MARIADB } from './server.js';
import { preparedData } from './template.js';

/**
 * @import { StackRecord } from '../../local/record.js'
 * @import { LocalParts } from '../../local/start.js'
 * @import { Stack, StackOptions, Credentials } from '../../types.js'
 */

/** Three data directories and their logs. */
const LEAST_ROOM_BYTES = 1024 * 2 ** 20;

/**
 * Starts a primary and two replicas, and waits until they replicate. First removes what dead processes left.
 * @param {Partial<StackOptions> & {why?: string}} options
 * @returns {Promise<Stack>}
 * @throws {UserError} no server program, no room, or it never becomes ready; everything that was started is removed
 */
export async function startMariadb(options) {
  const { server: wanted, settings, why = text('local-nodes'), tell = () => {}, signal } = options;
  const server = await findMariadb(wanted);
  if (!server) throw problem('no-mariadb', { install: INSTALL_MARIADB });
  await recoverLocal(tell);
  checkRoom(temporaryFolder(), LEAST_ROOM_BYTES, 'three MariaDB servers');
  const data = await preparedData(server);
  signal?.throwIfAborted();
  const { path, name, version } = server;
  const record = await oneAtATime(async () => {
    const placed = await assignPorts(MARIADB_NODES);
    return createStack({ system: 'mariadb', detached: false, server: { path, name, version }, nodes: placed });
  });
  const credentials = { username: APPLICATION, password: randomBytes(16).toString('hex') };
  const processes = createNodes({ record, program: server.path, data, credentials, settings });
  return startParts(record, { ...options, tell, byPort: true }, async (parts) => {
    tell(`Starting MariaDB ${server.version}: a primary and two replicas.`);
    // One after the other: none may still be copied when a failure removes the folders.
    for (const { id } of record.nodes) await processes.prepare(id);
    await Promise.all(record.nodes.map(({ id }) => processes.launch(id, signal)));
    const stack = stackOf(record, { processes, credentials, why, ...parts });
    await stack.heal();
    signal?.throwIfAborted();
    return stack;
  });
}

const TRAFFIC = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')";

/**
 * @param {StackRecord} record
 * @param {LocalParts & {processes: ReturnType<typeof createNodes>, credentials: Credentials, why: string}} parts
 * @returns {Stack}
 */
function stackOf(record, { processes, credentials, why, ...parts }) {
  const nodes = localNodes(record);
  const backend = localBackend(record, { nodes, ours: true, why }, parts, {
    start: processes.launch,
    async used(id) {
      const connecting = connectControl(nodeOf({ nodes }, id).address, credentials);
      const network = await askOnce(connecting, (control) => rows(control, TRAFFIC));
      const [networkInBytes, networkOutBytes] = network.map(({ Value }) => Number(Value));
      return { ...NOTHING_USED, networkInBytes, networkOutBytes };
    },
  });
  return mariadbStack(
    { ...backend, can: HAS_PROC ? [...backend.can, 'stats'] : backend.can },
    {
      credentials,
      link: (from, to) => ({ host: LOOPBACK, port: parts.relay?.ports.get(`${from} ${to}`) ?? portOf(record, to) }),
      keep: processes.keep,
      rebuild: processes.rebuild,
      processInfo: processes.processInfo,
    },
  );
}
