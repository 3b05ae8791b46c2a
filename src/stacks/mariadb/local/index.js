/** The `local` backend of MariaDB: three child processes on loopback. Such a stack never outlives its process. */
import { randomBytes } from 'node:crypto';
import { temporaryFolder } from '../../../private-files.js';
import { LOOPBACK } from '../../address.js';
import { createStack } from '../../hosts/local/record.js';
import { recoverLocal } from '../../hosts/local/recover.js';
import { oneAtATime, startParts, takenPorts } from '../../hosts/local/start.js';
import { choosePorts } from '../../hosts/ports.js';
import { checkRoom } from '../../records/own-folders.js';
import { problem, text } from '../../texts.js';
import { mariadbNodes } from '../nodes.js';
import { bringUpMariadb } from '../start.js';
import { MARIADB_NODES } from '../topology.js';
import { findMariadb, INSTALL_MARIADB } from './server.js';
import { preparedData } from './template.js';

/** @import { Stack, StackOptions } from '../../types.js' */

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
    const { placed } = await choosePorts(MARIADB_NODES, takenPorts(), false);
    const nodes = placed.map((node) => ({ ...node, host: LOOPBACK }));
    return createStack({ system: 'mariadb', detached: false, server: { path, name, version }, nodes });
  });
  const password = randomBytes(16).toString('hex');
  return startParts(record, { ...options, tell, byPort: true }, async (host, between) => {
    tell(`Starting MariaDB ${version}: a primary and two replicas.`);
    const nodes = mariadbNodes(host, { program: path, template, password, settings });
    // One after the other: none may still be copied when a failure removes the folders.
    for (const { id } of host.nodes) await nodes.prepare(id);
    return bringUpMariadb({ host, between, ours: true, why }, nodes, { password, signal });
  });
}
