import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTranslator, openFronts } from './sentinel-front.js';

const ADDRESSES = new Map([
  ['10.0.0.1:7001', { host: '127.0.0.1', port: 6379 }],
  ['10.0.0.2:7001', { host: '192.168.1.22', port: 6380 }],
]);

/** @param {string} text */
const translated = (text) => createTranslator(ADDRESSES)(text);

/** @param {string[]} words @param {string} [type] */
const list = (words, type = '*2') => `${type}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
/** @param {string} host @param {string} port @param {string} primary @param {string} portOfPrimary */
const fieldsOf = (host, port, primary, portOfPrimary) => [
  ...['name', `${host}:${port}`, 'ip', host, 'port', port],
  ...['master-host', primary, 'master-port', portOfPrimary, 'flags', 'slave'],
];
const STAYS = ['$48\r\n110.0.0.1:7001 10.0.0.1:70011 10.0.0.1 port 7001\r\n', '$-1\r\n', '_\r\n', '*0\r\n', ':-2\r\n'];

/** What a Sentinel says, and what a driver shall read, in RESP2 and RESP3. @type {[string, string][]} */
const REPLIES = [
  [list(['10.0.0.1', '7001']), list(['127.0.0.1', '6379'])],
  [list(['10.0.0.3', '7001']), list(['10.0.0.3', '7001'])],
  .../** @type {[string, string][]} */ (
    ['*1\r\n*12', '*1\r\n%6'].map((type) => [
      list(fieldsOf('10.0.0.2', '7001', '10.0.0.1', '7001'), type),
      list(fieldsOf('192.168.1.22', '6380', '127.0.0.1', '6379'), type),
    ])
  ),
  .../** @type {[string, string][]} */ (
    ['*3', '>3'].map((type) => [
      list(['message', '+switch-master', 'mymaster 10.0.0.1 7001 10.0.0.2 7001'], type),
      list(['message', '+switch-master', 'mymaster 127.0.0.1 6379 192.168.1.22 6380'], type),
    ])
  ),
  .../** @type {[string, string][]} */ (STAYS.map((text) => [text, text])),
];

test('announced addresses become those for clients, and nothing else changes', () => {
  for (const [said, read] of REPLIES) assert.deepEqual(translated(said), [read]);
});

test('replies are the same however their bytes are cut', () => {
  const said = REPLIES.map(([each]) => each).join('');
  const read = REPLIES.map(([, each]) => each).join('');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: said.length }), (sizes) => {
      const translate = createTranslator(ADDRESSES);
      let out = '';
      for (let at = 0, i = 0; at < said.length; at += sizes[i++])
        out += translate(said.slice(at, at + sizes[i]))?.join('');
      assert.equal(out, read);
    }),
  );
});

test('what is no RESP ends the connection', () => {
  assert.equal(translated('*x\r\n'), null);
  assert.equal(translated('$-7\r\n'), null);
});

test('a Sentinel whose host does not answer closes a connection that was accepted', async () => {
  const address = { host: '127.0.0.1', port: 1 };
  const sentinel = { address, announced: { host: '10.0.0.9', port: 1 } };
  const silent = new net.Socket();
  const { addresses, close } = await openFronts([sentinel], [], { connect: () => silent });
  try {
    const client = net.connect(addresses[0].port, addresses[0].host);
    await once(client, 'close');
    assert.ok(silent.destroyed);
  } finally {
    close();
  }
});
