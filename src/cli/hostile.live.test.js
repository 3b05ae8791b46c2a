/** Hostile servers: their text reaches neither a shell nor a terminal, and passwords that they repeat are hidden. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { UserError } from '../errors.js';
import { array, bulk, info, serve, serveSentinel } from '../hostile-fixture.js';
import { formatAddress } from '../stacks/address.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { freePort } from '../stacks/hosts/ports.js';
import { connectControl } from '../stacks/redis/control.js';
import { attachExternal } from '../stacks/redis/external/index.js';
import { findServer } from '../stacks/redis/local/server.js';
import { becomes, filesIn, newFolder, runCli } from './fixture.js';

/**
 * @import { EndedCommand } from './fixture.js'
 * @import { ChildProcess } from 'node:child_process'
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

/** What a primary answers that confirms every write, with text for a terminal in its version. @type {Record<string, string>} */
const PRIMARY = {
  INFO: info({
    redis_version: `7.0${ESCAPES}`,
    process_id: 1,
    uptime_in_seconds: 1,
    role: 'master',
    master_repl_offset: 1000,
    connected_slaves: 0,
    used_memory_rss: 1_000_000,
    used_cpu_sys: '1.0',
    used_cpu_user: '1.0',
    ...{ evicted_keys: 0, rejected_connections: 0, sync_full: 0, latest_fork_usec: 0 },
  }),
  EXISTS: ':0\r\n',
  UNLINK: ':0\r\n',
  WAIT: ':2\r\n',
  PING: '+PONG\r\n',
  CONFIG: array(['min-replicas-to-write', '0'].map(bulk)),
  LATENCY: array([]),
  SCAN: array([bulk('0'), array([])]),
};

/** @param {import('node:test').TestContext} t */
const servePrimary = (t) => serve(t, ([command]) => PRIMARY[command.toUpperCase()] ?? '+OK\r\n');

/** @param {EndedCommand} ended */
function assertClean({ stdout, stderr }) {
  for (const text of [stdout, stderr]) {
    const unstyled = text.replace(STYLE, '');
    const at = unstyled.search(UNSAFE);
    assert.ok(at < 0, JSON.stringify(unstyled.slice(Math.max(0, at - 100), at + 100)));
  }
}

test('a Sentinel that gives shell commands as addresses is refused, whichever node has them', async (t) => {
  const hosts = [
    '-oProxyCommand=touch x',
    'a;touch x',
    '$(touch x)',
    '`touch x`',
    `a\n${ESCAPES}`,
    "'; touch x; '",
    '',
  ];
  const primary = { host: HOST, port: 6379 };
  for (const bad of [...hosts.map((host) => ({ host, port: 6379 })), { host: HOST, port: 65_536 }])
    for (const members of [
      { primary: bad },
      { primary, replicas: [bad] },
      { primary, peers: [{ id: '1'.repeat(40), address: bad }] },
    ]) {
      const sentinel = await serveSentinel(t, members);
      await assert.rejects(attachExternal({ sentinels: [sentinel] }), (error) => {
        assert.ok(error instanceof UserError, `${JSON.stringify(members)}: ${error}`);
        assert.match(
          error.message,
          /^The Sentinel 127\.0\.0\.1:\d+ gives the address ".*", which is not a host name .*\.$/,
        );
        assert.equal(error.message.search(UNSAFE), -1);
        return true;
      });
    }
});

test('an address in the journal of a killed run is checked in the same way', async () => {
  const tmp = newFolder(folder);
  const undo = join(tmp, 'state', 'sentinel-bench', 'undo');
  mkdirSync(undo, { recursive: true, mode: 0o700 });
  // No process has this number.
  const owner = { pid: 2 ** 30, startTime: '1', host: hostname() };
  const address = { host: '$(touch x)', port: 6379 };
  const node = { id: 'redis-1', kind: 'redis', address, announced: address };
  const commands = { resume: 'true "$SENTINEL_BENCH_HOST"' };
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
  /** @param {string[]} args @param {number} status @param {RegExp} [shown] */
  async function shows(args, status, shown = /\\u001b\]0;OWNED/) {
    const tmp = newFolder(folder);
    const ended = await runCli(args, { tmp, env: STYLED });
    assertClean(ended);
    assert.equal(ended.status, status, ended.stderr);
    assert.match(`${ended.stdout}${ended.stderr}`, shown);
    return { ...ended, tmp };
  }

  test('names, flags and errors of a Sentinel', async (t) => {
    const primary = await servePrimary(t);
    const error = `-ERR ${ESCAPES.replace('\r', '')}\r\n`;
    const named = await serveSentinel(t, { primary, name: ESCAPES });
    await shows(['status', '--sentinel', formatAddress(named)], 2);
    const flagged = await serveSentinel(t, { primary, flags: `master,${ESCAPES}`, quorum: error });
    await shows(['status', '--sentinel', formatAddress(flagged)], 1);
    const failing = await serve(t, () => error);
    await shows(['run', '--sentinel', formatAddress(failing)], 3);
  });

  test('a run on such a deployment: result, reports and output are clean', async (t) => {
    const sentinel = await serveSentinel(t, { primary: await servePrimary(t) });
    const run = ['run', 'async-vs-wait', '--client', 'native', '--out', 'out', '--sentinel', formatAddress(sentinel)];
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
      const secret = ['--requirepass', password, '--rename-command', 'AUTH', ''];
      const node = ['--port', String(port), ...common, '--save', '', ...secret];
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
