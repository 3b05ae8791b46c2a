import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { median } from 'simple-statistics';
import { needs } from '../../test/needs.js';
import { startNode } from '../clients/conformance/nodes.js';
import { native } from '../clients/native.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { randomFrom } from '../stats/random.js';
import { createDraw, runClosedLoop } from './closed-loop.js';

import { startLoadThread } from './load-thread.js';
import { Recorder } from './recorder.js';

await ownTemporaryFolder();

const skip = await needs('server');

const MEBIBYTE = 1024 * 1024;
/** The smallest thing there can be on the heap takes more. */
const LESS_THAN_AN_OBJECT = 8;

describe('memory, with a real server', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startNode>>} */
  let node;
  before(async () => {
    node = await startNode();
  });
  after(() => node?.close());

  /** @param {number} pipeline */
  const shapeOf = (pipeline) => ({
    payloadBytes: 64,
    pipeline,
    waitReplicas: 0,
    waitTimeoutMs: 1000,
    waitMode: /** @type {const} */ ('pipelined'),
    keyPrefix: 'sentinel-bench:memory:',
  });

  test('stays flat over ten million operations, on 50 connections with pipelines of 100', {
    timeout: 600_000,
  }, async () => {
    const operations = 10_000_000;
    const thread = startLoadThread();
    /** @type {{done: number, bytes: number}[]} */
    const samples = [];
    try {
      await thread.prepare({
        generator: 'writes',
        client: 'native',
        primary: node.address,
        replicas: [],
        shape: shapeOf(100),
        connections: 50,
        keyspace: 10_000,
        seconds: 500,
        operations,
        progress: true,
        warmUpSeconds: 1,
        backgroundConnections: 0,
        seed: 1,
      });
      const sample = await thread.go((done) => samples.push({ done, bytes: process.memoryUsage.rss() }));
      assert.ok(sample.operations >= operations, `${sample.operations} operations`);
      assert.equal(sample.outcomes.acked, sample.operations);
    } finally {
      await thread.close();
    }
    // The operations after the first tenth, in thirds. A busy machine takes samples late or several at once, so thirds of the samples would
    // differ in length.
    const [first, last] = [0.1, 0.7].map((from) =>
      samples
        .filter(({ done }) => done > from * operations && done <= (from + 0.3) * operations)
        .map(({ bytes }) => bytes),
    );
    assert.ok(
      first.length > 0 && last.length > 0,
      `${first.length} samples in the first third, ${last.length} in the last`,
    );
    // Collections make single samples jump by more than 10 MiB, and come later on a busy machine: what stays shows both in what
    // samples have in common and in the least of them. An object left by each operation would be 46 MiB at least between the
    // first third and the last.
    const grown = [median, (/** @type {number[]} */ bytes) => Math.min(...bytes)].map(
      (typical) => (typical(last) - typical(first)) / MEBIBYTE,
    );
    assert.ok(
      Math.min(...grown) < 20,
      `${grown.map((each) => each.toFixed(1)).join(' and ')} MiB more in the last third than in the first`,
    );
  });

  test('no operation allocates on the heap: the operations of a batch share its cost', async () => {
    const pipeline = 1000;
    const connection = await native.connect(node.address, shapeOf(pipeline));
    try {
      const draw = createDraw({ keyspace: 10_000, random: randomFrom(1) });
      const recorder = new Recorder();
      /** @param {number} operations */
      const run = (operations) => runClosedLoop([connection], { seconds: 60, operations, draw, recorder });
      // Code that is not yet optimized does allocate.
      await run(1_000_000);
      // Windows so short that a collection, which hides what was allocated, falls into few of them only.
      const operations = 20_000;
      const isRight = (/** @type {number} */ bytes) => bytes > 0 && bytes < LESS_THAN_AN_OBJECT;
      let middle = 0;
      // What an operation leaves it leaves each time; a busy machine may take its time to optimize, or cut answers in pieces.
      for (let turn = 0; turn < 5 && !isRight(middle); turn++) {
        const windows = [];
        for (let i = 0; i < 51; i++) {
          const before = process.memoryUsage().heapUsed;
          await run(operations);
          windows.push((process.memoryUsage().heapUsed - before) / operations);
        }
        middle = windows.sort((a, b) => a - b)[25];
      }
      assert.ok(isRight(middle), `${middle.toFixed(2)} bytes an operation`);
    } finally {
      await connection.close();
    }
  });
});
