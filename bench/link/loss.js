/**
 * The benchmark `link-loss`: how long replication stops when its tunnel is killed, and whether it needs a full resync.
 *
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */
import { bytes, count, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { FORMATS } from '../../src/report/specs.js';
import { MIB } from '../../src/units.js';
import { factTable, totalOf } from '../pages/fact-table.js';
import { everyRequestAnswered, rangeText, tunnelName } from './figures.js';
import { measureLoss } from './loss-round.js';
import { mixCase, ON_A_PATH, paceOf } from './round.js';
import { TEXTS } from './texts.js';

/** Redis's default, and a minute's worth. */
const BACKLOGS = [1 * MIB, 64 * MIB];
/** Of the supervisor. */
const RESTARTS_AFTER_MS = [0, 3000];
/** Redis's default `repl-timeout`: when a silent dead link is noticed. */
export const REPL_TIMEOUT_SECONDS = 60;
/** The missed bytes decide the resync only when they differ this much from the backlog: samples are 20 ms apart. */
const MARGIN = 1.25;

/** @param {Pick<CaseResult, 'params'>} result @returns {number} bytes of the primary's backlog */
const backlogOf = ({ params }) => Number(params.settings?.['repl-backlog-size'] ?? 0);

/** @param {string} title @param {string} metric @returns {ColumnSpec} from the least to the most of the rounds */
const range = (title, metric) => ({ title, text: (row) => rangeText(row, metric), align: 'right' });

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  tunnel: { title: 'tunnel', text: tunnelName },
  again: { title: 'started again after', text: ({ params }) => FORMATS.ms(params.restartAfterMs ?? 0), align: 'right' },
  backlog: { title: 'backlog', text: (row) => bytes(backlogOf(row)), align: 'right' },
  stream: { title: 'stream', metric: 'link-demand', format: 'bits' },
  noticed: range('noticed', 'link-outage-noticed'),
  stopped: range('replication stopped', 'link-outage-away'),
  caughtUp: range('caught up', 'link-outage-behind'),
  missed: { title: 'missed', metric: 'link-missed', format: 'bytes' },
  full: { title: 'full resyncs', text: (row) => count(totalOf(row, 'link-full-resyncs')), align: 'right', kept: true },
};

/** @typedef {{id: string, link: LinkFigures, outage: NonNullable<LinkFigures['outage']>, backlog: number}} LinkLoss of a round */

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function lossChecks({ cases }) {
  /** @type {LinkLoss[]} */
  const losses = cases.flatMap((result) =>
    result.rounds.flatMap(({ link }, i) =>
      link?.outage
        ? [{ id: `${result.id}, round ${i + 1}`, link, outage: link.outage, backlog: backlogOf(result) }]
        : [],
    ),
  );
  return [
    everyRequestAnswered(cases),
    checkEach('the replica came back after every kill', losses, ({ outage: { awayMs, behindMs } }) =>
      awayMs === null ? 'the replica never came back' : behindMs === null ? 'it did not catch up' : null,
    ),
    checkEach('both sides held the same in the end', losses, ({ link: { agreement } }) => {
      if (!agreement) return 'the replica never caught up';
      const { primaryKeys, replicaKeys, compared, different } = agreement;
      if (primaryKeys !== replicaKeys) return `${count(primaryKeys)} and ${count(replicaKeys)} keys`;
      if (compared === 0) return 'there were no keys to compare';
      return different === 0 ? null : `${plural(different, 'difference')} in ${plural(compared, 'key')}`;
    }),
    checkEach('the size of the gap decided between partial and full resync', losses, unexpectedResync),
  ];
}

/** @param {LinkLoss} loss */
function unexpectedResync({ link: { missedBytes }, outage: { resync }, backlog }) {
  if (missedBytes == null || backlog === 0) return null;
  const expected = missedBytes * MARGIN < backlog ? 'partial' : missedBytes > backlog * MARGIN ? 'full' : resync;
  return resync === expected ? null : `${resync}, with ${bytes(missedBytes)} missed of ${bytes(backlog)}`;
}

/** @type {Benchmark} */
export default {
  name: 'link-loss',
  ...TEXTS['link-loss'],
  ...ON_A_PATH,
  pace: paceOf({ quick: [1, 4], standard: [3, 6], full: [7, 10] }),
  cases: () =>
    RESTARTS_AFTER_MS.flatMap((restartAfterMs) =>
      BACKLOGS.map((backlog) =>
        mixCase(`ssh-C-after-${restartAfterMs}ms-backlog-${backlog / MIB}mb`, {
          pattern: 'regular',
          tunnel: 'ssh-C',
          restartAfterMs,
          settings: { 'repl-backlog-size': String(backlog) },
        }),
      ),
    ),
  measure: measureLoss,
  ...factTable(Object.values(COLUMNS)),
  findings: () => [],
  checks: lossChecks,
};
