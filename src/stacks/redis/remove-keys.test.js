import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeKeys } from './remove-keys.js';

for (const refusal of [
  "ERR unknown command 'UNLINK'",
  "NOPERM this user has no permissions to run the 'unlink' command",
])
  test(`keys are removed by DEL after ${refusal.split(' ')[0]}`, async () => {
    /** @type {string[]} */
    const sent = [];
    const primary = {
      call: async (/** @type {string} */ command) => {
        sent.push(command);
        if (command === 'UNLINK') throw Object.assign(new Error(refusal), { name: 'ReplyError' });
        return 2;
      },
    };
    assert.equal(await removeKeys(primary, { prefix: 'p:', count: 2 }), 2);
    assert.deepEqual(sent, ['EXISTS', 'UNLINK', 'DEL']);
  });
