import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, describe, test } from 'node:test';
import { ownTemporaryFolder } from '../fixture.js';
import { stateFolder } from '../records/records.js';
import { InUse, sweepLocks, thisHolder, tryLock, untilFree } from './lock.js';

/** @import { Lock } from './lock.js' */

await ownTemporaryFolder();

/** Tries to take the lock at each message, and answers whether it has it. */
const CONTENDER = `
  import { createInterface } from 'node:readline';
  import { thisHolder, tryLock } from ${JSON.stringify(new URL('./lock.js', import.meta.url).href)};
  console.log('ready');
  for await (const name of createInterface(process.stdin)) {
    const lock = tryLock(name, thisHolder({ command: 'contender' }));
    console.log('heldBy' in lock ? 'refused by ' + (lock.heldBy?.pid ?? 'somebody') : 'mine');
  }`;

/** @type {Contender[]} */
const contenders = [];
afterEach(async () => {
  await Promise.all(contenders.splice(0).map((each) => each.kill()));
});

/**
 * @typedef {Awaited<ReturnType<typeof startContender>>} Contender
 */
async function startContender() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', CONTENDER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const says = async () => String((await lines.next()).value);
  assert.equal(await says(), 'ready');
  return {
    pid: child.pid,
    /** @param {string} name */
    take(name) {
      child.stdin.write(`${name}\n`);
      return says();
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @param {number} count */
async function startContenders(count) {
  contenders.push(...(await Promise.all(Array.from({ length: count }, startContender))));
  return contenders;
}

const mine = () => thisHolder({ command: 'sentinel-bench run' });

/**
 * @param {ReturnType<typeof tryLock>} outcome
 * @returns {Lock}
 */
function lockOf(outcome) {
  assert.ok('release' in outcome, 'it is free');
  return outcome;
}

describe('a lock of this machine', () => {
  test('others learn who holds it, until it is released', () => {
    const holder = mine();
    const lock = lockOf(tryLock('a stack', holder));
    assert.deepEqual(tryLock('a stack', mine()), { heldBy: holder });
    lockOf(tryLock('another stack', mine())).release();
    lock.release();
    lock.release();
    const next = lockOf(tryLock('a stack', mine()));
    lock.release();
    assert.ok('heldBy' in tryLock('a stack', mine()), 'who released it once does not release it for the next');
    next.release();
    assert.deepEqual(readdirSync(stateFolder('locks')), []);
  });

  test('one of eight processes gets it; killed with -9, it frees it at once', async () => {
    const all = await startContenders(8);
    while (all.length > 1) {
      const answers = await Promise.all(all.map((each) => each.take('a stack')));
      const winners = all.filter((_, index) => answers[index] === 'mine');
      assert.equal(winners.length, 1, answers.join(', '));
      const [winner] = winners;
      for (const answer of answers) assert.match(answer, RegExp(`^mine$|^refused by (${winner.pid}|somebody)$`));
      // The rest contend for what a dead holder left: one of them succeeds it.
      await winner.kill();
      all.splice(all.indexOf(winner), 1);
    }
    await all[0].kill();
    lockOf(tryLock('a stack', mine())).release();
  });

  test('sweeping takes away what dead processes left, and nothing else', async () => {
    const [contender] = await startContenders(1);
    await contender.take('a dead one’s');
    await contender.kill();
    const lock = lockOf(tryLock('a living one’s', mine()));
    const locks = stateFolder('locks');
    assert.equal(readdirSync(locks).length, 2);
    sweepLocks();
    assert.equal(readdirSync(locks).length, 1);
    assert.ok('heldBy' in tryLock('a living one’s', mine()));
    lock.release();
    assert.deepEqual(readdirSync(locks), []);
  });

  test('a brief holder is waited for; any other is reported at once', async () => {
    const refuse = () => new InUse('in use', 'wait');
    const brief = lockOf(tryLock('a stack', thisHolder({ command: 'sentinel-bench up', brief: true })));
    const waiting = untilFree(() => tryLock('a stack', mine()), { refuse });
    brief.release();
    const lock = await waiting;
    await assert.rejects(
      untilFree(() => tryLock('a stack', mine()), { refuse }),
      InUse,
    );
    lock.release();
    const again = lockOf(tryLock('a stack', thisHolder({ command: 'sentinel-bench up', brief: true })));
    const controller = new AbortController();
    const aborted = untilFree(() => tryLock('a stack', mine()), { refuse, signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(aborted, /enough/);
    again.release();
  });
});
