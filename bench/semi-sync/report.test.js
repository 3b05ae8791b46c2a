import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boundText, verdictOf } from '../../src/report/articles.js';
import { resourcesOf } from '../../src/report/resource-fixture.js';
import { auditOf, failureBenchmarkOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { claims } from './claims.js';
import cost from './cost.js';
import { lossFindings, outcomesOf } from './figures.js';
import { MODES } from './modes.js';
import resources from './resources.js';
import { replicasFrozen, SCENARIOS } from './scenarios.js';

const SERVER = { name: 'mariadb', version: '10.11.0' };
const OPTIONS = { profile: PROFILES.quick, server: SERVER, storages: [{ label: 'tmp', emulated: false }] };

/** Three cases of the scenario that loses most. */
function frozen() {
  return failureBenchmarkOf('semi-sync-replicas-frozen', [
    { mode: 'async', audits: [auditOf('async', { acked: 6000, ackedLost: 2000 })] },
    {
      mode: 'after-sync',
      audits: [
        auditOf('after-sync', {
          acked: 6000,
          ackedLost: 1500,
          formerPrimary: { id: 'mariadb-1', present: 6000, extra: 1504, extraAcked: 1500, extraUntold: 4 },
        }),
      ],
    },
    {
      mode: 'after-sync-no-fallback',
      audits: [auditOf('after-sync-no-fallback', { acked: 3000, unknown: 10, unavailableMs: 4000 })],
    },
  ]);
}

describe('modes', () => {
  test('each sets every setting that another mode sets, so that it inherits nothing', () => {
    for (const [name, { settings }] of Object.entries(MODES)) {
      const {
        rpl_semi_sync_master_enabled: enabled,
        sync_binlog: sync,
        innodb_flush_log_at_trx_commit: flush,
      } = settings;
      assert.ok(enabled && sync && flush, name);
      const waits = ['rpl_semi_sync_master_timeout', 'rpl_semi_sync_master_wait_point'].map((each) => each in settings);
      assert.deepEqual(waits, [enabled === 'ON', enabled === 'ON'], name);
    }
  });

  test('each that a case names exists', () => {
    const modes = [cost, resources, ...SCENARIOS].flatMap((each) =>
      each.cases(OPTIONS).map(({ params }) => params.mode ?? ''),
    );
    for (const mode of modes) assert.ok(mode in MODES || mode === 'none', mode);
  });
});

describe('findings', () => {
  test('an outage to the end has no length', () => {
    const result = failureBenchmarkOf('semi-sync-machine-lost', [
      { mode: 'async', audits: [auditOf('async', { ackedLost: 4, unavailableMs: null })] },
    ]);
    const [{ text }] = lossFindings(result);
    assert.match(
      text,
      /^Machine lost: async lost 4 acknowledged writes \([^)]*\); outage to the end \(1 trial each\)$/,
    );
  });

  test('phantoms are writes without an acknowledgement that the old primary has', () => {
    assert.deepEqual(
      outcomesOf(frozen()).map(({ phantoms }) => phantoms),
      [0, 4, 0],
    );
  });
});

test('checks fail where a mode loses that must not', () => {
  const checksOf = (/** @type {number} */ ackedLost) => {
    const result = failureBenchmarkOf('semi-sync-replicas-frozen', [
      { mode: 'after-sync-no-fallback', audits: [auditOf('after-sync-no-fallback', { ackedLost })] },
    ]);
    return replicasFrozen.checks(result).find(({ name }) => name.startsWith('nothing is lost'));
  };
  assert.equal(checksOf(0)?.ok, true);
  assert.equal(checksOf(3)?.ok, false);
  assert.match(checksOf(3)?.detail ?? '', /^semi-sync AFTER_SYNC \+ no fallback, pool/);
});

