import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderBlocks } from '../../src/report/blocks.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { persistenceDetails } from './details.js';
import { persisted, persistenceOf, WITH_AOF } from './fixture.js';

/** @import { BenchmarkResult, Result } from '../../src/result/schema.js' */

const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage' | 'storageNotMeasured'> & {environment?: {cores: number}}} [run]
 * @returns {string} Markdown
 */
const details = (benchmark, run = {}) => renderBlocks(persistenceDetails(benchmark, run), NAMED_FIGURES);

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
