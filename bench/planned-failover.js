import { clientPause, failover } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { failoverHappened, nothingAckedLost } from '../src/report/failure-checks.js';
import {
  lossFinding,
  noneLost,
  seedClaim,
  splitBrainFinding,
  unavailableFinding,
} from '../src/report/failure-findings.js';
import { OWN_WRITERS } from '../src/report/failure-totals.js';
import { libraryFinding } from '../src/report/library-findings.js';
import { FIRST_SEED } from '../src/report/seeds.js';
import { failureCases } from '../src/run/failure-case.js';
import { oldPrimaryReturns } from '../src/run/old-primary.js';

const SWITCH_SECONDS = 20;
/** Longer than it takes until the old primary is a replica; the pause is ended as soon as it is. */
const PAUSE_MS = 60_000;
const PAUSED_FIRST = 'writes-paused';

const WHAT = 'Asking a Sentinel for a failover';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'planned-failover',
  suite: 'failure',
  question: 'Somebody asks a Sentinel for a failover while all is well: is that safe?',
  method:
    'A Sentinel is sent SENTINEL FAILOVER; the writers go on until the old primary is a replica. In the variant ' +
    `“${PAUSED_FIRST}” the primary is first told to hold all writes (CLIENT PAUSE … WRITE), until it is a replica.`,
  needs: ['failover'],
  generator: 'trials',
  cases: (options) => [
    ...failureCases(options, {
      levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
    ...failureCases(options, { levels: ['async'], variant: PAUSED_FIRST }),
  ],
  async script(scene, { params }) {
    const { profile, primary, inject, write, until, switched } = scene;
    await write(profile.healthySeconds);
    const unpause =
      params.variant === PAUSED_FIRST ? await inject(clientPause(PAUSE_MS, 'WRITE'), primary.id) : undefined;
    const undo = await inject(failover, primary.id);
    await until(switched, SWITCH_SECONDS);
    await undo();
    await oldPrimaryReturns(scene, unpause);
  },
  table: [],
  findings: (result) =>
    [
      lossFinding(result, { what: WHAT, writers: OWN_WRITERS }),
      unavailableFinding(result, { what: WHAT, writers: OWN_WRITERS }),
      splitBrainFinding(result, { what: WHAT }),
      seedClaim(result, {
        claim: 'zero data loss during controlled failovers',
        title: FIRST_SEED,
        choice: { levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1'], writers: OWN_WRITERS },
        holds: noneLost,
      }),
      libraryFinding(result, WHAT),
    ].filter((finding) => finding !== null),
  checks: (result) => [
    failoverHappened(result),
    nothingAckedLost(result, { name: 'nothing that WAIT 2 acknowledged is lost', levels: ['wait2'] }),
    nothingAckedLost(result, { name: 'nothing is lost when writes are held first', variant: PAUSED_FIRST }),
    ...auditChecks(result),
  ],
};
