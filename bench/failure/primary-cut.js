import { cut } from '../../src/faults/index.js';
import { failureCases, TITLES } from './cases.js';
import { failoverChecks } from './checks.js';
import { articleClaim, noneLost, outcomeFindings } from './findings.js';
import { losePrimary } from './old-primary.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

/** @type {TrialBenchmark} */
export default {
  name: 'primary-cut',
  question: 'What is lost in a network partition: the primary is separated from its peers, and clients still reach it?',
  method:
    'A network partition separates the primary from replicas and Sentinels; clients reach every node. The Sentinels promote a ' +
    'replica, which takes writes for a while. Then the partition heals, and the writers continue until the old primary is demoted.',
  needs: ['cut'],
  kind: 'trial',
  needsFailover: true,
  cases: (options) =>
    failureCases(options, { modes: ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'] }),
  script: (scene) => losePrimary(scene, cut),
  table: [],
  titles: TITLES,
  brief: () => [],
  findings: (result) => [
    ...outcomeFindings(result),
    articleClaim(result, {
      claim: 'min-replicas-to-write protects against split brain',
      choice: { modes: ['min1'] },
      holds: noneLost,
    }),
  ],
  checks: failoverChecks,
};
