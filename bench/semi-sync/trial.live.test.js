/** Scenarios as a run carries them out: the one that loses most, a network partition, and a power loss. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recheck } from '../../src/audit/recheck.js';
import { PROFILES } from '../../src/run/profiles.js';
import { runTrial } from '../../src/run/trial.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { startMariadbDocker } from '../../src/stacks/mariadb/docker/index.js';
import { startMariadb } from '../../src/stacks/mariadb/local/index.js';
import { needs } from '../../test/needs.js';
import { ResultSchema } from '../index.js';
import { SCENARIOS } from './scenarios.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

const folder = await ownTemporaryFolder();

const skip = await needs('mariadb');
const noRelay = await needs('relay');

/** Short, and slow enough for a busy machine. */
const PROFILE = { ...PROFILES.quick, healthySeconds: 0.5, writesPerSecond: 300 };

/**
 * @param {string} name of the scenario
 * @param {string} mode
 * @param {typeof startMariadb} [start] of the backend; default: local
 */
async function trialOf(name, mode, start = startMariadb) {
  const benchmark = /** @type {TrialBenchmark} */ (SCENARIOS.find((each) => each.name === `semi-sync-${name}`));
  const stack = await start({
    links: benchmark.needs?.includes('partition'),
    volatileDisks: benchmark.needs?.includes('power-loss') ? ['mariadb-1'] : [],
  });
  try {
    const storages = [{ label: 'tmp', emulated: false }];
    const cases = benchmark.cases({ profile: PROFILE, server: stack.about.server, storages });
    const theCase = cases.find(({ id }) => id === mode);
    assert.ok(theCase);
    return await runTrial({
      stack,
      benchmark,
      theCase,
      round: 1,
      profile: PROFILE,
      folder,
      notKept: (error) => assert.fail(error.message),
      signal: new AbortController().signal,
    });
  } finally {
    await stack.down();
  }
}

describe('both replicas freeze, and then the primary is killed', { skip }, () => {
  test('the primary falls back to async, and the audit counts every write on every node', async () => {
    const { audits, trial } = await trialOf('replicas-frozen', 'after-sync');
    const [audit] = audits;
    assert.ok(audit.acked > 0);
    assert.deepEqual([audit.wrongValue, audit.surplus, audit.rejectedPresent], [0, 0, 0]);
    assert.equal(new Set(Object.values(audit.present)).size, 1, JSON.stringify(audit.present));
    assert.equal(audit.formerPrimary?.id, 'mariadb-1');
    const kinds = trial.events.map(({ kind }) => kind);
    assert.ok(kinds.includes('async-fallback'), kinds.join());
    assert.ok(kinds.includes('promoted'), kinds.join());
    assert.notEqual(trial.converged?.primary, 'mariadb-1');

    const again = (await recheck(folder, ResultSchema)).writers.find(({ audit: each }) => each?.case === 'after-sync');
    assert.deepEqual(again?.audit, audit, 'the audit can be made again from its files');
  });
});

describe('a network partition', { skip: skip || noRelay }, () => {
  test('async loses what the old primary acknowledged meanwhile, and every node agrees afterwards', async () => {
    const { audits, trial } = await trialOf('partition', 'async');
    const [audit] = audits;
    assert.ok(audit.ackedLost > 0, 'clients stay with the old primary');
    assert.equal(new Set(Object.values(audit.present)).size, 1, JSON.stringify(audit.present));
    assert.equal(trial.converged?.primary === 'mariadb-1', false);
  });
});

const BACKENDS = [
  { backend: 'local', start: startMariadb, missing: await needs('mariadb', 'volatile disk') },
  { backend: 'docker', start: startMariadbDocker, missing: await needs('docker', 'mariadb image', 'volatile disk') },
];

for (const { backend, start, missing } of BACKENDS) {
  describe(`a power loss, ${backend}`, { skip: missing }, () => {
    test('loses no write that was flushed, and the primary recovers', async () => {
      const { audits, trial } = await trialOf('power-lost', 'async', start);
      assert.ok(audits[0].acked > 0);
      assert.equal(audits[0].ackedLost, 0);
      assert.equal(trial.converged?.primary, 'mariadb-1');
    });
  });
}
