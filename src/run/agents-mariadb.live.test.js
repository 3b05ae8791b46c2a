/**
 * MariaDB nodes that agents start for a run, on hosts of namespaces: they are separated, killed and rebuilt there, and nothing of them is left after
 * the run, and after every kill -9.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import semiSync from '../../bench/semi-sync/index.js';
import { needs } from '../../test/needs.js';
import { openAgentsOfRun } from '../agents/agents-run.js';
import { findMachines } from '../agents/machines.js';
import { killPart, machinesFolder, nodesOfAgents, startPart, withAgentsUp } from '../agents/machines-fixture.js';
import { valueMaker } from '../audit/value.js';
import { becomes, runCli, startCli } from '../cli/fixture.js';
import { ENTRIES } from '../clients/mysql.js';
import { keyName } from '../clients/native-batch.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { askNode } from '../stacks/ask.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { attachMariadb } from '../stacks/mariadb/deployed.js';
import { rows } from '../stacks/mariadb/replication.js';
import { commandIn } from '../stacks/network/namespaces.js';
import { PROFILES } from './profiles.js';
import { runSuite } from './suite.js';

/** @import { Stack } from '../stacks/types.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('mariadb', 'nats-server', 'namespaces');

const AGENTS = ['host-1', 'host-2', 'host-3', 'host-4'];
const NODES = 3;
const START_MS = 60_000;
const PREFIX = 'sentinel-bench:test:';
const BYTES = 64;
const PATIENT = { timeoutMs: 20_000 };

const folder = () => nodesOfAgents(tmp);
const machines = () => String(machinesFolder(tmp));

function nats() {
  const found = findMachines();
  assert.ok(found);
  return found.nats;
}

/** @returns {string[]} working directories of processes of nodes */
function running() {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const directory = /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : '';
      return directory.startsWith(folder()) ? [directory] : [];
    } catch {
      return [];
    }
  });
}

/** @returns {string[]} tables with rules in the namespaces of the agents */
function rules() {
  return AGENTS.flatMap((_, host) => {
    const [program, ...words] = [...commandIn(basename(machines()), host), 'nft', 'list', 'tables'];
    const tables = execFileSync(program, words, { encoding: 'utf8' }).split('\n');
    return tables.filter((line) => line.includes('sentinel_bench'));
  });
}

function journals() {
  const undo = join(tmp, 'state', 'sentinel-bench', 'undo');
  return existsSync(undo) ? readdirSync(undo) : [];
}

/** Of processes, folders, rules and journals. */
function assertNothingLeft() {
  assert.deepEqual([running(), existsSync(folder()), rules(), journals()], [[], false, [], []]);
}

/** @param {Stack} stack @param {string} id @param {number} number */
function insert(stack, id, number) {
  const row = [keyName(PREFIX, number), valueMaker(PREFIX, BYTES)(number)];
  return askNode(stack, id, (control) => control.call(`INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`, ...row), PATIENT);
}

/** @param {Stack} stack @param {string} id @param {number} count */
async function found({ system, nodes, credentials }, id, count) {
  const address = nodes.find((each) => each.id === id)?.address;
  assert.ok(address);
  const keys = { keyPrefix: PREFIX, count, payloadBytes: BYTES };
  return [...(await system.read({ ...address, credentials }, keys)).found];
}

