import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { eventually, ownTemporaryFolder } from '../../../src/stacks/fixture.js';
import { stackFolder } from '../../../src/stacks/hosts/local/record.js';
import { recoverLocal } from '../../../src/stacks/hosts/local/recover.js';
import { HAS_PROC, statFields } from '../../../src/stacks/hosts/processes.js';
import { connectControl } from '../../../src/stacks/redis/control.js';
import { startLocal } from '../../../src/stacks/redis/local/index.js';
import { needs, skipFor } from '../../../test/needs.js';
import { openPath } from './path.js';
import { whyNoSsh } from './ssh.js';

/**
 * @import { Control } from '../../../src/stacks/redis/control.js'
 * @import { Stack } from '../../../src/stacks/types.js'
 * @import { Path, PathOptions, Tunnel } from './path.js'
 */

/** Every kind of path, with a real replica at its end. */

const folder = await ownTemporaryFolder();

const DEADLINE_MS = 60_000;
const WRITES = 10_000;

/** @type {{tunnel: Tunnel, share: [number, number]}[]} bytes on the wire a byte of the stream of regular keys */
const KINDS = [
  { tunnel: 'none', share: [0.99, 1.01] },
  { tunnel: 'ssh', share: [0.99, 1.6] },
  { tunnel: 'ssh-C', share: [0.01, 0.35] },
];

const skip = await needs('server');
const noProc = await needs('proc');

/**
 * @param {number} root
 * @returns {number[]} the processes that descend from it, without servers and the guard of the test, as far as they run
 */
function descendants(root) {
  const processes = readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statFields(Number(name)) : null;
    return stat && stat[0] !== 'Z' ? { pid: Number(name), parent: Number(stat[1]) } : [];
  });
  /** @param {number} pid @returns {number[]} */
  const below = (pid) =>
    processes.filter(({ parent }) => parent === pid).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(root).filter((pid) => !/(redis|valkey)-se|guard-fixture/.test(commandOf(pid)));
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    // It is gone.
    return '';
  }
}

/** @param {string} identity */
function keyFolders(identity) {
  return readdirSync(stackFolder(identity)).filter((name) => name.startsWith('tunnel-'));
}

