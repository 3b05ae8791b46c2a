/**
 * The harness is killed at random moments of benchmarks that start stacks of their own, tunnels and movers with them. After
 * `recover` none of the processes that it had started is left, nor any file, container or mount. How often is up to
 * SENTINEL_BENCH_KILLS.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { becomes, leftIn, newFolder, runCli, startCli } from '../../src/cli/fixture.js';
import { leftOnDocker, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { startTimeOf } from '../../src/stacks/processes.js';
import { needs } from '../../test/needs.js';

const folder = await ownTemporaryFolder();
const TIMES = Math.max(2, Math.floor(Number(process.env.SENTINEL_BENCH_KILLS ?? 0) / 10));
const LONGEST_MS = 15_000;
const RUNS = ['link-loss', 'link-compression', 'copy', 'link-shortfall', 'link-demand', 'link-memory', 'link-dark'];

/**
 * @param {number} pid of a stopped process
 * @returns {{pid: number, startTime: string | null, command: string}[]} those it started, and those that they started
 */
function descendantsOf(pid) {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid);
  return children.flatMap((name) => {
    const child = Number(name);
    return [{ pid: child, startTime: startTimeOf(child), command: commandOf(child) }, ...descendantsOf(child)];
  });
}

/** @param {number} pid */
function parentOf(pid) {
  try {
    return Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It has ended.
    return null;
  }
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** @param {ReturnType<typeof descendantsOf>} processes @returns {string[]} those that still run */
function running(processes) {
  return processes.flatMap(({ pid, startTime, command }) =>
    startTime !== null && startTimeOf(pid) === startTime ? `process ${pid}: ${command}` : [],
  );
}

/**
 * @param {string} dir
 * @returns {string[]} files in it and below
 */
function filesIn(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [] : join(entry.parentPath, entry.name),
  );
}

/** @type {{backend: 'local' | 'docker', times: number, skip: string | false}[]} */
const BACKENDS = [
  {
    backend: 'local',
    times: TIMES,
    skip: await needs('server', 'proc'),
  },
  { backend: 'docker', times: 2, skip: await needs('docker') },
];

for (const { backend, times, skip } of BACKENDS) {
  describe(`killed in the middle of a benchmark with stacks of its own, ${backend}`, { skip }, () => {
    test(`${times} times, nothing is left after recover`, async (t) => {
      const seed = Math.floor(Math.random() * RUNS.length);
      let left = 0;
      for (let time = 0; time < times; time++) {
        const tmp = newFolder(folder);
        const name = RUNS[(seed + time) % RUNS.length];
        const waitMs = Math.random() * LONGEST_MS;
        const cli = startCli(['run', name, '--backend', backend, '--out', 'out'], { tmp });
        await Promise.race([delay(waitMs), cli.ended]);
        // Stopped first: what it starts meanwhile would not be among them.
        cli.kill('SIGSTOP');
        const started = descendantsOf(cli.pid);
        cli.kill('SIGKILL');
        await cli.ended;
        const containers = async () => (backend === 'docker' ? leftOnDocker(cli.pid) : []);
        if ([...leftIn(tmp), ...(await containers())].length > 0) left++;
        const recovered = await runCli(['recover'], { tmp });
        const message = `${name}, killed after ${Math.round(waitMs)} ms: ${recovered.stderr}`;
        assert.equal(recovered.status, 0, message);
        await becomes(() => running(started).length === 0, 'the processes end').catch((error) => {
          throw new Error(`${message}\n${running(started).join('\n')}`, { cause: error });
        });
        assert.deepEqual(leftIn(tmp), [], message);
        assert.deepEqual(
          filesIn(tmp).filter((file) => !file.startsWith(join(tmp, 'out'))),
          [],
          message,
        );
        assert.deepEqual(await containers(), [], message);
      }
      t.diagnostic(`${left} of ${times} kills left something`);
    });
  });
}
