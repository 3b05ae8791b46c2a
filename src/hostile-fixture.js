/**
 * What tests put in the way of the command line: servers that answer as no server should, one whose INFO lacks fields, and a disk that is
 * soon full.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplyReader } from './resp/reader.js';

/**
 * @import { Address } from './stacks/types.js'
 * @import { TestContext } from 'node:test'
 */

const HOST = '127.0.0.1';
export const SENTINEL_ID = 'a'.repeat(40);

/** @param {string | Buffer} text */
export const bulk = (text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** @param {readonly string[]} items each in RESP */
export const array = (items) => `*${items.length}\r\n${items.join('')}`;

/** @param {Record<string, string | number>} fields */
export const record = (fields) =>
  array(Object.entries(fields).flatMap(([name, value]) => [bulk(name), bulk(`${value}`)]));

/** @param {Record<string, string | number>} fields */
export const info = (fields) =>
  bulk(
    Object.entries(fields)
      .map(([name, value]) => `${name}:${value}\r\n`)
      .join(''),
  );

/** An INFO of a primary without replicas. */
export const PRIMARY_INFO = Object.freeze({
  redis_version: '7.0.15',
  run_id: 'b'.repeat(40),
  used_memory_rss: 1000,
  role: 'master',
  connected_slaves: 0,
});

/**
 * A server that ends with the test.
 * @param {TestContext} t
 * @param {(words: string[], socket: net.Socket) => string | Buffer | null} answer to one command; null: none
 * @returns {Promise<Address>}
 */
export async function serve(t, answer) {
  return listen(t, (socket) => {
    const reader = new ReplyReader((command) => {
      const reply = answer(/** @type {Buffer[]} */ (command).map(String), socket);
      if (reply !== null && !socket.destroyed) socket.write(reply);
    });
    socket.on('data', (chunk) => reader.receive(Buffer.from(chunk)));
  });
}

/**
 * A relay in front of a real server.
 * @param {TestContext} t
 * @param {Address} address
 * @param {Record<string, string>} renamed fields of INFO; the new names are as long as the old ones
 * @returns {Promise<Address>}
 */
export async function withoutFields(t, { host, port }, renamed) {
  return listen(t, (socket) => {
    const server = net.connect({ host, port, noDelay: true });
    socket.pipe(server);
    server.on('data', (chunk) => {
      let text = chunk.toString('latin1');
      if (text.includes('# '))
        for (const [field, other] of Object.entries(renamed)) text = text.replaceAll(`\n${field}:`, `\n${other}:`);
      if (!socket.destroyed) socket.write(Buffer.from(text, 'latin1'));
    });
    server.on('error', () => socket.destroy());
    server.on('close', () => socket.destroy());
    socket.on('close', () => server.destroy());
  });
}

/**
 * @param {TestContext} t
 * @param {Object} members
 * @param {Address | 'itself'} members.primary
 * @param {readonly Address[]} [members.replicas]
 * @param {readonly {id: string, address: Address}[]} [members.peers]
 * @param {string} [members.name] of the deployment
 * @param {string} [members.flags] of the primary
 * @param {string} [members.quorum] the answer to CKQUORUM
 * @returns {Promise<Address>} a Sentinel that says so, whatever is true
 */
export async function serveSentinel(
  t,
  { primary, replicas = [], peers = [], name = 'mymaster', flags = 'master', quorum = '+OK 1 usable Sentinels\r\n' },
) {
  /** @type {Address} */
  let ownAddress;
  const named = () => (primary === 'itself' ? ownAddress : primary);
  const master = () =>
    record({
      name,
      ip: named().host,
      port: named().port,
      flags,
      'num-other-sentinels': peers.length,
    });
  /** @type {Record<string, () => string>} */
  const answers = {
    MYID: () => bulk(SENTINEL_ID),
    MASTERS: () => array([master()]),
    MASTER: master,
    REPLICAS: () =>
      array(
        replicas.map(({ host, port }) =>
          record({ ip: host, port, flags: 'slave', 'info-refresh': 1, 'slave-master-host': named().host }),
        ),
      ),
    SENTINELS: () => array(peers.map(({ id, address }) => record({ runid: id, ip: address.host, port: address.port }))),
    'GET-MASTER-ADDR-BY-NAME': () => array([bulk(named().host), bulk(`${named().port}`)]),
    CKQUORUM: () => quorum,
  };
  ownAddress = await serve(t, ([command, subcommand]) => {
    const word = command.toUpperCase();
    if (word === 'SENTINEL') return answers[subcommand.toUpperCase()]?.() ?? '-ERR unknown subcommand\r\n';
    if (word === 'INFO')
      return info({ redis_version: '7.0.15', redis_mode: 'sentinel', sentinel_masters: 1, sentinel_tilt: 0 });
    if (word === 'PING') return '+PONG\r\n';
    return `-ERR unknown command '${command}'\r\n`;
  });
  return ownAddress;
}

/** @param {TestContext} t @param {(socket: net.Socket) => void} greet @returns {Promise<Address>} */
async function listen(t, greet) {
  /** @type {Set<net.Socket>} */
  const sockets = new Set();
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    greet(socket);
  });
  await new Promise((resolve) => server.listen(0, HOST, () => resolve(undefined)));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { host: HOST, port: /** @type {net.AddressInfo} */ (server.address()).port };
}

/** @param {TestContext} t @param {number} kibibytes @returns {string} a folder on a disk of that size */
export function smallDisk(t, kibibytes) {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'small-disk', folder]);
  t.after(() => {
    // Also when something still works in it.
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}
