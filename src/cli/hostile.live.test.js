import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { UserError } from '../errors.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { freePort } from '../stacks/ports.js';
import { connectControl } from '../stacks/redis/control.js';
import { attachExternal } from '../stacks/redis/external/index.js';
import { findServer } from '../stacks/redis/local/server.js';
import { becomes, newFolder, runCli } from './fixture.js';

/**
 * @import { Ended } from './fixture.js'
 * @import { ChildProcess } from 'node:child_process'
 * @import { TestContext } from 'node:test'
 */

/**
 * Hostile servers: their text reaches neither a shell nor a terminal, and passwords that they repeat are hidden.
 *
 * @typedef {(words: string[]) => string | undefined} Answer RESP; undefined: `+OK`
 */

const folder = await ownTemporaryFolder();
const server = await findServer();
const skip = await needs('server');

const HOST = '127.0.0.1';
const ESCAPES = '\u001b]0;OWNED\u0007\u001b[2J\u001b[31m\u009b2J\u202e\rOWNED';
/** As on a terminal, where our own text has styles. */
const STYLED = { FORCE_COLOR: '1', NO_COLOR: undefined };
/** What our own text has: bold, dim and the eight colours. */
const STYLE = new RegExp(`${String.fromCharCode(27)}\\[(?:1|2|22|3[0-79])m`, 'g');
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const bulk = (/** @type {string} */ text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const list = (/** @type {string[]} */ items) => `*${items.length}\r\n${items.join('')}`;
const record = (/** @type {Record<string, string>} */ fields) => list(Object.entries(fields).flat().map(bulk));

/**
 * @param {Answer} answer
 * @returns {Promise<{port: number, close: () => void}>}
 */
async function serve(answer) {
  const listener = net.createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      let at = 0;
      let replies = '';
      for (let command = readCommand(text, at); command !== null; command = readCommand(text, at)) {
        at = command.end;
        replies += answer(command.words) ?? '+OK\r\n';
      }
      text = text.slice(at);
      socket.write(replies);
    });
  });
  listener.listen(0, HOST);
  await once(listener, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (listener.address());
  return { port, close: () => listener.close() };
}

/**
 * @param {string} text
 * @param {number} start of an array of bulk strings
 */
function readCommand(text, start) {
  let at = start;
  /** @returns {number} what the line says; NaN: it is not whole */
  const number = () => {
    const end = text.indexOf('\r\n', at);
    const digits = end < 0 ? 'NaN' : text.slice(at + 1, end);
    at = end + 2;
    return Number(digits);
  };
  const count = number();
  const words = [];
  for (let i = 0; i < count; i++) {
    const length = number();
    if (!(text.length >= at + length + 2)) return null;
    words.push(text.slice(at, at + length));
    at += length + 2;
  }
  return words.length === count ? { words, end: at } : null;
}

/**
 * @typedef {Object} Believed what a Sentinel says
 * @property {{ip: string, port: number}} primary
 * @property {{ip: string, port: number}[]} [replicas]
 * @property {{ip: string, port: number}[]} [peers]
 * @property {string} [name]
 * @property {string} [flags]
 * @property {string} [quorum]
 */

/**
 * @param {Believed} believed
 * @returns {Answer}
 */
function sentinel({ primary, replicas = [], peers = [], name = 'mymaster', flags = 'master', quorum = '+OK' }) {
  const fields = (/** @type {{ip: string, port: number}} */ { ip, port }) => ({ name, ip, port: String(port), flags });
  const master = { ...fields(primary), 'num-other-sentinels': '0' };
  /** @type {Record<string, () => string>} */
  const answers = {
    MYID: () => bulk('0'.repeat(40)),
    MASTERS: () => list([record(master)]),
    MASTER: () => record(master),
    REPLICAS: () => list(replicas.map((each) => record({ ...fields(each), flags: 'slave' }))),
    SENTINELS: () => list(peers.map((each) => record({ ...fields(each), runid: '1'.repeat(40) }))),
    'GET-MASTER-ADDR-BY-NAME': () => list([bulk(primary.ip), bulk(String(primary.port))]),
    CKQUORUM: () => `${quorum}\r\n`,
  };
  return ([command, word]) => {
    if (/^INFO$/i.test(command)) return bulk('# Sentinel\r\nsentinel_tilt:0\r\n');
    return /^SENTINEL$/i.test(command) ? answers[word.toUpperCase()]?.() : undefined;
  };
}

/**
 * @param {{version?: string, info?: string[], write?: string}} [says] write: the answer to SET
 * @returns {Answer}
 */
