/**
 * `configure` on a real deployment, as a user runs it: shown, refused, done while clients write, and undone by the commands that it printed.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { needs } from '../../test/needs.js';
import { programPath } from '../programs.js';
import { askNode, dataNodes } from '../stacks/ask.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { startStack } from '../stacks/index.js';
import { runCli } from './fixture.js';

/** @import { Stack } from '../stacks/types.js' */

const tmp = await ownTemporaryFolder();
const skip = (await needs('server')) || (programPath('redis-cli') ? false : 'there is no redis-cli');
const SETTINGS = ['appendonly', 'appendfsync', 'min-replicas-to-write'];
const WANTED = ['yes', 'always', '2'];
const SET = SETTINGS.flatMap((name, i) => ['--set', `${name}=${WANTED[i]}`]);

describe('configure', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startStack({ backend: 'local', settings: { 'min-replicas-to-write': '0' } });
  });
  after(() => stack?.close());

  /** @param {string[]} more */
  function configure(...more) {
    const sentinel = stack.nodes.find(({ kind }) => kind === 'sentinel');
    assert.ok(sentinel);
    return runCli(['configure', '--sentinel', `${sentinel.address.host}:${sentinel.address.port}`, ...SET, ...more], {
      tmp,
    });
  }

  /** @param {string} id @param {[string, ...string[]]} words */
  const ask = (id, ...words) => askNode(stack, id, (control) => control.call(...words), { timeoutMs: 10_000 });

  const settings = () =>
    Promise.all(
      dataNodes(stack).map(({ id }) =>
        Promise.all(SETTINGS.map(async (name) => /** @type {string[]} */ (await ask(id, 'CONFIG', 'GET', name))[1])),
      ),
    );

  test('refuses while a replica is away, and changes nothing', async () => {
    const [replica] = await stack.database.replicas();
    const former = await settings();
    await stack.host.act(replica.id, 'pause');
    try {
      const { status, stderr } = await configure('--apply');
      assert.equal(status, 3, stderr);
      assert.match(stderr, /nothing was changed/i);
      const { host, port } = replica.address;
      const without = await configure('--without', `${host}:${port}`);
      // Without it too few are left for the setting, which shows that the others are well.
      assert.equal(without.status, 3, without.stderr);
      assert.match(without.stderr, /With 1 replica, min-replicas-to-write 2 would refuse every write/);
    } finally {
      await stack.host.act(replica.id, 'resume');
    }
    await stack.heal();
    assert.deepEqual(await settings(), former);
  });

  test('changes every node while clients write, and the printed commands undo it', async () => {
    const former = await settings();
    const { id } = await stack.database.primary();
    let writing = true;
    const writes = (async () => {
      for (let number = 0; writing; number++) await ask(id, 'SET', `key-${number % 100}`, 'value');
    })();
    const { status, stdout, stderr } = await configure('--apply').finally(() => {
      writing = false;
    });
    await writes;
    assert.equal(status, 0, stderr);
    for (const each of await settings()) assert.deepEqual(each, WANTED);

    await promisify(execFile)('sh', ['-ec', stdout.slice(stdout.indexOf('# To undo:'))]);
    await eventually('all is as it was', async () => JSON.stringify(await settings()) === JSON.stringify(former));
    assert.equal((await configure('--apply', '--until-restart')).status, 0);
  });
});
