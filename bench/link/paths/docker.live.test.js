import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openEngine } from '../../../src/stacks/docker/engine.js';
import { whatIsLeft } from '../../../src/stacks/docker/project.js';
import { recoverDocker } from '../../../src/stacks/docker/recover.js';
import { assertConfined, eventually, ownTemporaryFolder } from '../../../src/stacks/fixture.js';
import { connectControl } from '../../../src/stacks/redis/control.js';
import { startDocker } from '../../../src/stacks/redis/docker/index.js';
import { needs, skipFor } from '../../../test/needs.js';
import { whyNoDockerPath } from './docker.js';
import { openPath } from './path.js';

/**
 * @import { Control } from '../../../src/stacks/redis/control.js'
 * @import { Stack } from '../../../src/stacks/types.js'
 * @import { Path, PathOptions, Tunnel } from './path.js'
 */

/** Every kind of path between containers, with a real replica at its end. */

const folder = await ownTemporaryFolder();

const WRITES = 3000;
const DEADLINE_MS = 60_000;

const noDocker = await needs('docker');

/** @type {{tunnel: Tunnel, shaped: boolean, share: [number, number]}[]} share: bytes of packets a byte of the stream */
const KINDS = [
  { tunnel: 'none', shaped: false, share: [1, 1.6] },
  { tunnel: 'ssh', shaped: false, share: [1, 1.8] },
  { tunnel: 'ssh-C', shaped: true, share: [0.005, 0.3] },
];

