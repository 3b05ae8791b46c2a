import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { assertEachFails, failedBy } from './checks-fixture.js';
import { lossChecks } from './tunnels.js';

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
  };
  const times = { noticedMs: 20, awayMs: 640, behindMs: 700 };
  return caseOf('loss', { tunnel: 'ssh-C', settings: { 'repl-backlog-size': String(BACKLOG) } }, [
    roundOf({ link: { ...figures, outage: { ...times, ...outage }, ...link }, ...round }),
  ]);
}

const failed = failedBy(lossChecks);

test('checks fail when requests or the replica were lost', () => {
  assert.deepEqual(failed(lossOf()), []);
  assertEachFails(failed, [
    [
      /3 rejected, 20 unanswered/,
      lossOf({}, {}, { outcomes: { acked: 900, underAcked: 0, rejected: 3, unknown: 20 } }),
    ],
    [/never came back/, lossOf({}, { awayMs: null })],
    [/did not catch up/, lossOf({}, { behindMs: null })],
  ]);
});
