import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy } from './checks-fixture.js';
import linkMemory, { memoryChecks } from './memory.js';

/** @import { LinkFigures } from './document.js' */

const MIB = 2 ** 20;

/** @param {number} place of the case @param {Partial<LinkFigures>} link @param {Record<string, number>} [errors] */
function memoryOf(place, link, errors = {}) {
  const { id, params } = linkMemory.cases(/** @type {any} */ ({}))[place];
  const figures = { writes: 9000, streamBytes: 6 * MIB, demandBytesPerSecond: 16e6, limitBytesPerSecond: 2e6 };
  return caseOf(id, params, [roundOf({ throughput: 500, link: { ...figures, ...link }, errors })]);
}

const failed = failedBy(memoryChecks);
const memory = { limitBytes: 100 * MIB, by: 'address space' };
const gone = { memory: { ...memory, goneAfterMs: 7400 } };
const lived = { memory: { ...memory, goneAfterMs: null }, catchUpMs: 3200 };
const unlimited = (/** @type {Partial<LinkFigures>} */ link) => memoryOf(0, link);
const limited = (/** @type {Partial<LinkFigures>} */ link) => memoryOf(1, link);

test('checks fail unless only the unlimited buffer ended its primary, and one that lived has every write', () => {
  assert.deepEqual(failed(unlimited(gone), limited(lived)), []);
  assertEachFails(failed, [
    [/ended in 0 of 1 round/, unlimited(lived)],
    [/ended in 1 of 1 round/, limited(gone)],
    [/acked but not on the primary/, memoryOf(1, lived, { 'acked but not on the primary': 2 })],
    [/not in sync again in 1 round/, limited({ ...lived, catchUpMs: null })],
  ]);
});
