import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { certificates } from '../../src/clients/conformance/certificates.js';
import { programPath } from '../../src/programs.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { freePort } from '../../src/stacks/ports.js';
import { confWord } from '../../src/stacks/redis/conf.js';
import { connectControl } from '../../src/stacks/redis/control.js';
import { needs } from '../../test/needs.js';
import { failOver, startWriters } from './failover-script-fixture.js';

/**
 * @import { Login } from '../../src/stacks/redis/control.js'
 * @import { NodeInfo } from '../../src/stacks/types.js'
 * @import { TestContext } from 'node:test'
 * @import { Deployment } from './failover-script-fixture.js'
 */

/**
 * examples/planned-failover.sh on deployments that ask who calls: users with passwords that mean something to a shell, and TLS.
 */

const folder = await ownTemporaryFolder();
const noOpenssl = await needs('openssl');
const HOST = '127.0.0.1';
const NAME = 'my.master-1';
/** Whoever puts these into a command line or a shell unquoted does something else. */
const NODE_PASSWORD = `it's a "secret" $(touch ${join(folder, 'owned')}) \\ ; #`;
const SENTINEL_PASSWORD = `other 'quotes" && \`touch ${join(folder, 'owned')}\``;

/**
 * Three nodes and three Sentinels with a configuration of their own, ended with the test.
 *
 * @param {TestContext} t
 * @param {string} server
 * @param {Object} how
 * @param {Login} how.node
 * @param {Login} how.sentinel
 * @param {string[]} [how.tls] lines for both
 * @returns {Promise<Deployment>}
 */
