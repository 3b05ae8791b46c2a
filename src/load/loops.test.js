/**
 * The closed and the open loop on connections that answer without a server. Times are those of this machine, so only what holds on a
 * slow one is asserted.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Outcome } from '../clients/types.js';
import { randomFrom } from '../stats/random.js';
import { createDraw, runClosedLoop } from './closed-loop.js';
import { createSchedule, runOpenLoop } from './open-loop.js';
import { Recorder } from './recorder.js';

/** @import { LoadConnection } from '../clients/types.js' */

/**
 * @param {Object} [options]
 * @param {number} [options.pipeline]
 * @param {number} [options.delayMs] from a batch to its answer; 0: in the next turn of the event loop
 * @param {number} [options.losesAfter] batches; then the connection is lost with its next batch
 */
function connectionOf({ pipeline = 1, delayMs = 0, losesAfter = Number.POSITIVE_INFINITY } = {}) {
  const begun = { writes: 0, reads: 0, pings: 0 };
  const keys = /** @type {number[]} */ ([]);
  const begin = (/** @type {boolean} */ fetched) => {
    connection.fetched = fetched;
    keys.push(...connection.keys);
    const answer = () => {
      const batches = begun.writes + begun.reads + begun.pings;
      connection.lost = batches > losesAfter;
      connection.outcomes.fill(connection.lost ? Outcome.unknown : Outcome.acked);
      if (connection.lost) connection.onError('CLOSED by this test');
      connection.onBatch();
    };
    if (delayMs === 0) setImmediate(answer);
    else setTimeout(answer, delayMs);
  };
  const connection = {
    keys: new Uint32Array(pipeline),
    outcomes: new Uint8Array(pipeline),
    fetched: false,
    misses: 0,
    lost: false,
    onError: (/** @type {string} */ _text) => {},
    onBatch: () => {},
    write() {
      begun.writes++;
      begin(false);
    },
    fetch() {
      begun.reads++;
      begin(true);
    },
    close: async () => {},
    ping() {
      begun.pings++;
      begin(true);
    },
  };
  return { connection: /** @type {LoadConnection} */ (/** @type {unknown} */ (connection)), begun, keys };
}

/** @returns {() => number} milliseconds since this call */
function stopwatch() {
  const begin = performance.now();
  return () => performance.now() - begin;
}

/**
 * @param {number} elapsedMs
 * @param {number} seconds that were reported
 * @param {...import('hdr-histogram-js').Histogram} histograms of nanoseconds, to three digits
 */
function assertWithin(elapsedMs, seconds, ...histograms) {
  assert.ok(seconds * 1000 <= elapsedMs, `${seconds} s in ${elapsedMs} ms`);
  for (const { maxValue } of histograms) assert.ok(maxValue <= elapsedMs * 1.01e6, `${maxValue} ns in ${elapsedMs} ms`);
}

/** @type {import('./closed-loop.js').Draw} */
const writes = (connection) => connection.write();

describe('what a batch does', () => {
  /** @type {[Partial<Parameters<typeof createDraw>[0]>, Record<string, number>][]} */
  const KINDS = [
    [{}, { writes: 100, reads: 0, pings: 0 }],
    [{ readRatio: 1 }, { writes: 0, reads: 100, pings: 0 }],
    [{ operation: 'get' }, { writes: 0, reads: 100, pings: 0 }],
    [{ operation: 'ping' }, { writes: 0, reads: 0, pings: 100 }],
  ];
  for (const [options, expected] of KINDS) {
    test(JSON.stringify(options), () => {
      const { connection, begun } = connectionOf();
      const draw = createDraw({ keyspace: 10, random: randomFrom(1), ...options });
      for (let i = 0; i < 100; i++) draw(connection);
      assert.deepEqual(begun, expected);
    });
  }

  test('keys are drawn evenly from the keyspace, from the first key on', () => {
    for (const operation of /** @type {const} */ (['set', 'get'])) {
      const { connection, keys } = connectionOf({ pipeline: 5 });
      const draw = createDraw({ keyspace: 4, firstKey: 100, operation, random: randomFrom(2) });
      for (let i = 0; i < 400; i++) draw(connection);
      assert.deepEqual([...new Set(keys)].sort(), [100, 101, 102, 103]);
      for (const key of [100, 103]) {
        const times = keys.filter((each) => each === key).length;
        assert.ok(Math.abs(times - 500) < 100, `${key}: ${times} of 2,000`);
      }
    }
  });
});

