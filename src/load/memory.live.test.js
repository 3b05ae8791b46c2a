import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { startNode } from '../clients/conformance/nodes.js';
import { shapeOf } from '../clients/fixture.js';
import { client as native } from '../clients/native.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { randomFrom } from '../stats/random.js';
import { createDraw, runClosedLoop } from './closed-loop.js';
import { Recorder } from './recorder.js';

await ownTemporaryFolder();

const skip = await needs('server');

/** The smallest thing there can be on the heap takes more. */
const LESS_THAN_AN_OBJECT = 8;

describe('memory, with a real server', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startNode>>} */
  let node;
  before(async () => {
    node = await startNode();
  });
  after(() => node?.close());

  test('no operation allocates on the heap: the operations of a batch share its cost', async () => {
    const pipeline = 1000;
    const connection = await native.connect(node.address, shapeOf({ pipeline }));
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
