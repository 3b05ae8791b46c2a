/** Deployments of real servers, each a few lines of data, and what an expert would say first. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evidence } from '../../bench/evidence.js';
import { needs } from '../../test/needs.js';
import { certificates } from '../clients/conformance/certificates.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { isAllowed } from './commands.js';
import { deploy, guarded } from './deployments-fixture.js';
import { readAccepted } from './files.js';
import { judge } from './judge.js';
import { placed } from './machines.js';
import { readDeployments } from './read.js';
import { terminalVerdict } from './render.js';

await ownTemporaryFolder();
const skip = await needs('redis-server');
const noOpenssl = await needs('openssl');

const QUICK = ['sentinel down-after-milliseconds mymaster 5000'];
const SAFE = [
  'appendonly yes',
  'appendfsync everysec',
  'save ""',
  'maxmemory 100mb',
  'client-output-buffer-limit replica 0 0 0',
];
const THREE = [{ on: 1 }, { on: 2, follows: 0 }, { on: 3, follows: 0 }];
const BESIDE = [{ on: 1 }, { on: 2 }, { on: 3 }];
const QUOTED = 'it\'s "quoted" \\ and long';

/**
 * @typedef {import('./deployments-fixture.js').Description & {wait?: number, first: string[], unknown?: RegExp, never?: string[], user?: string, accepted?: string,
 *   deployments?: number, after?: (deployed: import('./deployments-fixture.js').StartedDeployment) => Promise<unknown>}} CheckExample
 * @type {Readonly<Record<string, CheckExample>>} first: ids of the first findings
 */
const EXAMPLES = {
  default: {
    nodes: THREE,
    sentinels: BESIDE,
    keys: 30,
    first: ['cut-loses', 'hang-loses', 'planned-loses', 'restart-loses-changes'],
  },
  good: {
    nodes: THREE,
    sentinels: BESIDE,
    conf: [...SAFE, 'min-replicas-to-write 1'],
    sentinelConf: QUICK,
    wait: 2,
    first: ['power-loses', 'stops-without-replica', 'stops-after-failover'],
    accepted: 'docs/examples/accepted.yaml',
  },
  'bad placement': {
    nodes: THREE,
    sentinels: [{ on: 1 }, { on: 3 }, { on: 3 }],
    conf: SAFE,
    sentinelConf: QUICK,
    wait: 1,
    first: ['cut-loses', 'majority-on-one-machine'],
  },
  'mixed settings': {
    nodes: [{ on: 1, conf: ['appendonly no', 'min-replicas-to-write 0'] }, ...THREE.slice(1)],
    sentinels: BESIDE,
    conf: [...SAFE, 'min-replicas-to-write 1'],
    sentinelConf: QUICK,
    first: ['restart-empties', 'cut-loses', 'hang-loses', 'planned-loses', 'durability-differs'],
  },
  'wrong MONITOR': {
    nodes: [...THREE, { on: 4 }, { on: 5, follows: 3 }],
    sentinels: BESIDE,
    conf: SAFE,
    keys: 10,
    first: ['one-name-two-deployments', 'sentinels-disagree'],
    async after({ nodes, control, login: { password = '' } }) {
      for (const index of [1, 2]) {
        const one = await control('sentinels', index);
        await one.call('SENTINEL', 'REMOVE', 'mymaster');
        await one.call('SENTINEL', 'MONITOR', 'mymaster', nodes[3].host, nodes[3].port, 2);
        await one.call('SENTINEL', 'SET', 'mymaster', 'auth-pass', password);
        one.close();
      }
    },
  },
  'two Sentinels': {
    nodes: THREE,
    sentinels: [{ on: 1, quorum: 1 }, { on: 2 }],
    conf: SAFE,
    sentinelConf: QUICK,
    wait: 2,
    first: ['few-sentinels', 'no-failover', 'sentinel-settings-differ'],
  },
  'chained replica': {
    nodes: [{ on: 1 }, { on: 2, follows: 0 }, { on: 3, follows: 1 }],
    sentinels: BESIDE,
    conf: SAFE,
    sentinelConf: QUICK,
    wait: 1,
    first: ['chained-replica'],
  },
  'several masters': {
    nodes: [...THREE, { on: 2 }, { on: 3, follows: 3 }],
    sentinels: BESIDE.map((one) => ({ ...one, watches: { orders: 0, users: 3 } })),
    conf: SAFE,
    wait: 1,
    deployments: 2,
    first: ['hang-loses', 'planned-loses', 'power-loses'],
  },
  'CONFIG denied': {
    nodes: THREE,
    sentinels: BESIDE,
    conf: [...SAFE, 'min-replicas-to-write 1', 'user watcher on nopass +@all -config'],
    sentinelConf: QUICK,
    user: 'watcher',
    wait: 2,
    first: ['stops-without-replica', 'stops-after-failover'],
    unknown: /may not send CONFIG GET \(allow \+config\|get\)/,
    never: ['restart-empties', 'cut-loses'],
  },
  'everything renamed': {
    nodes: THREE,
    sentinels: BESIDE,
    conf: [
      ...SAFE,
      ...['CONFIG', 'SLAVEOF', 'REPLICAOF', 'DEBUG', 'CLIENT'].map((name) => `rename-command ${name} x${name}x`),
    ],
    sentinelConf: QUICK,
    wait: 2,
    first: ['cannot-be-promoted', 'no-failover', 'no-planned-failover'],
  },
  'preferred replica': {
    nodes: [{ on: 1 }, { on: 2, follows: 0, conf: ['replica-priority 10'] }, { on: 3, follows: 0 }],
    sentinels: BESIDE,
    conf: SAFE,
    sentinelConf: QUICK,
    wait: 2,
    first: ['priorities-differ'],
  },
  'names instead of addresses': {
    nodes: [{ on: 1, host: 'localhost' }, ...THREE.slice(1)],
    sentinels: BESIDE,
    conf: [...SAFE, 'bind * -::*'],
    sentinelConf: ['sentinel resolve-hostnames yes', 'sentinel announce-hostnames yes', ...QUICK],
    wait: 2,
    first: ['loopback-announced', 'names-and-addresses'],
  },
  'addresses of another network': {
    nodes: THREE.map((node, index) => ({ ...node, conf: index === 0 ? [] : [`replica-announce-ip 192.0.2.${index}`] })),
    sentinels: BESIDE,
    conf: SAFE,
    sentinelConf: QUICK,
    wait: 2,
    first: ['wrong-address', 'no-failover', 'no-planned-failover'],
  },
};