describe('a closed loop', () => {
  test('sends as many operations as it may, over all connections', async () => {
    const sides = [connectionOf({ pipeline: 3 }), connectionOf({ pipeline: 3 })];
    const recorder = new Recorder();
    const { seconds } = await runClosedLoop(
      sides.map(({ connection }) => connection),
      { seconds: 60, operations: 20, draw: writes, recorder },
    );
    assert.equal(recorder.operations, 21, 'whole batches');
    assert.deepEqual(recorder.outcomes, { acked: 21, underAcked: 0, rejected: 0, unknown: 0 });
    assert.ok(sides.every(({ begun }) => begun.writes >= 3));
    assert.ok(seconds > 0 && seconds < 60);
  });

  test('starts no batch after its time, and waits for the one under way', async () => {
    const { connection, begun } = connectionOf({ delayMs: 30 });
    const recorder = new Recorder();
    const elapsedMs = stopwatch();
    const { seconds } = await runClosedLoop([connection], { seconds: 0.01, draw: writes, recorder });
    assertWithin(elapsedMs(), seconds, recorder.histogram);
    assert.equal(begun.writes, 1);
    assert.ok(seconds >= 0.029, `${seconds}`);
    assert.ok(recorder.histogram.maxValue >= 29e6, 'service time, in nanoseconds');
  });

  test('a lost connection is not used again, and the others go on', async () => {
    const sides = [connectionOf({ losesAfter: 2 }), connectionOf()];
    const recorder = new Recorder();
    await runClosedLoop(
      sides.map(({ connection }) => connection),
      { seconds: 60, operations: 50, draw: writes, recorder },
    );
    assert.deepEqual(
      sides.map(({ begun }) => begun.writes),
      [3, 47],
    );
    assert.deepEqual([recorder.outcomes.unknown, recorder.errors], [1, { CLOSED: 1 }]);
  });
});

test('load in the background writes until it is stopped, and what is under way then counts', async () => {
  const sides = [connectionOf({ pipeline: 2 }), connectionOf({ pipeline: 2, losesAfter: 1 })];
  const elapsedMs = stopwatch();
  const stop = new AbortController();
  const recorder = new Recorder();
  const background = runClosedLoop(
    sides.map(({ connection }) => connection),
    { draw: writes, recorder, stop: stop.signal },
  );
  while (sides[0].begun.writes < 10) await new Promise(setImmediate);
  stop.abort();
  const { seconds } = await background;
  const { operations } = recorder;
  assert.equal(sides[1].begun.writes, 2);
  assert.equal(operations, 2 * (sides[0].begun.writes + sides[1].begun.writes));
  assert.equal(recorder.outcomes.acked, operations - 2);
  assert.ok(seconds > 0);
  assertWithin(elapsedMs(), seconds);
  assert.deepEqual(recorder.errors, { CLOSED: 1 });
  const { writes: atStop } = sides[0].begun;
  await new Promise(setImmediate);
  assert.equal(sides[0].begun.writes, atStop);
});

/**
 * @param {Parameters<typeof connectionOf>[0][]} sides
 * @param {Partial<Parameters<typeof runOpenLoop>[1]> & {rate?: number}} options
 */
async function openLoop(sides, { rate = 1000, seconds = 0.1, graceSeconds = 5, ...options }) {
  const connections = sides.map(connectionOf);
  const recorder = new Recorder();
  const pipeline = connections[0].connection.keys.length;
  const schedule = createSchedule({ rate, pipeline, arrivals: 'constant', random: () => 0.5 });
  const elapsedMs = stopwatch();
  const result = await runOpenLoop(
    connections.map(({ connection }) => connection),
    { seconds, graceSeconds, schedule, draw: writes, recorder, ...options },
  );
  assertWithin(elapsedMs(), result.seconds, recorder.histogram, result.service, result.lateness);
  return { ...result, recorder, batches: connections.map(({ begun }) => begun.writes) };
}

