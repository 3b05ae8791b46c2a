/** For tests only: deployments of real servers on loopback addresses, each described by a few lines of data. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../stacks/hosts/ports.js';
import { confWord } from '../stacks/redis/conf.js';
import { connectControl } from '../stacks/redis/control.js';
import { toRecord } from '../stacks/redis/observe.js';
import { waitFor } from '../wait.js';

/**
 * @import { Login } from '../stacks/redis/control.js'
 * @import { Address } from '../stacks/types.js'
 * @import { ChildProcess } from 'node:child_process'
 *
 * @typedef {Object} Description
 * @property {readonly NodeLine[]} nodes
 * @property {readonly SentinelLine[]} sentinels
 * @property {readonly string[]} [conf] lines of every node
 * @property {readonly string[]} [sentinelConf] lines of every Sentinel
 * @property {string} [server] program; default: redis-server
 * @property {Login} [login] of the nodes
 * @property {Login} [sentinelLogin]
 * @property {number} [keys] written before the Sentinels start
 * @property {string} [address] of all; default: each machine has one of its own
 *
 * @typedef {{on: number, follows?: number, conf?: readonly string[], host?: string}} NodeLine on: number of its machine; follows: index of a node;
 *   host: name that others use
 * @typedef {{on: number, watches?: Readonly<Record<string, number>>, quorum?: number, conf?: readonly string[]}} SentinelLine watches: index of the primary by
 *   name; default: mymaster, the first
 *
 * @typedef {Object} StartedDeployment
 * @property {Address[]} nodes
 * @property {Address[]} sentinels
 * @property {Login} login of the nodes
 * @property {(kind: 'nodes' | 'sentinels', index: number) => Promise<import('../stacks/redis/control.js').Control>} control
 */

/** Redis 7 takes connections from 127.x.y.z for foreign ones, so without a password protected-mode would refuse them. */
const PASSWORD = 'a-password-1';
const DEADLINE_MS = 40_000;

/** @param {() => Promise<unknown>} condition @param {string} what */
async function until(condition, what) {
  const isTrue = () => condition().catch(() => false);
  if (!(await waitFor(isTrue, { deadlineMs: DEADLINE_MS, pollMs: 100 }))) throw new Error(`not in time: ${what}`);
}

/** Each test process has machines of its own: addresses 127.x.y.1, 127.x.y.2 … */
let next = 1;
const subnet = () => `127.${10 + (process.pid % 200)}.${next++}`;

/**
 * @param {{login: Login, sentinelLogin?: Login, options?: readonly string[], name?: string}} how options: of servers with certificates; name: of the
 *   deployment
 * @returns {Required<Pick<Description, 'login' | 'sentinelLogin' | 'conf' | 'sentinelConf'>>} of servers that ask who calls
 */
export function guarded({ login, sentinelLogin = {}, options = [], name = 'mymaster' }) {
  const files = options.flatMap((word, index) => (index % 2 === 0 ? [`${word.slice(2)} ${options[index + 1]}`] : []));
  if (files.length > 0) files.push('tls-replication yes');
  const lines = (
    /** @type {Login} */ { username, password },
    /** @type {(user: string, word: string) => string[]} */ of,
  ) => (password === undefined ? [] : of(String(username), confWord(password)));
  const users = (/** @type {Login} */ one) =>
    lines(one, (user) => [`user ${user} on ${confWord(`>${one.password}`)} ~* &* +@all`, 'user default off']);
  return {
    login,
    sentinelLogin,
    conf: [
      ...(login.password === undefined ? ['protected-mode no'] : []),
      ...files,
      ...users(login),
      ...lines(login, (user, word) => [`masteruser ${user}`, `masterauth ${word}`]),
    ],
    sentinelConf: [
      ...files,
      ...users(sentinelLogin),
      ...lines(sentinelLogin, (user, word) => [`sentinel sentinel-user ${user}`, `sentinel sentinel-pass ${word}`]),
      ...lines(login, (user, word) => [`sentinel auth-user ${name} ${user}`, `sentinel auth-pass ${name} ${word}`]),
    ],
  };
}

/**
 * @param {{after: (undo: () => unknown) => void}} t
 * @param {Description} description
 * @returns {Promise<StartedDeployment>} the replicas follow, and the Sentinels know each other
 */
