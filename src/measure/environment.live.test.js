import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { needs } from '../../test/needs.js';
import { toRecord } from '../stacks/redis/observe.js';
import { publicConfig } from './environment.js';
import { startServer } from './fixture.js';

const SECRET = 'correct-horse-battery';
const NAME_OF_A_HOST = 'db17.example.internal';

for (const program of ['redis-server', 'valkey-server']) {
  test(`what ${program} reports is published without secrets, paths and addresses`, {
    skip: await needs(program),
  }, async (t) => {
    const { control, folder } = await startServer(
      t,
      program,
      (folder) => [
        ...['--requirepass', SECRET, '--masterauth', SECRET, '--masteruser', 'somebody', '--tls-key-file-pass', SECRET],
        ...['--logfile', path.join(folder, 'log'), '--pidfile', path.join(folder, 'pid')],
        ...['--unixsocket', path.join(folder, 'socket'), '--bind', '127.0.0.1 -::1', '--bind-source-addr', '127.0.0.1'],
        ...['--replicaof', `${NAME_OF_A_HOST} 6379`, '--replica-announce-ip', NAME_OF_A_HOST],
        ...['--cluster-announce-hostname', NAME_OF_A_HOST, '--syslog-ident', NAME_OF_A_HOST],
        ...['--min-replicas-to-write', '1'],
      ],
      { password: SECRET },
    );
    const all = toRecord(await control.call('CONFIG', 'GET', '*'));
    assert.equal(all.requirepass, SECRET, 'the server is set up as this test believes');
    const published = publicConfig(all);

    const text = JSON.stringify(published);
    for (const hidden of [SECRET, 'somebody', folder, os.tmpdir(), os.hostname(), NAME_OF_A_HOST, '127.0.0.1', '::1']) {
      assert.ok(!Object.values(published).some((value) => value.includes(hidden)), `${hidden} is in ${text}`);
    }
    for (const [name, value] of Object.entries(published)) {
      assert.doesNotMatch(value, /(^|\s)\/|\d+\.\d+\.\d+\.\d+/, `${name} is a path or an address`);
      assert.doesNotMatch(name, /pass|auth|secret/);
    }
    assert.equal(published['min-replicas-to-write'], '1');
    assert.match(published['client-output-buffer-limit'], /^normal 0 0 0 slave 268435456 67108864 60 pubsub/);
    assert.equal(published['repl-backlog-size'], all['repl-backlog-size']);
    assert.ok(Object.keys(published).length > 0.7 * Object.keys(all).length, 'most settings are published');
  });
}
