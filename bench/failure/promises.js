/**
 * A power loss of the primary: which writes that the server had confirmed as synced were not on its disk.
 * @import { BenchmarkResult, CaseVariation, Stack, TrialBenchmark } from '../types.js'
 */

import { total } from '../../src/audit/of-trials.js';
import { count, serverText } from '../../src/format.js';
import { checkMeasured } from '../../src/report/checks.js';
import { failoverHappened, whereMeasured } from '../../src/report/trials/checks.js';
import { filled } from '../../src/sentences.js';
import { sum } from '../../src/stats/statistics.js';
import { CASE_TITLES, caseTitle, ownAudits } from '../experiments/cases.js';
import { auditChecks } from '../experiments/checks.js';
import { IN_PLACE, REPLACED, REWRITE } from '../experiments/primary-power-lost.js';
import { WORDS } from './words.js';

const CHECKS = WORDS.checks;

/** @type {readonly CaseVariation[]} */
const RESTARTED = [{ way: IN_PLACE }, { setting: REWRITE }];

/** @type {TrialBenchmark['checks']} */
export const promiseChecks = (result, { server } = {}) => [
  ...RESTARTED.flatMap((variation) =>
    whereMeasured(result, { variation, expected: false, titles: CASE_TITLES }, failoverHappened),
  ),
  ...whereMeasured(result, { variation: { way: REPLACED }, titles: CASE_TITLES }, failoverHappened),
  ...checkMeasured(CHECKS.promise, promisesOf(result), (promise) => whyBroken(promise, server), {
    title: ({ one }) => caseTitle(one.params),
    well: () => filled(CHECKS.kept, { acked: count(sum(promisesOf(result).map(({ acked }) => acked))) }),
  }),
  ...auditChecks(result),
];

/** @typedef {ReturnType<typeof promisesOf>[number]} Promised writes confirmed as synced to the primary’s own disk, before it restarted in place */

/** @param {BenchmarkResult} result @returns one for each mode that makes the promise */
function promisesOf(result) {
  return result.cases
    .filter(({ params }) => params.way === IN_PLACE)
    .filter(({ params }) => params.waitLocal === 1 || params.settings?.appendfsync === 'always')
    .map((one) => {
      const audits = ownAudits(result, one);
      return { one, acked: total(audits, 'acked'), lost: total(audits, 'ackedLost') };
    });
}

/** @param {Promised} promise @param {Stack['about']['server']} [server] @returns {string | null} null: the promise held */
function whyBroken({ acked, lost }, server) {
  if (acked === 0) return CHECKS.nothing;
  if (lost === 0) return null;
  return filled(CHECKS.broken, {
    lost: count(lost),
    acked: count(acked),
    server: server ? serverText(server) : 'the server',
  });
}
