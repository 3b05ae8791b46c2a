import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import linkMemory, { memoryChecks } from './memory.js';

/**
 * @import { BenchmarkResult, CaseResult, RoundResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

const MIB = 2 ** 20;
const [unlimitedCase, limitedCase] = linkMemory.cases(/** @type {any} */ ({}));
const limit = { softBytes: 0, softSeconds: 0, backlogBytes: MIB };
const memory = { limitBytes: 100 * MIB, by: 'address space', goneAfterMs: null };

/** @param {Partial<LinkFigures>} link @param {Partial<RoundResult>} [round] */
function roundWith(link, round) {
  const figures = { writes: 9000, streamBytes: 6 * MIB, demandBytesPerSecond: 16e6, limitBytesPerSecond: 2e6 };
  return roundOf({ throughput: 500, link: { ...figures, maxBufferBytes: 90 * MIB, ...link }, ...round });
}

const gone = roundWith({
  outputLimit: { ...limit, hardBytes: 0 },
  memory: { ...memory, goneAfterMs: 7400, restart: { acked: 3700, missing: 0 } },
  promotion: { acked: 3700, missing: 3100 },
});
const lived = roundWith({
  outputLimit: { ...limit, hardBytes: 16 * MIB, softBytes: 4 * MIB, softSeconds: 2 },
  memory,
  catchUpMs: 3200,
  disconnects: 3,
  fullResyncs: 3,
});

/** @param {RoundResult[]} rounds */
const unlimited = (rounds) => caseOf('unlimited', unlimitedCase.params, rounds);
/** @param {RoundResult[]} rounds */
const limited = (rounds) => caseOf('limited', limitedCase.params, rounds);

/** @param {CaseResult[]} cases @returns {BenchmarkResult} */
function benchmarkOf(cases) {
  return { name: 'link-memory', question: 'What?', status: 'ok', cases, findings: [], checks: [] };
}

/** @param {CaseResult[]} cases */
const failed = (cases) => memoryChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);

describe('checks', () => {
  test('pass when only the unlimited buffer ended its primary', () => {
    assert.deepEqual(failed([unlimited([gone]), limited([lived])]), []);
  });

  test('fail the other way round', () => {
    assert.match(failed([unlimited([lived])])[0].detail, /ended in 0 of 1 round/);
    assert.match(failed([limited([gone])])[0].detail, /ended in 1 of 1 round/);
  });

  test('fail when a primary that lived lost a write, or its replica stayed away', () => {
    const lost = { ...lived, errors: { 'acked but not on the primary': 2 } };
    assert.match(failed([limited([lost])])[0].detail, /acked but not on the primary/);
    const away = { ...lived, link: { .../** @type {LinkFigures} */ (lived.link), catchUpMs: null } };
    assert.match(failed([limited([away])])[0].detail, /not in sync again in 1 round/);
  });
});
