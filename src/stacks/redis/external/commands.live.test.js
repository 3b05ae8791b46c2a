import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { ExitStatus, UserError } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { ownTemporaryFolder } from '../../fixture.js';
import { listStacks, pidOf } from '../../hosts/local/record.js';
import { worksIn } from '../../hosts/processes.js';
import { ask, bothReplicas, doubts, NO_ANSWER, silence } from '../conformance-help.js';
import { startLocal } from '../local/index.js';
import { openCommands } from './commands.js';
import { attachExternal } from './index.js';

/** @import { Action, Stack, NodeInfo } from '../../types.js' */

const folder = await ownTemporaryFolder();

const skip = await needs('server');

/** @type {NodeInfo} */
const NODE = {
  id: 'redis-1',
  kind: 'redis',
  address: { host: '10.0.0.1', port: 6379 },
  announced: { host: '10.0.0.1', port: 6379 },
};

/** @param {Promise<unknown>} rejected @param {RegExp} message @param {number} exitStatus */
const refused = (rejected, message, exitStatus) => assert.rejects(rejected, { name: 'UserError', message, exitStatus });

describe('commands that disturb somebody else’s nodes', { skip }, () => {
  const pids = join(folder, 'pids of nodes');
  const runs = join(folder, 'runs');
  /** @type {Stack} */
  let below;
  before(async () => {
    below = await startLocal({});
    const [record] = listStacks();
    mkdirSync(pids);
    for (const { id, port } of record.nodes) writeFileSync(join(pids, String(port)), String(pidOf(record, id)));
  });
  after(() => below?.close());

  /** @param {Partial<Record<Action, string>>} commands */
  function attach(commands) {
    const [{ address }] = below.nodes.filter(({ kind }) => kind === 'sentinel');
    writeFileSync(runs, '');
    return attachExternal({ sentinels: [address], commands });
  }

  const PAUSE = `kill -STOP "$(cat '${pids}'/$SENTINEL_BENCH_PORT)"`;
  const RESUME = `echo "$SENTINEL_BENCH_ID $SENTINEL_BENCH_HOST" >> '${runs}' && kill -CONT "$(cat '${pids}'/$SENTINEL_BENCH_PORT)"`;

  test('only what can be undone is possible', async () => {
    const stack = await attach({ pause: PAUSE, resume: RESUME, kill: 'exit 9', join: 'exit 9', partition: 'exit 9' });
    try {
      assert.deepEqual([...stack.can].sort(), ['configure', 'partition', 'pause']);
      await refused(stack.host.act('redis-2', 'kill'), /no command for kill, or none for start/, ExitStatus.badInput);
      await refused(stack.host.act('redis-2', 'stop'), /no command for stop/, ExitStatus.badInput);
      await assert.rejects(stack.host.act('redis-9', 'pause'), RangeError);
    } finally {
      await stack.close();
    }
  });

  test('heal undoes what is outstanding, and runs nothing else', async () => {
    const stack = await attach({ pause: PAUSE, resume: RESUME });
    try {
      const [first, second] = await bothReplicas(stack);
      await stack.host.act(first.id, 'pause');
      await stack.host.act(second.id, 'pause');
      assert.match(String(await silence(stack, first.id)), NO_ANSWER);
      await stack.host.act(first.id, 'resume');
      assert.equal(await ask(stack, first.id, 'PING'), 'PONG');
      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
      await stack.heal();
      assert.equal(readFileSync(runs, 'utf8'), `${first.id} 127.0.0.1\n${second.id} 127.0.0.1\n`);
    } finally {
      await stack.heal();
      await stack.close();
    }
  });

  test('a command that fails is named with its status, and is undone all the same', async () => {
    const stack = await attach({ pause: `${PAUSE}; exit 3`, resume: RESUME });
    try {
      const [{ id }] = await bothReplicas(stack);
      await refused(
        stack.host.act(id, 'pause'),
        RegExp(`^The command for pause of ${id} failed with exit status 3\\.$`),
        ExitStatus.environment,
      );
      await stack.heal();
      assert.equal(await ask(stack, id, 'PING'), 'PONG');
    } finally {
      await stack.close();
    }
  });
});

test('a command that does not end is ended, with all that it started', async () => {
  const started = join(folder, 'started');
  let pid = 0;
  // On a busy machine it may not even have begun by then.
  for (const seconds of [0.5, 4, 30]) {
    const pause = `sleep 600 & echo $! > '${started}'; wait`;
    const { act } = openCommands([NODE], { pause, resume: 'true' }, { deadlineMs: seconds * 1000 });
    const message = RegExp(`pause of redis-1 did not end within ${String(seconds).replace('.', '\\.')} s`);
    await refused(act('redis-1', 'pause'), message, ExitStatus.environment);
    pid = existsSync(started) ? Number(readFileSync(started, 'utf8')) : 0;
    if (pid > 0) break;
  }
  assert.ok(
    pid > 0 && (await waitFor(() => !worksIn(pid, process.cwd()), { deadlineMs: 60_000 })),
    `process ${pid} is gone`,
  );
});

test('a node with a name that a shell could interpret gets no command', () => {
  const evil = [
    '-oProxyCommand=touch x',
    'a;touch x',
    '$(touch x)',
    '`touch x`',
    "a'b",
    'a"b',
    'a b',
    'a\nb',
    'a\u0000b',
    '',
    '-h',
    'a..b',
    'fe80::1%$(touch x)',
    `${'a'.repeat(64)}.b`,
  ];
  for (const host of evil) {
    const nodes = [{ ...NODE, address: { host, port: 6379 } }];
    const attempt = () => openCommands(nodes, {});
    assert.throws(attempt, (error) => error instanceof UserError && !/[\n\0]/.test(error.message), host);
  }
  for (const host of ['a', 'redis_1', 'db-1.example.org.', '10.0.0.1', '::1', 'fe80::1%eth0', 'xn--bcher-kva.example'])
    assert.ok(openCommands([{ ...NODE, address: { host, port: 1 } }], {}));
  for (const port of [0, 65_536, 1.5, Number.NaN])
    assert.throws(() => openCommands([{ ...NODE, address: { host: 'a', port } }], {}), UserError);
  assert.throws(() => openCommands([{ ...NODE, id: '$(touch x)' }], {}), UserError);
});