async function deploy(t, server, { node, sentinel, tls = [] }) {
  const ports = /** @type {number[]} */ ([]);
  while (ports.length < 6) ports.push(await freePort(new Set(ports)));
  const [first] = ports;
  const listen = (/** @type {number} */ port) => (tls.length > 0 ? ['port 0', `tls-port ${port}`] : [`port ${port}`]);
  const user = (/** @type {Login} */ { username, password }) =>
    password === undefined ? [] : [`user default off`, `user ${username} on ~* &* +@all ${confWord(`>${password}`)}`];
  const conf = (/** @type {number} */ port, /** @type {number} */ index) => [
    ...listen(port),
    `bind ${HOST}`,
    ...tls,
    ...(index < 3
      ? [
          'save ""',
          'repl-diskless-sync-delay 0',
          ...user(node),
          ...(node.password === undefined
            ? []
            : [`masteruser ${node.username}`, `masterauth ${confWord(node.password)}`]),
          ...(index > 0 ? [`replicaof ${HOST} ${first}`] : []),
        ]
      : [
          `sentinel monitor ${NAME} ${HOST} ${first} 2`,
          `sentinel down-after-milliseconds ${NAME} 10000`,
          ...user(sentinel),
          ...(sentinel.password === undefined
            ? []
            : [`sentinel sentinel-user ${sentinel.username}`, `sentinel sentinel-pass ${confWord(sentinel.password)}`]),
          ...(node.password === undefined
            ? []
            : [`sentinel auth-user ${NAME} ${node.username}`, `sentinel auth-pass ${NAME} ${confWord(node.password)}`]),
        ]),
  ];
  for (const [index, port] of ports.entries()) {
    const dir = join(folder, `${port}`);
    mkdirSync(dir);
    const file = join(dir, 'conf');
    writeFileSync(file, `${[...conf(port, index), `dir ${confWord(dir)}`].join('\n')}\n`);
    const child = spawn(server, [file, ...(index < 3 ? [] : ['--sentinel'])], { stdio: 'ignore' });
    t.after(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
  }
  /** @type {NodeInfo[]} */
  const nodes = ports.map((port, index) => ({
    id: index < 3 ? `redis-${index + 1}` : `sentinel-${index - 2}`,
    kind: index < 3 ? 'redis' : 'sentinel',
    address: { host: HOST, port },
    announced: { host: HOST, port },
  }));
  const sentinelNode = nodes[3];
  /** @param {...string} words */
  const askSentinel = async (...words) => {
    const control = await connectControl(sentinelNode.address, sentinel);
    try {
      return /** @type {any} */ (await control.call('SENTINEL', ...words));
    } finally {
      control.close();
    }
  };
  const valueIn = (/** @type {string[]} */ words, /** @type {string} */ name) => words[words.indexOf(name) + 1];
  await eventually('the Sentinels know each other and both replicas, which are in sync', async () => {
    try {
      const master = /** @type {string[]} */ (await askSentinel('MASTER', NAME));
      const replicas = /** @type {string[][]} */ (await askSentinel('REPLICAS', NAME));
      return (
        valueIn(master, 'num-other-sentinels') === '2' &&
        replicas.length === 2 &&
        replicas.every((one) => valueIn(one, 'master-link-status') === 'ok')
      );
    } catch {
      return false;
    }
  });
  return {
    nodes,
    masterName: NAME,
    login: node,
    async primary() {
      const [, port] = /** @type {string[]} */ (await askSentinel('GET-MASTER-ADDR-BY-NAME', NAME));
      return /** @type {NodeInfo} */ (nodes.find(({ address }) => `${address.port}` === port));
    },
  };
}

/**
 * @param {Deployment} deployment
 * @param {Parameters<typeof failOver>[1]} how
 */
async function losesNothing(deployment, how) {
  const former = await deployment.primary();
  const writers = startWriters(deployment);
  await eventually('writes are acknowledged', () => writers.acked.length > 100);
  const { status, output } = await failOver(deployment, how).ended;
  assert.equal(status, 0, output);
  assert.notEqual((await deployment.primary()).id, former.id);
  const ackedBefore = writers.acked.length;
  await eventually('writes go on', () => writers.acked.length > ackedBefore + 100);
  const { lost } = await writers.stop();
  assert.equal(lost, 0);
  return output;
}

for (const flavour of ['redis', 'valkey']) {
  const server = `${flavour}-server`;
  const cli = String(programPath(`${flavour}-cli`));

  describe(`the safe failover with ${flavour}-cli`, { skip: await needs(server) }, () => {
    const node = { username: 'operator', password: NODE_PASSWORD };
    const sentinel = { username: 'watcher', password: SENTINEL_PASSWORD };
    const users = ['--user', 'operator', '--sentinel-user', 'watcher'];
    const env = { REDISCLI_AUTH: NODE_PASSWORD, SENTINEL_AUTH: SENTINEL_PASSWORD };

    test('users and passwords with quotes, spaces and commands, not visible to other users', async (t) => {
      const deployment = await deploy(t, server, { node, sentinel });
      // Every command line of the client, as `ps` shows it.
      const seen = join(folder, `${flavour}-arguments`);
      const spy = join(folder, `${flavour}-spy`);
      writeFileSync(spy, `#!/bin/sh\nprintf '%s\\n' "$*" >> '${seen}'\nexec '${cli}' "$@"\n`, { mode: 0o700 });
      const output = await losesNothing(deployment, { cli: spy, args: users, env });
      for (const text of [output, readFileSync(seen, 'utf8')]) assert.doesNotMatch(text, /secret|other 'quotes/);
      assert.throws(() => readFileSync(join(folder, 'owned')), /ENOENT/);
    });

    test('TLS with an authority of its own', { skip: noOpenssl }, async (t) => {
      const { caFile, tls, options } = await certificates(t);
      const lines = [
        ...Array.from(
          { length: options.length / 2 },
          (_, pair) => `${options[2 * pair].slice(2)} ${options[2 * pair + 1]}`,
        ),
        'tls-replication yes',
      ];
      const login = { tls };
      const deployment = await deploy(t, server, { node: login, sentinel: login, tls: lines });
      await losesNothing(deployment, { cli, args: ['--tls', '--cacert', caFile] });
      const plain = await failOver(deployment, { cli }).ended;
      assert.equal(plain.status, 3, plain.output);
      const other = join(folder, 'other.crt');
      const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', join(folder, 'other.key')];
      execFileSync('openssl', ['req', '-x509', ...key, '-out', other, '-subj', '/CN=other', '-days', '1'], {
        stdio: 'ignore',
      });
      const untrusted = await failOver(deployment, { cli, args: ['--tls', '--cacert', other] }).ended;
      assert.equal(untrusted.status, 3, untrusted.output);
    });
  });
}
