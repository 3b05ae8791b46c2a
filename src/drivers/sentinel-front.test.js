import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeReply, Pairs, Push } from './check/reply.js';
import { createTranslator, openFronts } from './sentinel-front.js';

/** @import { Value } from './check/reply.js' */

const ADDRESSES = new Map([
  ['10.0.0.1:7001', { host: '127.0.0.1', port: 6379 }],
  ['10.0.0.2:7001', { host: '192.168.1.22', port: 6380 }],
]);

/** @param {string} text */
const translated = (text) => createTranslator(ADDRESSES)(text);

/** What a Sentinel says, and what a driver shall read. @type {[Value, Value][]} */
const REPLIES = [
  [
    ['10.0.0.1', '7001'],
    ['127.0.0.1', '6379'],
  ],
  [
    ['10.0.0.3', '7001'],
    ['10.0.0.3', '7001'],
  ],
  [
    [
      new Pairs([
        ['name', '10.0.0.2:7001'],
        ['ip', '10.0.0.2'],
        ['port', '7001'],
        ['master-host', '10.0.0.1'],
        ['master-port', '7001'],
        ['flags', 'slave'],
      ]),
    ],
    [
      new Pairs([
        ['name', '192.168.1.22:6380'],
        ['ip', '192.168.1.22'],
        ['port', '6380'],
        ['master-host', '127.0.0.1'],
        ['master-port', '6379'],
        ['flags', 'slave'],
      ]),
    ],
  ],
  [
    new Push(['message', '+switch-master', 'mymaster 10.0.0.1 7001 10.0.0.2 7001']),
    new Push(['message', '+switch-master', 'mymaster 127.0.0.1 6379 192.168.1.22 6380']),
  ],
  ['110.0.0.1:7001 10.0.0.1:70011 10.0.0.1 port 7001', '110.0.0.1:7001 10.0.0.1:70011 10.0.0.1 port 7001'],
  [null, null],
  [[], []],
  [-2, -2],
];

test('announced addresses become those for clients, in RESP2 and RESP3, and nothing else changes', () => {
  for (const version of /** @type {const} */ ([2, 3])) {
    for (const [said, read] of REPLIES) {
      assert.equal(translated(encodeReply(said, version)), encodeReply(read, version));
    }
  }
});

test('replies are the same however their bytes are cut', () => {
  const said = REPLIES.map(([each]) => encodeReply(each, 3)).join('');
  const read = REPLIES.map(([, each]) => encodeReply(each, 3)).join('');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: said.length }), (sizes) => {
      const translate = createTranslator(ADDRESSES);
      let out = '';
      for (let at = 0, i = 0; at < said.length; at += sizes[i++]) out += translate(said.slice(at, at + sizes[i]));
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
