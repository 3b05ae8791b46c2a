import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { startHaproxy } from '../../src/load/writers/haproxy.js';
import { assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { isPortFree } from '../../src/stacks/hosts/ports.js';
import { needs } from '../../test/needs.js';
import { SCENARIOS } from './scenarios.js';

const [behindHaproxy] = SCENARIOS;

const folder = await ownTemporaryFolder();
const skip = await needs('server', 'relay', 'haproxy');

describe('clients behind HAProxy', { skip }, () => {
  test('lose in a partition what they wrote to the old primary', async () => {
    const [measured] = (
      await resultOf({
        benchmarks: [only(behindHaproxy, ({ params }) => params.mode === 'async')],
        profile: { healthySeconds: 1 },
        folder: async () => folder,
      })
    ).benchmarks;
    assertMeasured(measured);
    const { audit = [] } = measured;
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
