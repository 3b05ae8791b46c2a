/**
 * Trials whose writers run on agents: on hosts of namespaces, with real kills. agents-faults.live.test.js has a partition between them.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { findMachines } from '../agents/machines.js';
import { keysWritten, killPart, machinesFolder, startPart, withAgentsUp } from '../agents/machines-fixture.js';
import { becomes, runCli, stackFolder, startCli } from '../cli/fixture.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { openAgents } from './agents-fixture.js';
import { DEFAULT_PARAMS } from './case.js';
import { createEstimate } from './estimate.js';
import { PROFILES } from './profiles.js';
import { measureFailures } from './trials.js';

/** @import { Case, Profile, TrialBenchmark } from './types.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'nats-server', 'namespaces');

const RATE = 200;
const DOWN_AFTER_MS = 1000;
/** Two stacks start, on a busy machine. */
const START_MS = 90_000;

const profile = /** @type {Profile} */ ({ ...PROFILES.quick, trials: 1 });
const machines = () => String(machinesFolder(tmp));

/** @type {Case} */
const THE_CASE = {
  id: 'case',
  params: {
    ...{ ...DEFAULT_PARAMS, client: 'native', rate: RATE, connections: 4, downAfterMs: DOWN_AFTER_MS },
    writers: ['sticky', 'failover-aware'],
  },
};

/** @param {Partial<TrialBenchmark>} more @returns {TrialBenchmark} */
const benchmarkOf = (more) =>
  /** @type {TrialBenchmark} */ ({
    name: 'by-agents',
    question: 'Who loses?',
    method: 'Writers on agents.',
    kind: 'trial',
    needs: [],
    cases: () => [],
    findings: () => [],
    checks: () => [],
    titles: { case: ({ client }) => client, writer: (name) => name },
    ...more,
  });

/** @returns {string[]} ledgers that agents still hold */
function held() {
  const base = join(tmp, 'state', 'sentinel-bench', 'ledgers');
  const files = existsSync(base) ? readdirSync(base, { recursive: true, encoding: 'utf8' }) : [];
  return files.filter((name) => name.endsWith('.ledger'));
}

const startStack = () => startLocal({ server: 'redis-server', hosts: true, neighbour: findMachines()?.identity });

describe('writers on agents', { skip }, () => {
  withAgentsUp(tmp, 2);

  test('a trial that loses an agent is repeated, and counts with all writers', async () => {
    const agents = await openAgents(['host-1', 'host-2']);
    const folder = mkdtempSync(join(tmp, 'run-'));
    const stack = await startStack();
    let times = 0;
    try {
      const benchmark = benchmarkOf({
        async script({ write }) {
          times++;
          await write(0.5);
          if (times > 1) return;
          await killPart(machines(), 'host-2');
          await write(60);
        },
      });
      const { documents, trials } = await measureFailures([{ benchmark, cases: [THE_CASE] }], {
        testbed: /** @type {any} */ ({
          stack,
          profile,
          random: Math.random,
          agents,
          signal: new AbortController().signal,
        }),
        stack: { backend: 'local', hosts: true, neighbour: findMachines()?.identity },
        ...{ documents: new Map(), logs: new Map() },
        folder: async () => folder,
        seed: 1,
        progress: {
          tell(line) {
            if (/agent host-2 is lost.*invalid/.test(line)) startPart(machines(), 'host-2');
          },
          now() {},
          stop() {},
        },
        estimate: createEstimate(),
      });
      const document = documents.get('by-agents');
      assert.equal(document?.status, 'ok', document?.reason);
      assert.deepEqual([times, trials?.repeated], [2, 1]);
      const audits = document.audit ?? [];
      assert.deepEqual(
        audits.map(({ writer, acked, ackedLost }) => [writer, acked > 0, ackedLost]),
        [
          ['sticky', true, 0],
          ['failover-aware', true, 0],
        ],
      );
      assert.deepEqual(held(), []);
    } finally {
      await stack.close();
      await agents.close();
    }
  });

  test('after kill -9 of the controller the agents stop by themselves, and collect gets every ledger', async (t) => {
    const args = ['run', 'primary-killed', '--client', 'native', '--backend', 'hosts', '--lanes', '1', '--trials', '1'];
    const run = startCli([...args, '--agents', 'host-1', 'host-2', '--out', 'out'], { tmp });
    t.after(() => run.kill('SIGKILL'));
    await becomes(async () => (await keysWritten()) > RATE, 'the writers write', START_MS);
    run.kill('SIGKILL');
    await run.ended;
    const [name] = readdirSync(join(tmp, 'out')).filter((each) => each !== 'latest');
    const folder = join('out', name);
    assert.ok(!existsSync(join(tmp, folder, 'audit')), 'the controller had no ledger');

    const collected = await runCli(['collect', folder], { tmp });
    assert.equal(collected.status, 0, collected.stderr);
    assert.match(collected.stderr, /host-1: 1 ledger collected\n.*host-2: 1 ledger collected/s);
    assert.deepEqual(held(), []);
    const audited = await runCli(['audit', folder, '--json'], { tmp });
    const { writers, holds } = JSON.parse(audited.stdout);
    assert.ok(holds);
    assert.equal(writers.length, 2);
    for (const { answers, audit } of writers) {
      assert.equal(audit, null, 'nobody has read the nodes');
      assert.ok(answers.acked > RATE / 2, JSON.stringify(answers));
      assert.equal(
        answers.due,
        answers.acked + answers.underAcked + answers.rejected + answers.unknown + answers.unsent,
      );
    }
    const none = await runCli(['collect', folder], { tmp });
    assert.match(none.stderr, /hold no ledgers/);
    const recovered = await runCli(['recover'], { tmp });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.equal(stackFolder(tmp), null);
  });

  test('collect refuses the folder of a run without agents', async () => {
    const { status, stderr } = await runCli(['collect', tmp], { tmp });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /No agents wrote in that run/);
  });
});
