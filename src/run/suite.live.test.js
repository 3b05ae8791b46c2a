import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '../../bench/main/rounds.js';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { runQuietly } from './suite-fixture.js';

const payload = roundsOf('payload');

/** @import { Benchmark } from './types.js' */

await ownTemporaryFolder();

const skip = await needs('server');

const PROFILE = { rounds: 1, seconds: 0.02, warmUpSeconds: 0 };

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
