import { isolate } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { failoverHappened, nothingAckedLost } from '../src/report/failure-checks.js';
import { noneLost, outcomeFinding, seedClaim } from '../src/report/failure-findings.js';
import { FIRST_SEED } from '../src/report/seeds.js';
import { failureCases } from '../src/run/failure-case.js';
import { oldPrimaryReturns } from '../src/run/old-primary.js';
import { FAILOVER_SECONDS } from '../src/run/scene.js';

const WHAT = 'Cutting the primary from everybody';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'primary-isolated',
  suite: 'failure',
  question: 'The primary is cut from everybody, clients too: what is lost, and who hangs?',
  method:
    'Nothing passes between the primary and anybody else, clients included. When a replica has been promoted and written to ' +
    'for a while, the cut is mended, and the writers go on until the Sentinels have made the old primary a replica.',
  needs: ['isolate'],
  generator: 'trials',
  cases: (options) =>
    failureCases(options, { levels: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'] }),
  async script(scene) {
    const { profile, primary, downAfterMs, inject, write, until, switched } = scene;
    await write(profile.healthySeconds);
    const undo = await inject(isolate, primary.id);
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await write(profile.healthySeconds);
    await undo();
    await oldPrimaryReturns(scene);
  },
  table: [],
  findings: (result) =>
    [
      outcomeFinding(result, { what: WHAT }),
      seedClaim(result, {
        claim: 'min-replicas-to-write protects against split brain',
        title: FIRST_SEED,
        choice: { levels: ['min1'] },
        holds: noneLost,
      }),
    ].filter((finding) => finding !== null),
  checks: (result) => [
    failoverHappened(result),
    nothingAckedLost(result, { name: 'nothing that WAIT 2 acknowledged is lost', levels: ['wait2'] }),
    ...auditChecks(result),
  ],
};
