import assert from 'node:assert/strict';
import { test } from 'node:test';
import payload from '../../bench/main/payload.js';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { runQuietly } from './suite-fixture.js';

/** @import { Benchmark } from './types.js' */

await ownTemporaryFolder();

const skip = await needs('server');

const PROFILE = { rounds: 1, seconds: 0.02, warmUpSeconds: 0 };

test('an exception fails its benchmark; a benchmark whose needs are missing is skipped', {
  skip,
}, async () => {
  /** @type {Benchmark} */
  const throwing = {
    ...payload,
    name: 'throwing',
    checks: () => {
      throw new TypeError('checks broke');
    },
  };
  /** @type {Benchmark} */
  const demanding = { ...payload, name: 'demanding', needs: ['partition'] };
  /** @type {string[]} */
  const messages = [];
  let drawing = false;
  const progress = {
    tell: (/** @type {string} */ line) => messages.push(line),
    now: () => {
      drawing = true;
    },
    stop: () => {
      drawing = false;
    },
  };
  const benchmarks = [throwing, demanding, payload];
  const { result, logs, stopped } = await runQuietly({ benchmarks, profile: PROFILE, client: 'native', progress });
  assert.equal(stopped, undefined);
  assert.deepEqual(
    result.benchmarks.map(({ name, status, reason, cases }) => [name, status, reason, cases.length]),
    [
      ['throwing', 'failed', 'checks broke.', 0],
      [
        'demanding',
        'skipped',
        'The local backend cannot separate a node from its peers here; use --backend docker.',
        0,
      ],
      ['payload', 'ok', undefined, 14],
    ],
  );
  assert.deepEqual(
    [...logs.keys()],
    [1, 2, 3].map((n) => `throwing.redis-${n}`).concat([1, 2, 3].map((n) => `throwing.sentinel-${n}`)),
  );
  assert.ok(messages.includes('throwing: failed. checks broke.'));
  assert.equal(drawing, false);
});

test('an uncaught exception ends the run; earlier measurements are kept', { skip }, async () => {
  const crash = new Error('nobody caught this');
  const controller = new AbortController();
  /** @type {Benchmark} */
  const crashing = {
    ...payload,
    name: 'crashing',
    findings: () => {
      controller.abort(crash);
      return [];
    },
  };
  const { result, stopped } = await runQuietly({
    benchmarks: [crashing, payload],
    profile: PROFILE,
    client: 'native',
    signal: controller.signal,
  });
  assert.equal(stopped, crash);
  assert.deepEqual(
    result.benchmarks.map(({ name, status }) => [name, status]),
    [
      ['crashing', 'ok'],
      ['payload', 'skipped'],
    ],
  );
});
