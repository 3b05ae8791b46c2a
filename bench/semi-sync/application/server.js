/**
 * The application of the article “Replication”, in small, as a process of its own: people register, and search for each other. Registrations go to the
 * primary, searches to the nodes that it reads from. Its parent says where they are.
 */
import { createServer } from 'node:http';
import { createPool } from 'mysql2';
import { ENTRIES } from '../../../src/clients/mysql.js';
import { LOOPBACK } from '../../../src/stacks/address.js';

/** @import { Address, Credentials } from '../../types.js' */
/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */
/** @import { Pool } from 'mysql2' */
/**
 * @typedef {Object} ServedApplication
 * @property {Address} primary
 * @property {readonly Address[]} readers at least one
 * @property {Credentials} credentials
 * @property {number} connections of each pool
 * @property {number} profileBytes of everything about a person but the name
 * @property {string} prefix of all keys of this application
 */

/** People on a page of results: about 2 KB, as in the article. */
const FOUND = 8;

/** @param {Pool} pool @param {string} statement @param {string[]} values @returns {Promise<Record<string, unknown>[]>} */
function query(pool, statement, values) {
  return new Promise((resolve, reject) => {
    pool.query(statement, values, (error, rows) => (error ? reject(error) : resolve(/** @type {any} */ (rows))));
  });
}

/** @param {ServedApplication} plan @returns {(request: IncomingMessage, response: ServerResponse) => void} */
function answering({ primary, readers, credentials, connections, profileBytes, prefix }) {
  const about = 'x'.repeat(profileBytes);
  const open = (/** @type {Address} */ { host, port }) =>
    createPool({
      ...{ host, port, user: credentials.username, password: credentials.password },
      ...{ connectionLimit: connections, maxIdle: connections },
    });
  const toPrimary = open(primary);
  const toReaders = readers.map(open);
  let turn = 0;

  return async (request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://application');
    const name = searchParams.get('name') ?? '';
    try {
      if (pathname === '/register') {
        await query(toPrimary, `INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`, [`${prefix}${name}`, about]);
        response.writeHead(302, { location: '/' }).end();
        return;
      }
      turn = (turn + 1) % toReaders.length;
      const statement = `SELECT k, v FROM ${ENTRIES} WHERE k LIKE ? ORDER BY k LIMIT ${FOUND}`;
      const found = await query(toReaders[turn], statement, [`${prefix}${name}%`]);
      response.writeHead(200).end(found.map(({ k, v }) => `${k} ${v}`).join('\n'));
    } catch (error) {
      response.writeHead(503).end(error instanceof Error ? error.message : '');
    }
  };
}

process.once('message', (/** @type {ServedApplication} */ plan) => {
  const server = createServer(answering(plan));
  server.listen(0, LOOPBACK, () => process.send?.(/** @type {AddressInfo} */ (server.address()).port));
});
process.once('disconnect', () => process.exit());
