/** What is said about the result of an experiment beyond losses and outages, and what is checked beyond every audit. */
/** @import { BenchmarkResult, TrialBenchmark } from '../types.js' */
import * as trials from '../../src/report/trials/checks.js';
import { nothingAckedLost, nothingIsPresent, whereMeasured } from '../../src/report/trials/checks.js';
import { CASE_TITLES } from '../experiments/cases.js';
import { auditChecks, failoverChecks } from '../experiments/checks.js';
import { readSelection, selectedBenchmark } from '../experiments/selection.js';
import { promiseChecks } from './promises.js';
import * as scenarioFindings from './scenario-findings.js';
import { WORDS } from './words.js';

/** @typedef {Pick<TrialBenchmark, 'findings'> | Pick<TrialBenchmark, 'checks'> | Pick<TrialBenchmark, 'findings' | 'checks'>} Said */

const titles = CASE_TITLES;
const CHECKS = WORDS.checks;

/** @param {BenchmarkResult} result @param {string} name @param {string} way */
const safeBy = (result, name, way) => whereMeasured(result, { name, variation: { way }, titles }, nothingAckedLost);

/** By experiment. @type {Readonly<Record<string, Said>>} */
const SAID = Object.freeze({
  'replicas-paused': {
    checks: (result) => [
      {
        ...nothingIsPresent('rejected', result, { modes: ['min1'], expectSome: true, titles }),
        name: CHECKS.refused,
      },
      ...auditChecks(result),
    ],
  },
  'replica-restart': {
    findings: (result) => [scenarioFindings.resyncs(result)],
    checks: (result) => [nothingAckedLost(result, { titles }), ...auditChecks(result)],
  },
  'planned-failover': {
    checks: (result) => [...safeBy(result, CHECKS.runbook, 'by-hand'), ...failoverChecks(result)],
  },
  'primary-restarted-empty': {
    checks: (result) => [
      nothingAckedLost(result, {
        name: CHECKS.fileFirst,
        modes: ['aof-always', 'wait2-min2-aof-always', 'waitaof'],
        titles,
      }),
      ...auditChecks(result),
    ],
  },
  'primary-power-lost': { checks: promiseChecks },
  'sentinels-lost': {
    checks: (result) => [
      trials.failoverHappened(result, { variation: { setting: 'one' }, titles }),
      scenarioFindings.noneWithoutMajority(result),
      ...auditChecks(result),
    ],
  },
  'primary-blocked': { findings: scenarioFindings.killedFindings },
  'rolling-restart': {
    checks: (result) => [...safeBy(result, CHECKS.rolling, 'by-script'), ...failoverChecks(result)],
  },
  'stale-replica-preferred': {
    // A replica that lost its data has lost what it had confirmed.
    checks: (result) => failoverChecks(result, { unconfirming: ['empty'] }),
  },
  'replica-frozen-then-primary': { findings: scenarioFindings.chosenFindings },
  'primary-loading': { findings: scenarioFindings.replacedFindings },
  topology: {
    checks: (result) => [
      ...trials.failoverWhereDue(result, { titles }),
      ...whereMeasured(result, { name: CHECKS.everyReplica, modes: ['wait4-aof'], titles }, nothingAckedLost),
      ...auditChecks(result),
    ],
  },
});

/** @type {readonly import('../../src/run/types.js').TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  readSelection(new URL('selection.yaml', import.meta.url)).map((each) =>
    selectedBenchmark(each, SAID[each.experiment]),
  ),
);
