import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { holdsInTime } from '../stacks/fixture.js';
import { hasEnded, startTimeOf } from '../stacks/processes.js';
import { startDriver } from './process.js';

const PROCESS = fileURLToPath(new URL('./process.js', import.meta.url));
const READY = `ready ${JSON.stringify({ library: 'sh', version: '1', language: 'sh', wait: 'unsupported' })}`;

/**
 * @param {string} script of the shell
 * @param {Parameters<typeof startDriver>[3]} [limits]
 */
function start(script, limits) {
  /** @type {string[]} */
  const problems = [];
  /** @type {number[]} */
  const numbers = [];
  const driver = startDriver(
    { name: 'scripted', run: ['sh', '-c', script] },
    { task: 1 },
    { onReport: ({ number }) => numbers.push(number), onProblem: (problem) => problems.push(problem) },
    limits,
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

test('kill -9 of the process that started it leaves no driver', async () => {
  const fixture = fileURLToPath(new URL('./driver-fixture.js', import.meta.url));
  const script = `
    import { startDriver } from ${JSON.stringify(PROCESS)};
    const run = [process.execPath, ${JSON.stringify(fixture)}];
    const driver = startDriver({ name: 'orphan', run }, { protocol: 'sentinel-bench/driver@1', sentinels: [] }, { onReport() {} });
    console.log(driver.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  const startTime = startTimeOf(pid);
  assert.notEqual(startTime, null);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  assert.ok(await holdsInTime(() => hasEnded(pid, startTime)), 'the driver is still there');
});
