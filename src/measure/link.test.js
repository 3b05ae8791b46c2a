import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linkDemand, shortfallOf } from './link.js';

/** @import { LinkSample } from './link.js' */

/** @param {number} atMs @param {number} offset @param {Partial<LinkSample>} [more] @returns {LinkSample} */
const sample = (atMs, offset, more) => ({
  atMs,
  offset,
  sentBytes: null,
  bufferBytes: 0,
  backlogBytes: 1_000_000,
  replicas: [],
  ...more,
});

describe('what replication asks of a link', () => {
  test('mean and peak of the stream, and how long the backlog lasts', () => {
    const demand = linkDemand([sample(0, 500), sample(1000, 100_500), sample(3000, 200_500)]);
    assert.deepEqual([demand.seconds, demand.mean, demand.peak], [3, 200_000 / 3, 100_000]);
    assert.ok(Math.abs(demand.backlogSeconds - 15) < 1e-9);
    assert.equal(demand.sent, null, 'not counted');
  });

  test('percentiles of the intervals, and a month: 23 Mbit/s are about 7 TB, as in the article on Amazon and Rackspace', () => {
    const steady = 23e6 / 8;
    const offsets = Array.from({ length: 101 }, (_, second) => second * steady);
    // The last interval is ten times as busy.
    offsets.push(110 * steady);
    const demand = linkDemand(offsets.map((offset, second) => sample(second * 1000, offset)));
    assert.deepEqual([demand.percentiles.p50, demand.percentiles.p95], [steady, steady]);
    assert.equal(demand.peak, 10 * steady);
    const [calm] = [linkDemand([sample(0, 0), sample(1000, steady)])];
    assert.ok(Math.abs(calm.monthBytes / 7.45e12 - 1) < 0.01);
  });

  test('the bytes sent are known for each replica', () => {
    const replicas = ['replica 1', 'replica 2'].map((name) => ({ name, lagBytes: 0, lagSeconds: 0 }));
    const samples = [sample(0, 0, { sentBytes: 0, replicas }), sample(1000, 1000, { sentBytes: 2400, replicas })];
    assert.equal(linkDemand(samples).sent, 1200);
  });

  test('without writes there is no demand, and the backlog lasts', () => {
    const demand = linkDemand([sample(0, 7), sample(1000, 7)]);
    assert.deepEqual([demand.mean, demand.peak, demand.backlogSeconds], [0, 0, Number.POSITIVE_INFINITY]);
  });

  test('one sample, or a new history, gives no rate', () => {
    assert.throws(() => linkDemand([sample(0, 7)]), RangeError);
    assert.throws(() => linkDemand([sample(0, 7), sample(1000, 3)]), RangeError);
  });
});

describe('a link of a given speed', () => {
  const limits = { hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 };
  const mbit = (/** @type {number} */ number) => (number * 1e6) / 8;

  test('at three quarters of 23 Mbit/s the backlog grows by about 2 GB an hour, as in the article on Amazon and Rackspace', () => {
    const { pilesUp, use } = shortfallOf({ mean: mbit(23), peak: mbit(23) }, mbit(23 * 0.75), limits);
    assert.ok(pilesUp > 2e9 && pilesUp < 3e9, `${pilesUp}`);
    assert.ok(Math.abs(use - 4 / 3) < 1e-9);
  });

  test('the output buffer ends it: at the soft limit after its time, or at the hard limit if that is sooner', () => {
    const slowly = shortfallOf({ mean: 2 * 2 ** 20, peak: 0 }, 2 ** 20, limits);
    assert.equal(slowly.limitAfterSeconds, 64 + 60);
    const quickly = shortfallOf({ mean: 65 * 2 ** 20, peak: 0 }, 2 ** 20, limits);
    assert.equal(quickly.limitAfterSeconds, 4);
    const unlimited = shortfallOf({ mean: 2, peak: 2 }, 1, { hardBytes: 0, softBytes: 0, softSeconds: 0 });
    assert.equal(unlimited.limitAfterSeconds, Number.POSITIVE_INFINITY);
  });

  test('that is fast enough has no backlog', () => {
    const { pilesUp, limitAfterSeconds, peakUse } = shortfallOf({ mean: 10, peak: 30 }, 20, limits);
    assert.deepEqual([pilesUp, limitAfterSeconds, peakUse], [0, Number.POSITIVE_INFINITY, 1.5]);
  });
});
