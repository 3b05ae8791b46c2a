import { SCENARIO } from './cases.js';
import { failoverChecks } from './checks.js';
import { outcomeFindings } from './findings.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

/** What a scenario declares in which a replica is promoted. */
export const WITH_PROMOTION = Object.freeze({
  ...SCENARIO,
  needsFailover: /** @type {TrialBenchmark['needsFailover']} */ (true),
  findings: /** @type {TrialBenchmark['findings']} */ ((result) => outcomeFindings(result)),
  checks: /** @type {TrialBenchmark['checks']} */ (failoverChecks),
});
