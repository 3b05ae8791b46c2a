/**
 * An open loop sends at the rate that was asked for, at every pipeline depth, and measures from the scheduled send.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Outcome } from '../clients/types.js';
import { createSchedule, runOpenLoop } from './open-loop.js';
import { Recorder } from './recorder.js';

/** @import { Connection } from '../clients/types.js' */

const SECONDS = 0.1;

/**
 * @param {number} pipeline
 * @param {(answer: () => void) => void} later calls `answer` when the server answers
 * @returns {Connection} to a server that acknowledges everything
 */
function connectionOf(pipeline, later) {
  const connection = /** @type {Connection} */ (
    /** @type {Partial<Connection>} */ ({
      keys: new Uint32Array(pipeline),
      outcomes: new Uint8Array(pipeline).fill(Outcome.acked),
      fetched: false,
      lost: false,
      misses: 0,
      write: () => later(() => connection.onBatch()),
    })
  );
  return connection;
}

/**
 * @param {Object} options
 * @param {number} options.rate
 * @param {number} options.pipeline
 * @param {(answer: () => void) => void} [options.later]
 * @param {number} [options.connections]
 */
async function loop({ rate, pipeline, later = setImmediate, connections = 4 }) {
  const recorder = new Recorder();
  const result = await runOpenLoop(
    Array.from({ length: connections }, () => connectionOf(pipeline, later)),
    {
      seconds: SECONDS,
      graceSeconds: 30,
      schedule: createSchedule({ rate, pipeline, arrivals: 'constant', random: Math.random }),
      draw: (connection) => connection.write(),
      recorder,
    },
  );
  return { ...result, recorder };
}

describe('an open loop', () => {
  for (const pipeline of [1, 10, 100]) {
    test(`at pipeline depth ${pipeline} sends every operation of the schedule`, async () => {
      const rate = 20_000;
      const { due, sent, recorder } = await loop({ rate, pipeline });
      assert.equal(due, rate * SECONDS);
      assert.equal(sent, due);
      assert.deepEqual(recorder.outcomes, { acked: due, underAcked: 0, rejected: 0, unknown: 0 });
      assert.equal(recorder.histogram.totalCount, due);
    });
  }

  test('counts the time that an operation waited for a free connection as response time, not as service time', async () => {
    // One connection, and a server that needs as long as ten operations may take.
    const { recorder, service } = await loop({
      ...{ rate: 100, pipeline: 1, connections: 1 },
      later: (answer) => setTimeout(answer, 100),
    });
    // The last of ten is sent after nine others, which took 0.9 s; it was due after 0.09 s.
    assert.ok(recorder.histogram.maxValue >= 0.8e9, `${recorder.histogram.maxValue}`);
    assert.ok(service.minNonZeroValue <= recorder.histogram.maxValue / 2);
    assert.equal(service.totalCount, 10);
  });
});
