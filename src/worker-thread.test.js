import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from './errors.js';
import { startWorker } from './worker-thread.js';

/** @import { TestContext } from 'node:test' */

const LONG_MS = 60_000;

/** @param {TestContext} t */
function start(t) {
  const thread = startWorker(new URL('./worker-thread-fixture.js', import.meta.url), { name: 'the thread', data: 7 });
  t.after(() => thread.close());
  return thread;
}

test('questions may overlap, and each gets its own answer', async (t) => {
  const thread = start(t);
  const [slow, fast] = await Promise.all([thread.ask({ afterMs: 50 }), thread.ask({ afterMs: 1 })]);
  assert.deepEqual(
    [slow, fast],
    [
      { afterMs: 50, data: 7 },
      { afterMs: 1, data: 7 },
    ],
  );
});

test('an error keeps its remedy, and the thread goes on', async (t) => {
  const thread = start(t);
  await assert.rejects(
    thread.ask({ fail: true }),
    (error) => error instanceof UserError && error.remedy === 'Try again.',
  );
  assert.equal(thread.hasEnded(), false);
  /** @type {number[]} */
  const progress = [];
  await thread.ask({}, { onProgress: (share) => progress.push(share) });
  assert.deepEqual(progress, [0.5]);
});

test('a missed deadline ends the thread', async (t) => {
  const thread = start(t);
  await assert.rejects(
    thread.ask({ afterMs: LONG_MS }, { deadlineMs: 1 }),
    /^Error: the thread did not answer within 0 s$/,
  );
  assert.ok(thread.hasEnded());
  await assert.rejects(thread.ask({}), /did not answer/);
});

test('questions without an answer reject when the thread ends or is closed', async (t) => {
  await assert.rejects(start(t).ask({ exit: true }), /^Error: the thread has ended$/);
  const thread = start(t);
  const unanswered = assert.rejects(thread.ask({ afterMs: LONG_MS }), /^Error: enough$/);
  await thread.close(new Error('enough'));
  await unanswered;
  await thread.close();
});