export async function deploy(
  t,
  {
    nodes,
    sentinels,
    conf = [],
    sentinelConf = [],
    server = 'redis-server',
    login: given,
    sentinelLogin,
    keys = 0,
    address,
  },
) {
  const login = given ?? { password: PASSWORD };
  const secrets = given ? [] : [`requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`];
  const net = subnet();
  const dir = await mkdtemp(join(tmpdir(), 'check-'));
  /** @type {ChildProcess[]} */
  const children = [];
  t.after(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const place = async (/** @type {{on: number}} */ { on }) => ({
    host: address ?? `${net}.${on}`,
    port: await freePort(),
  });
  const at = { nodes: await Promise.all(nodes.map(place)), sentinels: await Promise.all(sentinels.map(place)) };
  const named = (/** @type {number} */ index) => nodes[index].host ?? at.nodes[index].host;
  const run = async (
    /** @type {Address} */ { host, port },
    /** @type {string} */ name,
    /** @type {readonly string[]} */ lines,
    /** @type {string[]} */ flags = [],
  ) => {
    const own = join(dir, name);
    await mkdir(own);
    const file = join(own, 'conf');
    const first = [`bind ${host}`, login.tls ? `port 0\ntls-port ${port}` : `port ${port}`, `dir ${own}`];
    await writeFile(file, `${[...first, ...lines].join('\n')}\n`);
    children.push(spawn(server, [file, ...flags], { stdio: 'ignore' }));
  };
  const control = (/** @type {'nodes' | 'sentinels'} */ kind, /** @type {number} */ index) =>
    connectControl(at[kind][index], kind === 'nodes' ? login : { ...sentinelLogin, tls: login.tls });

  for (const [index, { follows, conf: own = [], host }] of nodes.entries())
    await run(at.nodes[index], `node-${index}`, [
      `bind-source-addr ${at.nodes[index].host}`,
      'repl-diskless-sync-delay 0',
      ...(host === undefined ? [] : [`replica-announce-ip ${host}`]),
      ...(follows === undefined ? [] : [`replicaof ${named(follows)} ${at.nodes[follows].port}`]),
      ...secrets,
      ...conf,
      ...own,
    ]);
  for (const [index, { follows }] of nodes.entries())
    await until(async () => {
      const one = await control('nodes', index);
      const info = await one.info('replication').finally(one.close);
      return follows === undefined || info.master_link_status === 'up';
    }, `node ${index} follows`);
  if (keys > 0) {
    const one = await control('nodes', 0);
    for (let key = 0; key < keys; key++) await one.call('SET', `key-${key}`, key);
    one.close();
  }
  for (const [index, { watches = { mymaster: 0 }, quorum = 2, conf: own = [] }] of sentinels.entries())
    await run(
      at.sentinels[index],
      `sentinel-${index}`,
      [
        `sentinel announce-ip ${at.sentinels[index].host}`,
        `bind-source-addr ${at.sentinels[index].host}`,
        'protected-mode no',
        ...sentinelConf.filter((line) => line.includes('resolve')),
        ...Object.entries(watches).map(
          ([name, primary]) => `sentinel monitor ${name} ${named(primary)} ${at.nodes[primary].port} ${quorum}`,
        ),
        ...(given ? [] : Object.keys(watches).map((name) => `sentinel auth-pass ${name} ${PASSWORD}`)),
        ...sentinelConf.filter((line) => !line.includes('resolve')),
        ...own,
      ],
      ['--sentinel'],
    );
  for (const [index, { watches = { mymaster: 0 } }] of sentinels.entries())
    for (const name of Object.keys(watches))
      await until(async () => {
        const one = await control('sentinels', index);
        try {
          const master = toRecord(await one.call('SENTINEL', 'MASTER', name));
          const peers =
            sentinels.filter((each) => JSON.stringify(each.watches) === JSON.stringify(sentinels[index].watches))
              .length - 1;
          const replicas = nodes.filter((node) => node.follows === watches[name]).length;
          return Number(master['num-other-sentinels']) >= peers && Number(master['num-slaves']) >= replicas;
        } finally {
          one.close();
        }
      }, `Sentinel ${index} knows the others`);
  return { ...at, login, control };
}
