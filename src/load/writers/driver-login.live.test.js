/**
 * Every driver that is built here writes to a real deployment with TLS, client certificates, ACL users and passwords with quotes, and
 * finds the new primary of a failover there.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { createLedger, openLedger, State } from '../../audit/ledger.js';
import { certificates } from '../../clients/conformance/certificates.js';
import { connectPatiently, startNode, until } from '../../clients/conformance/nodes.js';
import { readLanguages } from '../../drivers/manifest.js';
import { driverWriter } from '../../drivers/writer-name.js';
import { ownTemporaryFolder } from '../../stacks/fixture.js';
import { freePort } from '../../stacks/ports.js';
import { clockMs } from '../../stats/clock.js';
import { createDriverWriter } from './driver-writer.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Address, Credentials } from '../../stacks/types.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 */

const RATE = 20;
const LEDGER = RATE * 180;
const MASTER = 'mymaster';
/** Characters that a shell, JSON, a URL and redis.conf each treat in their own way. */
const USER = { username: 'app', password: `p"a's$ %41\\@:/é#` };
const SENTINEL_USER = { username: 'watcher', password: `s'e" \\n&?` };
const ALL = ['on', '~*', '&*', '+@all'];

const folder = await ownTemporaryFolder();
const skip = await needs('redis-server', 'openssl');
const drivers = readLanguages().flatMap((language) => language.drivers.filter(({ missing }) => missing === null));

/**
 * A primary, a replica and three Sentinels, which want certificates of their clients.
 *
 * @param {TestContext} t
 * @param {string} altName in the certificates
 * @param {string} [serverName] that clients expect there; default: the address
 */
async function startDeployment(t, altName, serverName) {
  const made = await certificates(t, { altName });
  const tls = { ca: made.tls.ca, ...made.client, ...(serverName && { serverName }) };
  const strict = made.options.map((word, index) => (made.options[index - 1] === '--tls-auth-clients' ? 'yes' : word));
  const start = async () => {
    const node = await startNode([...strict, '--tls-replication', 'yes'], { tls });
    t.after(node.close);
    return node;
  };
  const nodes = [await start(), await start()];
  const [primary, replica] = nodes;
  for (const node of nodes) {
    await node.call('CONFIG', 'SET', 'masteruser', USER.username);
    await node.call('CONFIG', 'SET', 'masterauth', USER.password);
    await node.call('ACL', 'SETUSER', USER.username, `>${USER.password}`, ...ALL);
  }
  await replica.call('REPLICAOF', primary.address.host, primary.address.port);
  const sentinels = [];
  for (let number = 1; number <= 3; number++) {
    sentinels.push(await startSentinel(t, primary.address, { number, strict, tls }));
  }
  // Connections that are open stay logged in.
  for (const node of nodes) await node.call('ACL', 'SETUSER', 'default', 'off');
  for (const { control } of sentinels) {
    await control.call('ACL', 'SETUSER', 'default', 'off');
    const countOf = async (/** @type {string} */ what) => {
      const answer = await control.call('SENTINEL', what, MASTER);
      return Array.isArray(answer) ? answer.length : 0;
    };
    await until(async () => (await countOf('REPLICAS')) === 1, 'a Sentinel knows the replica');
    await until(async () => (await countOf('SENTINELS')) === 2, 'the Sentinels know each other');
  }
  return { nodes, replica, sentinels, tls };
}

/**
 * @param {TestContext} t
 * @param {Address} primary
 * @param {{number: number, strict: string[], tls: NonNullable<Credentials['tls']>}} options
 */
async function startSentinel(t, primary, { number, strict, tls }) {
  const address = { host: '127.0.0.1', port: await freePort() };
  const conf = join(folder, `sentinel-${number}-${address.port}.conf`);
  const words = strict.map((word) => (word.startsWith('--') ? `\n${word.slice(2)}` : ` ${word}`)).join('');
  await writeFile(
    conf,
    `port 0\ntls-port ${address.port}\nbind 127.0.0.1\ndir ${folder}\ntls-replication yes${words}
sentinel monitor ${MASTER} ${primary.host} ${primary.port} 2
sentinel down-after-milliseconds ${MASTER} 5000
sentinel failover-timeout ${MASTER} 10000\n`,
  );
  const child = spawn('redis-server', [conf, '--sentinel'], { stdio: 'ignore' });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  /** @type {Awaited<ReturnType<typeof connectPatiently>> | undefined} */
  let connected;
  await until(async () => {
    connected = await connectPatiently(address, { tls }).catch(() => undefined);
    return connected !== undefined;
  }, 'the Sentinel answers');
  const control = /** @type {NonNullable<typeof connected>} */ (connected);
  t.after(() => control.close());
  await control.call('ACL', 'SETUSER', SENTINEL_USER.username, `>${SENTINEL_USER.password}`, ...ALL);
  await control.call('SENTINEL', 'CONFIG', 'SET', 'sentinel-user', SENTINEL_USER.username);
  await control.call('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', SENTINEL_USER.password);
  await control.call('SENTINEL', 'SET', MASTER, 'auth-user', USER.username);
  await control.call('SENTINEL', 'SET', MASTER, 'auth-pass', USER.password);
  return { address, control };
}

