/**
 * Other users who share the folder for temporary files can block a user, but do no harm. An unusual folder or user gets a clear
 * message. Tests with two users need root.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { NODES } from '../stacks/redis/topology.js';
import { becomes, leftIn, newFolder, nodePid, runCli, stackFolder } from './fixture.js';

/** Neither is in the list of users. */
const VICTIM = 54_321;
const ATTACKER = 54_322;

const DEADLINE_MS = 30_000;

const above = tmpdir();
const folder = await ownTemporaryFolder();
const skip = await needs('server', 'another user');

/**
 * @param {number} uid
 * @param {string} script for sh
 * @param {string[]} args
 */
function as(uid, script, ...args) {
  execFileSync('sh', ['-c', script, 'sh', ...args], { uid, gid: uid, stdio: 'pipe', cwd: '/' });
}

/** @returns {string} a folder that everybody may write to */
function sharedFolder() {
  const path = mkdtempSync(join(above, 'sentinel-bench-shared-'));
  chmodSync(path, 0o1777);
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * @param {string} parent
 * @param {number} uid
 * @returns {string} a folder of that user's with old folders in it that no other user may remove
 */
function precious(parent, uid) {
  const path = mkdtempSync(join(parent, 'precious-'));
  mkdirSync(join(path, 'documents'));
  writeFileSync(join(path, 'documents', 'thesis'), 'years of work');
  for (const each of [join(path, 'documents', 'thesis'), join(path, 'documents'), path]) {
    chownSync(each, uid, uid);
    utimesSync(each, 0, 0);
  }
  return path;
}

/** @param {string} path as {@link precious} made it */
function assertIntact(path) {
  assert.equal(readFileSync(join(path, 'documents', 'thesis'), 'utf8'), 'years of work');
}

/** @param {{status: number | null, stdout: string, stderr: string}} ended @param {RegExp} message */
function assertRefused({ status, stderr }, message) {
  assert.match(stderr, /^error: .+\.\n.+\.\n$/m);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /^ +at /m);
  assert.equal(status, 3, stderr);
}

/** @param {object} changes @returns {string} the record of a stack whose owner is dead */
function record(changes) {
  return JSON.stringify({
    owner: { pid: 4_000_000, startTime: '1' },
    detached: false,
    server: { path: 'redis-server', name: 'redis', version: '7.0.15' },
    nodes: NODES.map(({ id, port }) => ({ id, port: port + 30_000 })),
    ...changes,
  });
}

/**
 * Writes a stack's folder in the name of that user.
 * @param {string} base
 * @param {number} uid
 * @param {string} text of the record
 * @returns {string} the stack's folder
 */
function plant(base, uid, text) {
  const path = join(base, '4000000-abc-planted');
  as(uid, 'mkdir -p "$1" && printf %s "$2" > "$1/stack.json"', path, text);
  return path;
}

/** @param {string} path @param {string} marker that it leaves behind */
function writeProgram(path, marker) {
  writeFileSync(path, `#!/bin/sh\nid -u > '${marker}'\n`);
  chmodSync(path, 0o755);
}

const COMMANDS = [['recover'], ['up', '--backend', 'local']];
const LOOKING = [
  ['status', '--backend', 'local'],
  ['down', '--backend', 'local'],
];

