import { kill, stop } from '../../src/faults/index.js';
import { failoverHappened } from '../../src/report/trials/checks.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { WHOLE_MODES } from '../modes.js';
import { CASE_TITLES, failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { outcomeFindings } from './findings.js';

/**
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

const ONE = 'one';
const TWO = 'two';
/** Time beyond down-after in which a failover without a majority would show. */
const NOTHING_SECONDS = 5;

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'sentinels-lost',
  question: 'Is there a failover when the primary is killed with one or two of three Sentinels lost?',
  method:
    'Sentinels get SIGTERM, then the primary SIGKILL. With two of three lost, no failover is expected until they are started again.',
  needs: ['stop', 'kill'],
  cases: (options) =>
    [ONE, TWO].flatMap((variant) =>
      failureCases(options, {
        modes: options.profile.name === 'quick' ? ['async', 'wait1'] : ['async', 'wait1', ...WHOLE_MODES],
        everyMode: true,
        variant,
      }),
    ),
  async script(
    { profile, primary, sentinels, downAfterMs, inject, prepare, write, until, switched, mark },
    { params },
  ) {
    const back = [];
    for (const { id } of sentinels.slice(0, params.variant === ONE ? 1 : 2)) back.push(await prepare(stop, id));
    await write(profile.healthySeconds);
    await inject(kill, primary.id);
    if (params.variant === TWO) {
      const happened = await until(switched, downAfterMs / 1000 + NOTHING_SECONDS);
      mark(happened ? 'minority-failover' : 'no-failover-yet');
      for (const undo of back) await undo();
    }
    await until(switched, 2 * (downAfterMs / 1000) + FAILOVER_SECONDS);
    await write(profile.healthySeconds + 1);
  },
  findings: (result) => [
    ...outcomeFindings(result, { variant: ONE, start: '1 of 3 Sentinels lost, primary killed: ' }),
    ...outcomeFindings(result, { variant: TWO, start: '2 of 3 Sentinels lost until started again, primary killed: ' }),
  ],
  checks: (result) => [
    failoverHappened(result, { variant: ONE, titles: CASE_TITLES }),
    noneWithoutMajority(result),
    ...auditChecks(result),
  ],
};

/**
 * @param {BenchmarkResult} result
 * @returns {Check}
 */
function noneWithoutMajority({ cases, timeline = [] }) {
  const ids = cases.filter(({ params }) => params.variant === TWO).map(({ id }) => id);
  const trials = timeline.filter((trial) => ids.includes(trial.case));
  const quiet = trials.filter(({ events }) => events.some(({ kind }) => kind === 'no-failover-yet'));
  return {
    name: 'no failover without a majority of the Sentinels',
    ok: trials.length > 0 && quiet.length === trials.length,
    detail: `${quiet.length} of ${trials.length} trials had no failover until Sentinels came back`,
  };
}
