import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { startHaproxy } from '../../src/load/writers/haproxy.js';
import { PROFILES } from '../../src/run/profiles.js';
import { runSuite } from '../../src/run/suite.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { isPortFree } from '../../src/stacks/ports.js';
import { needs } from '../../test/needs.js';
import { behindHaproxy } from './scenarios.js';

const folder = await ownTemporaryFolder();
const skip = await needs('server', 'relay', 'haproxy');

describe('clients behind HAProxy', { skip }, () => {
  test('lose in a partition what they wrote to the old primary', async () => {
    const { cases } = behindHaproxy;
    const { result, stopped } = await runSuite({
      suite: 'proxy',
      benchmarks: [
        { ...behindHaproxy, cases: (options) => cases(options).filter(({ params }) => params.mode === 'async') },
      ],
      profile: { ...PROFILES.quick, trials: 1, healthySeconds: 1 },
      seed: 1,
      lanes: 1,
      folder: async () => folder,
      command: 'sentinel-bench run behind-haproxy',
      stack: { backend: 'local' },
      progress: { tell() {}, now() {}, stop() {} },
      signal: new AbortController().signal,
    });
    assert.equal(stopped, undefined);
    const [{ status, reason, audit = [] }] = result.benchmarks;
    assert.equal(status, 'ok', reason);
    const lostBy = (/** @type {string} */ name) => audit.find(({ writer }) => writer === name)?.ackedLost ?? -1;
    assert.ok(lostBy('haproxy') > 0, 'the old primary acknowledged writes, and they are gone');
    assert.ok(lostBy('failover-aware') >= 0);
  });

  test('HAProxy ends with a process that is killed', async () => {
    const port = 23_458;
    const module = new URL('../../src/load/writers/haproxy.js', import.meta.url).href;
    const script = `const { startHaproxy } = await import('${module}'); startHaproxy([], ${port}); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    try {
      await eventually('it listens', async () => !(await isPortFree(port)));
    } finally {
      owner.kill('SIGKILL');
    }
    await eventually('its port is free', () => isPortFree(port));
  });

  test('a HAProxy that cannot start says why, and one that is ended frees its port', async () => {
    const node = { id: 'redis-1', address: { host: '127.0.0.1', port: 1 }, announced: { host: '127.0.0.1', port: 1 } };
    const port = 23_457;
    const proxy = startHaproxy([node], port);
    await eventually('it listens', async () => !(await isPortFree(port)));
    await proxy.end();
    await eventually('its port is free', () => isPortFree(port));
    await assert.rejects(startHaproxy([{ ...node, id: 'no name' }], port).ended, /HAProxy ended: /);
  });
});
