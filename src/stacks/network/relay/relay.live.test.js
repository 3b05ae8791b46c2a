import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../../../test/needs.js';
import { eventually } from '../../fixture.js';
import { sourceOf, startRelay } from './relay.js';

/**
 * @import { Relay } from './relay.js'
 * @import { AddressInfo, Socket } from 'node:net'
 */

/**
 * The relay by itself, between plain sockets. What Redis makes of it is in the conformance suite.
 */

const HOST = '127.0.0.1';
const DEADLINE_MS = 60_000;

/** Long enough for what passes at once to have passed. */
const SILENT_MS = 150;

const skip = await needs('relay');

describe('the relay between nodes', { skip, timeout: 600_000 }, () => {
  /** @type {Relay} */
  let relay;
  /** @type {Set<Socket>} */
  const sockets = new Set();
  /** @type {Socket[]} those that the node redis-1 was dialled by */
  const dialled = [];
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    dialled.push(socket);
    track(socket).pipe(socket);
  });

  /** @param {Socket} socket */
  function track(socket) {
    sockets.add(socket);
    return socket.setNoDelay(true).on('error', () => {});
  }

  /** @param {string} [from] a node; default: a stranger */
  async function dial(from) {
    const port = /** @type {number} */ (relay.ports.get('redis-1'));
    const socket = track(connect({ host: HOST, port, ...(from && { localAddress: sourceOf(from) }) }));
    await once(socket, 'connect');
    return socket;
  }

  /** @param {Socket} socket */
  async function roundTrip(socket) {
    const started = performance.now();
    socket.write('x');
    await once(socket, 'data', { signal: AbortSignal.timeout(DEADLINE_MS) });
    return performance.now() - started;
  }

  /**
   * @param {Socket} socket
   * @param {number} count
   */
  async function medianRoundTrip(socket, count) {
    const times = [];
    for (let i = 0; i < count; i += 1) times.push(await roundTrip(socket));
    return times.sort((a, b) => a - b)[count >> 1];
  }

  /**
   * A busy machine only makes it longer, so the median is taken until once it is short enough.
   *
   * @param {Socket} socket
   * @param {{least?: number, below: number}} limits least: of each median; below: of one of them
   */
  async function assertRoundTrip(socket, { least = 0, below }) {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const ms = await medianRoundTrip(socket, 20);
      assert.ok(ms >= least, `${ms} ms, not ${least} ms`);
      if (ms < below) return;
      assert.ok(performance.now() < deadline, `${ms} ms, never below ${below} ms`);
    }
  }

  /**
   * @param {Socket} socket a node's or a stranger's
   * @returns {Promise<Socket>} its other end
   */
  async function farEnd(socket) {
    await roundTrip(socket);
    // One that was given up before anything was sent on it may have been dialled late.
    const far = dialled.findLast(({ bytesRead }) => bytesRead > 0);
    assert.ok(far);
    return far;
  }

  before(async () => {
    await once(echo.listen(0, HOST), 'listening');
    const { port } = /** @type {AddressInfo} */ (echo.address());
    relay = await startRelay(['redis-1', 'redis-2', 'redis-3'].map((id) => ({ id, port })));
  });
  afterEach(() => relay?.clear());
  after(async () => {
    await relay?.close();
    for (const socket of sockets) socket.destroy();
    echo.close();
  });

  test('latency is added to a round trip, never less and not much more; other connections are as fast as before', async () => {
    const peer = await dial('redis-2');
    const stranger = await dial();
    let bare = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5; i += 1) bare = Math.min(bare, await medianRoundTrip(peer, 20));
    for (const latencyMs of [1, 5, 20]) {
      await relay.slow({ latencyMs });
      await assertRoundTrip(peer, { least: latencyMs, below: bare + latencyMs + 5 });
      if (latencyMs === 20) await assertRoundTrip(stranger, { below: latencyMs / 2 });
    }
    await relay.slow({ latencyMs: 20 }, 'redis-1');
    assert.ok((await medianRoundTrip(peer, 5)) >= 40, 'a node’s own latency comes on top');
    await relay.clear();
    await relay.slow({ latencyMs: 20 }, 'redis-3');
    // Others’ links are not slowed.
    await assertRoundTrip(peer, { below: 10 });
  });

  test('jitter and a narrow link keep the order of bytes, and the limit holds', async () => {
    const peer = await dial('redis-2');
    const bytesPerSecond = 4_000_000;
    const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 31 + (i >> 8)) % 251));
    await relay.slow({ latencyMs: 4, jitterMs: 2, bytesPerSecond });
    /** @type {Buffer[]} */
    const got = [];
    let bytes = 0;
    peer.on('data', (chunk) => {
      got.push(chunk);
      bytes += chunk.length;
    });
    let seconds = Number.POSITIVE_INFINITY;
    // A busy machine only makes it longer: once it is not.
    for (let attempt = 0; attempt < 10 && seconds >= 2; attempt += 1) {
      got.length = 0;
      bytes = 0;
      const started = performance.now();
      for (let at = 0; at < sent.length; at += 9973) peer.write(sent.subarray(at, at + 9973));
      await eventually('all came back', () => bytes === sent.length);
      seconds = (performance.now() - started) / 1000;
      assert.ok(Buffer.concat(got).equals(sent), 'in order');
      assert.ok(seconds > 0.24, `${seconds} s, not 0.25 s`);
    }
    assert.ok(seconds < 2, `${seconds} s, not 0.25 s`);
  });

  test('a partition stops both directions and new connections; after the join all data arrives', async () => {
    const peer = await dial('redis-2');
    const third = await dial('redis-3');
    const stranger = await dial();
    const back = await farEnd(peer);
    // These, too, are dialled by now: what is dialled after this is held.
    await farEnd(third);
    await farEnd(stranger);
    await relay.partition('redis-2');

    let came = 0;
    peer.on('data', (chunk) => {
      came += chunk.length;
    });
    peer.write('held');
    back.write('held');
    const fresh = await dial('redis-2');
    const before = dialled.length;
    fresh.write('held');
    const gaveUp = await dial('redis-2');
    gaveUp.destroy();
    await delay(SILENT_MS);
    assert.equal(came, 0, 'nothing comes through');
    assert.equal(dialled.length, before, 'nor does a new connection');
    assert.ok((await roundTrip(third)) < DEADLINE_MS, 'others are not held');
    await roundTrip(stranger);

    const answered = once(fresh, 'data', { signal: AbortSignal.timeout(DEADLINE_MS) });
    await relay.join('redis-2');
    await eventually('what was held flows on', () => came === 8);
    await answered;
    assert.ok(dialled.length <= before + 2);
    assert.deepEqual(await relay.clear(), []);
  });

  for (const how of /** @type {const} */ (['destroy', 'resetAndDestroy'])) {
    test(`the end of a connection (${how}) arrives only after the partition`, async () => {
      const peer = await dial('redis-2');
      const far = await farEnd(peer);
      await relay.partition('redis-1');
      peer[how]();
      await delay(SILENT_MS);
      assert.equal(far.readableEnded || far.destroyed, false, 'like a host that is not there any more');
      assert.deepEqual(await relay.clear(), ['redis-1']);
      await eventually('the other side is closed', () => far.destroyed);
    });
  }

  test('a lost machine takes its process and what is under way; a new life has new connections', async () => {
    const peer = await dial('redis-2');
    const far = await farEnd(peer);
    await relay.slow({ latencyMs: 1000 });
    let came = 0;
    far.on('data', (chunk) => {
      came += chunk.length;
    });
    const machine = spawn('sleep', ['600'], { stdio: 'ignore' });
    await once(machine, 'spawn');
    const ended = once(machine, 'exit');
    peer.write('under way');
    await relay.lose('redis-2', /** @type {number} */ (machine.pid));
    assert.deepEqual((await ended)[1], 'SIGKILL');
    peer.destroy();
    await relay.slow(null);
    await delay(SILENT_MS);
    assert.equal(far.destroyed, false, 'peers do not notice that the machine is gone');

    const fresh = await dial('redis-2');
    await relay.restore('redis-2');
    await relay.restore('redis-2');
    await eventually('connections of its former life are closed', () => far.destroyed);
    assert.equal(came, 0, 'what was under way never arrives');
    await roundTrip(fresh);
  });

  test('a half-closed connection stays half-closed', async () => {
    const peer = await dial('redis-2');
    peer.end('last words');
    const [heard] = await once(peer, 'data');
    assert.equal(String(heard), 'last words');
    await once(peer, 'close');
  });
});
