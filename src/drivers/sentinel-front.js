/**
 * What stands before a Sentinel where nodes have two addresses: one for their peers, which Sentinels announce, and one for clients, which a
 * network partition leaves alone. Libraries of other languages cannot be told to translate, so the answers of the Sentinels are.
 * Everything else passes unchanged. If a Sentinel cannot be reached, the front soon closes the client's connection. It has accepted it
 * already, and a library waits longer for an answer than for a connection.
 */
import { once } from 'node:events';
import net from 'node:net';
import { formatAddress, LOOPBACK, sameAddress } from '../stacks/address.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { Address } from '../stacks/types.js'
 * @typedef {{address: Address, announced: Address}} FrontedNode address: for clients
 * @typedef {{type: string, text: string, isBulk: boolean, items: number}} ReplyPart items: how many parts follow that are its items
 */

const LINE_END = '\r\n';
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
 * @param {readonly FrontedNode[]} sentinels @param {readonly FrontedNode[]} nodes
 * @param {{connect?: (port: number, host: string) => Socket}} [options] for tests
 * @returns {Promise<{addresses: Address[], close: () => void}>} addresses: of the Sentinels for a driver, in their order. Nothing is in
 *   between if every address is announced as it is
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
  const clients = /** @type {Set<Socket>} */ (new Set());
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
 * Gets replies and translates those that are whole by now; null: this is no RESP. @param {ReadonlyMap<string, Address>} clientAddresses by `host:port`
 * @returns {(text: string) => string[] | null}
 */
export function createTranslator(clientAddresses) {
  let rest = '';
  return (text) => {
    rest += text;
    const whole = /** @type {string[]} */ ([]);
    for (;;) {
      const reply = readReply(rest);
      if (reply === 'bad') return null;
      if (reply === null) return rest.length > MOST_CHARACTERS ? null : whole;
      rest = rest.slice(reply.end);
      translate(reply.parts, clientAddresses);
      whole.push(reply.parts.map(written).join(''));
    }
  };
}

/** @param {string} text @returns {{parts: ReplyPart[], end: number} | null | 'bad'} null: it is not whole; bad: this is no RESP */
function readReply(text) {
  const parts = /** @type {ReplyPart[]} */ ([]);
  let at = 0;
  for (let missing = 1; missing > 0; missing--) {
    const lineEnd = text.indexOf(LINE_END, at);
    if (lineEnd === -1) return null;
    const type = text[at];
    const line = text.slice(at + 1, lineEnd);
    const isBulk = BULKS.has(type);
    const factor = AGGREGATES[type] ?? 0;
    at = lineEnd + LINE_END.length;
    // `$-1` and `*-1` are lines.
    const isLine = line === '-1' || (!isBulk && factor === 0);
    if (!isLine && !/^\d{1,9}$/.test(line)) return 'bad';
    if (isBulk && !isLine) {
      const end = at + Number(line);
      if (end + LINE_END.length > text.length) return null;
      parts.push({ type, text: text.slice(at, end), isBulk, items: 0 });
      at = end + LINE_END.length;
    } else {
      const items = isLine ? 0 : Number(line) * factor;
      parts.push({ type, text: line, isBulk: false, items });
      missing += items;
    }
  }
  return { parts, end: at };
}

/** @param {ReplyPart[]} parts are changed @param {ReadonlyMap<string, Address>} clientAddresses */
function translate(parts, clientAddresses) {
  /** @param {ReplyPart | undefined} host @param {ReplyPart | undefined} port */
  const translatePair = (host, port) => {
    const found = clientAddresses.get(`${host?.text}:${port?.text}`);
    if (!host || !port || !found) return;
    host.text = found.host;
    port.text = String(found.port);
  };
  for (const [at, part] of parts.entries()) {
    if (part.isBulk) {
      part.text = part.text.replace(ADDRESS_IN_TEXT, (whole, host, between, port) => {
        const found = clientAddresses.get(`${host}:${port}`);
        return found ? `${found.host}${between}${found.port}` : whole;
      });
    }
    const items = parts.slice(at + 1, at + 1 + part.items);
    // The answer to GET-MASTER-ADDR-BY-NAME.
    if (items.length === 2) translatePair(items[0], items[1]);
    for (const [host, port] of FIELDS) translatePair(fieldOf(items, host), fieldOf(items, port));
  }
}

/** @param {readonly ReplyPart[]} items names and values @param {string} name */
function fieldOf(items, name) {
  const at = items.findIndex((item, index) => index % 2 === 0 && item.text === name);
  return at === -1 ? undefined : items[at + 1];
}

function written(/** @type {ReplyPart} */ { type, text, isBulk }) {
  return isBulk ? `${type}${text.length}${LINE_END}${text}${LINE_END}` : `${type}${text}${LINE_END}`;
}