describe('check says first what an expert would say', { skip, concurrency: 3 }, () => {
  for (const [
    name,
    { wait = 0, first, unknown, never = [], user, accepted, deployments: count = 1, after, ...description },
  ] of Object.entries(EXAMPLES)) {
    test(name, async (t) => {
      const deployed = await deploy(t, description);
      await after?.(deployed);
      await checked(t, deployed.sentinels[0], {
        wait,
        first,
        unknown,
        never,
        count,
        accepted,
        credentials: user ? { username: user, password: 'any' } : deployed.login,
      });
    });
  }

  test('TLS and ACLs, a password with quotes', { skip: noOpenssl }, async (t) => {
    const { tls, options } = await certificates(t, { altName: 'DNS:redis.test' });
    const guards = guarded({
      login: { username: 'app', password: QUOTED, tls },
      sentinelLogin: { username: 'ops', password: QUOTED },
      options,
    });
    const deployed = await deploy(t, {
      nodes: THREE,
      sentinels: BESIDE,
      ...guards,
      conf: [...SAFE, ...guards.conf],
      sentinelConf: [...QUICK, ...guards.sentinelConf],
    });
    const credentials = { username: 'app', password: QUOTED, sentinelUsername: 'ops', sentinelPassword: QUOTED, tls };
    await checked(t, deployed.sentinels[0], { wait: 2, first: ['power-loses'], credentials });
  });
});

/**
 * @param {import('node:test').TestContext} t
 * @param {import('../stacks/types.js').Address} sentinel
 * @param {{wait: number, first: string[], unknown?: RegExp, never?: string[], count?: number, accepted?: string, credentials: import('../stacks/types.js').Credentials}} expected
 */
async function checked(t, sentinel, { wait, first, unknown, never = [], count = 1, accepted, credentials }) {
  /** @type {string[]} */
  const sent = [];
  const found = await readDeployments([sentinel], { credentials, trace: (line) => sent.push(line) });
  const asks = { wait, evidence, now: new Date(), ...(accepted && { accepted: await readAccepted(accepted) }) };
  const judgements = found.map((each) => judge(placed(each, []), asks));
  const text = terminalVerdict(judgements, { wait });
  if (process.env.SHOW) t.diagnostic(`${sent.length} lines of trace\n${text}`);
  assert.equal(judgements.length, count);
  const ids = judgements[0].findings.map(({ id }) => id);
  assert.deepEqual(ids.slice(0, first.length), first, text);
  if (accepted)
    assert.ok(
      judgements[0].findings.every((each) => each.accepted !== null),
      text,
    );
  for (const id of never) assert.ok(!ids.includes(id), text);
  if (unknown) assert.match(text, unknown);
  assert.ok(text.split('\n').length <= 25 * count, text);
  const commands = sent.filter((line) => !line.includes('  connect ')).map((line) => line.split('  ')[1].split(' '));
  assert.ok(commands.every(isAllowed));
}
