import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { lossChecks } from './loss.js';

/**
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 */

/** @typedef {NonNullable<LinkFigures['outage']>} Outage */

const MIB = 1024 * 1024;

/**
 * @param {Object} of
 * @param {number} [of.restartAfterMs]
 * @param {number} [of.backlog] bytes
 * @param {number} [of.missedBytes]
 * @param {Partial<Outage>} [of.outage]
 * @param {Partial<LinkFigures>} [of.link]
 */
function lossOf({ restartAfterMs = 0, backlog = 64 * MIB, missedBytes = MIB, outage, link }) {
  return caseOf(
    `ssh-C-${restartAfterMs}-${backlog}`,
    { tunnel: 'ssh-C', restartAfterMs, settings: { 'repl-backlog-size': String(backlog) } },
    [
      roundOf({
        link: {
          writes: 9000,
          streamBytes: 6 * MIB,
          demandBytesPerSecond: MIB,
          missedBytes,
          agreement: { primaryKeys: 1000, replicaKeys: 1000, compared: 200, different: 0 },
          outage: {
            noticedMs: 20,
            awayMs: restartAfterMs + 640,
            behindMs: restartAfterMs + 700,
            resync: 'partial',
            restarts: 1,
            ...outage,
          },
          ...link,
        },
      }),
    ],
  );
}

/** @param {CaseResult[]} cases @returns {BenchmarkResult} */
function benchmarkOf(cases) {
  return { name: 'link-loss', question: 'For how long?', status: 'ok', cases, findings: [], checks: [] };
}

/** @param {CaseResult[]} cases */
function failed(cases) {
  return lossChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);
}

describe('checks of a lost tunnel', () => {
  test('pass when the replica came back and both sides agree', () => {
    assert.deepEqual(failed([lossOf({})]), []);
    assert.equal(lossChecks(benchmarkOf([lossOf({})])).length, 4);
  });

  test('fail when requests were not answered', () => {
    const { id, params, rounds } = lossOf({});
    const outcomes = { acked: 900, underAcked: 0, rejected: 3, unknown: 20 };
    const lost = caseOf(id, params, [{ ...rounds[0], outcomes }]);
    assert.match(failed([lost])[0].detail, /3 rejected, 20 unanswered/);
  });

  test('fail when it did not come back, values or keys differ, or the resync is not what the backlog allows', () => {
    assert.match(failed([lossOf({ outage: { awayMs: null } })])[0].detail, /never came back/);
    const keys = { primaryKeys: 10, replicaKeys: 9, compared: 9, different: 0 };
    assert.match(failed([lossOf({ link: { agreement: keys } })])[0].detail, /10 and 9 keys/);
    const values = { primaryKeys: 10, replicaKeys: 10, compared: 9, different: 2 };
    assert.match(failed([lossOf({ link: { agreement: values } })])[0].detail, /2 differences in 9 keys/);
    assert.match(failed([lossOf({ link: { agreement: null } })])[0].detail, /never caught up/);
    assert.match(failed([lossOf({ outage: { resync: 'full' } })])[0].detail, /full, with 1 MiB missed of 64 MiB/);
  });
});
