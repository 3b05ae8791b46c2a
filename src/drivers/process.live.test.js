import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsInTime } from '../stacks/fixture.js';
import { hasEnded, startTimeOf } from '../stacks/hosts/processes.js';
import { startDriver } from './process.js';

const READY = `ready ${JSON.stringify({ library: 'sh', version: '1', language: 'sh', wait: 'unsupported' })}`;

/** @param {string} script of the shell @param {{readyMs?: number}} [limits] */
function start(script, limits) {
  /** @type {string[]} */
  const problems = [];
  /** @type {number[]} */
  const numbers = [];
  const command = { name: 'scripted', run: ['sh', '-c', script] };
  const driver = startDriver(
    command,
    { task: 1 },
    {
      onReport: ({ number }) => numbers.push(number),
      onProblem: (problem) => problems.push(problem),
      ...limits,
    },
  );
  return { driver, problems, numbers };
}

test('lines before the end are delivered, whatever is between them', async () => {
  const { driver, problems, numbers } = start(
    `read task; echo '${READY}'; read start; echo 'w 0 acked -1 1 2 -'; echo junk; echo 'w 1 unknown -1 1 0 CLOSED'; echo 'done 2'; printf 'w 2'; exit 7`,
  );
  assert.equal((await driver.ready).library, 'sh');
  driver.start(1n);
  const ended = await driver.ended;
  assert.deepEqual([ended.status, ended.due, numbers], [7, 2, [0, 1]]);
  assert.equal(problems.length, 2);
  driver.stop();
  driver.signal('SIGKILL');
});

test('a driver that hangs is killed with all that it started', async () => {
  const { driver } = start(`sleep 1000 & echo "w $! acked -1 0 0 -" >&2; sleep 1000`, { readyMs: 300 });
  await assert.rejects(driver.ready, /was not ready within 0.3 s/);
  const { signal, log } = await driver.ended;
  assert.equal(signal, 'SIGKILL');
  const child = Number(/w (\d+)/.exec(log)?.[1]);
  assert.ok(await holdsInTime(() => hasEnded(child, startTimeOf(child))));
});
