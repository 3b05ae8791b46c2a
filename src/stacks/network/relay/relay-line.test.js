import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../../../stats/random.js';
import { Lane } from './relay-line.js';

const PIECE_BYTES = 64 * 1024;
const MEASURED_MS = 10_000;

test('a limit is kept within 3% over 10 s, also by a thread that is kept from running for a while', () => {
  for (const bytesPerSecond of [1_000_000, 10_000_000]) {
    const random = randomFrom(bytesPerSecond);
    const lane = new Lane();
    lane.reshape({ latencyMs: 0, jitterMs: 0, bytesPerSecond });
    /** When each piece that waits is due. @type {number[]} */
    const waiting = [];
    let passed = 0;
    for (let now = 0; now < MEASURED_MS; now += 50 * random()) {
      while (waiting[0] <= now) {
        waiting.shift();
        passed += PIECE_BYTES;
      }
      // The sender never runs out of bytes.
      while (waiting.length * PIECE_BYTES <= lane.room()) waiting.push(lane.arrival(PIECE_BYTES, now));
    }
    const share = passed / ((bytesPerSecond * MEASURED_MS) / 1000);
    assert.ok(Math.abs(share - 1) <= 0.03, `${share} of ${bytesPerSecond} bytes a second`);
  }
});
