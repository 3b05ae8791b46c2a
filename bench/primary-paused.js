import { pause } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { failoverHappened, nothingAckedLost } from '../src/report/failure-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { libraryFinding } from '../src/report/library-findings.js';
import { failureCases } from '../src/run/failure-case.js';
import { oldPrimaryReturns } from '../src/run/old-primary.js';
import { FAILOVER_SECONDS } from '../src/run/scene.js';

const WHAT = 'Pausing the primary until another is promoted';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'primary-paused',
  suite: 'failure',
  question:
    'The primary stands still until another is promoted, and then wakes up: what does it do with the writes it still gets?',
  method:
    'The primary is stopped by SIGSTOP; its connections stay open. When a replica has been promoted and written to for a ' +
    'while, the old primary goes on where it stood, and the writers go on until the Sentinels have made it a replica.',
  needs: ['pause'],
  generator: 'trials',
  cases: (options) =>
    failureCases(options, {
      levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
  async script(scene) {
    const { profile, primary, downAfterMs, inject, write, until, switched } = scene;
    await write(profile.healthySeconds);
    const undo = await inject(pause, primary.id);
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await write(profile.healthySeconds);
    await undo();
    await oldPrimaryReturns(scene);
  },
  table: [],
  findings: (result) =>
    [outcomeFinding(result, { what: WHAT }), libraryFinding(result, WHAT)].filter((finding) => finding !== null),
  checks: (result) => [
    failoverHappened(result),
    nothingAckedLost(result, { name: 'nothing that WAIT 2 acknowledged is lost', levels: ['wait2'] }),
    ...auditChecks(result),
  ],
};
