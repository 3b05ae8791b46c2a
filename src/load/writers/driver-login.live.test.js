/**
 * Every driver that is built here writes to a real deployment with TLS, client certificates, ACL users and passwords with quotes, and
 * finds the new primary of a failover there.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { createLedger, openLedger, State } from '../../audit/ledger.js';
import { deploy, guarded } from '../../check/deployments-fixture.js';
import { certificates } from '../../clients/conformance/certificates.js';
import { until } from '../../clients/conformance/nodes.js';
import { shapeOf } from '../../clients/fixture.js';
import { readLanguages } from '../../drivers/manifest.js';
import { driverWriter } from '../../drivers/writer-name.js';
import { ownTemporaryFolder } from '../../stacks/fixture.js';
import { clockMs } from '../../stats/clock.js';
import { createWriter } from './driver-writer.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { StartedDeployment } from '../../check/deployments-fixture.js'
 * @import { Credentials } from '../../stacks/types.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 */

const RATE = 20;
const LEDGER = RATE * 180;
const MASTER = 'mymaster';
/** Characters that a shell, JSON, a URL and redis.conf each treat in their own way. */
const USER = { username: 'app', password: `p"a's$ %41\\@:/é#` };
const SENTINEL_USER = { username: 'watcher', password: `s'e" \\n&?` };

await ownTemporaryFolder();
const skip = await needs('redis-server', 'openssl');
const drivers = readLanguages().flatMap((language) => language.drivers.filter(({ missing }) => missing === null));

/**
 * @param {TestContext} t
 * @returns {Promise<StartedDeployment>} a primary, a replica and three Sentinels, which want certificates of their clients
 */
async function startDeployment(t) {
  const made = await certificates(t, { altName: 'IP:127.0.0.1' });
  const tls = { ca: made.tls.ca, ...made.client };
  const options = made.options.map((word, index) => (made.options[index - 1] === '--tls-auth-clients' ? 'yes' : word));
  const guards = guarded({ login: { ...USER, tls }, sentinelLogin: SENTINEL_USER, options });
  return deploy(t, {
    ...{ ...guards, address: '127.0.0.1' },
    nodes: [{ on: 1 }, { on: 2, follows: 0 }],
    sentinels: [{ on: 1 }, { on: 2 }, { on: 3 }],
    sentinelConf: [
      ...guards.sentinelConf,
      ...[`sentinel down-after-milliseconds ${MASTER} 5000`, `sentinel failover-timeout ${MASTER} 10000`],
    ],
  });
}

/**
 * @param {TestContext} t
 * @param {StartedDeployment} deployment
 */
async function startDrivers(t, { nodes, sentinels, login }) {
  /** @type {Credentials} */
  const credentials = {
    ...login,
    sentinelUsername: SENTINEL_USER.username,
    sentinelPassword: SENTINEL_USER.password,
  };
  /** @type {WriterPlan[]} */
  const plans = drivers.map(({ name, variants }) => ({
    name: driverWriter(name, 'best' in variants ? 'best' : undefined),
    rate: RATE,
    connections: 2,
    shape: shapeOf({ payloadBytes: 40, waitReplicas: 1, waitMode: 'sequential', keyPrefix: `sentinel-bench:${name}:` }),
    ledger: createLedger(LEDGER).buffer,
  }));
  /** @type {TrialPlan} */
  const trial = {
    writers: plans,
    nodes: nodes.map((address, index) => ({ id: `redis-${index}`, address, announced: address })),
    sentinels,
    masterName: MASTER,
    credentials,
    giveUpMs: 5000,
    drainMs: 3000,
  };
  const all = plans.map((plan) => createWriter(plan, trial));
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
    const deployment = await startDeployment(t);
    const { failed, write } = await startDrivers(t, deployment);
    assert.deepEqual(failed, {});
    await write('each writes');
    const one = await deployment.control('sentinels', 0);
    await one.call('SENTINEL', 'FAILOVER', MASTER).finally(one.close);
    // A failover disconnects whoever is connected to the replica.
    const replication = async () => {
      try {
        const control = await deployment.control('nodes', 1);
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
