import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listJournalFiles } from '../../src/faults/journal-file.js';
import { assertChecksHold, assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { ResultSchema } from '../index.js';
import resources from '../resources/resources.js';
import persistence from './persistence.js';

/** @import { Benchmark, Case } from '../../src/run/types.js' */

const folder = await ownTemporaryFolder();
/**
 * A few modes of each stage; the local ones together have every kind of background work.
 * @type {{backend: 'local' | 'docker', skip: string | false, modes: string[], works: string[]}[]}
 */
const BACKENDS = [
  {
    backend: 'local',
    skip: await needs('server'),
    modes: ['off', 'everysec', 'everysec-rewrite', 'snapshot', 'split'],
    works: ['rewrite', 'snapshot'],
  },
  { backend: 'docker', skip: await needs('docker'), modes: ['off', 'everysec'], works: [] },
];

/** @param {Benchmark} benchmark @param {(theCase: Case) => boolean} choose @returns {Benchmark} the same in a moment */
function short(benchmark, choose = () => true) {
  // So short a round has no Sentinels otherwise.
  return {
    ...only(benchmark, choose),
    usePerNode: true,
    pace: () => ({ rounds: 1, seconds: 0.1, warmUpSeconds: 0 }),
  };
}

/** Operations of a kilobyte in a tenth of a second: far fewer than usual. */
const ENOUGH = 300;

for (const { backend, skip, modes, works } of BACKENDS) {
  describe(`benchmarks on stacks of their own, ${backend}`, { skip }, () => {
    test('persistence: every kind of stack, files in the right place, and nothing left', async () => {
      const volume = join(folder, `volume-${backend}`);
      mkdirSync(volume);
      const result = await resultOf({
        benchmarks: [short(persistence, ({ params }) => modes.includes(params.mode ?? ''))],
        profile: { preloadKeys: 500 },
        stack: { backend },
        parameters: { dataDir: [{ label: 'given', path: volume }], slowVolume: 0 },
      });
      const [measured] = result.benchmarks;
      assertMeasured(measured);
      const { cases } = measured;
      assert.ok(ResultSchema.parse(result));
      assert.deepEqual(
        result.storage?.map(({ label }) => label),
        ['tmp', 'given'],
      );
      assert.deepEqual([...new Set(cases.map(({ params }) => params.storage))], ['tmp', 'given']);
      /** @type {Map<string, number>} */
      const shares = new Map();
      /** @type {number[]} */
      const written = [];
      for (const { id, params, rounds } of cases) {
        const [{ operations, reads, background, duringShare, nodes }] = rounds;
        assert.ok(operations > 0, id);
        if (params.operation === 'get') assert.equal(reads?.misses, 0, `${id}: every read finds a value`);
        if (params.backgroundConnections) assert.ok(Number(background?.operations) > 0, id);
        if (params.during) shares.set(params.during, (shares.get(params.during) ?? 0) + Number(duringShare));
        assert.deepEqual(
          nodes.map(({ role }) => role).sort(),
          ['primary', ...Array(params.replicas).fill('replica'), 'sentinel', 'sentinel', 'sentinel'],
          id,
        );
        const primary = nodes.find(({ role }) => role === 'primary');
        const persists = params.settings?.appendonly === 'yes';
        assert.equal(primary?.counters?.aofBytes !== null, persists, `${id}: the file is on when it is asked for`);
        if (persists && params.operation === 'set' && !params.during) {
          assert.ok(Number(primary?.counters?.aofBytes) >= 0, id);
          written.push(Number(primary?.counters?.aofBytes) / (operations * params.payloadBytes));
        }
      }
      // In a tenth of a second a look or two may find the work just done, and a write to the file wait for a sync: not everywhere.
      assert.deepEqual([...shares.keys()].sort(), works);
      for (const [work, share] of shares) assert.ok(share > 0, `the primary was never found at its ${work}`);
      assert.ok(Math.max(...written) >= 0.9, `the file grew by ${written} of the written bytes`);
      assert.deepEqual(readdirSync(volume), []);
      assert.deepEqual(listJournalFiles(), []);
    });

    // What containers use is counted by the conformance suite of stacks.
    if (backend === 'docker') return;

    test('resources: reads reach the chosen node, and idle rounds have no requests', async () => {
      const measured = async () => {
        const [benchmark] = (await resultOf({ benchmarks: [short(resources)], stack: { backend } })).benchmarks;
        assertMeasured(benchmark);
        const { cases, checks } = benchmark;
        const least = Math.min(
          ...cases.flatMap(({ params, rounds }) => (params.operation === 'idle' ? [] : rounds[0].operations)),
        );
        return { cases, checks, least };
      };
      // With less, the Sentinels' requests would be a large part of what a node sent.
      let { cases, checks, least } = await measured();
      for (let again = 0; least < ENOUGH && again < 3; again++) ({ cases, checks, least } = await measured());
      assertChecksHold({ checks });
      for (const { params, rounds } of cases) {
        for (const { id, role, pids, networkOutBytes, blockOutBytes } of rounds[0].nodes) {
          assert.ok(Number(pids) >= 1, `${id} (${role}) has threads`);
          for (const value of [networkOutBytes, blockOutBytes]) assert.equal(typeof value, 'number', id);
        }
        assert.ok(rounds[0].load.process, 'the load process is included');
        assert.equal(rounds[0].operations === 0, params.operation === 'idle');
      }
    });
  });
}