describe('MariaDB nodes by agents', { skip }, () => {
  withAgentsUp(tmp, AGENTS.length);

  test('a former primary with writes of its own is rebuilt on its machine, settings survive a kill, and all end with the run', async () => {
    const agents = await openAgentsOfRun(
      { nats: nats(), wanted: ['all'] },
      { load: false, writers: true, faults: true, nodes: true, system: 'mariadb' },
    );
    try {
      const started = await agents.nodes?.start({});
      assert.ok(started);
      assert.equal(running().length, NODES);
      const stack = await attachMariadb({ backend: 'external', ...started, faults: agents.faults });
      await stack.heal();
      assert.equal(new Set(stack.nodes.map(({ address }) => address.host)).size, NODES);
      const stranger = { ...stack.credentials, password: 'of another stack' };
      await assert.rejects(
        stack.system.read(
          { ...stack.nodes[0].address, credentials: stranger },
          {
            keyPrefix: PREFIX,
            count: 0,
            payloadBytes: BYTES,
          },
        ),
        /Access denied/,
      );
      const journal = createJournal(stack);
      await applySettings({ stack, journal }, { all: { sync_binlog: '7' } });
      await insert(stack, 'mariadb-1', 0);

      await stack.act('mariadb-1', 'partition');
      await insert(stack, 'mariadb-1', 1);
      assert.equal(rules().length, NODES, 'packets are dropped where they arrive');
      assert.deepEqual(await found(stack, 'mariadb-2', 2), [1, 0], 'the partition keeps the write from the replica');
      await stack.system.failover.promote?.(stack, 'mariadb-2');
      await insert(stack, 'mariadb-2', 2);
      await stack.heal();
      assert.equal((await stack.primary()).id, 'mariadb-2');
      for (const { id } of stack.nodes) assert.deepEqual(await found(stack, id, 3), [1, 0, 1], id);

      await stack.act('mariadb-3', 'kill');
      assert.equal(running().length, NODES - 1);
      await stack.act('mariadb-3', 'start');
      const [{ value }] = await askNode(stack, 'mariadb-3', (control) =>
        rows(control, 'SELECT @@global.sync_binlog AS value'),
      );
      assert.equal(Number(value), 7);
      // The end of the run undoes this before it ends the nodes.
      await stack.act('mariadb-2', 'pause');
      await stack.act('mariadb-3', 'partition');
      await journal.close({ abandon: true });
      await stack.close();
    } finally {
      await agents.close();
    }
    assertNothingLeft();
  });

  test('a trial: writers on the agent without a node, every write is found again, and who ran where', async () => {
    const benchmark = semiSync.benchmarks.find(({ name }) => name === 'semi-sync-killed');
    assert.ok(benchmark?.kind === 'trial');
    const { result, stopped } = await runSuite({
      suite: 'semi-sync',
      benchmarks: [{ ...benchmark, cases: (options) => benchmark.cases(options).filter(({ id }) => id === 'async') }],
      profile: { ...PROFILES.quick, trials: 1, healthySeconds: 0.5, writesPerSecond: 300 },
      seed: 1,
      folder: async () => mkdtempSync(join(tmp, 'run-')),
      command: 'sentinel-bench run semi-sync-killed',
      agents: { nats: nats(), wanted: ['all'] },
      stack: { backend: 'external', system: 'mariadb', onAgents: true },
      progress: { tell() {}, now() {}, stop() {} },
      signal: new AbortController().signal,
    });
    assert.equal(stopped, undefined);
    const [{ status, reason, audit = [], checks }] = result.benchmarks;
    assert.equal(status, 'ok', reason);
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    );
    const [{ acked, present, formerPrimary }] = audit;
    assert.ok(acked > 0);
    assert.equal(formerPrimary?.id, 'mariadb-1');
    assert.equal(new Set(Object.values(present)).size, 1, JSON.stringify(present));
    assert.deepEqual(
      result.agents?.map(({ name, roles }) => [name, roles]),
      [['host-1', ['writers']], ...AGENTS.slice(1).map((name) => [name, ['nodes', 'faults']])],
    );
    assertNothingLeft();
  });

  test('after kill -9 of the controller they end by themselves; after kill -9 of an agent by recover', async (t) => {
    const run = startCli(
      ['run', 'semi-sync-partition', '--backend', 'agents', '--trials', '1', '--out', 'out', '--agents', 'all'],
      { tmp },
    );
    t.after(() => run.kill('SIGKILL'));
    await run.says('stderr', /host-2 \(mariadb-1\), host-3 \(mariadb-2\), host-4 \(mariadb-3\)/);
    await becomes(() => rules().length > 0, 'the primary is separated', START_MS);
    const agent = Number(readFileSync(join(machines(), 'host-2', 'pid'), 'utf8'));
    killPart(machines(), 'host-2');
    await becomes(() => !existsSync(`/proc/${agent}/cwd`), 'the agent has ended');
    run.kill('SIGKILL');
    await eventually('the other agents end their nodes', () => running().every((each) => each.endsWith('mariadb-1')));
    assert.equal(running().length, 1);
    assert.notDeepEqual(rules(), [], 'nobody has removed those of the killed agent');
    const recovered = await runCli(['recover'], { tmp });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.match(recovered.stderr, /Ended mariadb-1, which a killed agent had started/);
    assertNothingLeft();
    startPart(machines(), 'host-2');
  });
});