for (const victim of [0, VICTIM]) {
  describe(`another user was first to make the folder of ${victim === 0 ? 'root' : 'a user'}`, { skip }, () => {
    /** @param {string[]} args @param {string} tmp @param {NodeJS.ProcessEnv} [env] */
    function run(args, tmp, env) {
      const state = mkdtempSync(join(above, 'sentinel-bench-state-'));
      after(() => rmSync(state, { recursive: true, force: true }));
      chownSync(state, victim, victim);
      return runCli(args, { tmp, uid: victim, env: { XDG_STATE_HOME: state, ...env }, deadlineMs: DEADLINE_MS });
    }

    for (const args of COMMANDS) {
      test(`${args[0]}: a record that names a program`, async (t) => {
        const tmp = sharedFolder();
        const marker = join(tmp, 'marker');
        const program = join(tmp, 'program');
        writeProgram(program, marker);
        const base = join(tmp, `sentinel-bench-${victim}`);
        const server = { path: program, name: 'redis', version: '7.0.15' };
        const stack = plant(base, ATTACKER, record({ detached: true, server }));
        const node = join(stack, 'sentinel-1');
        as(ATTACKER, 'cd "$1" && mkdir redis-1 redis-2 redis-3 sentinel-1 sentinel-2 sentinel-3', stack);
        const sleeper = spawn('sleep', ['600'], { uid: ATTACKER, gid: ATTACKER, cwd: node, stdio: 'ignore' });
        const ended = once(sleeper, 'exit');
        t.after(() => {
          sleeper.kill('SIGKILL');
          return ended;
        });
        as(ATTACKER, 'echo "$2" > "$1/pid"', node, String(sleeper.pid));
        const refused = await run(args, tmp);
        assert.ok(!existsSync(marker), 'the program was not run');
        assert.equal(sleeper.exitCode ?? sleeper.signalCode, null, 'nothing of theirs was ended');
        assertRefused(refused, /belongs to another user/);
      });
    }

    test('recover: a journal in a shared state folder that names a command', async () => {
      const tmp = sharedFolder();
      const state = sharedFolder();
      const marker = join(tmp, 'marker');
      const owner = { pid: 4_000_000, startTime: '1', host: hostname() };
      const nodes = NODES.map(({ id, kind, port }) => {
        const address = { host: '127.0.0.1', port: port + 30_000 };
        return { id, kind, address, announced: address };
      });
      const commands = { resume: `id -u > '${marker}'` };
      const deployment = { masterName: 'mymaster', nodes, password: false, sentinelPassword: false, commands };
      const header = { version: 1, owner, backend: 'external', identity: 'x', place: '', deployment };
      const step = { n: 1, undo: { kind: 'act', id: 'redis-1', action: 'resume' } };
      const path = join(state, 'sentinel-bench', 'undo');
      as(
        ATTACKER,
        `mkdir -p "$1" && printf '%s\\n' "$2" "$3" > "$1/abc-0.4000000.1.$4.jsonl"`,
        path,
        JSON.stringify(header),
        JSON.stringify(step),
        encodeURIComponent(hostname()).replaceAll('.', '%2E'),
      );
      const ended = await run(['recover'], tmp, { XDG_STATE_HOME: state });
      assert.ok(!existsSync(marker), 'the command was not run');
      assertRefused(ended, /sentinel-bench belongs to another user/);
    });

    test('a user starts, uses, recovers and takes down a stack in a shared folder', async () => {
      const tmp = sharedFolder();
      const up = await run(['up', '--backend', 'local'], tmp);
      try {
        assert.equal(up.status, 0, up.stderr);
        const base = join(tmp, `sentinel-bench-${victim}`);
        assert.deepEqual([statSync(base).uid, statSync(base).mode & 0o777], [victim, 0o700]);
        const [name] = readdirSync(base);
        const pid = Number(readFileSync(join(base, name, 'redis-2', 'pid'), 'utf8'));
        process.kill(pid, 'SIGKILL');
        const again = await run(['up', '--backend', 'local'], tmp);
        assert.equal(again.status, 0, again.stderr);
        assert.match(again.stderr, /^Using the local stack that is already up\.$/m);
        assert.equal((await run(['recover'], tmp)).status, 0);
        const status = await run(['status', '--backend', 'local'], tmp);
        assert.equal(status.status, 0, status.stderr);
        assert.match(status.stdout, /redis-2/);
      } finally {
        const down = await run(['down', '--backend', 'local'], tmp);
        assert.equal(down.status, 0, down.stderr);
      }
      assert.deepEqual(readdirSync(tmp), []);
    });
  });
}

