import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { describeEnvironment, publicConfig } from './environment.js';

test('the environment is described quickly, without names', async () => {
  /** @type {Awaited<ReturnType<typeof describeEnvironment>> | null} */
  let environment = null;
  // Several times: the first also loads the library. A busy machine delays the timer, too.
  for (let turn = 0; environment === null && turn < 5; turn++)
    environment = await Promise.race([describeEnvironment(), delay(1000, null, { ref: false })]);
  assert.ok(environment, 'within a second');

  assert.equal(environment.cores, os.cpus().length);
  assert.equal(environment.memoryBytes, os.totalmem());
  assert.equal(environment.node, process.versions.node);
  assert.ok(environment.kernel.endsWith(os.release()));
  assert.ok(environment.cpuModel.length > 0);
  assert.ok(environment.os.length > 0);
  assert.deepEqual(Object.keys(environment.clients), ['redis', 'ioredis', 'mysql2']);
  for (const version of Object.values(environment.clients)) assert.match(version, /^\d+\.\d+\.\d+/);

  const text = JSON.stringify(environment);
  assert.doesNotMatch(text, /"\//, 'no absolute path');
  assert.ok(!text.includes(process.cwd()));
  assert.ok(!text.includes(`"${os.hostname()}"`));
});

test('an unknown setting is left out if its value is a path or an address', () => {
  const config = {
    'new-limit': '60 80',
    'new-place': '/var/lib/somewhere',
    'new-list': 'yes,/srv/one',
    'new-peer': 'tcp 10.1.2.3:6379',
    'new-peer-6': 'fe80::1',
    'new-Secret-token': 'abc',
    'new-format': '%d/%m',
  };
  assert.deepEqual(publicConfig(config), { 'new-format': '%d/%m', 'new-limit': '60 80' });
});