function redis({ version = '7.0.15', info = [], write = '+OK\r\n' } = {}) {
  const lines = [
    `redis_version:${version}`,
    'process_id:1',
    'uptime_in_seconds:1',
    'role:master',
    'master_repl_offset:1000',
    'connected_slaves:0',
    'used_memory_rss:1000000',
    'used_cpu_sys:1.0',
    'used_cpu_user:1.0',
    ...['evicted_keys', 'rejected_connections', 'sync_full', 'latest_fork_usec'].map((field) => `${field}:0`),
    ...info,
  ];
  return ([command]) => {
    switch (command.toUpperCase()) {
      case 'INFO':
        return bulk(`${lines.join('\r\n')}\r\n`);
      case 'SET':
        return write;
      case 'EXISTS':
      case 'UNLINK':
        return ':0\r\n';
      case 'WAIT':
        return ':2\r\n';
      case 'PING':
        return '+PONG\r\n';
      case 'CONFIG':
        return list(['min-replicas-to-write', '0'].map(bulk));
      case 'LATENCY':
        return list([]);
      case 'SCAN':
        return list([bulk('0'), list([])]);
      default:
        return undefined;
    }
  };
}

/** @param {Ended} ended */
function assertClean({ stdout, stderr }) {
  for (const text of [stdout, stderr]) {
    const unstyled = text.replace(STYLE, '');
    const at = unstyled.search(UNSAFE);
    assert.ok(at < 0, JSON.stringify(unstyled.slice(Math.max(0, at - 100), at + 100)));
  }
}

/**
 * @param {TestContext} t
 * @param {Answer} answer
 */
async function serveFor(t, answer) {
  const { port, close } = await serve(answer);
  t.after(close);
  return port;
}

describe('a Sentinel that gives shell commands as addresses', () => {
  const hosts = [
    '-oProxyCommand=touch x',
    'a;touch x',
    '$(touch x)',
    '`touch x`',
    `a\n${ESCAPES}`,
    "'; touch x; '",
    '',
  ];
  const good = { ip: HOST, port: 6379 };
  /** @type {Record<string, (bad: {ip: string, port: number}) => Believed>} */
  const places = {
    'the primary': (bad) => ({ primary: bad }),
    'a replica': (bad) => ({ primary: good, replicas: [bad] }),
    'another Sentinel': (bad) => ({ primary: good, peers: [bad] }),
  };

  test('refused in one sentence, whichever node has the address', async (t) => {
    for (const [place, believed] of Object.entries(places)) {
      for (const bad of [...hosts.map((ip) => ({ ip, port: 6379 })), { ip: HOST, port: 65_536 }]) {
        const port = await serveFor(t, sentinel(believed(bad)));
        await assert.rejects(attachExternal({ sentinels: [{ host: HOST, port }] }), (error) => {
          assert.ok(error instanceof UserError, `${place}: ${error}`);
          assert.match(
            error.message,
            /^The Sentinel 127\.0\.0\.1:\d+ gives the address ".*", which is not a host name .*\.$/,
          );
          assert.equal(error.message.search(UNSAFE), -1);
          return true;
        });
      }
    }
  });
});

test('an address in the journal of a killed run is checked in the same way', async () => {
  const tmp = newFolder(folder);
  const undo = join(tmp, 'state', 'sentinel-bench', 'undo');
  mkdirSync(undo, { recursive: true, mode: 0o700 });
  // No process has this number.
  const owner = { pid: 2 ** 30, startTime: '1', host: hostname() };
  const address = { host: '$(touch x)', port: 6379 };
  const node = { id: 'redis-1', kind: 'redis', address, announced: address };
  const commands = { resume: 'true "{host}"' };
  const deployment = { masterName: 'mymaster', nodes: [node], password: false, sentinelPassword: false, commands };
  const lines = [
    { version: 1, owner, backend: 'external', identity: 'mymaster', place: '', deployment },
    { n: 1, undo: { kind: 'act', id: 'redis-1', action: 'resume' } },
  ];
  const name = ['1-a', owner.pid, owner.startTime, encodeURIComponent(owner.host).replaceAll('.', '%2E')].join('.');
  writeFileSync(join(undo, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
    mode: 0o600,
  });
  const ended = await runCli(['recover'], { tmp, env: STYLED });
  assertClean(ended);
  assert.equal(ended.status, 3, ended.stderr);
  assert.ok(!existsSync(join(tmp, 'x')), 'a shell was given it');
});

