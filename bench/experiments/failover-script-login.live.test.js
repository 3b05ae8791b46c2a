import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { deploy, guarded } from '../../src/check/deployments-fixture.js';
import { certificates } from '../../src/clients/conformance/certificates.js';
import { programPath } from '../../src/programs.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { toRecord } from '../../src/stacks/redis/observe.js';
import { needs } from '../../test/needs.js';
import { failOver, startWriters } from './failover-script-fixture.js';

/**
 * @import { NodeInfo } from '../../src/stacks/types.js'
 * @import { TestContext } from 'node:test'
 * @import { ScriptDeployment } from './failover-script-fixture.js'
 */

/**
 * examples/planned-failover.sh on deployments that ask who calls: users with passwords that mean something to a shell, and TLS.
 */

const folder = await ownTemporaryFolder();
const noOpenssl = await needs('openssl');
const NAME = 'my.master-1';
const MACHINES = [1, 2, 3];
/** Whoever puts these into a command line or a shell unquoted does something else. */
const NODE_PASSWORD = `it's a "secret" $(touch ${join(folder, 'owned')}) \\ ; #`;
const SENTINEL_PASSWORD = `other 'quotes" && \`touch ${join(folder, 'owned')}\``;

/**
 * @param {TestContext} t
 * @param {string} server
 * @param {Parameters<typeof guarded>[0]} how
 * @returns {Promise<ScriptDeployment>} three nodes and three Sentinels
 */
async function started(t, server, how) {
  const guards = guarded({ ...how, name: NAME });
  const { login, control, ...at } = await deploy(t, {
    ...{ server, ...guards },
    nodes: MACHINES.map((on) => ({ on, ...(on > 1 && { follows: 0 }) })),
    sentinels: MACHINES.map((on) => ({ on, watches: { [NAME]: 0 } })),
    sentinelConf: [...guards.sentinelConf, `sentinel down-after-milliseconds ${NAME} 10000`],
  });
  const nodes = /** @type {const} */ ([
    ['redis', at.nodes],
    ['sentinel', at.sentinels],
  ]).flatMap(([kind, all]) =>
    all.map((address, i) => /** @type {NodeInfo} */ ({ id: `${kind}-${i + 1}`, kind, address, announced: address })),
  );
  const ask = async (/** @type {string} */ what) => {
    const one = await control('sentinels', 0);
    return one.call('SENTINEL', what, NAME).finally(one.close);
  };
  await eventually('the Sentinels see both replicas in sync', async () => {
    const replicas = /** @type {unknown[]} */ (await ask('REPLICAS')).map(toRecord);
    return replicas.length === 2 && replicas.every((each) => each['master-link-status'] === 'ok');
  });
  return {
    ...{ nodes, masterName: NAME, login },
    async primary() {
      const [host, port] = /** @type {string[]} */ (await ask('GET-MASTER-ADDR-BY-NAME'));
      const found = nodes.find(({ address }) => address.host === host && `${address.port}` === port);
      return /** @type {NodeInfo} */ (found);
    },
  };
}

/** @param {ScriptDeployment} deployment @param {Parameters<typeof failOver>[1]} how */
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
      const deployment = await started(t, server, { login: node, sentinelLogin: sentinel });
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
      const deployment = await started(t, server, { login: { tls }, options });
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
