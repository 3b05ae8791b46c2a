/**
 * The benchmark `link-dark`: how long a link without any traffic stays unnoticed, and what WAIT and min-replicas do meanwhile.
 *
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */
import { count } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { FORMATS } from '../../src/report/specs.js';
import { makeCase } from '../../src/run/case.js';
import { sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { factTable } from '../pages/fact-table.js';
import { MINIMUM, measureDark } from './dark-round.js';
import { linksOf, timedOutText } from './figures.js';
import { REPL_TIMEOUT_SECONDS } from './loss.js';
import { ON_A_PATH, paceOf } from './round.js';
import { TEXTS } from './texts.js';

/** Writes a second, and the time limit of the WAITs during them. */
const RATE = 500;
const WAIT_TIMEOUT_MS = 500;
const TIMEOUT = 'repl-timeout';
const KEEPALIVE = 'tcp-keepalive';
const MAX_LAG = 'min-replicas-max-lag';
/** In every case. The primary says something once a second, as the replica does; by default every 10 s. */
const SETTINGS = { 'repl-ping-replica-period': '1', [KEEPALIVE]: '300', [MINIMUM]: '0' };
/** @type {Readonly<Record<string, Record<string, string>>>} */
const CASES = Object.freeze({
  'timeout-4': { [TIMEOUT]: '4' },
  'timeout-8-min-replicas': { [TIMEOUT]: '8', [MINIMUM]: '1', [MAX_LAG]: '2' },
});

/** @param {Pick<CaseResult, 'params'>} result */
const timeoutOf = ({ params: { settings } }) => Number(settings?.[TIMEOUT] ?? REPL_TIMEOUT_SECONDS);
/** @param {Pick<CaseResult, 'params'>} result */
const hasMinimum = ({ params: { settings } }) => Number(settings?.[MINIMUM] ?? 0) > 0;

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  timeout: { title: TIMEOUT, text: (row) => `${timeoutOf(row)} s` },
  keepalive: { title: KEEPALIVE, text: ({ params }) => `${params.settings?.[KEEPALIVE]} s` },
  minimum: {
    title: 'min-replicas',
    text: (row) => (hasMinimum(row) ? `1, max-lag ${row.params.settings?.[MAX_LAG]} s` : 'off'),
  },
  replica: { title: 'replica noticed', metric: 'link-dark-replica-noticed', format: 'ms' },
  primary: { title: 'primary noticed', metric: 'link-dark-primary-noticed', format: 'ms' },
  refused: { title: 'first refused write', metric: 'link-dark-refused', format: 'ms' },
  acked: { title: 'acked meanwhile', metric: 'link-dark-acked', format: 'count' },
  time: { title: 'for', metric: 'link-dark-acked-for', format: 'seconds' },
  waits: { title: 'WAIT 1 timed out', text: timedOutText, align: 'right' },
  back: { title: 'back after', metric: 'link-dark-back', format: 'ms' },
};

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function darkChecks({ cases }) {
  const check = (
    /** @type {string} */ name,
    /** @type {(dark: NonNullable<LinkFigures['dark']>, result: CaseResult) => string | null} */ wrong,
  ) =>
    checkEach(name, cases, (result) => {
      const found = linksOf(result).flatMap(({ dark }) => (dark && wrong(dark, result)) ?? []);
      return found[0] ?? null;
    });
  return [
    check('both nodes noticed, and not before repl-timeout', ({ replicaNoticedMs, primaryNoticedMs }, result) => {
      if (replicaNoticedMs === null || primaryNoticedMs === null)
        return `the ${replicaNoticedMs === null ? 'replica' : 'primary'} never noticed`;
      const least = Math.min(replicaNoticedMs, primaryNoticedMs);
      // A replica and a primary compare whole seconds.
      return least >= (timeoutOf(result) - 1) * MS_A_SECOND ? null : `after ${FORMATS.ms(least)}`;
    }),
    check('the replica was back in the end', ({ backMs }) => (backMs === null ? 'it never came back' : null)),
    check('writes were refused only where min-replicas-to-write asks for it', ({ refusedMs }, result) =>
      (refusedMs !== null) === hasMinimum(result) ? null : refusedMs === null ? 'none was refused' : 'one was refused',
    ),
    checkEach('no WAIT was confirmed in the dark', cases, (result) => {
      const reached = sum(linksOf(result).map(({ waits }) => waits?.reached ?? 0));
      return reached === 0 ? null : `${count(reached)} were`;
    }),
  ];
}

/** @type {Benchmark} */
export default {
  name: 'link-dark',
  ...TEXTS['link-dark'],
  ...ON_A_PATH,
  measure: measureDark,
  pace: paceOf({ quick: [1, 12], standard: [3, 12], full: [7, 12] }),
  cases: () =>
    Object.entries(CASES).map(([id, settings]) => {
      const load = { replicas: 1, rate: RATE, connections: 4, waitTimeoutMs: WAIT_TIMEOUT_MS };
      return { id, params: makeCase({ ...load, settings: { ...SETTINGS, ...settings } }).params };
    }),
  ...factTable(Object.values(COLUMNS)),
  findings: () => [],
  checks: darkChecks,
};
