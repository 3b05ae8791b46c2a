/**
 * MariaDB nodes that agents start for a run, on hosts of namespaces: they are separated, killed and rebuilt there, and nothing of them is left after
 * the run, and after every kill -9.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import semiSync from '../../bench/semi-sync/index.js';
import { needs } from '../../test/needs.js';
import { machinesFolder, nodesOfAgents, withAgentsUp } from '../agents/machines-fixture.js';
import { journalsIn } from '../cli/fixture.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { natsOfMachines, rulesOn, runningNodes } from './agents-fixture.js';
import { assertChecksHold, assertMeasured, only, resultOf } from './suite-fixture.js';

const tmp = await ownTemporaryFolder();
const skip = await needs('mariadb', 'nats-server', 'namespaces');

const AGENTS = ['host-1', 'host-2', 'host-3', 'host-4'];

const rules = () => AGENTS.flatMap((_, host) => rulesOn(basename(String(machinesFolder(tmp))), host));

/** Of processes, folders, rules and journals. */
function assertNothingLeft() {
  assert.deepEqual([runningNodes(tmp), existsSync(nodesOfAgents(tmp)), rules(), journalsIn(tmp)], [[], false, [], []]);
}

describe('MariaDB nodes by agents', { skip }, () => {
  withAgentsUp(tmp, AGENTS.length);

  test('a trial: writers on the agent without a node, every write is found again, and who ran where', async () => {
    const benchmark = semiSync.benchmarks.find(({ name }) => name === 'semi-sync-killed');
    assert.ok(benchmark?.kind === 'trial');
    const { agents, benchmarks } = await resultOf({
      benchmarks: [only(benchmark, ({ id }) => id === 'async')],
      profile: { trials: 1, healthySeconds: 0.5, writesPerSecond: 300 },
      folder: async () => mkdtempSync(join(tmp, 'run-')),
      agents: { nats: natsOfMachines(), wanted: ['all'] },
      stack: { backend: 'external', system: 'mariadb', onAgents: true },
    });
    const [measured] = benchmarks;
    assertMeasured(measured);
    assertChecksHold(measured);
    const [{ acked, present, formerPrimary }] = measured.audit ?? [];
    assert.ok(acked > 0);
    assert.equal(formerPrimary?.id, 'mariadb-1');
    assert.equal(new Set(Object.values(present)).size, 1, JSON.stringify(present));
    assert.deepEqual(
      agents?.map(({ name, roles }) => [name, roles]),
      [['host-1', ['writers']], ...AGENTS.slice(1).map((name) => [name, ['nodes', 'faults']])],
    );
    assertNothingLeft();
  });
});
