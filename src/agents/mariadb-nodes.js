/**
 * How an agent starts MariaDB nodes: from the same templates as those of a local stack. Controller and other nodes log in from other machines.
 */
import { UserError } from '../errors.js';
import { connectControl } from '../stacks/mariadb/control.js';
import { commandOf, removeData, writeConf, writeData } from '../stacks/mariadb/local/files.js';
import { findMariadb, INSTALL_MARIADB } from '../stacks/mariadb/local/server.js';
import { preparedData } from '../stacks/mariadb/local/template.js';
import { APPLICATION } from '../stacks/mariadb/topology.js';
import { checkRoom } from '../stacks/own-folders.js';

/** @import { NodePrograms } from './nodes-work.js' */

/** A data directory and its logs. */
const LEAST_ROOM_BYTES = 350 * 2 ** 20;
const ATTEMPT_MS = 1000;
const FROM_ANYWHERE = '%';

/** @type {NodePrograms} */
export const mariadbNodes = {
  readyMs: 60_000,
  program: server,
  credentials: (password) => ({ username: APPLICATION, password }),
  async prepare(place, { password }) {
    checkRoom(place.data, LEAST_ROOM_BYTES, 'a MariaDB server');
    const template = await preparedData(await server());
    await writeData(place, { template, login: { password, from: FROM_ANYWHERE } });
    writeConf(place);
  },
  command: ({ path }, place) => commandOf(path, place),
  connect: ({ host, port }, password) => connectControl({ host, port }, { password }, { timeoutMs: ATTEMPT_MS }),
  empty: removeData,
};

async function server() {
  const found = await findMariadb();
  if (!found) throw new UserError('mariadbd or mariadb-install-db was not found there.', `${INSTALL_MARIADB}.`);
  return { ...found, name: /** @type {const} */ ('mariadb') };
}
