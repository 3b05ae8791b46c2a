/**
 * The checkers are attacked: what is planted in a history is found exactly, and a history without a fault has none of it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { counter } from './counter.js';
import { US_A_MS, US_A_SECOND } from './history.js';
import { WORKLOADS } from './index.js';
import { limiter } from './limiter.js';
import { lock } from './lock.js';
import { pubsub } from './pubsub.js';
import { queue } from './queue.js';
import { request } from './request.js';

/** @import { Operation } from './types.js' */

const LEASE_MS = 6000;
fc.configureGlobal({ seed: 44 });

/**
 * @param {string} op
 * @param {number} beginMs
 * @param {Partial<Operation>} [more]
 * @returns {Operation} that took a millisecond
 */
function line(op, beginMs, more) {
  const begin = beginMs * US_A_MS;
  return { process: 'client-0', role: 'client', op, begin, end: begin + US_A_MS, outcome: 'ok', ...more };
}

/**
 * @param {string} value
 * @param {number} fromMs
 * @param {number} toMs
 * @returns {Operation[]} a lock that is held from then, renewed, until then
 */
function held(value, fromMs, toMs) {
  const lease = { key: 'lock', value, leaseMs: LEASE_MS };
  const renewals = [];
  for (let at = fromMs + 2000; at < toMs; at += 2000) renewals.push(line('renew', at, lease));
  return [line('acquire', fromMs - 1, lease), ...renewals, line('release', toMs, { key: 'lock', value })];
}

const small = fc.nat({ max: 20 });

describe('lock', () => {
  test('planted double holds are found, with their length', () => {
    const holds = fc.array(fc.record({ ms: fc.integer({ min: 10, max: 9000 }), second: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(holds, (turns) => {
        let at = 10;
        const history = turns.flatMap(({ ms, second }, turn) => {
          const from = at;
          at += ms + 5;
          return [
            ...held(`first-${turn}`, from, from + ms),
            ...(second ? held(`second-${turn}`, from + 2, from + ms - 2) : []),
          ];
        });
        const planted = turns.filter(({ second }) => second).map(({ ms }) => ms - 4);
        const { doubleHolds, longestDoubleHoldSeconds } = lock.check(history);
        assert.equal(doubleHolds, planted.length);
        assert.equal(Math.round(longestDoubleHoldSeconds * 1000), Math.max(0, ...planted));
      }),
    );
  });

  test('a client believes until its lease ends, counted from the begin of the last acknowledged renewal', () => {
    const lease = { key: 'lock', value: 'a', leaseMs: LEASE_MS };
    const first = [line('acquire', 0, lease), line('renew', 2000, { ...lease, outcome: 'unknown' })];
    const other = (/** @type {number} */ at) => held('b', at, at + 1000);
    assert.equal(lock.check([...first, ...other(5999)]).longestDoubleHoldSeconds, 0.001);
    assert.equal(lock.check([...first, ...other(6000)]).doubleHolds, 0);
    const lost = line('lost', 4000, { key: 'lock', value: 'a' });
    assert.equal(lock.check([...first, lost, ...other(5000)]).doubleHolds, 0);
  });
});

test('numbers that are given twice, and increments that are missing at the end, are counted', () => {
  fc.assert(
    fc.property(small, small, (twice, missing) => {
      const given = Array.from({ length: 50 }, (_, i) => line('increment', i, { key: 'c', value: i + 1 }));
      const again = given.slice(0, twice).map((each, i) => ({ ...each, begin: 100 + i, process: 'client-1' }));
      const unsure = line('increment', 99, { key: 'c', value: 1, outcome: 'unknown' });
      const final = line('final', 200, { key: 'c', value: 50 + twice - missing });
      const figures = counter.check([...given, ...again, unsure, final]);
      assert.deepEqual([figures.acknowledged, figures.givenTwice, figures.missing], [50 + twice, twice, missing]);
    }),
  );
  assert.equal(counter.check([line('increment', 0, { key: 'c', value: 1 })]).missing, undefined);
});

test('a request that two servers accept is counted', () => {
  fc.assert(
    fc.property(small, (twice) => {
      const accepted = Array.from({ length: 30 }, (_, i) => line('accept', i, { key: `r${i}` }));
      const refused = accepted.map((each) => ({ ...each, outcome: /** @type {const} */ ('no') }));
      assert.equal(request.check([...accepted, ...refused, ...accepted.slice(0, twice)]).acceptedTwice, twice);
    }),
  );
});

describe('rate limit', () => {
  const [limit, windowMs] = [5, 1000];
  /** @param {number} at @param {Operation['outcome']} outcome */
  const allow = (at, outcome) => line('allow', at, { key: 'k', limit, windowMs, outcome });

  test('what a server with windows allows is well, wherever the windows begin', () => {
    const times = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, (pauses) => {
        let [at, windowEnds, counted] = [0, -1, 0];
        const history = pauses.map((pause) => {
          at += pause;
          if (at >= windowEnds) [windowEnds, counted] = [at + windowMs, 0];
          counted++;
          return allow(at, counted <= limit ? 'ok' : 'no');
        });
        assert.equal(limiter.check(history).overLimit, 0);
      }),
    );
  });

  test('what two servers allow in one window is counted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), (more) => {
        const both = Array.from({ length: limit + more }, (_, i) => allow(i * 10, 'ok'));
        assert.equal(limiter.check([...both, allow(500, 'no')]).overLimit, Math.min(1, more));
      }),
    );
  });
});

test('jobs that are dropped, run twice, stuck, or share an id are counted', () => {
  fc.assert(
    fc.property(small, small, small, small, (dropped, repeated, reused, stuck) => {
      const jobs = Array.from({ length: 60 }, (_, i) => `job-${i}`);
      const added = jobs.map((value, i) =>
        line('add', i, { value, libraryId: `id-${i >= 40 && i < 40 + reused ? i - 40 : i}` }),
      );
      const runs = jobs.slice(dropped).map((value, i) => line('run', 100 + i, { value }));
      const again = runs.slice(0, repeated);
      const left = jobs.slice(0, stuck).map((value) => line('stuck', 300, { value }));
      const unsure = line('add', 99, { value: 'perhaps', outcome: 'unknown' });
      const figures = queue.check([...added, unsure, ...runs, ...again, ...left]);
      assert.deepEqual(
        [figures.acknowledged, figures.neverRun, figures.runTwice, figures.idsReused, figures.stuck],
        [60, Math.max(0, dropped - stuck), repeated, reused, stuck],
      );
      assert.equal(queue.check([...added, line('undrained', 400, { outcome: 'unknown' })]).neverRun, undefined);
    }),
  );
});

test('messages that a subscriber missed are counted', () => {
  const published = Array.from({ length: 10 }, (_, i) => line('publish', i, { value: `m${i}` }));
  const receive = (/** @type {string} */ process, /** @type {number} */ from) =>
    published.slice(from).map(({ value, begin }) => line('receive', begin / US_A_MS, { value, process }));
  assert.equal(pubsub.check([...published, ...receive('a', 0), ...receive('b', 3)]).missed, 3);
  assert.equal(pubsub.check([...published, ...receive('a', 0), ...receive('b', 0)]).missed, 0);
});

test('an empty history shows no harm', () => {
  for (const { check, harms } of WORKLOADS) {
    const figures = check([]);
    for (const harm of Object.keys(harms)) assert.ok(!figures[harm], harm);
    for (const figure of Object.values(figures)) assert.ok(figure >= 0 && figure < US_A_SECOND);
  }
});
