import { kill, stop } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { failoverHappened } from '../src/report/failure-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { failureCases } from '../src/run/failure-case.js';
import { FAILOVER_SECONDS } from '../src/run/scene.js';

const ONE = 'one';
const TWO = 'two';
const NOTHING_YET = 'no failover so far';
/** Without a majority nothing happens: this long is enough to see that, beyond down-after. */
const NOTHING_SECONDS = 5;

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'sentinels-lost',
  suite: 'failure',
  question: 'One Sentinel is gone, or two of three, when the primary is killed: is there a failover?',
  method:
    'Sentinels get SIGTERM, then the primary SIGKILL. With two of three gone nothing is expected to happen until they ' +
    'are started again; then the failover follows.',
  needs: ['stop', 'kill'],
  generator: 'trials',
  cases: (options) =>
    [ONE, TWO].flatMap((variant) => failureCases(options, { levels: ['async', 'wait1'], everyLevel: true, variant })),
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
      mark(happened ? 'failover without a majority' : NOTHING_YET);
      for (const undo of back) await undo();
    }
    await until(switched, 2 * (downAfterMs / 1000) + FAILOVER_SECONDS);
    await write(profile.healthySeconds + 1);
  },
  table: [],
  findings: (result) =>
    [ONE, TWO].flatMap((variant) => {
      const what = `Killing the primary with ${variant === ONE ? 'one Sentinel' : 'two Sentinels'} of three gone`;
      return outcomeFinding(result, { what, variant }) ?? [];
    }),
  checks: (result) => [failoverHappened(result, { variant: ONE }), noneWithoutMajority(result), ...auditChecks(result)],
};

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/run/types.js').Check}
 */
function noneWithoutMajority({ cases, timeline = [] }) {
  const own = cases.filter(({ params }) => params.variant === TWO).map(({ id }) => id);
  const trials = timeline.filter((trial) => own.includes(trial.case));
  const quiet = trials.filter(({ marks }) => marks.some(({ what }) => what === NOTHING_YET));
  return {
    name: 'no failover without a majority of the Sentinels',
    ok: trials.length > 0 && quiet.length === trials.length,
    detail: `${quiet.length} of ${trials.length} trials saw none until Sentinels came back`,
  };
}
