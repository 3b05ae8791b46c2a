import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderBlocks } from '../../src/report/blocks.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { persisted, persistenceOf, persistenceResult, storageInfos, WITH_AOF } from './fixture.js';
import { persistenceDetails, persistenceFindings } from './report.js';

/** @import { BenchmarkResult, CaseResult, Result } from '../../src/result/schema.js' */

const SLOW = { storage: 'slow' };
const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage' | 'storageNotMeasured'> & {environment?: {cores: number}}} [run]
 * @returns {string} Markdown
 */
const details = (benchmark, run = {}) => renderBlocks(persistenceDetails(benchmark, run), NAMED_FIGURES);

/** @param {CaseResult[]} cases */
const findings = (cases) =>
  persistenceFindings(persistenceOf(cases), { storages: storageInfos() }).map(({ text }) => text);

describe('findings', () => {
  test('AOF on each storage, p99 as service time, GET, the split', () => {
    const sentences = findings(persistenceResult().cases);
    assert.equal(
      sentences[0],
      'AOF on `tmp` costs 80% of throughput with everysec and 87% with always (SETs of 176 KiB, 20 connections, range of 3 rounds)',
    );
    assert.match(sentences[2], /^AOF on `slow` \(emulated\) costs 97% .*with everysec/);
    assert.match(
      sentences[1],
      /^p99 service time of SET on `tmp` rises from 2\.\d+ ms.* to 33\.\d ms.* with AOF everysec and /,
    );
    assert.equal(sentences[4], 'Persistence slows GET in 0 of 2 cases');
    assert.match(
      sentences[3],
      /^Against AOF on the replica only, AOF everysec on both nodes costs 75%.* of SET throughput/,
    );
    assert.match(
      sentences[5],
      /^SET of 176 KiB with AOF on `tmp` has a p99 more than 2× that without persistence or above 10\.0 ms in 3 of 3 cases$/,
    );
    assert.match(sentences[7], /^The replica of the split with AOF falls behind: it was sent \d/);
  });

  test('a cost with a wide interval shows its bounds only', () => {
    const always = persisted('always', {}, { writes: 2000, medianNs: 2e6, counters: WITH_AOF });
    always.rounds[0].throughput = 300;
    assert.equal(
      findings([off, always])[0],
      'AOF on `tmp` costs 33 to 90% of throughput with always (SETs of 176 KiB, 20 connections, range of 3 rounds)',
    );
  });

  test('storage is called emulated, or memory', () => {
    const slow = [
      persisted('off', SLOW, { writes: 3000, medianNs: 1e6 }),
      persisted('always', SLOW, { writes: 300, medianNs: 1e6 }),
    ];
    const always = persisted('always', {}, { writes: 300, medianNs: 1e6 });
    const of = (/** @type {Parameters<typeof persistenceFindings>[1]} */ options) =>
      persistenceFindings(persistenceOf([off, always, ...slow]), options).map(({ text }) => text);
    assert.match(of({})[1], /^AOF on `slow` \(perhaps emulated\) costs/);
    const memory = { label: 'tmp', emulated: false, filesystem: 'tmpfs' };
    assert.match(of({ storages: [memory] })[0], /^AOF on `tmp` \(tmpfs: memory, no disk\) costs/);
  });

  test('without measurements there is no finding', () => {
    assert.deepEqual(persistenceFindings(persistenceOf([])), []);
    assert.deepEqual(findings([off]), []);
  });
});

describe('details', () => {
  test('architectures: overlapping intervals leave the order undecided', () => {
    const pair = { replicas: 1 };
    const cases = [
      off,
      persisted('everysec', {}, { writes: 1190, medianNs: 3e6, counters: WITH_AOF }),
      persisted('off', pair, { writes: 1500, medianNs: 2.4e6, replica: {} }),
      persisted('split', pair, { writes: 1200, medianNs: 3e6, replica: WITH_AOF }),
    ];
    assert.match(details(persistenceOf(cases)), /The order of the first two is undecided: their intervals overlap/);
  });
});
