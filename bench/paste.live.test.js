/**
 * What pages tell people to paste is applied to real servers here, as it is written. Only the names in capitals are filled in.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programPath } from '../src/programs.js';
import { askNode } from '../src/stacks/ask.js';
import { eventually, ownTemporaryFolder } from '../src/stacks/fixture.js';
import { freePort } from '../src/stacks/hosts/ports.js';
import { startStack } from '../src/stacks/index.js';
import { startMariadb } from '../src/stacks/mariadb/local/index.js';
import { rows } from '../src/stacks/mariadb/replication.js';
import { needs } from '../test/needs.js';
import { CHOSEN_SETTINGS } from './choices.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Stack } from '../src/stacks/types.js' */

const temporary = await ownTemporaryFolder();
const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HOST = '127.0.0.1';

const skip = (await needs('server')) || (programPath('redis-cli') ? false : 'there is no redis-cli');
const noMariadb = await needs('mariadb');

/**
 * A server that a test starts and restarts.
 * @param {Object} [options]
 * @param {string} [options.lines] of its configuration file
 * @param {boolean} [options.sentinel] default false
 */
async function startServer({ lines = '', sentinel = false } = {}) {
  const folder = mkdtempSync(join(temporary, 'paste-'));
  const port = await freePort();
  const file = join(folder, 'redis.conf');
  const common = `bind ${HOST}\nport ${port}\ndir ${folder}\n`;
  writeFileSync(file, `${common}${sentinel ? '' : 'save ""\n'}${lines}\n`);
  const program = programPath('redis-server') ?? programPath('valkey-server');
  assert.ok(program);
  /** @type {ChildProcess} */
  let child;
  const server = {
    port,
    /** @param {string} line of a shell; redis-cli without an address means this server */
    sh: (line) => shell(line.replace(/redis-cli /g, `redis-cli -h ${HOST} -p ${port} `)),
    async start() {
      child = spawn(program, [file, ...(sentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
      await eventually(`port ${port} answers`, async () => (await server.sh('redis-cli PING')).match(/PONG|NOAUTH/));
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  await server.start();
  return server;
}

/** @param {string} text of a shell @returns {Promise<string>} what it printed, also when it fails */
async function shell(text) {
  const env = { PATH: process.env.PATH };
  return execute('sh', ['-c', text], { env }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }) => stdout + stderr,
  );
}

/** @param {string} block @param {Record<string, string>} names */
function filledIn(block, names) {
  return Object.entries(names).reduce((text, [name, value]) => text.replaceAll(name, value), block);
}

/** @param {string} output of commands that change something */
function assertDone(output) {
  assert.doesNotMatch(output, /ERR|NOAUTH|WRONGPASS|DENIED|error/);
}

const CONFIGURE = 'npx sentinel-bench configure ';
const SERVICE = '--for service';

/** @param {string} block @returns {string[]} its commands `configure` */
const configuresIn = (block) => block.split(/^#.*\n/m).filter((command) => command.startsWith(CONFIGURE));

/**
 * @param {string} command `configure`
 * @param {Stack} stack
 * @param {string} [more] options
 * @returns {Promise<string>} what it printed
 */
function configure(command, stack, more = '') {
  const sentinel = stack.nodes.find(({ kind }) => kind === 'sentinel');
  assert.ok(sentinel);
  return shell(
    filledIn(`${command.trim()} ${more}`, {
      [CONFIGURE]: `${process.execPath} ${ROOT}src/cli/index.js configure `,
      'SENTINEL-HOST:26379': `${sentinel.address.host}:${sentinel.address.port}`,
    }),
  );
}

/** @param {string} name of a file */
const semiSync = (name) => readFileSync(join(ROOT, 'examples/semi-sync', name), 'utf8').trimEnd();
const [REPLICAS, PRIMARY, OPEN] = ['replicas.sql', 'primary.sql', 'open.sql'].map(semiSync);

const SAMPLES = join(ROOT, 'results', 'sample');
const NEEDS_VALKEY_9 = ' COORDINATED';

/**
 * @param {string} file
 * @returns {{language: string, block: string}[]} what it tells people to paste, but for the command that runs a benchmark again
 */
function blocksIn(file) {
  return [...readFileSync(file, 'utf8').matchAll(/^```(\w+)\n(.*?)\n```$/gms)]
    .map(([, language, block]) => ({ language, block }))
    .filter(({ block }) => !block.startsWith('sentinel-bench run'));
}

/** @param {string} sample */
const blocksOf = (sample) => blocksIn(join(SAMPLES, sample, 'report.md'));
/** Of the page of semi-sync, which a test of its own applies; and what the driver `example-python` runs. */
const isElsewhere = (/** @type {{language: string}} */ { language }) => ['sql', 'python'].includes(language);

/** Several pages have the same block. @type {Set<string>} */
const seen = new Set();
for (const sample of readdirSync(SAMPLES)) {
  const unseen = blocksOf(sample).filter(({ block }) => !seen.has(block));
  for (const { block } of unseen) seen.add(block);
  const isCoordinated = (/** @type {{block: string}} */ { block }) => block.includes(NEEDS_VALKEY_9);
  const blocks = unseen.filter((each) => !isCoordinated(each) && !isElsewhere(each));
  if (blocks.length === 0) continue;
  describe(`what the sample report of ${sample} tells people to paste`, { skip }, () => {
    /** @type {Stack} */
    let stack;
    before(async () => {
      stack = await startStack({ backend: 'local', settings: { 'min-replicas-to-write': '0' } });
    });
    after(() => stack?.close());

    /**
     * The command as it stands changes nothing. With --apply every node has the settings, and the primary still takes writes.
     * @param {string} command
     */
    async function tryRollOut(command) {
      const situation = /--for (\w+)/.exec(command)?.[1] ?? '';
      const set = [...command.matchAll(/--set (\S+)=(\S+)/g)].map(([, name, value]) => [name, value]);
      const wanted = [...Object.entries(CHOSEN_SETTINGS[situation] ?? {}), ...set];
      const primary = await stack.database.primary();
      const ask = (/** @type {string} */ id, /** @type {[string, ...string[]]} */ ...words) =>
        askNode(stack, id, (control) => control.call(...words), { timeoutMs: 10_000 });
      const settings = () =>
        Promise.all(
          [...stack.nodes.filter(({ kind }) => kind === 'redis')].map(({ id }) =>
            Promise.all(wanted.map(([name]) => ask(id, 'CONFIG', 'GET', name))),
          ),
        );
      const former = await settings();
      const [shown, undo] = (await configure(command, stack)).split('# To undo:');
      assertDone(shown);
      assert.deepEqual(await settings(), former);
      assertDone(await configure(command, stack, '--apply'));
      for (const each of await settings()) assert.deepEqual(each, wanted);
      assert.match(await configure(command, stack), /Every node has these settings already/, 'the step “check”');
      await eventually('a write is taken and confirmed by both replicas', async () => {
        const answer = await ask(primary.id, 'SET', 'rolled', 'out').catch((error) => String(error));
        return answer === 'OK' && (await ask(primary.id, 'WAIT', '2', '1000')) === 2;
      });
      assertDone(await shell(undo.trim().split('\n\n')[0]));
      assert.deepEqual(await settings(), former, 'the undo that it showed');
    }

    /**
     * It acts at once, so it is in no block that promises to change nothing. A Sentinel has the values in its file, also after a crash.
     * @param {string} block
     */
    async function trySentinel(block) {
      assert.ok(!block.includes(CONFIGURE), block);
      const lines = block.split('\n').filter((each) => each.includes('-h SENTINEL'));
      const { host, port } = (await stack.database.primary()).address;
      const monitor = `sentinel monitor ${stack.access.masterName} ${host} ${port} 2\n`;
      const sentinel = await startServer({ lines: monitor, sentinel: true });
      try {
        const names = { '-h SENTINEL-HOST -p 26379': `-h ${HOST} -p ${sentinel.port}` };
        for (const line of lines) assertDone(await shell(filledIn(line, names)));
        await sentinel.kill();
        await sentinel.start();
        const master = await sentinel.sh(`redis-cli SENTINEL MASTER ${stack.access.masterName}`);
        for (const line of lines.filter((each) => each.includes(' SET '))) {
          const [, setting, value] = / SET \S+ (\S+) (\S+)$/.exec(line) ?? [];
          assert.match(master, RegExp(`^${setting}\n${value}$`, 'm'));
        }
      } finally {
        await sentinel.kill();
      }
    }

    /** @param {string} block */
    async function tryCommands(block) {
      const { id, address } = await stack.database.primary();
      const sentinel = stack.nodes.find(({ kind }) => kind === 'sentinel');
      assert.ok(sentinel);
      const names = {
        ' -h NODE -p 6379': '',
        'redis-cli ': `redis-cli -h ${address.host} -p ${address.port} `,
        'examples/': `${ROOT}examples/`,
        'SENTINEL-HOST:26379': `${sentinel.address.host}:${sentinel.address.port}`,
      };
      const set = [...block.matchAll(/CONFIG SET (\S+)/g)].map(([, name]) => name);
      const settings = () =>
        askNode(stack, id, (control) => Promise.all(set.map((name) => control.call('CONFIG', 'GET', name))));
      const former = await settings();
      assertDone(await shell(filledIn(block, names)));
      if (set.length > 0) assert.notDeepEqual(await settings(), former);
      // The script was given one Sentinel, and this asks another, which hears of the promotion later.
      if (block.includes('planned-failover'))
        await eventually('another is the primary', async () => (await stack.database.primary()).id !== id);
    }

    for (const { block } of blocks) {
      test(block.split('\n')[0], async () => {
        if (!block.includes(CONFIGURE) && !block.includes('-h SENTINEL')) await tryCommands(block);
        for (const command of configuresIn(block)) {
          await tryRollOut(command);
          // The comment above it names the others.
          const others = command.includes(SERVICE) ? Object.keys(CHOSEN_SETTINGS) : [];
          for (const id of others) await tryRollOut(command.replace(SERVICE, `--for ${id}`));
        }
        if (block.includes('-h SENTINEL')) await trySentinel(block);
      });
    }
  });
}

describe('what docs/choose.md tells people to paste', { skip }, () => {
  const CHOOSE = join(ROOT, 'docs/choose.md');
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startStack({ backend: 'local', settings: { 'min-replicas-to-write': '0' } });
  });
  after(() => stack?.close());

  /** Replicas first. */
  const nodes = async () => [...(await stack.database.replicas()), await stack.database.primary()];
  const settingsOf = (/** @type {string} */ id) =>
    askNode(stack, id, async (control) => [
      await control.call('CONFIG', 'GET', 'append*'),
      await control.call('CONFIG', 'GET', 'min-replicas-to-write'),
    ]);

  /** @param {readonly string[]} lines for redis-cli, each on every node */
  async function paste(lines) {
    for (const { address } of await nodes())
      for (const line of lines)
        assertDone(await shell(filledIn(line, { '-h NODE': `-h ${address.host} -p ${address.port}` })));
  }

  const undos = [...readFileSync(CHOOSE, 'utf8').matchAll(/^Undo[^:]*: (.*)$/gm)].map(([, text]) =>
    [...text.matchAll(/`(?:redis-cli -e -h NODE )?([^`]+)`/g)].map(([, words]) => `redis-cli -e -h NODE ${words}`),
  );
  for (const [index, { block }] of blocksIn(CHOOSE).entries()) {
    const wanted = [...block.matchAll(/CONFIG SET (\S+) (\S+)/g)].map(([, name, value]) => [name, value]);
    test(`${wanted.flat().join(' ')}, and the undo`, async () => {
      const [{ id }] = await nodes();
      const former = await settingsOf(id);
      const steps = block.split(/^#.*\n/m).filter((step) => step !== '');
      for (const step of steps) await paste(step.trim().split('\n'));
      for (const node of await nodes())
        for (const [name, value] of wanted)
          assert.deepEqual(await askNode(stack, node.id, (control) => control.call('CONFIG', 'GET', name)), [
            name,
            value,
          ]);
      await paste(undos[index]);
      assert.deepEqual(await settingsOf(id), former);
    });
  }
});

describe('the blocks of examples/semi-sync', { skip: noMariadb }, () => {
  /**
   * As a client in a terminal does: one session, which goes on after an error.
   * @param {Stack} stack
   * @param {string} id
   * @param {string} block
   * @returns {Promise<string[]>} what failed
   */
  async function apply(stack, id, block) {
    const statements = block.replace(/--.*$/gm, '').split(';');
    /** @type {string[]} */
    const errors = [];
    const run = async (/** @type {Parameters<Parameters<typeof askNode>[2]>[0]} */ control) => {
      for (const statement of statements.map((each) => each.trim()).filter((each) => each !== ''))
        await control.call(statement).catch(({ message }) => errors.push(message));
    };
    await askNode(stack, id, run, { timeoutMs: 10_000 });
    return errors;
  }

  /** @param {Stack} stack @param {string} id */
  async function rolesOf(stack, id) {
    const { ro, waits, confirms } = await first(
      stack,
      id,
      'SELECT @@read_only ro, @@rpl_semi_sync_master_enabled waits, @@rpl_semi_sync_slave_enabled confirms',
    );
    return [ro, waits, confirms].map(Number);
  }

  /** @param {Stack} stack @param {string} id @param {string} statement */
  async function first(stack, id, statement) {
    const [row] = await askNode(stack, id, (control) => rows(control, statement));
    return row;
  }

  /** @param {Stack} stack @param {string} id of the primary */
  async function confirmedByBoth(stack, id) {
    const status = async (/** @type {string} */ name) =>
      (await first(stack, id, `SHOW GLOBAL STATUS LIKE '${name}'`)).Value;
    await eventually('both replicas confirm', async () => (await status('Rpl_semi_sync_master_clients')) === '2');
    assert.equal(await status('Rpl_semi_sync_master_status'), 'ON');
  }

  test('make running servers with their defaults wait for replicas that take no writes themselves', async () => {
    const stack = await startMariadb({});
    try {
      const primary = await stack.database.primary();
      const replicas = await stack.database.replicas();
      for (const { id } of replicas)
        await apply(
          stack,
          id,
          'SET GLOBAL rpl_semi_sync_slave_enabled = OFF; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD',
        );
      const clients = "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_clients'";
      await eventually('no replica confirms', async () => (await first(stack, primary.id, clients)).Value === '0');
      // Pasted at the wrong node, either block leaves it open or closed as it was, and switches nothing on.
      assert.deepEqual(await apply(stack, primary.id, REPLICAS), []);
      assert.deepEqual(await rolesOf(stack, primary.id), [0, 0, 0]);
      const former = await rolesOf(stack, replicas[0].id);
      for (const block of [PRIMARY, OPEN]) assert.deepEqual(await apply(stack, replicas[0].id, block), []);
      assert.deepEqual(await rolesOf(stack, replicas[0].id), former);
      // Pasted before block A, block B would let every commit hang.
      assert.deepEqual(await apply(stack, primary.id, PRIMARY), []);
      assert.deepEqual(await rolesOf(stack, primary.id), [0, 0, 0]);
      for (const { id } of replicas) assert.deepEqual(await apply(stack, id, REPLICAS), []);
      await eventually('block B acts', async () => {
        assert.deepEqual(await apply(stack, primary.id, PRIMARY), []);
        return (await rolesOf(stack, primary.id))[1] === 1;
      });
      await confirmedByBoth(stack, primary.id);
      assert.deepEqual(await rolesOf(stack, primary.id), [0, 1, 0]);
      // Pasted at the primary afterwards, block A does not make it async.
      await apply(stack, primary.id, REPLICAS);
      assert.deepEqual(await rolesOf(stack, primary.id), [0, 1, 0]);
      for (const { id } of replicas) assert.deepEqual(await rolesOf(stack, id), [1, 0, 1]);
    } finally {
      await stack.close();
    }
  });

  test('the page of the suite makes running servers wait, and its undo ends that', async () => {
    const stack = await startMariadb({});
    try {
      const primary = await stack.database.primary();
      const [{ block }, { block: undo }] = blocksOf('semi-sync').filter(({ language }) => language === 'sql');
      const [, replica, wait] = block.split(/^--.*\n/m);
      await apply(stack, primary.id, 'SET GLOBAL rpl_semi_sync_master_enabled = OFF');
      for (const { id } of await stack.database.replicas()) assert.deepEqual(await apply(stack, id, replica), []);
      const clients = "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_clients'";
      await eventually('a replica confirms', async () => (await first(stack, primary.id, clients)).Value !== '0');
      assert.deepEqual(await apply(stack, primary.id, wait), []);
      await confirmedByBoth(stack, primary.id);
      assert.deepEqual(await apply(stack, primary.id, undo), []);
      assert.deepEqual(await rolesOf(stack, primary.id), [0, 0, 0]);
    } finally {
      await stack.close();
    }
  });

  test('the steps of a planned switch-over make a replica the primary, and the others follow it', async () => {
    const stack = await startMariadb({});
    try {
      const old = await stack.database.primary();
      const [chosen, other] = await stack.database.replicas();
      for (const { id } of [chosen, other]) assert.deepEqual(await apply(stack, id, REPLICAS), []);
      await eventually('block B acts', async () => {
        assert.deepEqual(await apply(stack, old.id, PRIMARY), []);
        return (await rolesOf(stack, old.id))[1] === 1;
      });
      /** What the steps give between backticks. */
      const [[close], [, , , , forget], [place], [follow, start]] = [
        ...semiSync('README.md')
          .split('## Switch over')[1]
          .matchAll(/^\d\. .*$/gm),
      ].map(([step]) => [...step.matchAll(/`([^`]+)`/g)].map(([, statement]) => statement));
      assert.deepEqual(await apply(stack, old.id, close), []);
      const { position } = await first(stack, old.id, 'SELECT @@gtid_binlog_pos position');
      await eventually(
        'the replica has applied everything',
        async () => (await first(stack, chosen.id, 'SELECT @@gtid_slave_pos position')).position === position,
      );
      assert.deepEqual(await apply(stack, chosen.id, forget), []);
      assert.deepEqual(await apply(stack, old.id, place), []);
      const { username, password } = stack.access.credentials;
      for (const { id } of [other, old]) {
        const { host, port } = chosen.announced;
        const statements = filledIn(follow, {
          "'NEW'": `'${host}', MASTER_PORT = ${port}`,
          "'USER'": `'${username}'`,
          "'PASSWORD'": `'${password}'`,
        });
        assert.deepEqual(await apply(stack, id, `${statements} ${start}`), []);
        // It acts on a running replica only.
        await eventually('it replicates', async () => {
          const status = await first(stack, id, 'SHOW SLAVE STATUS');
          return status.Slave_IO_Running === 'Yes' && status.Slave_SQL_Running === 'Yes';
        });
        assert.deepEqual(await apply(stack, id, REPLICAS), []);
      }
      // Block C refuses until a replica has connected.
      await eventually('block C opens', async () => {
        for (const block of [PRIMARY, OPEN]) assert.deepEqual(await apply(stack, chosen.id, block), []);
        return (await rolesOf(stack, chosen.id))[0] === 0;
      });
      await confirmedByBoth(stack, chosen.id);
      assert.deepEqual(await rolesOf(stack, chosen.id), [0, 1, 1]);
      for (const { id } of [old, other]) assert.deepEqual(await rolesOf(stack, id), [1, 0, 1]);
    } finally {
      await stack.close();
    }
  });
});