test('without a folder for its notes run refuses at once, as doctor does', async () => {
  const env = { XDG_STATE_HOME: '', HOME: '/nowhere', DOCKER_HOST: 'tcp://127.0.0.1:1' };
  for (const args of [['run', 'payload', '--backend', 'local'], ['doctor']]) {
    const tmp = sharedFolder();
    const { status, stdout, stderr } = await runCli(args, { tmp, uid: VICTIM, env, deadlineMs: DEADLINE_MS });
    assert.equal(status, 3);
    assert.match(stdout + stderr, /Nothing can be written to \/: .*or set XDG_STATE_HOME/s);
  }
});

describe('a stack record of the user', {
  skip: await needs('server'),
}, () => {
  const UID = process.getuid?.() ?? -1;

  /** @param {string} tmp @param {string} text */
  function plantOwn(tmp, text) {
    const path = join(tmp, `sentinel-bench-${UID}`, '4000000-abc-planted');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, 'stack.json'), text);
    return path;
  }

  test('that is damaged is refused in one sentence, with what to do', async () => {
    const tmp = newFolder(folder);
    for (const text of ['', 'null', record({ nodes: [] }), record({ owner: { pid: '1' } })]) {
      const path = plantOwn(tmp, text);
      for (const args of text === '' ? [...COMMANDS, ...LOOKING] : [['recover']]) {
        const ended = await runCli(args, { tmp, deadlineMs: DEADLINE_MS });
        assertRefused(ended, RegExp(`The record ${path}/stack.json of a local stack is damaged\\.`));
      }
    }
    rmSync(join(tmp, `sentinel-bench-${UID}`), { recursive: true });
  });

  test('cannot choose the folder to remove', async () => {
    const tmp = newFolder(folder);
    const home = precious(tmp, UID);
    plantOwn(tmp, record({ folder: home }));
    const { status, stderr } = await runCli(['recover'], { tmp, deadlineMs: DEADLINE_MS });
    assert.equal(status, 0, stderr);
    assertIntact(home);
    assert.deepEqual(leftIn(tmp), []);
  });

  test('can only name a data folder that sentinel-bench made', async () => {
    const tmp = newFolder(folder);
    const home = precious(tmp, UID);
    const named = join(tmp, 'sentinel-bench-1-0123456789ab');
    symlinkSync(home, named);
    for (const files of [home, `${named}/../${home.slice(tmp.length + 1)}`, named]) {
      const path = plantOwn(tmp, record({ files }));
      const ended = await runCli(['recover'], { tmp, deadlineMs: DEADLINE_MS });
      assertRefused(ended, /so it is not removed\./);
      assertIntact(home);
      assert.ok(existsSync(join(path, 'stack.json')), 'what names it is kept');
      rmSync(path, { recursive: true });
    }
  });

  test('cannot choose the program to run', async (t) => {
    const tmp = newFolder(folder);
    const up = () => runCli(['up', '--backend', 'local'], { tmp, deadlineMs: DEADLINE_MS });
    assert.equal((await up()).status, 0);
    t.after(() => runCli(['down', '--backend', 'local'], { tmp, deadlineMs: DEADLINE_MS }));
    const marker = join(tmp, 'marker');
    const program = join(tmp, 'program');
    writeProgram(program, marker);
    const file = join(String(stackFolder(tmp)), 'stack.json');
    const { server, ...rest } = JSON.parse(readFileSync(file, 'utf8'));

    /** @param {object} changes */
    async function mended(changes) {
      writeFileSync(file, JSON.stringify({ ...rest, server: { ...server, path: program, ...changes } }));
      const pid = nodePid(tmp, 'redis-2');
      process.kill(pid, 'SIGKILL');
      await becomes(() => !existsSync(`/proc/${pid}/exe`), 'redis-2 has ended', DEADLINE_MS);
      return up();
    }
    const ended = await mended({});
    assert.equal(ended.status, 0, `the same server is found without the record: ${ended.stderr}`);
    assertRefused(await mended({ version: '6.2.99' }), /program, which its record names, is not known/);
    assert.ok(!existsSync(marker), 'it was never run');
  });
});
