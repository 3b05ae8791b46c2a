import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shortfallOf } from '../measure/link.js';
import { linkText } from './command-output.js';

/**
 * @import { Demand } from '../measure/link.js'
 */

const LIMITS = { hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 };
const MBIT = 125_000;

/** @type {Demand} */
const DEMAND = {
  seconds: 10,
  mean: 23 * MBIT,
  peak: 40 * MBIT,
  percentiles: { p50: 22 * MBIT, p95: 35 * MBIT, p99: 39 * MBIT },
  monthBytes: 7.452e12,
  sent: null,
  backlogSeconds: 0.36,
  bufferBytes: 2048,
  replicas: [{ name: 'redis-2', lagBytes: 1024, lagSeconds: 1 }],
};

/** @param {number} mbit */
const judged = (mbit) => linkText(DEMAND, { speed: mbit * MBIT, shortfall: shortfallOf(DEMAND, mbit * MBIT, LIMITS) });

describe('link observe: what replication asks of a link', () => {
  test('without a link to judge', () => {
    assert.equal(
      linkText(DEMAND, null),
      'Replication stream to each replica: 23.0 Mbit/s on average, 40.0 Mbit/s at its peak (10.0 s, sampled once a second; without TCP and IP headers).\n' +
        'Of its intervals: p50 22.0 Mbit/s, p95 35.0 Mbit/s, p99 39.0 Mbit/s. A month at this mean: 7,452 GB to each replica.\n' +
        'A replica that is disconnected for up to 360 ms catches up from the backlog; after that it needs a full resync.\n' +
        'Behind: redis-2 1 KiB, last ACK 1 s ago. Output buffers of replicas: 2 KiB.',
    );
  });

  test('a link is too slow, tight, or enough', () => {
    assert.match(
      judged(17.25),
      /: 133% on average.*\nToo slow: 2\.41 GiB an hour pile up .* after 153 s they reach the output buffer limit/,
    );
    assert.match(judged(30), /: 77% on average, 133% at the peak\.\nTight: 7\.00 Mbit\/s are left/);
    assert.match(judged(100), /Enough: 77\.0 Mbit\/s are left\./);
  });

  test('without replicas and without writes', () => {
    const text = linkText(
      { ...DEMAND, mean: 0, peak: 0, backlogSeconds: Number.POSITIVE_INFINITY, replicas: [] },
      null,
    );
    assert.match(text, /: 0 bit\/s on average/);
    assert.match(text, /No writes: a disconnected replica misses nothing\./);
    assert.match(text, /No replica is connected\./);
  });
});
