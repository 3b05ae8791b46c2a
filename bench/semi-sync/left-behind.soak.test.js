/**
 * What whole runs leave behind after success, an error, Ctrl-C and SIGKILL: no server, file, disk, mount, loop device or container. Local
 * primaries keep their files on a disk whose power is cut.
 */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { becomes, leftIn, newFolder, runCli, startCli } from '../../src/cli/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { runSuite } from '../../src/run/suite.js';
import { leftOnDocker, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { powerLost, switchOver } from './scenarios.js';

/**
 * @import { Started } from '../../src/cli/fixture.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 *
 * @typedef {Object} Backend
 * @property {'local' | 'docker'} backend
 * @property {TrialBenchmark} benchmark
 * @property {string | false} skip
 * @property {(tmp: string, pid: number) => Promise<string[]>} left what stacks of this process have left
 * @property {(left: string[]) => boolean} isWhole the stack of a run is up
 */

const folder = await ownTemporaryFolder();

/** @type {Backend[]} */
const BACKENDS = [
  {
    backend: 'local',
    benchmark: powerLost,
    skip: await needs('mariadb', 'proc', 'volatile disk'),
    left: async (tmp) => leftIn(tmp),
    // Three servers, and the two daemons of the disk.
    isWhole: (left) =>
      left.some((each) => each.startsWith('mount ')) && left.filter((each) => each.startsWith('process ')).length >= 5,
  },
  {
    backend: 'docker',
    benchmark: switchOver,
    skip: await needs('docker', 'mariadb image'),
    left: async (tmp, pid) => [...leftIn(tmp), ...(await leftOnDocker(pid))],
    isWhole: (left) => left.filter((each) => each.includes('-mariadb-')).length === 3,
  },
];

const FAILS = 'the script of this trial fails';

for (const { backend, benchmark, skip, left, isWhole } of BACKENDS) {
  describe(`a run of the suite semi-sync leaves nothing, ${backend}`, { skip }, () => {
    /** The command lines run one after the other here: they share the prepared tables. */
    const tmp = newFolder(folder);

    /** @returns {Promise<Started>} a run whose stack is up */
    async function startRun() {
      const cli = startCli(['run', benchmark.name, '--backend', backend, '--lanes', '1', '--out', 'out'], { tmp });
      await Promise.race([
        becomes(async () => isWhole(await left(tmp, cli.pid)), 'the stack is up', 120_000),
        cli.ended.then(({ stderr }) => assert.fail(stderr)),
      ]);
      return cli;
    }

    test('after a trial that succeeded and one that failed', async () => {
      const cases = (/** @type {Parameters<TrialBenchmark['cases']>[0]} */ options) =>
        benchmark.cases(options).slice(0, 1);
      const { result, stopped } = await runSuite({
        suite: 'semi-sync',
        benchmarks: [
          { ...benchmark, cases },
          {
            ...benchmark,
            name: 'fails',
            cases,
            async script() {
              throw new Error(FAILS);
            },
          },
        ],
        profile: { ...PROFILES.quick, healthySeconds: 0.3, writesPerSecond: 300 },
        seed: 1,
        lanes: 2,
        folder: async () => mkdtempSync(join(folder, 'run-')),
        command: `sentinel-bench run ${benchmark.name}`,
        stack: { backend, system: 'mariadb' },
        progress: { tell() {}, now() {}, stop() {} },
        signal: new AbortController().signal,
      });
      assert.equal(stopped, undefined);
      const [succeeded, failed] = result.benchmarks;
      assert.equal(succeeded.status, 'ok', succeeded.reason);
      assert.match(String(failed.reason), new RegExp(FAILS));
      assert.deepEqual(await left(folder, process.pid), []);
    });

    test('after Ctrl-C', async () => {
      const cli = await startRun();
      cli.kill('SIGINT');
      const { status, stderr } = await cli.ended;
      assert.equal(status, 130, stderr);
      assert.deepEqual(await left(tmp, cli.pid), []);
    });

    test('after SIGKILL and recover', async () => {
      const cli = await startRun();
      cli.kill('SIGKILL');
      await cli.ended;
      assert.notDeepEqual(await left(tmp, cli.pid), [], 'it could not put anything back');
      const { status, stderr } = await runCli(['recover'], { tmp });
      assert.equal(status, 0, stderr);
      assert.deepEqual(await left(tmp, cli.pid), []);
    });
  });
}
