import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { MODES, modeTitle, persistenceCase, thresholdSeconds } from './modes.js';
import persistence from './persistence.js';

const WHERE = { payloadBytes: 180_000, storage: 'tmp' };
const SETTINGS = [
  'min-replicas-to-write',
  'save',
  'auto-aof-rewrite-percentage',
  'no-appendfsync-on-rewrite',
  'appendfsync',
  'appendonly',
];

test('every mode sets every setting, AOF last, so none inherits a setting', () => {
  for (const [mode, { settings, ...more }] of Object.entries(MODES)) {
    assert.deepEqual(Object.keys(settings), SETTINGS, mode);
    if ('replicaSettings' in more) assert.deepEqual(Object.keys(more.replicaSettings ?? {}), SETTINGS, mode);
  }
});

test('the baseline is the same place without persistence', () => {
  for (const mode of /** @type {const} */ (['everysec', 'everysec-rewrite', 'snapshot'])) {
    for (const where of [{}, { preloadKeys: 2000 }, { backgroundConnections: 4 }, { storage: 'slow' }]) {
      const off = persistenceCase('off', { ...WHERE, ...where });
      assert.equal(off.baseline, undefined);
      assert.equal(persistenceCase(mode, { ...WHERE, ...where }).baseline, off.id);
    }
  }
});

test('a preloaded case has one id for any number of keys, and uses all of them', () => {
  const [few, many] = [2000, 20_000].map((preloadKeys) => persistenceCase('off', { ...WHERE, preloadKeys }));
  assert.equal(few.id, many.id);
  assert.notEqual(few.id, persistenceCase('off', WHERE).id);
  assert.equal(many.params.keyspace, 20_000);
});

test("the article's cases on its local disk have its number of requests, beside a baseline that has it, too", () => {
  const storages = ['tmp', 'gluster'].map((label) => ({ label }));
  const options = /** @type {any} */ ({ profile: PROFILES.standard, client: 'native', storages });
  const cases = persistence.cases(options);
  const requested = cases.filter(({ params }) => params.requests !== undefined);
  assert.ok(requested.some(({ params }) => params.preloadKeys !== undefined));
  for (const { id, params, baseline } of requested) {
    assert.deepEqual([params.requests, params.storage], [50_000, 'tmp'], id);
    if (baseline !== undefined)
      assert.ok(
        requested.some((one) => one.id === baseline),
        id,
      );
  }
  assert.ok(
    persistence.cases({ ...options, profile: PROFILES.quick }).every(({ params }) => params.requests === undefined),
  );
});

test('the first threshold counts, wherever it is in the list', () => {
  assert.equal(thresholdSeconds({ save: '3600 1 300 100 60 10000' }), 60);
  assert.equal(thresholdSeconds({ save: '1 1' }), 1);
  assert.ok(!(thresholdSeconds({ save: '' }) < Infinity));
  assert.ok(!(thresholdSeconds(undefined) < Infinity));
});

test('each mode has a name of its own in reports', () => {
  const titles = Object.values(MODES).map((mode) => modeTitle({ ...mode, replicas: 0 }));
  assert.equal(new Set(titles).size, titles.length, titles.join('\n'));
  const { params } = persistenceCase('everysec-thresholds', WHERE);
  assert.equal(modeTitle(params), 'AOF everysec, RDB, default save points, automatic rewrite');
  assert.equal(
    modeTitle(persistenceCase('split-rdb', { ...WHERE, replicas: 1 }).params),
    'split: primary RDB (save 3600 1), replica RDB (save 1 1)',
  );
});
