import { isolate } from '../src/fault/index.js';
import { failoverChecks } from '../src/report/audit-checks.js';
import { noneLost, outcomeFinding, seedClaim } from '../src/report/failure-findings.js';
import { FIRST_SEED } from '../src/report/seeds.js';
import { failureCases } from '../src/run/failure-case.js';
import { losePrimary } from '../src/run/old-primary.js';

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
  needsFailover: true,
  cases: (options) =>
    failureCases(options, { levels: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'] }),
  script: (scene) => losePrimary(scene, isolate),
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
  checks: failoverChecks,
};