describe('an open loop', () => {
  test('a round ends with its schedule, not with the last reply before', async () => {
    const { sent, seconds, dueSeconds } = await openLoop([{}], { rate: 1, seconds: 0.3 });
    assert.deepEqual([sent, seconds, dueSeconds], [1, 0.3, 0.3]);
  });

  test('a first batch that is due later is not sent before; the schedule lasts as long as planned', async () => {
    const times = [30, 999];
    const { due, sent, seconds, dueSeconds } = await openLoop([{}], {
      seconds: 0.05,
      schedule: () => times.shift() ?? Number.POSITIVE_INFINITY,
    });
    assert.deepEqual([due, sent, dueSeconds], [1, 1, 0.05]);
    assert.ok(seconds >= 0.03, `${seconds}`);
  });

  test('sends what is due, none before its time', async () => {
    const { due, sent, seconds, dueSeconds, sendingSeconds, recorder, service, lateness } = await openLoop(
      [{}, {}],
      {},
    );
    assert.deepEqual([due, sent, dueSeconds], [100, 100, 0.1]);
    assert.equal(recorder.operations, 100);
    for (const histogram of [recorder.histogram, service, lateness]) assert.equal(histogram.totalCount, 100);
    // The last batch is due after 99 ms.
    assert.ok(seconds >= 0.099 && sendingSeconds >= dueSeconds && seconds >= sendingSeconds - 0.1, `${seconds}`);
  });

  test('the operations of a batch are due together', async () => {
    const { due, sent, recorder, lateness, batches } = await openLoop([{ pipeline: 10 }], {});
    assert.deepEqual([due, sent, recorder.operations, lateness.totalCount], [100, 100, 100, 100]);
    assert.deepEqual(batches, [10]);
  });

  test('response time counts from the schedule, service time from the send', async () => {
    // A batch each 10 ms, and 40 ms for each: the eleventh waits for ten others.
    const { recorder, service, lateness, sent } = await openLoop([{ delayMs: 40 }], { rate: 100 });
    assert.equal(sent, 10);
    assert.ok(service.minNonZeroValue >= 38e6);
    assert.ok(recorder.histogram.maxValue >= 9 * 30e6 + 38e6, `${recorder.histogram.maxValue} ns`);
    // Waiting for a connection is not lateness of this thread.
    assert.ok(lateness.getValueAtPercentile(50) < 30e6, `${lateness.getValueAtPercentile(50)} ns`);
  });

  test('overdue batches are sent until the grace ends; the others count as due and not sent', async () => {
    const { due, sent, dueSeconds, sendingSeconds, recorder, service, waiting } = await openLoop([{ delayMs: 60 }], {
      rate: 100,
      graceSeconds: 0.1,
    });
    assert.deepEqual([due, dueSeconds], [10, 0.1]);
    // One each 60 ms, for 200 ms.
    assert.ok(sent >= 1 && sent <= 4, `${sent} sent`);
    assert.equal(recorder.operations, sent);
    // The last of them was due after 90 ms, and the grace ends after 200 ms.
    assert.equal(waiting?.operations, due - sent);
    assert.ok(waiting.leastNs >= 100e6, `${waiting.leastNs} ns`);
    assert.deepEqual(
      [recorder.histogram.totalCount, service.totalCount],
      [due, sent],
      'response times hold their waits',
    );
    assert.ok(sendingSeconds >= 0.1 && sendingSeconds <= 0.2, `${sendingSeconds}`);
  });

  test('a limit of operations shortens the schedule', async () => {
    const { due, sent, dueSeconds } = await openLoop([{ pipeline: 2 }], { operations: 20, seconds: 60 });
    assert.deepEqual([due, sent], [20, 20]);
    assert.equal(dueSeconds.toFixed(6), '0.020000');
  });

  test('lost connections are not used again; without any the rest is not sent', async () => {
    const { due, sent, seconds, batches, recorder } = await openLoop([{ losesAfter: 3 }, { losesAfter: 5 }], {});
    assert.deepEqual([due, sent], [100, 10]);
    assert.ok(seconds < 0.1, 'it ends with the last connection');
    assert.deepEqual(batches.toSorted(), [4, 6]);
    assert.equal(recorder.outcomes.unknown, 2);
    assert.equal(recorder.errors.CLOSED, 2);
  });
});

describe('a loop that is asked to stop', () => {
  /** @param {(stop: AbortSignal) => Promise<unknown>} run */
  async function stopped(run) {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    return run(stop.signal);
  }

  test('an open loop ends its schedule then', async () => {
    const { due, sent, dueSeconds, seconds } = /** @type {any} */ (
      await stopped((stop) => openLoop([{}], { rate: 100, seconds: 60, stop }))
    );
    // What was due and not sent yet on a busy machine counts as unsent.
    assert.ok(sent <= due, `${sent} of ${due}`);
    assert.ok(dueSeconds > 0 && dueSeconds < 5 && seconds >= dueSeconds, `${dueSeconds} s, ${seconds} s`);
  });

  test('a closed loop starts no more batches, and closes connections that hang', async () => {
    const sides = [connectionOf(), connectionOf()];
    const recorder = new Recorder();
    const connections = sides.map(({ connection }) => connection);
    connections[1].write = () => {};
    connections[1].close = async () => {
      connections[1].onError('CLOSED by this side');
      connections[1].onBatch();
    };
    await stopped((stop) => runClosedLoop(connections, { seconds: 60, draw: writes, recorder, stop }));
    assert.equal(recorder.outcomes.unknown, 1);
    assert.deepEqual(recorder.errors, {}, 'this side closed them');
  });
});