describe('paths', { skip, timeout: 900_000 }, () => {
  /** @type {Stack} */
  let stack;
  /** @type {Control} */
  let primary;
  /** @type {Control} */
  let replica;
  /** @type {Path[]} */
  const paths = [];

  /** @param {Partial<PathOptions>} options */
  async function open(options) {
    const path = await openPath(stack, { primary: stack.nodes[0], ...options });
    paths.push(path);
    return path;
  }

  async function linkUp() {
    return (await replica.info('replication')).master_link_status === 'up';
  }

  /** @param {Path} path */
  async function follow({ address }) {
    await replica.call('REPLICAOF', address.host, address.port);
    await eventually('the replica is in sync', linkUp);
  }

  async function sentOffset() {
    return Number((await primary.info('replication')).master_repl_offset);
  }

  async function arrived() {
    const offset = await sentOffset();
    await eventually('all has arrived', async () => {
      return Number((await replica.info('replication')).slave_repl_offset) >= offset;
    });
  }

  /** @param {string} name of the run, so that values are new */
  async function write(name) {
    const commands = Array.from({ length: WRITES }, (_, i) => {
      return primary.call('SET', `service:${i % 5000}:metric:hits:day:20261121`, `${name}${1_000_000 + i * 7}`);
    });
    await Promise.all(commands);
  }

  before(async () => {
    stack = await startLocal({ settings: { 'min-replicas-to-write': '0' } });
    for (const { id } of stack.nodes.slice(3)) await stack.host.act(id, 'stop');
    // It answers no one, and no other process takes its port.
    await stack.host.act('redis-3', 'pause');
    const timeoutMs = DEADLINE_MS;
    primary = await connectControl(stack.nodes[0].address, {}, { timeoutMs });
    replica = await connectControl(stack.nodes[1].address, {}, { timeoutMs });
  });
  afterEach(async () => {
    for (const path of paths.splice(0)) await path.close();
  });
  after(async () => {
    primary?.close();
    replica?.close();
    await stack?.close();
  });

  for (const { tunnel, share } of KINDS) {
    test(`${tunnel}: carries a replica, counts its bytes, and leaves nothing`, async (t) => {
      const reason = tunnel !== 'none' && skipFor(whyNoSsh());
      if (reason) return t.skip(reason);
      const path = await open({ tunnel });
      assert.match(path.by, tunnel === 'none' ? /relay/ : new RegExp(tunnel.replace('-', '.*')));
      await follow(path);
      const before = { use: await path.use(), offset: await sentOffset() };
      await write(tunnel);
      await arrived();
      const after = { use: await path.use(), offset: await sentOffset() };
      const ratio = (after.use.toReplicaBytes - before.use.toReplicaBytes) / (after.offset - before.offset);
      assert.ok(ratio >= share[0] && ratio <= share[1], `${ratio} bytes a byte of the stream`);
      for (const end of /** @type {const} */ (['primaryEndCpuSeconds', 'replicaEndCpuSeconds'])) {
        if (tunnel === 'none' || !HAS_PROC) {
          assert.equal(after.use[end], null);
          continue;
        }
        // The kernel counts in ticks of 10 ms, which a few writes need not fill.
        await eventually(`${end} is counted`, async () => {
          if (Number((await path.use())[end]) > 0) return true;
          await write(tunnel);
          return false;
        });
        assert.ok(Number((await path.use())[end]) < 20, end);
      }

      await path.shape({ latencyMs: 40 });
      const started = performance.now();
      await primary.call('SET', 'x', tunnel);
      assert.equal(await primary.call('WAIT', 1, DEADLINE_MS / 2), 1);
      assert.ok(performance.now() - started >= 40, 'the wire is shaped');
      assert.ok((await path.use()).toPrimaryBytes > before.use.toPrimaryBytes, 'the replica acknowledges');

      if (tunnel.startsWith('ssh')) {
        const [keys] = keyFolders(stack.about.identity);
        assert.equal(statSync(join(stackFolder(stack.about.identity), keys)).mode & 0o777, 0o700);
      }
      await Promise.all([path.close(), path.close()]);
      await eventually('the replica notices', async () => !(await linkUp()));
      if (HAS_PROC) assert.deepEqual(descendants(process.pid).map(commandOf), []);
      assert.deepEqual(keyFolders(stack.about.identity), []);
    });
  }
});

const SCRIPT = `
  import { startLocal } from '${new URL('../../../src/stacks/redis/local/index.js', import.meta.url)}';
  import { openPath } from '${new URL('./path.js', import.meta.url)}';
  const stack = await startLocal({});
  const [primary] = stack.nodes;
  for (const tunnel of process.argv.slice(1)) await openPath(stack, { primary, tunnel, restartAfterMs: 100 });
  console.log(stack.about.identity);
`;

test('after kill -9 of the harness no tunnel runs, and the next start removes its keys', {
  skip: skip || noProc,
  timeout: 300_000,
}, async () => {
  const kinds = KINDS.map(({ tunnel }) => tunnel).filter((tunnel) => tunnel === 'none' || !skipFor(whyNoSsh()));
  const owner = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, '--', ...kinds], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** @type {number[]} */
  let running = [];
  try {
    const ended = once(owner, 'exit');
    const identity = await Promise.race([once(owner.stdout, 'data').then(String), ended.then(() => '')]);
    assert.notEqual(identity, '', 'the paths were opened');
    running = descendants(Number(owner.pid)).filter((pid) => pid !== owner.pid);
    const keys = keyFolders(identity.trim());
    assert.equal(keys.length, kinds.filter((kind) => kind.startsWith('ssh')).length);
    assert.ok(running.length >= 2 * (kinds.length - 1), `${running.map(commandOf)}`);
    owner.kill('SIGKILL');
    await ended;
    await eventually('its tunnels end', () => running.every((pid) => (statFields(pid)?.[0] ?? 'Z') === 'Z'));
  } finally {
    owner.kill('SIGKILL');
    // Processes that should have ended.
    for (const pid of running) if (/ssh/.test(commandOf(pid))) process.kill(pid, 'SIGKILL');
    await recoverLocal();
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'state'),
    [],
  );
});
