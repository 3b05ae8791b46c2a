import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes } from './trials.js';

test('every task is done once, no more at a time than there are lanes', async () => {
  let underWay = 0;
  let most = 0;
  /** @type {number[]} */
  const done = [];
  await inLanes([1, 2, 3, 4, 5], 2, async (task) => {
    underWay++;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    done.push(task);
  });
  assert.deepEqual(done.sort(), [1, 2, 3, 4, 5]);
  assert.equal(most, 2);
});

test('a rejection lets the other lane end its task, and begins no other', async () => {
  /** @type {number[]} */
  const done = [];
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  const all = inLanes([1, 2, 3], 2, async (task) => {
    if (task === 1) {
      setImmediate(release);
      throw new Error('no');
    }
    await held;
    done.push(task);
  });
  await assert.rejects(all, /no/);
  assert.deepEqual(done, [2]);
});

test('fewer tasks than lanes', async () => {
  await inLanes([], 3, async () => assert.fail('there is none'));
});
