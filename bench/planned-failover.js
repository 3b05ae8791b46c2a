import { clientPause, failover } from '../src/fault/index.js';
import { failoverChecks, whereMeasured } from '../src/report/audit-checks.js';
import { nothingAckedLost } from '../src/report/failure-checks.js';
import { noneLost, outcomeFinding, seedClaim } from '../src/report/failure-findings.js';
import { OWN_WRITERS } from '../src/report/failure-totals.js';
import { libraryFinding } from '../src/report/library-findings.js';
import { FIRST_SEED } from '../src/report/seeds.js';
import { failureCases } from '../src/run/failure-case.js';
import { oldPrimaryReturns } from '../src/run/old-primary.js';

const SWITCH_SECONDS = 20;
/** Longer than it takes until the old primary is a replica; the pause is ended as soon as it is. */
const PAUSE_MS = 60_000;
const BY_HAND = 'by-hand';

const WHAT = 'Asking a Sentinel for a failover';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'planned-failover',
  suite: 'failure',
  question: 'Somebody asks a Sentinel for a failover while all is well: is that safe?',
  method:
    'A Sentinel is sent SENTINEL FAILOVER; the writers go on until the old primary is a replica. In the variant ' +
    `“${BY_HAND}” the primary is first told to hold all writes (CLIENT PAUSE … WRITE), and as soon as a replica has been ` +
    'promoted it is told to follow that one (REPLICAOF) and let go (CLIENT UNPAUSE), instead of leaving this to the Sentinels.',
  needs: ['failover'],
  generator: 'trials',
  cases: (options) => [
    ...failureCases(options, {
      levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
    ...failureCases(options, { levels: ['async'], variant: BY_HAND }),
  ],
  async script(scene, { params }) {
    const { profile, primary, inject, write, until, switched, follow } = scene;
    await write(profile.healthySeconds);
    const unpause = params.variant === BY_HAND ? await inject(clientPause(PAUSE_MS, 'WRITE'), primary.id) : undefined;
    const undo = await inject(failover, primary.id);
    await until(switched, SWITCH_SECONDS);
    await undo();
    if (unpause) {
      await follow(primary.id);
      await unpause();
    }
    await oldPrimaryReturns(scene);
  },
  table: [],
  findings: (result) =>
    [
      outcomeFinding(result, { what: WHAT }),
      seedClaim(result, {
        claim: 'zero data loss during controlled failovers',
        title: FIRST_SEED,
        choice: { levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1'], writers: OWN_WRITERS },
        holds: noneLost,
      }),
      libraryFinding(result, WHAT),
    ].filter((finding) => finding !== null),
  checks: (result) => [
    ...whereMeasured(result, { name: 'nothing is lost when it is done by hand', variant: BY_HAND }, nothingAckedLost),
    ...failoverChecks(result),
  ],
};
