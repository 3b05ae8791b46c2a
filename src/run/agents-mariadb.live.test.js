/**
 * MariaDB nodes that agents start for a run, on hosts of namespaces: they are separated, killed and rebuilt there, and nothing of them is left after
 * the run, and after every kill -9.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import semiSync from '../../bench/semi-sync/index.js';
import { needs } from '../../test/needs.js';
import { findMachines } from '../agents/machines.js';
import { machinesFolder, nodesOfAgents, withAgentsUp } from '../agents/machines-fixture.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { commandIn } from '../stacks/network/namespaces.js';
import { PROFILES } from './profiles.js';
import { runSuite } from './suite.js';

/** @import { Stack } from '../stacks/types.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('mariadb', 'nats-server', 'namespaces');

const AGENTS = ['host-1', 'host-2', 'host-3', 'host-4'];
const PREFIX = 'sentinel-bench:test:';
const BYTES = 64;

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

/** @param {Stack} stack @param {string} id @param {number} count */
async function _found({ system, nodes, credentials }, id, count) {
  const address = nodes.find((each) => each.id === id)?.address;
  assert.ok(address);
  const keys = { keyPrefix: PREFIX, count, payloadBytes: BYTES };
  return [...(await system.read({ ...address, credentials }, keys)).found];
}

describe('MariaDB nodes by agents', { skip }, () => {
  withAgentsUp(tmp, AGENTS.length);

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
});
