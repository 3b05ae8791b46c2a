import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedLines, followLog, growthOf, sampleOf } from './replication.js';

/** @import { ReplicationSample } from './replication.js' */

/** @param {number} afterMs @param {number | null} lagBytes @returns {ReplicationSample} */
const sample = (afterMs, lagBytes) => ({
  afterMs,
  lagBytes,
  bufferBytes: null,
  senderMemoryBytes: 0,
  state: lagBytes === null ? 'away' : 'online',
});

test('growth is measured over the longest time that the replica was connected', () => {
  const samples = [0, 1, 2, 3].map((i) => sample(i * 1000, 500 + i * 1000));
  samples.push(sample(4000, null), sample(5000, 90_000), sample(6000, 0));
  assert.equal(Math.round(Number(growthOf(samples))), 1000);
});

test('a short time gives no growth', () => {
  assert.equal(growthOf([sample(0, 0), sample(200, 100), sample(400, 200)]), null);
  assert.equal(growthOf([]), null);
});

test('the lines added to a log', () => {
  assert.deepEqual(addedLines(['a', 'b'], ['a', 'b', 'c']), ['c']);
  assert.deepEqual(addedLines(['a', 'b'], ['c', 'd']), ['c', 'd']);
  assert.deepEqual(addedLines([], ['c']), ['c']);
});

test('connections closed at the output buffer limit are counted', async () => {
  const log = ['before'];
  const stack = /** @type {any} */ ({ host: { logs: async () => [...log] } });
  const closed = await followLog(stack, /** @type {any} */ ({ id: 'sender' }));
  log.push(
    '28:M 21 Nov 2026 20:00:00.000 # Client id=9 addr=127.0.0.1:1 … scheduled to be closed ASAP for overcoming of output buffer limits.',
    '28:M 21 Nov 2026 20:00:00.010 * Connection with replica client id #9 lost.',
  );
  assert.equal(await closed(), 1);
});

const INFO = { master_repl_offset: '5000', used_memory: '777' };
const CLIENTS = 'id=5 addr=127.0.0.1:1 qbuf=0 omem=20504 tot-mem=30000 cmd=replconf\n';

test('a sample: unprocessed bytes, and the buffer that the limit applies to', () => {
  const info = { ...INFO, slave0: 'ip=127.0.0.1,port=6380,state=online,offset=1,lag=1' };
  assert.deepEqual(sampleOf(12, info, CLIENTS, 4000), {
    afterMs: 12,
    state: 'online',
    lagBytes: 1000,
    bufferBytes: 20_504,
    senderMemoryBytes: 777,
  });
});

test('a replica that loads the data set, or is away, has no lag', () => {
  const syncing = sampleOf(0, { ...INFO, slave0: 'ip=127.0.0.1,port=6380,state=send_bulk,offset=0,lag=0' }, CLIENTS, 0);
  assert.equal(syncing.state, 'syncing');
  assert.equal(syncing.lagBytes, null);
  assert.equal(syncing.bufferBytes, 20_504);
  const away = sampleOf(0, INFO, '', 4000);
  assert.deepEqual([away.state, away.lagBytes, away.bufferBytes], ['away', null, null]);
});