test('the claim that a kill loses nothing is judged with healthy replicas, as in the article', () => {
  const claim = claims.find(({ id }) => id === 'replication.killed-loss');
  assert.equal(claim?.benchmark, 'semi-sync-killed');
  assert.ok(claims.every(({ benchmark }) => benchmark !== 'semi-sync-replicas-frozen'));
  const killed = (/** @type {number} */ ackedLost, asyncLost = 8) =>
    claim?.examine(
      failureBenchmarkOf(
        'semi-sync-killed',
        Object.entries({ 'after-sync': ackedLost, async: asyncLost }).map(([mode, lost]) => ({
          mode,
          audits: [1, 2, 3].map((round) => auditOf(mode, { round, ackedLost: lost })),
        })),
      ),
      {},
    ) ?? null;
  assert.equal(verdictOf(killed(0)), 'reproduced');
  assert.equal(verdictOf(killed(5)), 'undecided', 'another database');
  assert.equal(
    killed(5)?.ours,
    'semi-sync AFTER_SYNC: lost 15 of 30,000 (3 trials); async: lost 24 of 30,000 (3 trials)',
  );
  assert.equal(verdictOf(killed(0, 0)), 'undecided', 'nothing shows what semi-sync saved');
  assert.match(killed(0, 0)?.differs ?? '', /async did not lose in every trial/);
  assert.match(
    claim?.differs ?? '',
    /MariaDB instead of MySQL, so another figure decides nothing; .*two healthy replicas/,
  );
});

test('modes of semi-sync are no repetitions of each other: the fewest trials of a mode count', () => {
  const trials = (/** @type {number} */ number) => {
    const result = failureBenchmarkOf(
      'semi-sync-killed',
      ['after-commit', 'after-sync', 'async'].map((mode) => ({
        mode,
        audits: Array.from({ length: number }, (_, i) =>
          auditOf(mode, { round: i + 1, ackedLost: mode === 'async' ? 9 : 0 }),
        ),
      })),
    );
    for (const { params } of result.cases) params.settings = { rpl_semi_sync_master_timeout: '10000' };
    return claims.find(({ id }) => id === 'replication.killed-loss')?.examine(result, {}) ?? null;
  };
  assert.deepEqual([trials(2)?.rounds, verdictOf(trials(2))], [2, 'undecided']);
  assert.equal(verdictOf(trials(3)), 'reproduced');
  assert.match(trials(3)?.ours ?? '', /^semi-sync AFTER_COMMIT: lost 0 .* \(3 trials\); semi-sync AFTER_SYNC: lost 0 /);
  assert.equal(trials(3)?.differs, 'timeout of 10000 and 10000 ms (theirs: 1 s)');
});

test('no phantom in a few trials decides nothing', () => {
  const extra = (/** @type {number} */ extraUntold) => {
    const formerPrimary = { id: 'mariadb-1', present: 10_000, extra: extraUntold, extraAcked: 0, extraUntold };
    const audits = [1, 2, 3].map((round) => auditOf('after-sync', { round, formerPrimary }));
    const result = failureBenchmarkOf('semi-sync-killed', [{ mode: 'after-sync', audits }]);
    return ['phantoms', 'trim'].map(
      (id) => claims.find((claim) => claim.id === `replication.${id}`)?.examine(result, {}) ?? null,
    );
  };
  // What happens when it follows was not tried.
  assert.deepEqual(extra(1).map(verdictOf), ['reproduced', 'undecided']);
  assert.deepEqual(extra(0).map(verdictOf), ['undecided', 'undecided']);
  const [phantoms] = extra(1);
  assert.equal(phantoms?.ours, '3 more rows on the old primary, in 3 of 3 trials');
  assert.equal(phantoms && boundText(phantoms), '3 trials', 'it was seen, so nothing is bound');
});

describe('resources', () => {
  /** The figures of the same benchmark of Redis. */
  const result = { ...resourcesOf(), name: resources.name };

  test('a machine that is too small decides nothing', () => {
    const small = structuredClone(result);
    for (const one of small.cases) one.summary.limitedBy = 'machine';
    const claim = claims.find(({ id }) => id === 'replication.read-throughput');
    assert.equal(claim?.examine(small, {})?.holds, null);
    assert.match(claim?.examine(small, {})?.differs ?? '', /limited by the machine/);
  });

  test('of files in memory nothing reaches a disk, so that is not measured', () => {
    const written = structuredClone(result);
    for (const { rounds } of written.cases) for (const node of rounds[0].nodes) node.blockOutBytes = 0;
    const claim = claims.find(({ id }) => id === 'replication.replica-disk');
    assert.match(claim?.examine(written, {})?.ours ?? '', /^not measured: the files of this run were in memory/);
    assert.equal(verdictOf(claim?.examine(written, {}) ?? null), 'not measured');
    const latency = claims.find(({ id }) => id === 'replication.async-p50');
    for (const { params } of written.cases) params.mode = 'async';
    assert.match(latency?.examine(written, {})?.differs ?? '', /^files in memory/);
  });
});
