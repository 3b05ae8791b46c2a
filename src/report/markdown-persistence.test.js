import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPersistence } from './markdown-persistence.js';
import { persisted, persistenceOf, persistenceResult, storageInfos } from './persistence-fixture.js';

test('answers, claims, storage, and a table for each kind of load', () => {
  const text = renderPersistence(persistenceResult(), { storages: storageInfos() });
  assert.deepEqual(text.match(/^### .+$/gm), [
    '### Answers',
    '### Claims examined',
    '### Storage',
    '### SET',
    '### GET',
  ]);
  assert.equal(text.match(/^\*\*.+\?\*\*/gm)?.length, 4, 'the four questions');
  assert.match(text, /^\| slow +\| emulated: .+\| ext4 /m);
  assert.match(text, /^\| tmp +\| primary alone +\| AOF everysec +\|.+0\.20×.+aof-write 103 ms/m);
  assert.match(text, /^\| tmp +\| primary and replica +\| split: replica AOF everysec/m);
  assert.match(text, /a round takes 1\.1 s/);
  assert.match(text, /In brackets: the range of 3 rounds/);
});

test('what all rows have in common is said once, and columns that nothing fills are left out', () => {
  const text = renderPersistence(persistenceResult(), { storages: storageInfos() });
  const get = text.slice(text.indexOf('### GET'));
  assert.match(get, /In every row nodes: primary alone, data set: small, payload: 180,000 B\./);
  assert.doesNotMatch(get.split('\n').find((line) => line.startsWith('| storage')) ?? '', /fork|longest event|payload/);
});

test('a preloaded data set is told by its size, and what was not measured is said', () => {
  const cases = [persisted('off', { preloadKeys: 2000 }, { writes: 100, medianNs: 1e6 })];
  const text = renderPersistence(persistenceOf(cases), { notMeasured: 'nbdkit is not installed; install it.' });
  assert.match(text, /data set: 2,000 keys/);
  assert.match(text, /^The data set that is loaded first is scaled down: 2,000 keys .* the article had 375,795 keys/m);
  assert.doesNotMatch(text, /A fork “before”/);
  assert.match(text, /Emulated slow storage was not measured: nbdkit is not installed/);
  assert.match(text, /What the storage is was not recorded/);
  assert.match(text, /was not examined/);
});

test('a fork that no latency holds is marked, and the mark explained', () => {
  const counters = { latestForkUs: 15_900 };
  const text = renderPersistence(persistenceOf([persisted('snapshot', {}, { writes: 100, medianNs: 1e6, counters })]));
  assert.match(text, /\| 15\.9 ms, before \|/);
  assert.match(text, /A fork “before” began the work/);
});

test('a machine that something else kept busy is warned of, but not of what a case itself brings', () => {
  const busy = (/** @type {import('../run/persistence-case.js').ModeName} */ mode, storage = 'tmp') => {
    const process = {
      cpu: 0.3,
      memoryBytes: 1,
      bytesRead: 1,
      bytesWritten: 1,
      blockInBytes: 0,
      blockOutBytes: 0,
      pids: 9,
    };
    const round = { machineCpu: 0.95, load: { cpu: 0.3, eventLoopUtilization: 0.4, process } };
    const result = persisted(mode, { storage }, { writes: 100, medianNs: 1e6, round });
    return renderPersistence(persistenceOf([result]), { storages: storageInfos(), cores: 2 });
  };
  assert.match(busy('off'), /^\*\*Something that has no part in this kept up to 55 % of the machine’s cores busy/);
  for (const text of [busy('snapshot'), busy('rdb'), busy('off', 'slow')]) assert.match(text, /^### Answers/);
});

test('thresholds that no round reaches are said not to be', () => {
  const noted = (/** @type {import('../run/persistence-case.js').ModeName} */ mode) =>
    renderPersistence(persistenceOf([persisted(mode, { replicas: 1 }, { writes: 100, medianNs: 1e6, replica: {} })]));
  assert.match(noted('split'), /thresholds of the replica’s snapshots are not reached/);
  assert.doesNotMatch(noted('split-rdb'), /are not reached/);
});

test('nothing measured, nothing shown', () => {
  assert.equal(renderPersistence(persistenceOf([])), '');
});
