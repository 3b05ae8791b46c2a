import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy } from './checks-fixture.js';
import { lossChecks } from './loss.js';

/** @import { LinkFigures } from './document.js' */

const MIB = 1024 * 1024;
const BACKLOG = 64 * MIB;

/**
 * @param {Partial<LinkFigures>} [link]
 * @param {Partial<NonNullable<LinkFigures['outage']>>} [outage]
 * @param {Parameters<typeof roundOf>[0]} [round]
 */
function lossOf(link, outage, round) {
  const figures = {
    writes: 9000,
    streamBytes: 6 * MIB,
    demandBytesPerSecond: MIB,
    missedBytes: MIB,
    agreement: { primaryKeys: 1000, replicaKeys: 1000, compared: 200, different: 0 },
  };
  const times = { noticedMs: 20, awayMs: 640, behindMs: 700, resync: /** @type {const} */ ('partial'), restarts: 1 };
  return caseOf('loss', { tunnel: 'ssh-C', settings: { 'repl-backlog-size': String(BACKLOG) } }, [
    roundOf({ link: { ...figures, outage: { ...times, ...outage }, ...link }, ...round }),
  ]);
}

const failed = failedBy(lossChecks);

test('checks fail when requests or the replica were lost, values differ, or the resync is not what the backlog allows', () => {
  assert.deepEqual(failed(lossOf()), []);
  const agreement = { primaryKeys: 10, replicaKeys: 10, compared: 9, different: 0 };
  assertEachFails(failed, [
    [
      /3 rejected, 20 unanswered/,
      lossOf({}, {}, { outcomes: { acked: 900, underAcked: 0, rejected: 3, unknown: 20 } }),
    ],
    [/never came back/, lossOf({}, { awayMs: null })],
    [/10 and 9 keys/, lossOf({ agreement: { ...agreement, replicaKeys: 9 } })],
    [/2 differences in 9 keys/, lossOf({ agreement: { ...agreement, different: 2 } })],
    [/never caught up/, lossOf({ agreement: null })],
    [/full, with 1 MiB missed of 64 MiB/, lossOf({}, { resync: 'full' })],
  ]);
});
