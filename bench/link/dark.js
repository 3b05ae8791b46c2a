/**
 * The benchmark `link-dark`: how long a link without any traffic stays unnoticed, and what WAIT and min-replicas do meanwhile.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark, Case, Column } from '../../src/run/types.js'
 */

import { count } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { left, right } from '../../src/report/columns.js';
import { overRounds } from '../../src/report/over-rounds.js';
import { makeCase } from '../../src/run/case.js';
import { MS_A_SECOND } from '../../src/units.js';
import { MINIMUM, measureDark } from './dark-round.js';
import { REPL_TIMEOUT_SECONDS } from './loss.js';
import { ON_A_PATH, paceOf } from './round.js';
import { linksOf, time, total, typical } from './shortfall-figures.js';

/** @typedef {NonNullable<LinkFigures['dark']>} Dark */

/** Writes a second, and the time limit of the WAITs during them. */
const RATE = 500;
const WAIT_TIMEOUT_MS = 500;
const TIMEOUT = 'repl-timeout';
const KEEPALIVE = 'tcp-keepalive';
/** Redis's default. */
const USUAL_KEEPALIVE = '300';
/** With this, TCP would give an idle connection up after 4 s. */
const SHORT_KEEPALIVE = '1';
const MAX_LAG_SECONDS = '2';

const { each: darksOf, medianColumn } = overRounds(({ link }) => link?.dark);

/** @returns {Case[]} */
function darkCases() {
  return [
    darkCase('timeout-4', { [TIMEOUT]: '4' }),
    darkCase('timeout-8-keepalive-1', { [TIMEOUT]: '8', [KEEPALIVE]: SHORT_KEEPALIVE }),
    darkCase('timeout-8-min-replicas', { [TIMEOUT]: '8', [MINIMUM]: '1', 'min-replicas-max-lag': MAX_LAG_SECONDS }),
  ];
}

/**
 * @param {string} id
 * @param {Record<string, string>} settings
 * @returns {Case}
 */
function darkCase(id, settings) {
  const { params } = makeCase({
    replicas: 1,
    rate: RATE,
    connections: 4,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    // The primary says something once a second, as the replica does; by default every 10 s.
    settings: { 'repl-ping-replica-period': '1', [KEEPALIVE]: USUAL_KEEPALIVE, [MINIMUM]: '0', ...settings },
  });
  return { id, params };
}

/** @param {Pick<CaseResult, 'params'>} result */
const timeoutOf = ({ params: { settings } }) => Number(settings?.[TIMEOUT] ?? REPL_TIMEOUT_SECONDS);

/** @param {Pick<CaseResult, 'params'>} result */
const hasMinimum = ({ params: { settings } }) => Number(settings?.[MINIMUM] ?? 0) > 0;

/** @param {Pick<CaseResult, 'params'>} result */
function minimumText(result) {
  const { settings } = result.params;
  return hasMinimum(result) ? `${settings?.[MINIMUM]}, max-lag ${settings?.['min-replicas-max-lag']} s` : 'off';
}

/** @param {number} ms */
const inSeconds = (ms) => time(ms / MS_A_SECOND);

/** @type {Column[]} */
export const DARK_COLUMNS = [
  right(TIMEOUT, (result) => time(timeoutOf(result))),
  right(KEEPALIVE, ({ params: { settings } }) => `${settings?.[KEEPALIVE]} s`),
  left('min-replicas', minimumText),
  medianColumn('replica noticed', ({ replicaNoticedMs }) => replicaNoticedMs, inSeconds, 'never'),
  medianColumn('primary noticed', ({ primaryNoticedMs }) => primaryNoticedMs, inSeconds, 'never'),
  medianColumn('first refused write', ({ refusedMs }) => refusedMs, inSeconds, 'none'),
  right('acked meanwhile', (result) => count(typicalAcked(result))),
  medianColumn('for', ({ ackedSeconds }) => ackedSeconds, time),
  right('WAIT 1 reached', reachedText),
  medianColumn('back after', ({ backMs }) => backMs, inSeconds, 'never'),
  left('resync', (result) => [...new Set(darksOf(result).map(({ resync }) => resync))].join(', ')),
];

/** @param {CaseResult} result */
function typicalAcked(result) {
  return typical(result, (link) => link.dark?.acked) ?? 0;
}

/** @param {CaseResult} result */
function reachedText(result) {
  const [reached, sent] = [total(result, (link) => link.waits?.reached), total(result, (link) => link.waits?.asked)];
  return `${count(reached)} of ${count(sent)}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function darkChecks({ cases }) {
  if (cases.length === 0) return [];
  const check = (/** @type {string} */ name, /** @type {(dark: Dark, result: CaseResult) => string | null} */ wrong) =>
    checkEach(name, cases, (result) => darksOf(result).flatMap((dark) => wrong(dark, result) ?? [])[0] ?? null);
  return [
    check('both nodes noticed, and not before repl-timeout', ({ replicaNoticedMs, primaryNoticedMs }, result) => {
      if (replicaNoticedMs === null || primaryNoticedMs === null)
        return `the ${replicaNoticedMs === null ? 'replica' : 'primary'} never noticed`;
      const least = Math.min(replicaNoticedMs, primaryNoticedMs);
      // A replica and a primary compare whole seconds.
      return least >= (timeoutOf(result) - 1) * MS_A_SECOND ? null : `after ${time(least / MS_A_SECOND)}`;
    }),
    check('the replica was back in the end', ({ backMs }) => (backMs === null ? 'it never came back' : null)),
    check('writes were refused only where min-replicas-to-write asks for it', ({ refusedMs }, result) =>
      (refusedMs !== null) === hasMinimum(result) ? null : refusedMs === null ? 'none was refused' : 'one was refused',
    ),
    checkEach('no WAIT was confirmed in the dark', cases, (result) => {
      const reached = total(result, ({ waits }) => waits?.reached);
      return linksOf(result).length > 0 && reached === 0 ? null : `${count(reached)} were`;
    }),
  ];
}

/** @type {Benchmark} */
export default {
  name: 'link-dark',
  question: 'How long does nobody notice that a replica’s link has gone dark, and what happens meanwhile?',
  method:
    `Writers send ${count(RATE)} writes a second. After 1 s nothing passes the replica’s link any more, in either direction, and no socket ` +
    'is closed, as when a cable is pulled behind a switch. Local: a relay holds the bytes; its kernel still answers keepalive probes, as that ' +
    'of a hung tunnel does. Docker: the proxy’s end is off the replica’s network, so packets vanish. A separate connection sends SET and ' +
    'WAIT 1 ten times a second. When both nodes have given the link up, it passes bytes again. Noticed: master_link_status of the replica, ' +
    'connected_slaves of the primary. repl-timeout is scaled down to fit into a round.',
  ...ON_A_PATH,
  measure: measureDark,
  pace: paceOf({ quick: [1, 12], standard: [3, 12], full: [7, 12] }),
  cases: darkCases,
  table: DARK_COLUMNS,
  findings: () => [],
  checks: darkChecks,
};
