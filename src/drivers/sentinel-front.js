/**
 * What stands before a Sentinel where nodes have two addresses: one for their peers, which Sentinels announce, and one for clients, which a
 * network partition leaves alone. Libraries of other languages cannot be told to translate, so the answers of the Sentinels are.
 *
 * Everything else passes unchanged. If a Sentinel cannot be reached, the front soon closes the client's connection. It has accepted it
 * already, and a library waits longer for an answer than for a connection.
 */
import { once } from 'node:events';
import net from 'node:net';
import { formatAddress, LOOPBACK, sameAddress } from '../stacks/address.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { Address } from '../stacks/types.js'
 *
 * @typedef {{address: Address, announced: Address}} FrontedNode address: for clients
 * @typedef {{type: string, text: string, items?: undefined} | {type: string, items: ReplyPart[], text?: undefined}} ReplyPart of a reply
 */

const CARRIAGE_RETURN = '\r\n';
/** A Sentinel that is there accepts a connection within this. */
const CONNECT_MS = 500;
/** No Sentinel sends a longer reply. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const BULKS = new Set(['$', '=', '!']);
/** How many parts follow, for each one that is counted. @type {Readonly<Record<string, number>>} */
const AGGREGATES = Object.freeze({ '*': 1, '~': 1, '>': 1, '%': 2, '|': 2 });
/** As in `+switch-master`, in the name of a replica, and in INFO. */
const ADDRESS_IN_TEXT = /(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})([ :])(\d{1,5})(?!\d)/g;
/** Fields that hold a host and a port. */
const FIELDS = /** @type {const} */ ([
  ['ip', 'port'],
  ['master-host', 'master-port'],
]);

/**
 * @param {readonly FrontedNode[]} sentinels
 * @param {readonly FrontedNode[]} nodes
 * @param {{connect?: (port: number, host: string) => Socket}} [options] for tests
 * @returns {Promise<{addresses: Address[], close: () => void}>} addresses: of the Sentinels for a driver, in their order. Nothing is in between if
 *   every address is announced as it is
 */
export async function openFronts(sentinels, nodes, { connect = net.connect } = {}) {
  const isPlain = [...sentinels, ...nodes].every(({ address, announced }) => sameAddress(address, announced));
  if (isPlain) return { addresses: sentinels.map(({ address }) => address), close() {} };
  const clientAddresses = new Map(nodes.map(({ address, announced }) => [formatAddress(announced), address]));
  const fronts = await Promise.all(
    sentinels.map(({ address }) =>
      listen((client) => pass(client, connect(address.port, address.host), createTranslator(clientAddresses))),
    ),
  );
  const addresses = fronts.map(({ address }) => address);
  for (const [i, { announced }] of sentinels.entries()) clientAddresses.set(formatAddress(announced), addresses[i]);
  return {
    addresses,
    close() {
      for (const front of fronts) front.close();
    },
  };
}

/** @param {(client: Socket) => void} serve @returns {Promise<{address: Address, close: () => void}>} on a free port of loopback */
export async function listen(serve) {
  /** @type {Set<Socket>} */
  const clients = new Set();
  const listener = net.createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    serve(client);
  });
  listener.listen(0, LOOPBACK);
  await once(listener, 'listening');
  const { port } = /** @type {AddressInfo} */ (listener.address());
  return {
    address: { host: LOOPBACK, port },
    close() {
      listener.close();
      for (const client of clients) client.destroy();
    },
  };
}

/** Each ends with the other. @param {Socket} client @param {Socket} server */
export function join(client, server) {
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ]) {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => other.destroy());
  }
}

/** @param {Socket} client @param {Socket} sentinel not yet connected @param {ReturnType<typeof createTranslator>} translate */
function pass(client, sentinel, translate) {
  const limit = setTimeout(() => sentinel.destroy(), CONNECT_MS);
  for (const end of ['connect', 'close']) sentinel.once(end, () => clearTimeout(limit));
  join(client, sentinel);
  client.on('data', (chunk) => sentinel.write(chunk));
  sentinel.on('data', (chunk) => {
    const replies = translate(chunk.toString('latin1'));
    if (replies === null) client.destroy();
    else for (const reply of replies) client.write(reply, 'latin1');
  });
}