/**
 * @param {TestContext} t
 * @param {Awaited<ReturnType<typeof startDeployment>>} deployment
 * @param {string} [wanted] variant, of those that have it
 */
async function startDrivers(t, { nodes, sentinels, tls }, wanted = 'defaults') {
  /** @type {Credentials} */
  const credentials = {
    ...USER,
    sentinelUsername: SENTINEL_USER.username,
    sentinelPassword: SENTINEL_USER.password,
    tls,
  };
  /** @type {WriterPlan[]} */
  const plans = drivers.map(({ name, variants }) => ({
    name: driverWriter(name, wanted in variants ? wanted : undefined),
    rate: RATE,
    connections: 2,
    shape: {
      payloadBytes: 40,
      pipeline: 1,
      waitReplicas: 1,
      waitTimeoutMs: 1000,
      waitMode: 'sequential',
      keyPrefix: `sentinel-bench:${name}:`,
    },
    ledger: createLedger(LEDGER).buffer,
  }));
  /** @type {TrialPlan} */
  const trial = {
    writers: plans,
    nodes: nodes.map(({ address }, index) => ({ id: `redis-${index}`, address, announced: address })),
    sentinels: sentinels.map(({ address }) => address),
    masterName: MASTER,
    credentials,
    giveUpMs: 5000,
    drainMs: 3000,
  };
  const all = plans.map((plan) => createDriverWriter(plan, trial));
  t.after(() => Promise.all(all.map((one) => one.close())));
  const opened = await Promise.allSettled(all.map((one) => one.open()));
  /** Why a driver could not connect, by its name. @type {Record<string, string>} */
  const failed = {};
  /** @type {{name: string, states: Uint8Array}[]} */
  const writing = [];
  for (const [index, result] of opened.entries()) {
    const [{ name }, one] = [drivers[index], all[index]];
    if (result.status === 'rejected') {
      failed[name] = result.reason.detail ?? String(result.reason);
      continue;
    }
    one.account.beganAt = clockMs();
    one.begin();
    const ticker = setInterval(() => one.tick(clockMs()), 5);
    t.after(() => clearInterval(ticker));
    writing.push({ name, states: openLedger(/** @type {SharedArrayBuffer} */ (plans[index].ledger)).states });
  }
  return {
    failed,
    /** @param {string} what from now on */
    async write(what) {
      const from = writing.map(({ states }) => states.findLastIndex((state) => state !== State.none) + 1);
      const silent = () =>
        writing.filter(({ states }, i) => !states.subarray(from[i]).includes(State.acked)).map(({ name }) => name);
      await until(() => silent().length === 0, what).catch(() => assert.deepEqual(silent(), [], what));
    },
  };
}

describe('a deployment with TLS, client certificates, users and passwords with quotes', {
  skip: skip || (drivers.length === 0 && 'no driver is built'),
}, () => {
  // With its default options fred never connects again.
  test('every driver writes there with its best options, and finds the new primary of a failover', async (t) => {
    const deployment = await startDeployment(t, 'IP:127.0.0.1');
    const { failed, write } = await startDrivers(t, deployment, 'best');
    assert.deepEqual(failed, {});
    await write('each writes');
    const { sentinels, tls } = deployment;
    await sentinels[0].control.call('SENTINEL', 'FAILOVER', MASTER);
    // A failover disconnects whoever is connected to the replica.
    const replication = async () => {
      try {
        const control = await connectPatiently(deployment.replica.address, { ...USER, tls });
        return await control.call('INFO', 'replication').finally(control.close);
      } catch {
        return '';
      }
    };
    // By then no replica is left that could confirm a write to the old primary.
    await until(
      async () => /role:master[\s\S]*state=online/.test(String(await replication())),
      'the old primary follows',
    );
    await write('each writes to the new primary');
  });
});
