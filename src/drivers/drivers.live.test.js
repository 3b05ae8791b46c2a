/**
 * Every driver of this project that is built here keeps the protocol.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkDriver } from './check/index.js';
import { readLanguages } from './manifest.js';

/** A check mostly waits: a silent server is waited for, and so is the end of a driver. */
const AT_ONCE = 3;

describe('the drivers', { concurrency: AT_ONCE }, () => {
  for (const { drivers } of readLanguages()) {
    for (const { name, command, missing } of drivers) {
      test(name, { skip: missing ?? false }, async () => {
        const { checks, ready } = await checkDriver(command);
        const failed = checks.filter(({ verdict }) => verdict === 'failed');
        assert.deepEqual(failed, [], ready ? `${ready.library} ${ready.version}` : 'it never was ready');
      });
    }
  }
});
