import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { connectPatiently, startNode, until } from '../../clients/conformance/nodes.js';
import { parseInfo } from '../../resp/info.js';
import { fillKeys } from '../../run/keys.js';
import { keepBusy, settled } from './background-work.js';

/** @import { StartedNode } from '../../clients/conformance/nodes.js' */

/** With so many keys, and so long for each of them, a file takes a fifth of a second at least. */
const KEYS = 200;
const MICROSECONDS_A_KEY = 1000;

/** @type {StartedNode} */
let node;
before(async () => {
  node = await startNode(['--rdb-key-save-delay', String(MICROSECONDS_A_KEY)]);
  const { signal } = new AbortController();
  await fillKeys(node.address, { keyPrefix: 'k', count: KEYS, payloadBytes: 1000, signal });
});
after(() => node?.close());

/** For what Redis does in the background while a busy machine may do nothing for seconds, again and again. */
const PATIENT = { timeout: 180_000 };
/** So often a figure may be spoilt by whoever else uses this machine: it can only spoil it. */
const ATTEMPTS = 5;

/** @returns {Promise<Record<string, string>>} */
const info = async (from = node) => parseInfo(String(await from.call('INFO', 'persistence')));

for (const [work, field, command] of /** @type {const} */ ([
  ['rewrite', 'aof_rewrite_in_progress', 'bgrewriteaof'],
  ['snapshot', 'rdb_bgsave_in_progress', 'bgsave'],
])) {
  describe(work, () => {
    test('starts at once, starts again at its end, and never after stop', PATIENT, async () => {
      const shares = [];
      do {
        const before = await node.calls(command);
        const busy = await keepBusy(node.address, work);
        assert.ok((await node.calls(command)) > before, 'the first one began');
        await until(async () => (await node.calls(command)) >= before + 3, 'the third one began');
        const { share } = await busy.stop();
        const calls = await node.calls(command);
        assert.equal((await info())[field], '0');
        assert.ok(share >= 0 && share <= 1, `share ${share}`);
        const { share: again } = await busy.stop();
        assert.equal(again, share);
        assert.equal(await node.calls(command), calls, 'no other one began');
        shares.push(share);
        // Looks that came late find it ended more often than it was.
      } while (shares[shares.length - 1] <= 0.5 && shares.length < ATTEMPTS);
      assert.ok(Math.max(...shares) > 0.5, `shares ${shares}`);
    });

    test('the node cannot write the file', PATIENT, async () => {
      const other = await startNode();
      try {
        const [, dir] = /** @type {string[]} */ (await other.call('CONFIG', 'GET', 'dir'));
        await rm(dir, { recursive: true });
        await assert.rejects(
          async () => {
            const busy = await keepBusy(other.address, work);
            await until(async () => (await info(other))[field] === '0', 'it failed');
            await busy.stop();
          },
          {
            name: 'UserError',
            message: /could not be kept busy.+(complete its file|Can't execute.+)\.$/,
            remedy: /storage/,
          },
        );
      } finally {
        await other.close();
      }
    });
  });
}

test('settled waits for all work in the background', PATIENT, async () => {
  const control = await connectPatiently(node.address);
  try {
    await settled(control);
    await node.call('BGSAVE');
    // Put off until the save has ended.
    await node.call('BGREWRITEAOF');
    await settled(control);
    const now = await info();
    assert.equal(now.rdb_bgsave_in_progress, '0');
    assert.equal(now.aof_rewrite_in_progress, '0');
    assert.equal(now.aof_rewrite_scheduled, '0');

    // One that has ended before it is looked at gives nothing to abandon.
    let trouble = null;
    for (let attempt = 1; attempt <= ATTEMPTS && trouble === null; attempt++) {
      await node.call('BGSAVE');
      const abandoned = settled(control, { signal: AbortSignal.abort(new Error('enough')) });
      trouble = await abandoned.then(
        () => null,
        (error) => error,
      );
    }
    assert.match(String(trouble), /enough|aborted/);
    await settled(control);
  } finally {
    control.close();
  }
});
