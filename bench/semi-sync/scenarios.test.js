import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import cost from './cost.js';
import { MODES } from './modes.js';
import resources from './resources.js';
import { SCENARIOS } from './scenarios.js';

const SERVER = { name: 'mariadb', version: '10.11.0' };
const OPTIONS = { profile: PROFILES.quick, server: SERVER, storages: [{ label: 'tmp', emulated: false }] };

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

test('checks fail where a mode loses that must not', () => {
  const checksOf = (/** @type {number} */ ackedLost) => {
    const result = failureBenchmarkOf('semi-sync-replicas-frozen', [
      { mode: 'after-sync-no-fallback', audits: [auditOf('after-sync-no-fallback', { ackedLost })] },
    ]);
    const frozen = SCENARIOS.find((each) => each.name === result.name);
    return frozen?.checks(result).find(({ name }) => name.startsWith('nothing is lost'));
  };
  assert.equal(checksOf(0)?.ok, true);
  assert.equal(checksOf(3)?.ok, false);
  assert.match(checksOf(3)?.detail ?? '', /^semi-sync AFTER_SYNC \+ no fallback, pool/);
});
