import assert from 'node:assert/strict';
import { test } from 'node:test';
import payload from '../../bench/main/payload.js';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { PROFILES } from './profiles.js';
import { runSuite } from './suite.js';

/**
 * @import { RunOptions } from './suite.js'
 * @import { Benchmark } from './types.js'
 */

await ownTemporaryFolder();

const skip = await needs('server');

/** @param {Partial<RunOptions>} options @returns {RunOptions & {messages: string[], drawing: () => boolean}} */
function optionsOf(options) {
  /** @type {string[]} */
  const messages = [];
  let drawing = false;
  return {
    suite: 'test',
    benchmarks: [payload],
    profile: { ...PROFILES.quick, rounds: 1, seconds: 0.02, warmUpSeconds: 0 },
    client: 'native',
    seed: 1,
    command: 'sentinel-bench run',
    stack: { backend: 'local' },
    progress: {
      tell: (line) => messages.push(line),
      now: () => {
        drawing = true;
      },
      stop: () => {
        drawing = false;
      },
    },
    signal: new AbortController().signal,
    messages,
    drawing: () => drawing,
    ...options,
  };
}

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
  const options = optionsOf({ benchmarks: [throwing, demanding, payload] });
  const { result, logs, stopped } = await runSuite(options);
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
  assert.ok(options.messages.includes('throwing: failed. checks broke.'));
  assert.equal(options.drawing(), false);
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
  const { result, stopped } = await runSuite(optionsOf({ benchmarks: [crashing, payload], signal: controller.signal }));
  assert.equal(stopped, crash);
  assert.deepEqual(
    result.benchmarks.map(({ name, status }) => [name, status]),
    [
      ['crashing', 'ok'],
      ['payload', 'skipped'],
    ],
  );
});
