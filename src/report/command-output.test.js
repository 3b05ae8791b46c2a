import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shortfallOf } from '../measure/link-demand.js';
import { linkText } from './command-output.js';

/**
 * @import { Demand } from '../measure/link-demand.js'
 */

const LIMITS = { hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 };
const MBIT = 125_000;

/** @type {Demand} */
const DEMAND = {
  seconds: 10,
  mean: 23 * MBIT,
  peak: 40 * MBIT,
  sent: null,
  backlogSeconds: 0.36,
  bufferBytes: 2048,
  replicas: [{ name: 'redis-2', lagBytes: 1024, lagSeconds: 1 }],
};

/** @param {number} mbit */
const judged = (mbit) => linkText(DEMAND, { speed: mbit * MBIT, shortfall: shortfallOf(DEMAND, mbit * MBIT, LIMITS) });

describe('what replication asks of a link, in words', () => {
  test('without a link to judge', () => {
    assert.equal(
      linkText(DEMAND, null),
      'The replication stream took 23.0 Mbit/s on average and 40.0 Mbit/s at its peak, to each replica (10.0 s, looked at once a second; what TCP and IP add is not in it).\n' +
        'A replica that is away for up to 360 ms catches up from the backlog; after that it needs a full resync.\n' +
        'Behind: redis-2 1 KiB, last heard of 1 s ago. Output buffers of replicas: 2 KiB.',
    );
  });

  test('a link that is too slow, one that is tight, and one that is enough', () => {
    assert.match(
      judged(17.25),
      /is 133% on average .*\nIt is too slow: 2\.41 GiB an hour pile up .* reached after 153 s/,
    );
    assert.match(judged(30), /is 77% on average and 133% at the peak\.\nIt is tight: 7\.00 Mbit\/s are left/);
    assert.match(judged(100), /It is enough: 77\.0 Mbit\/s are left\./);
  });

  test('nobody is connected, nothing is written', () => {
    const text = linkText(
      { ...DEMAND, mean: 0, peak: 0, backlogSeconds: Number.POSITIVE_INFINITY, replicas: [] },
      null,
    );
    assert.match(text, /took 0 bit\/s on average/);
    assert.match(text, /Nothing is written: a replica that is away misses nothing\./);
    assert.match(text, /No replica is connected\./);
  });
});