describe('servers that send escape sequences', { concurrency: 2 }, () => {
  /**
   * @param {string[]} args
   * @param {number} status
   * @param {RegExp} [shown]
   */
  async function shows(args, status, shown = /\\u001b\]0;OWNED/) {
    const tmp = newFolder(folder);
    const ended = await runCli(args, { tmp, env: STYLED });
    assertClean(ended);
    assert.equal(ended.status, status, ended.stderr);
    assert.match(`${ended.stdout}${ended.stderr}`, shown);
    return { ...ended, tmp };
  }

  test('names, flags and errors of a Sentinel', async (t) => {
    const primary = { ip: HOST, port: await serveFor(t, redis()) };
    const named = await serveFor(t, sentinel({ primary, name: ESCAPES }));
    await shows(['status', '--sentinel', `${HOST}:${named}`], 2);
    const quorum = `-NOQUORUM ${ESCAPES.replace('\r', '')}`;
    const flagged = await serveFor(t, sentinel({ primary, flags: `master,${ESCAPES}`, quorum }));
    await shows(['status', '--sentinel', `${HOST}:${flagged}`], 1);
    const failing = await serveFor(t, () => `-ERR ${ESCAPES.replace('\r', '')}\r\n`);
    await shows(['run', '--sentinel', `${HOST}:${failing}`], 3);
  });

  test('a run on such a deployment: result, reports and output are clean', async (t) => {
    const node = await serveFor(t, redis({ version: `7.0${ESCAPES}` }));
    const port = await serveFor(t, sentinel({ primary: { ip: HOST, port: node } }));
    const run = ['run', 'async-vs-wait', '--client', 'native', '--out', 'out', '--sentinel', `${HOST}:${port}`];
    const ended = await shows(run, 0);
    for (const file of filesIn(join(ended.tmp, 'out'))) {
      // The page contains a whole library.
      if (/\.html$/.test(file)) continue;
      // Lines of CSV end with CR LF.
      const text = readFileSync(file, 'utf8').replaceAll(/\r\n|[\n\t]/g, '');
      assert.equal(text.search(UNSAFE), -1, file);
    }
  });
});

/**
 * @param {string} top
 * @returns {string[]}
 */
function filesIn(top) {
  return readdirSync(top, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** @param {number} port */
async function answers(port) {
  try {
    const control = await connectControl({ host: HOST, port });
    control.close();
    return true;
  } catch {
    return false;
  }
}

describe('a server that repeats the password', { skip }, () => {
  const passwords = ['Correct-horse-7', 'hush'];
  /** @type {{port: number, watcher: number, password: string, children: ChildProcess[]}[]} */
  const started = [];
  before(async () => {
    for (const password of passwords) {
      const [port, watcher] = [await freePort(), await freePort()];
      const dir = newFolder(folder);
      const config = join(dir, 'sentinel.conf');
      writeFileSync(config, `sentinel monitor mymaster ${HOST} ${port} 1\n`);
      const common = ['--bind', HOST, '--dir', dir];
      const node = [
        '--port',
        String(port),
        ...common,
        '--save',
        '',
        '--requirepass',
        password,
        '--rename-command',
        'AUTH',
        '',
      ];
      const children = [node, [config, '--sentinel', '--port', String(watcher), ...common]].map((args) =>
        spawn(String(server?.path), args, { stdio: 'ignore' }),
      );
      started.push({ port, watcher, password, children });
    }
    for (const { port, watcher } of started) {
      for (const each of [port, watcher]) await becomes(() => answers(each), `port ${each}`);
    }
  });
  after(() => {
    for (const { children } of started) for (const child of children) child.kill('SIGKILL');
  });

  test('the password is in no output and in no file', async () => {
    for (const { port, watcher, password } of started) {
      const env = { SENTINEL_BENCH_PASSWORD: password };
      for (const args of [
        ['load', '--target', `${HOST}:${port}`, '--json'],
        ['status', '--sentinel', `${HOST}:${watcher}`],
        ['link', 'observe', '--sentinel', `${HOST}:${watcher}`],
        ['run', 'async-vs-wait', '--sentinel', `${HOST}:${watcher}`, '--out', 'out'],
      ]) {
        const tmp = newFolder(folder);
        const ended = await runCli(args, { tmp, env });
        assert.equal(ended.status, 3, ended.stderr);
        assert.match(ended.stderr, /does not know AUTH, which the password needs\.\nTake AUTH out of/);
        assert.ok(!`${ended.stdout}${ended.stderr}`.includes(password), ended.stderr);
        for (const file of filesIn(tmp)) assert.ok(!readFileSync(file, 'utf8').includes(password), file);
      }
    }
  });
});