/**
 * @param {ReadonlyMap<string, Address>} clientAddresses by `host:port` as it is announced
 * @returns {(text: string) => string[] | null} the translated replies that are whole by now; null: this is no RESP
 */
export function createTranslator(clientAddresses) {
  let rest = '';
  return (text) => {
    rest += text;
    /** @type {string[]} */
    const whole = [];
    for (;;) {
      const read = readPart(rest, 0);
      if (read === null) return rest.length > MOST_CHARACTERS ? null : whole;
      if (read.part === null) return null;
      rest = rest.slice(read.end);
      translatePart(read.part, clientAddresses);
      whole.push(written(read.part));
    }
  };
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {{part: ReplyPart | null, end: number} | null} null: it is not whole; a part that is null: this is no RESP
 */
function readPart(text, at) {
  const lineEnd = text.indexOf(CARRIAGE_RETURN, at);
  if (lineEnd === -1) return null;
  const type = text[at];
  const line = text.slice(at + 1, lineEnd);
  const after = lineEnd + CARRIAGE_RETURN.length;
  const isBulk = BULKS.has(type);
  const factor = AGGREGATES[type];
  if (!isBulk && factor === undefined) return { part: { type, text: line }, end: after };
  // `$-1` and `*-1` are lines.
  if (line === '-1') return { part: { type: `${type}-1`, text: '' }, end: after };
  if (!/^\d{1,9}$/.test(line)) return { part: null, end: after };
  const count = Number(line);
  if (isBulk) {
    const end = after + count + CARRIAGE_RETURN.length;
    return end > text.length ? null : { part: { type, text: text.slice(after, after + count) }, end };
  }
  const items = [];
  let end = after;
  for (let i = 0; i < count * factor; i++) {
    const read = readPart(text, end);
    if (read === null || read.part === null) return read;
    items.push(read.part);
    end = read.end;
  }
  return { part: { type, items }, end };
}

/** @param {ReplyPart} part is changed @param {ReadonlyMap<string, Address>} clientAddresses */
function translatePart(part, clientAddresses) {
  if (part.items === undefined) {
    if (!BULKS.has(part.type)) return;
    part.text = part.text.replace(ADDRESS_IN_TEXT, (whole, host, between, port) => {
      const found = clientAddresses.get(`${host}:${port}`);
      return found ? `${found.host}${between}${found.port}` : whole;
    });
    return;
  }
  const { items } = part;
  for (const item of items) translatePart(item, clientAddresses);
  // The answer to GET-MASTER-ADDR-BY-NAME.
  if (items.length === 2) translatePair(items[0], items[1], clientAddresses);
  for (const [hostField, portField] of FIELDS) {
    const host = fieldOf(items, hostField);
    const port = fieldOf(items, portField);
    if (host && port) translatePair(host, port, clientAddresses);
  }
}

/** @param {readonly ReplyPart[]} items names and values @param {string} name */
function fieldOf(items, name) {
  const at = items.findIndex((item, index) => index % 2 === 0 && item.text === name);
  return at === -1 ? undefined : items[at + 1];
}

/** @param {ReplyPart} host @param {ReplyPart} port @param {ReadonlyMap<string, Address>} clientAddresses */
function translatePair(host, port, clientAddresses) {
  const found = clientAddresses.get(`${host.text}:${port.text}`);
  if (!found) return;
  host.text = found.host;
  port.text = String(found.port);
}

/** @param {ReplyPart} part @returns {string} */
function written(part) {
  if (part.items !== undefined) {
    const count = part.items.length / AGGREGATES[part.type];
    return `${part.type}${count}${CARRIAGE_RETURN}${part.items.map(written).join('')}`;
  }
  const { type, text } = part;
  if (BULKS.has(type)) return `${type}${text.length}${CARRIAGE_RETURN}${text}${CARRIAGE_RETURN}`;
  return `${type}${text}${CARRIAGE_RETURN}`;
}
