/** The benchmarks of the article “Replication” as it made them, with wrk and an HTTP application; and what becomes of its killed primary. */
/** @import { CaseFigures, CaseResult, Check, CustomBenchmark } from '../types.js' */

import { count } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { activityOf } from '../../src/report/resources.js';
import { makeCase } from '../../src/run/case.js';
import { CustomParameters } from '../../src/run/parameters.js';
import { sum } from '../../src/stats/statistics.js';
import { declaredIn } from '../pages/declared.js';
import { columnsIn, factTable, totalOf } from '../pages/fact-table.js';
import { activityCases } from '../resources/activities.js';
import { measureKilled } from './application/kill.js';
import { CONNECTIONS, measureActivity, PROFILE_BYTES, whyNoWrk } from './application/round.js';
import { MODES, stackTitle } from './modes.js';
import { STACKS } from './resources.js';

const DECLARED = declaredIn(new URL('texts.yaml', import.meta.url));
const { columns, ...APPLICATION } = DECLARED['semi-sync-application'];

const SHAPE = Object.freeze({ client: 'wrk', connections: CONNECTIONS, payloadBytes: PROFILE_BYTES });

export const RETURNS = Object.freeze(
  /** @type {const} */ ({
    'as-it-is': { title: 'as it is', settings: {} },
    forced: { title: 'position forced', settings: { gtid_strict_mode: 'OFF' } },
    trimmed: { title: 'trimmed', settings: {} },
  }),
);

/**
 * @param {NonNullable<CaseResult['params']['afterKill']>} afterKill
 * @param {Readonly<Record<string, string>>} [settings] beside those of the article
 */
function killCase(afterKill, settings = {}) {
  const mode = 'after-sync';
  const all = { ...MODES[mode].settings, ...settings };
  return {
    id: afterKill,
    params: makeCase({ ...SHAPE, operation: 'set', replicas: 2, mode, afterKill, settings: all }).params,
  };
}

/** @type {Pick<CustomBenchmark, 'system' | 'kind' | 'parameters'>} */
const SHARED = { system: 'mariadb', kind: 'custom', parameters: CustomParameters };

/** @type {CustomBenchmark} */
export const application = {
  ...SHARED,
  ...APPLICATION,
  needs: ['stop', 'kill', 'stats', 'configure'],
  usePerNode: true,
  stacks: { sentinels: false },
  cases: () => [...activityCases(STACKS, SHAPE), killCase('counted')],
  whyNotCase: async () => whyNoWrk(),
  measure: (site) => (site.theCase.params.afterKill === undefined ? measureActivity(site) : measureKilled(site)),
  ...factTable([
    { title: 'stack', text: ({ params }) => stackTitle(params) },
    { title: 'activity', text: (row) => `${activityOf(row)}${row.params.afterKill ? ', primary killed' : ''}` },
    ...columnsIn(columns),
  ]),
  checks: ({ cases }) => [everyRequestServed(cases), nothingLost(cases)],
};

/** @type {CustomBenchmark} */
export const oldPrimary = {
  ...SHARED,
  ...DECLARED['semi-sync-old-primary'],
  needs: ['kill', 'partition', 'configure'],
  stacks: { sentinels: false, links: true },
  cases: () =>
    /** @type {(keyof typeof RETURNS)[]} */ (Object.keys(RETURNS)).map((way) => killCase(way, RETURNS[way].settings)),
  whyNotCase: async ({ params }, { about: { backend } }) =>
    params.afterKill === 'trimmed' && backend !== 'local'
      ? 'A container starts again without the setting that trims. Measure this case with --backend local.'
      : whyNoWrk(),
  measure: measureKilled,
  ...factTable([
    { title: 'old primary', text: returnTitle },
    { title: 'unconfirmed rows', text: (row) => String(unconfirmedOf(row)), align: 'right' },
    { title: 'followed', text: (row) => count(totalOf(row, 'application-returned-follows')), align: 'right' },
    { title: 'error', metric: 'application-returned-errno', format: 'count' },
    { title: 'rows only it has', metric: 'application-returned-extra-rows', format: 'count' },
    { title: 'rows it lacks', metric: 'application-returned-missing-rows', format: 'count' },
    { title: 'binary log trimmed', text: (row) => count(totalOf(row, 'application-trimmed')), align: 'right' },
  ]),
  checks: ({ cases }) => [nothingLost(cases)],
};

/** @param {{params: Pick<CaseResult['params'], 'afterKill'>}} row */
export function returnTitle({ params: { afterKill } }) {
  return afterKill === undefined || afterKill === 'counted' ? 'counted only' : RETURNS[afterKill].title;
}

/** @param {CaseFigures} row of a kill @returns {number} rows on the old primary that no replica had, over all rounds */
export function unconfirmedOf(row) {
  const of = (/** @type {string} */ node) => (row.of[`application-${node}-rows`]?.values ?? []).map(Number);
  const [first, second] = [of('first-replica'), of('second-replica')];
  return sum(of('old-primary').map((rows, i) => Math.max(0, rows - Math.max(first[i], second[i]))));
}

/** @param {readonly CaseResult[]} cases */
function everyRequestServed(cases) {
  const healthy = cases.filter(({ params }) => params.afterKill === undefined && params.operation !== 'idle');
  return checkEach('the application refused nothing while all nodes were up', healthy, ({ rounds }) => {
    const refused = sum(rounds.map((round) => round.application?.refused ?? 0));
    return refused === 0 ? null : `${count(refused)} requests refused`;
  });
}

/** @param {readonly CaseResult[]} cases @returns {Check} where the commits waited for a replica just before the kill */
function nothingLost(cases) {
  const killed = cases.filter(({ params }) => params.afterKill !== undefined);
  return checkEach('a replica has every confirmed registration', killed, ({ rounds }) => {
    const losses = rounds.flatMap(({ application: counted }) => {
      const { isWaiting, confirmed = 0, firstReplicaRows = 0, secondReplicaRows = 0 } = counted ?? {};
      return isWaiting ? Math.max(0, confirmed - Math.max(firstReplicaRows, secondReplicaRows)) : [];
    });
    return sum(losses) === 0 ? null : `${count(sum(losses))} lost`;
  });
}
