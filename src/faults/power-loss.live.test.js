/**
 * What a process leaves that is killed while the power of a node is off. The fault itself is in the conformance suite.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { recover } from '../run/recover.js';
import { listStacks } from '../stacks/local/record.js';
import { listRecords } from '../stacks/records.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { mountsIn } from '../stacks/volume.js';
import { assertNothingLeft, ownState } from './fixture.js';

const folder = await ownState();
const skip = await needs('server', 'volatile disk');

const moduleUrl = (/** @type {string} */ path) => JSON.stringify(new URL(path, import.meta.url).href);

/** A process that starts a stack, cuts the power of its primary if asked, reports it, and lives as long as this one. */
const OWNER = `
import { powerLoss } from ${moduleUrl('./index.js')};
import { createJournal } from ${moduleUrl('./journal.js')};
import { startLocal } from ${moduleUrl('../stacks/redis/local/index.js')};
const stack = await startLocal({ volatileDisks: ['redis-1'] });
if (process.argv[1] === 'off') await powerLoss.inject({ stack, journal: createJournal(stack) }, 'redis-1');
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
`;

/**
 * @param {'on' | 'off'} power of the primary
 * @returns {Promise<number | undefined>} its pid; it is dead
 */
async function leaveStack(power) {
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', OWNER, power], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(owner, 'exit');
  for await (const line of createInterface({ input: owner.stdout })) if (line === 'ready') break;
  owner.kill('SIGKILL');
  await ended;
  return owner.pid;
}

describe('a process that is killed while a node has a disk of its own', { skip }, () => {
  for (const [power, servers] of /** @type {const} */ ([
    ['on', 6],
    ['off', 5],
  ])) {
    test(`with its power ${power}: recover removes the stack and the disk`, async () => {
      const pid = await leaveStack(power);
      assert.equal(listStacks().length, 1);
      assert.equal(listRecords('volumes').length, 1);
      /** @type {string[]} */
      const messages = [];
      await recover({ tell: (line) => messages.push(line) });
      assert.deepEqual(messages.slice(0, 2), [
        `Removed what process ${pid} left: ${servers} servers and their files.`,
        `Removed the disk with a volatile cache that process ${pid} left.`,
      ]);
      assertNothingLeft(folder);
    });
  }

  test('the next start removes them as well', async () => {
    const pid = await leaveStack('on');
    /** @type {string[]} */
    const messages = [];
    const stack = await startLocal({ tell: (line) => messages.push(line) });
    try {
      assert.ok(
        messages.includes(`Removed the disk with a volatile cache that process ${pid} left.`),
        messages.join('\n'),
      );
      assert.deepEqual(mountsIn(folder), []);
    } finally {
      await stack.close();
    }
    assertNothingLeft(folder);
  });
});
