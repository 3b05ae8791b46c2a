import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stallMeter, TICK_MS } from './stalls.js';

test('only a tick that is late by more than a heartbeat says that the process stood still', () => {
  let nowMs = 0;
  const stalled = stallMeter(() => nowMs);
  const after = (/** @type {number} */ ms) => {
    nowMs += ms;
    return stalled();
  };
  assert.deepEqual([TICK_MS, TICK_MS + 900, TICK_MS + 4000, TICK_MS].map(after), [0, 0, 4000, 0]);
});
