import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { NATS_PASSWORD_VARIABLE, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../../../untrusted.js';
import { waitFor } from '../../../wait.js';
import { askOnce } from '../../ask.js';
import { ownTemporaryFolder, startOwner, takeUsualPort } from '../../fixture.js';
import { listStacks, pidOf, runningNodes } from '../../hosts/local/record.js';
import { recoverLocal } from '../../hosts/local/recover.js';
import { HAS_PROC } from '../../hosts/processes.js';
import { doubts } from '../conformance-help.js';
import { connectControl } from '../control.js';
import { NODES } from '../topology.js';
import { startLocal } from './index.js';
import { findServer } from './server.js';

const folder = await ownTemporaryFolder();

const skip = await needs('server');

const DEADLINE_MS = 60_000;

/** A process that starts a stack, says so, and stays as long as this one does. */
const OWNER = `
import { startLocal } from ${JSON.stringify(new URL('./index.js', import.meta.url).href)};
const stack = await startLocal({ links: true, tell: (line) => console.log(line) });
console.log('ready ' + stack.nodes.map(({ address }) => address.port).join());
`;

describe('local stacks of living processes', { skip }, () => {
  test('several stacks leave each other alone, also while a node is down', async () => {
    const owner = await startOwner(OWNER, /^ready/);
    try {
      const [theirs] = listStacks();
      process.kill(Number(pidOf(theirs, 'redis-3')), 'SIGKILL');
      assert.ok(await waitFor(() => pidOf(theirs, 'redis-3') === null, { deadlineMs: DEADLINE_MS }));

      await recoverLocal();
      const stack = await startLocal({});
      try {
        const ports = stack.nodes.map(({ address }) => address.port);
        const taken = owner.line.replace('ready ', '').split(',').map(Number);
        assert.deepEqual(
          ports.filter((port) => taken.includes(port)),
          [],
        );
        assert.deepEqual(await doubts(stack), []);
      } finally {
        await stack.close();
      }
      assert.equal(runningNodes(theirs).length, NODES.length - 1);
    } finally {
      await owner.kill();
      await recoverLocal();
    }
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('starting a local stack', { skip }, () => {
  test('one usual port is taken: the stack uses others, and names the process that has it', async () => {
    const taken = await takeUsualPort();
    /** @type {string[]} */
    const messages = [];
    const stack = await startLocal({ detached: true, tell: (line) => messages.push(line) });
    try {
      const moved = messages.find((line) => /^Port \d+ is taken/.test(line));
      const usual = new Set(NODES.map(({ port }) => port));
      for (const { id, address } of stack.nodes) {
        assert.ok(!usual.has(address.port), `${id} is on ${address.port}: all usual ports, or none`);
        assert.ok(moved?.includes(`${id} on ${address.port}`), moved);
      }
      if (HAS_PROC && moved?.startsWith(`Port ${taken.port} `) && taken.ours) {
        assert.ok(moved.includes(`(process ${process.pid})`), moved);
      }
    } finally {
      await stack.down();
      await stack.close();
      taken.close();
    }
  });

  test('no server has a password of ours in its environment, or rewrites the files of the repository', {
    skip: !HAS_PROC,
  }, async (t) => {
    const variables = [PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE, NATS_PASSWORD_VARIABLE];
    for (const variable of variables) process.env[variable] = 'correct-horse';
    t.after(() => {
      for (const variable of variables) delete process.env[variable];
    });
    const stack = await startLocal({});
    t.after(() => stack.close());
    const [record] = listStacks();
    for (const { id, kind, address } of stack.nodes) {
      assert.ok(!readFileSync(`/proc/${pidOf(record, id)}/environ`, 'utf8').includes('correct-horse'), id);
      if (kind !== 'redis') continue;
      const { config_file: file } = await askOnce(connectControl(address), (control) => control.info('server'));
      assert.ok(file.startsWith(folder), file);
    }
  });

  test('a server that ends at once is an error with its last output', async () => {
    const broken = program(
      'broken',
      '[ "$1" = --version ] && echo "Redis server v=7.0.0" || { echo "no such luck"; exit 1; }',
    );
    await assert.rejects(startLocal({ server: broken }), {
      name: 'UserError',
      message: /^redis-1 ended before the stack was ready/,
      detail: /no such luck/,
    });
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('sentinel-bench')),
      [],
    );
  });
});

describe('the server program', () => {
  test('is found on PATH, by path, and by the environment', { skip }, async () => {
    const found = await findServer();
    assert.match(found?.version ?? '', /^\d+\.\d+\.\d+$/);
    const path = program('like-valkey', 'echo "Valkey server v=8.1.0 sha=0"');
    assert.deepEqual(await findServer(path), { path, name: 'valkey', version: '8.1.0' });
  });

  /** @type {[string, () => string, RegExp][]} */
  const wrong = [
    ['missing', () => join(folder, 'nowhere'), /was not found\.$/],
    ['not executable', () => program('plain', 'exit 0', 0o600), /is not executable\.$/],
    ['failing', () => program('failing', 'exit 3'), /does not run\.$/],
    ['something else', () => program('other', 'echo hello'), /is neither a Redis nor a Valkey server.*hello/],
    ['too old', () => program('old', 'echo "Redis server v=6.0.16 sha=0"'), /is Redis 6\.0\.16, which is too old\.$/],
  ];
  for (const [name, make, message] of wrong) {
    test(`that is ${name} is a clear error`, async () => {
      await assert.rejects(findServer(make()), { name: 'UserError', message, exitStatus: 3 });
    });
  }
});

/**
 * @param {string} name
 * @param {string} script
 * @param {number} [mode]
 */
function program(name, script, mode = 0o700) {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  after(() => rmSync(path, { force: true }));
  return path;
}
