/**
 * `agents up` and `agents down`: hosts of network namespaces with an agent on each, and what is left of them after every kind of end.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { killPart, machinesFolder } from '../agents/machines-fixture.js';
import { LoadSchema } from '../result/schema.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { becomes, leftIn, newFolder, portsIn, runCli, stackFolder, startCli } from './fixture.js';

const temporary = await ownTemporaryFolder();
const skip = await needs('server', 'nats-server', 'namespaces');

const UP = ['agents', 'up', '--namespaces', '2'];

/** @param {string} identity of hosts */
function namespacesOf(identity) {
  const all = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  return all.filter((name) => name.startsWith(`sentinel-bench-${identity}-`));
}

/** @param {string} folder of machines @returns {string} the first three numbers of their addresses */
function netIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')).net;
}

/** @param {string} net */
function hasInterface(net) {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address.startsWith(`${net}.`)));
}

/** @param {string} tmp @param {string} identity */
function nothingLeft(tmp, identity) {
  assert.equal(machinesFolder(tmp), null);
  assert.deepEqual(namespacesOf(identity), []);
  assert.deepEqual(leftIn(tmp), []);
}

test('agents on hosts of namespaces send a load to a stack on hosts, and end without a trace', { skip }, async (t) => {
  const tmp = newFolder(temporary);
  t.after(() => runCli(['agents', 'down'], { tmp }));
  const started = await runCli(UP, { tmp });
  assert.equal(started.status, 0, started.stderr);
  assert.match(started.stderr, /host-1, host-2/);
  const folder = String(machinesFolder(tmp));
  const identity = String(folder.split('/').at(-1));
  assert.equal(namespacesOf(identity).length, 3, 'two hosts and their switch');
  const again = await runCli(UP, { tmp });
  assert.equal(again.status, 3);
  assert.match(again.stderr, /up already/);
  // The namespace of an agent is not that of this machine.
  const pid = readFileSync(join(folder, 'host-2', 'pid'), 'utf8').trim();
  assert.doesNotMatch(readFileSync(`/proc/${pid}/net/fib_trie`, 'utf8'), new RegExp(`${netIn(folder)}\\.1\\b`));

  t.after(() => runCli(['down', '--backend', 'local'], { tmp }));
  const up = await runCli(['up', '--backend', 'hosts'], { tmp });
  assert.equal(up.status, 0, up.stderr);
  const stack = JSON.parse(readFileSync(join(String(stackFolder(tmp)), 'stack.json'), 'utf8'));
  const target = `${stack.net}.1:${portsIn(tmp)['redis-1']}`;
  const args = ['load', '--agents', 'all', '--target', target, '--duration', '300ms', '--connections', '4', '--json'];
  const load = await runCli(args, { tmp });
  assert.equal(load.status, 0, load.stderr);
  const { round } = LoadSchema.parse(JSON.parse(load.stdout));
  assert.deepEqual(
    round.agents?.map(({ name, operations }) => [name, operations > 0]),
    [
      ['host-1', true],
      ['host-2', true],
    ],
  );
  const unreachable = await runCli(['run', 'payload', '--backend', 'local', '--agents', 'all'], { tmp });
  assert.equal(unreachable.status, 2);
  assert.match(unreachable.stderr, /--backend hosts/);

  assert.equal((await runCli(['down', '--backend', 'local'], { tmp })).status, 0);
  const net = netIn(folder);
  const down = await runCli(['agents', 'down'], { tmp });
  assert.equal(down.status, 0, down.stderr);
  nothingLeft(tmp, identity);
  assert.equal(hasInterface(net), false);
  const none = await runCli(['agents', 'down'], { tmp });
  assert.match(none.stderr, /No agents are up/);
});

/** Moments of a start, by what is there. @type {Record<string, (folder: string) => boolean>} */
const MOMENTS = {
  'its record is written': (folder) => existsSync(join(folder, 'stack.json')),
  'a namespace was made': (folder) => namespacesOf(String(folder.split('/').at(-1))).length > 0,
  'NATS was started': (folder) => existsSync(join(folder, 'nats', 'pid')),
  'an agent was started': (folder) => existsSync(join(folder, 'host-1', 'pid')),
};

describe('a start of agents that is ended', { skip }, () => {
  for (const [index, [moment, isThere]] of Object.entries(MOMENTS).entries()) {
    // Each moment meets one of them.
    const signal = index % 2 === 0 ? 'SIGKILL' : 'SIGINT';
    test(`by ${signal} when ${moment} leaves nothing${signal === 'SIGKILL' ? ' after recover' : ''}`, async () => {
      const tmp = newFolder(temporary);
      const start = startCli(UP, { tmp });
      let identity = '';
      await becomes(() => {
        const folder = machinesFolder(tmp);
        identity = String(folder?.split('/').at(-1));
        return folder !== null && isThere(folder);
      }, moment);
      start.kill(signal);
      const { status, stderr } = await start.ended;
      if (signal === 'SIGINT') assert.equal(status, 130, stderr);
      else {
        const recovered = await runCli(['recover'], { tmp });
        assert.equal(recovered.status, 0, recovered.stderr);
      }
      nothingLeft(tmp, identity);
    });
  }
});

test('machines whose processes were all killed are removed by the next start', { skip }, async (t) => {
  const tmp = newFolder(temporary);
  t.after(() => runCli(['agents', 'down'], { tmp }));
  assert.equal((await runCli(UP, { tmp })).status, 0);
  const folder = String(machinesFolder(tmp));
  const identity = String(folder.split('/').at(-1));
  for (const name of ['nats', 'host-1', 'host-2']) {
    await killPart(folder, name);
  }
  await becomes(() => leftIn(tmp).length === 0, 'they have ended');
  const again = await runCli(UP, { tmp });
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stderr, /Removed 2 namespaces of agents/);
  assert.deepEqual(namespacesOf(identity), []);
});
