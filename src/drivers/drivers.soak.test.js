/** Every driver of this project that is built here keeps the protocol. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startLocal } from '../stacks/redis/local/index.js';
import { checkDriver } from './check/index.js';
import { readLanguages } from './manifest.js';

/** A check mostly waits. But a library that gets no CPU for a second runs into its time-outs, and a true check fails. */
const AT_ONCE = 2;

/** @type {Awaited<ReturnType<typeof startLocal>>} */
let stack;
before(async () => {
  stack = await startLocal({});
});
after(() => stack.close());

describe('the drivers', { concurrency: AT_ONCE }, () => {
  for (const { drivers } of readLanguages()) {
    for (const { name, command, missing } of drivers) {
      test(name, { skip: missing ?? false }, async () => {
        const { checks, ready } = await checkDriver(command, { stack });
        const failed = checks.filter(({ verdict }) => verdict === 'failed');
        assert.deepEqual(failed, [], ready ? `${ready.library} ${ready.version}` : 'it never was ready');
      });
    }
  }
});