describe('a path between containers', { skip: noDocker }, () => {
  /** @type {Stack} */
  let stack;
  /** @type {Control} */
  let primary;
  /** @type {Control} */
  let replica;
  /** @type {string[]} */
  let whole;

  before(async () => {
    stack = await startDocker({ settings: { 'min-replicas-to-write': '0' } });
    await Promise.all(stack.nodes.slice(2).map(({ id }) => stack.host.act(id, 'stop')));
    primary = await connectControl(stack.nodes[0].address, {}, { timeoutMs: DEADLINE_MS });
    replica = await connectControl(stack.nodes[1].address, {}, { timeoutMs: DEADLINE_MS });
    whole = await left();
  });
  after(async () => {
    primary?.close();
    replica?.close();
    await stack?.close();
  });

  async function left() {
    return (await whatIsLeft(await openEngine(), stack.about.identity)).sort();
  }

  /** @param {string} field of the replica's INFO replication */
  async function replicationField(field) {
    return (await replica.info('replication'))[field];
  }

  /** @returns {Promise<number>} how often a replica came to follow: that it is away may last too short a time to be seen */
  async function syncs() {
    const { sync_full: full, sync_partial_ok: partial } = await primary.info('stats');
    return Number(full) + Number(partial);
  }

  async function offset() {
    return Number((await primary.info('replication')).master_repl_offset);
  }

  /**
   * The replica follows the path, anew and in sync, while the body runs.
   * @param {Omit<PathOptions, 'primary' | 'replica'>} options
   * @param {(path: Path) => Promise<void>} body
   */
  async function withPath(options, body) {
    const path = await openPath(stack, { ...options, primary: stack.nodes[0], replica: stack.nodes[1] });
    try {
      await replica.call('REPLICAOF', 'NO', 'ONE');
      await replica.call('FLUSHALL');
      await replica.call('REPLICAOF', path.address.host, path.address.port);
      await eventually('in sync', async () => (await replicationField('master_link_status')) === 'up');
      await body(path);
    } finally {
      await path.close();
      await replica.call('REPLICAOF', 'NO', 'ONE');
    }
    await path.close();
    assert.deepEqual(await left(), whole);
  }

  /** @param {number} count */
  async function write(count) {
    const names = Array.from({ length: count }, (_, index) => `sentinel-bench:service:${index % 50}:metric:${index}`);
    await Promise.all(names.map((name, index) => primary.call('SET', name, `value-of-application-${index}`.repeat(8))));
    assert.equal(Number(await primary.call('WAIT', 1, DEADLINE_MS / 2)), 1);
  }

  for (const { tunnel, shaped, share } of KINDS) {
    const name = `${tunnel}${shaped ? ', shaped' : ''}`;
    it(`carries a replica (${name}), and reports its cost`, async (t) => {
      const why = await whyNoDockerPath({ tunnel, shaped });
      if (skipFor(why)) return t.skip(String(why));
      await withPath({ tunnel, shaped }, async (path) => {
        const [before, streamBefore] = [await path.use(), await offset()];
        await write(WRITES);
        const [after, streamAfter] = [await path.use(), await offset()];
        assert.equal(await replica.call('DBSIZE'), await primary.call('DBSIZE'));
        const ratio = (after.toReplicaBytes - before.toReplicaBytes) / (streamAfter - streamBefore);
        assert.ok(ratio >= share[0] && ratio <= share[1], `${ratio} bytes on the wire a byte of the stream`);
        assert.ok(after.toPrimaryBytes > before.toPrimaryBytes);
        assert.ok(after.toPrimaryBytes < after.toReplicaBytes);
        for (const end of /** @type {const} */ (['primaryEndCpuSeconds', 'replicaEndCpuSeconds'])) {
          if (tunnel === 'none') assert.equal(after[end], null);
          else assert.ok(Number(after[end]) > 0);
        }
        assert.match(path.by, tunnel === 'none' ? /^Toxiproxy \d/ : /^ssh/);
        assert.equal(path.by.includes('Toxiproxy'), shaped || tunnel === 'none');
      });
    });
  }

  it('comes back after its tunnel was killed, with a supervisor', async (t) => {
    const why = await whyNoDockerPath({ tunnel: 'ssh' });
    if (skipFor(why)) return t.skip(String(why));
    await withPath({ tunnel: 'ssh', restartAfterMs: 300 }, async (path) => {
      await write(WRITES);
      const before = await path.use();
      const earlier = await syncs();
      await path.kill();
      await eventually('the replica is back', async () => {
        return (await syncs()) > earlier && (await replicationField('master_link_status')) === 'up';
      });
      await write(1);
      const after = await path.use();
      assert.ok(Number(after.replicaEndCpuSeconds) >= Number(before.replicaEndCpuSeconds));
      assert.ok(after.toReplicaBytes > before.toReplicaBytes);
      await path.cut();
      await eventually('the replica is away', async () => (await replicationField('master_link_status')) === 'down');
    });
  });

  it('is removed with its stack after its process was killed', async (t) => {
    const why = await whyNoDockerPath({ tunnel: 'ssh', shaped: true });
    if (skipFor(why)) return t.skip(String(why));
    const script = `
      import { startDocker } from ${JSON.stringify(new URL('../../../src/stacks/redis/docker/index.js', import.meta.url))};
      import { openPath } from ${JSON.stringify(new URL('./path.js', import.meta.url))};
      const stack = await startDocker();
      const [primary, replica] = stack.nodes;
      await openPath(stack, { primary, replica, tunnel: 'ssh', shaped: true });
      process.send(stack.about.identity);
      setInterval(() => {}, 1000);
    `;
    const file = join(folder, 'owner.mjs');
    await writeFile(file, script);
    const owner = fork(file, { execArgv: [] });
    try {
      const [project] = await Promise.race([once(owner, 'message'), once(owner, 'exit')]);
      assert.equal(typeof project, 'string');
      const exited = once(owner, 'exit');
      owner.kill('SIGKILL');
      await exited;
      const engine = await openEngine();
      const parts = await whatIsLeft(engine, project);
      for (const part of ['toxiproxy', 'ssh-server', 'ssh-client', 'tunnel-keys']) {
        assert.ok(
          parts.some((each) => each.includes(part)),
          `${part} is not in ${parts}`,
        );
      }
      const label = [`com.docker.compose.project=${project}`];
      const listed = await engine.listContainers({ all: true, filters: { label } });
      const between = listed.filter(({ Labels }) => !('sentinel-bench.node' in Labels));
      assert.equal(between.length, 3);
      for (const { Id } of between) assertConfined(await engine.getContainer(Id).inspect(), '65534:65534');
      await recoverDocker();
      assert.deepEqual(await whatIsLeft(engine, project), []);
    } finally {
      owner.kill('SIGKILL');
      await rm(file, { force: true });
    }
  });
});
