import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy, wireOf } from './checks-fixture.js';
import { compressionChecks } from './compression.js';

/** @import { LinkFigures } from './document.js' */

const STREAM = 3_000_000;

/**
 * @param {string} tunnel
 * @param {number} wire bytes to the replica
 * @param {Partial<LinkFigures>} [link]
 * @param {'regular' | 'random'} [pattern]
 */
function through(tunnel, wire, link, pattern = 'regular') {
  const figures = { writes: 30_000, streamBytes: STREAM, demandBytesPerSecond: STREAM, catchUpMs: 12 };
  return caseOf(`${tunnel}-${pattern}`, { tunnel, pattern, pipeline: 10, rate: 1000 }, [
    roundOf({ link: { ...figures, wire: wireOf(wire), ...link }, operations: 1000 }),
  ]);
}

const failed = failedBy(compressionChecks);
const random = (/** @type {number} */ wire) => through('ssh-C', wire, {}, 'random');

test('checks fail when the meter missed bytes, the replica did not catch up, or random keys compressed better', () => {
  const compressed = through('ssh-C', STREAM / 5);
  assert.deepEqual(
    failed(through('none', STREAM + 100), through('ssh', STREAM * 1.1), compressed, random(STREAM / 2)),
    [],
  );
  assertEachFails(failed, [
    [/the wire carried the stream/, through('none', STREAM * 0.9)],
    [/had everything/, through('ssh', STREAM, { catchUpMs: null })],
    [/without a full resync/, through('ssh', STREAM, { fullResyncs: 1 })],
    [/better than random/, compressed, random(STREAM / 6)],
    [/without an error/, caseOf('x', { tunnel: 'none' }, [roundOf({ errors: { OOM: 1 } })])],
  ]);
});
