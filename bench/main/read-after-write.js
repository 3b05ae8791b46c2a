/** After how long replicas show a write that was acknowledged. */
/** @import { BenchmarkResult, CaseResult } from '../types.js' */
/** @import { Column } from '../../src/table.js' */
import { duration, count as formatCount, percent } from '../../src/format.js';
import { SEQUENCE_DIGITS } from '../../src/load/read-after-write.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { filled } from '../../src/sentences.js';
import { sum } from '../../src/stats/statistics.js';
import { roundsOf, TEXTS } from './rounds.js';

const WRITERS = 4;
const BACKGROUND = [0, 4];
const WAITS = [0, 1, 2];

/** @typedef {NonNullable<CaseResult['rounds'][number]['consistency']>} Consistency */

/** @type {Column<CaseResult>} */
const background = column.left('other load', ({ params }) =>
  params.backgroundConnections ? `${params.backgroundConnections} more writers` : 'none',
);

export default roundsOf('read-after-write', {
  load: 'read-after-write',
  cases: ({ client }) =>
    BACKGROUND.flatMap((backgroundConnections) =>
      WAITS.map((wait) =>
        makeCase({ client, wait, connections: WRITERS, payloadBytes: SEQUENCE_DIGITS, backgroundConnections }),
      ),
    ),
  table: [
    background,
    column.wait,
    count('reads', ({ reads }) => reads),
    share('seen at once', ({ immediate }) => immediate),
    share('seen after WAIT', ({ afterWait }) => afterWait),
    share('still stale', ({ stale }) => stale),
    staleFor('stale for, p50', 'p50'),
    staleFor('longest', 'max'),
    column.limitedBy,
  ],
  checks: (result) => [everyWriteAcked(result), nothingStaleAfterWaitForAll(result)],
});

/** @param {string} title @param {(consistency: Consistency) => number} value @returns {Column<CaseResult>} */
function count(title, value) {
  return column.right(title, (result) => formatCount(value(consistencyOf(result))));
}

/** @param {string} title @param {(consistency: Consistency) => number} part @returns {Column<CaseResult>} */
function share(title, part) {
  return column.right(title, (result) => {
    const consistency = consistencyOf(result);
    return consistency.reads === 0 ? column.TOO_FEW : percent(part(consistency) / consistency.reads);
  });
}

/** @param {string} title @param {'p50' | 'max'} field @returns {Column<CaseResult>} */
function staleFor(title, field) {
  return column.right(title, ({ summary }) =>
    summary.samples === 0 ? column.TOO_FEW : duration(summary.latencyNs[field]),
  );
}

/** WAIT counts the replicas that have processed the write: after a WAIT for all of them none can miss it. @param {BenchmarkResult} result */
function nothingStaleAfterWaitForAll({ cases }) {
  const waitingForAll = cases.filter(({ params }) => params.wait === Math.max(...WAITS));
  const said = (/** @type {readonly CaseResult[]} */ some) => {
    const each = some.map(consistencyOf);
    const reads = sum(each.map((one) => one.reads));
    const stale = reads - sum(each.map(({ immediate }) => immediate));
    return filled(TEXTS.checks.stale, { stale: formatCount(stale), reads: formatCount(reads) });
  };
  const isGood = (/** @type {Consistency} */ { reads, immediate }) => reads > 0 && immediate === reads;
  return checkEach(
    TEXTS.checks.everyReplica,
    waitingForAll,
    (one) => (isGood(consistencyOf(one)) ? null : said([one])),
    { well: () => said(waitingForAll) },
  );
}

/** @param {CaseResult} result @returns {Consistency} of all rounds together */
function consistencyOf({ rounds }) {
  const total = (/** @type {'reads' | 'immediate' | 'afterWait' | 'stale'} */ field) =>
    sum(rounds.map(({ consistency }) => consistency?.[field] ?? 0));
  return { reads: total('reads'), immediate: total('immediate'), afterWait: total('afterWait'), stale: total('stale') };
}
