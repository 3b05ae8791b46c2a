import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy, wireOf } from './checks-fixture.js';
import { demandChecks } from './demand.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

const WRITES = 1000;

/**
 * @param {Partial<CaseParams>} params
 * @param {Partial<LinkFigures> & {perWrite: number}} link
 */
function demandOf(params, { perWrite, ...link }) {
  const streamBytes = Math.round(perWrite * WRITES);
  const figures = {
    writes: WRITES,
    streamBytes,
    demandBytesPerSecond: streamBytes,
    executed: { set: WRITES },
    wire: wireOf(streamBytes),
    ...link,
  };
  return caseOf(params.grouping ?? 'mix', { pattern: 'regular', payloadBytes: 64, ...params }, [
    roundOf({ writes: WRITES, link: figures }),
  ]);
}

const single = (/** @type {Partial<LinkFigures> & {perWrite: number}} */ link) =>
  demandOf({ grouping: 'single' }, link);
const script = (/** @type {number} */ set) =>
  demandOf({ grouping: 'script', pipeline: 10 }, { perWrite: 141.9, executed: { set, multi: 100, exec: 100 } });
const mix = demandOf({ rate: 30_000, writeShare: 0.62, payloadBytes: 16 }, { perWrite: 94.5 });
const failed = failedBy(demandChecks);

test('the checks hold, and each of them can fail', () => {
  assert.deepEqual(failed(single({ perWrite: 139 }), script(WRITES), mix), []);
  assert.deepEqual(failed(single({ perWrite: 139, wire: wireOf(139_000 - 14) })), [], 'a PING in between');
  assertEachFails(failed, [
    [/at least what was written: single: 60\.0 B/, single({ perWrite: 60 }), mix],
    [/executed every write: script: 999 of 1,000/, script(999), mix],
    [/the wire carried the stream: single: 50% of it/, single({ perWrite: 139, wire: wireOf(69_500) })],
  ]);
});
