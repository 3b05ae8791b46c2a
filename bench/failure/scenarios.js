/**
 * The scenarios of the suite, in the order in which they run, and how reports call them.
 *
 * @import { CaseResult } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */
import { milliseconds } from '../../src/report/trials/figures.js';
import { variantTitle } from './cases.js';
import plannedFailover from './planned-failover.js';
import {
  primaryCut,
  primaryIsolated,
  primaryKilled,
  primaryMachineLost,
  primaryPaused,
  primaryStopped,
} from './primary-lost.js';
import primaryPowerLost from './primary-power-lost.js';
import primaryRestartedEmpty from './primary-restarted-empty.js';
import replicaRestart from './replica-restart.js';
import replicaSlow from './replica-slow.js';
import replicasPaused from './replicas-paused.js';
import sentinelsLost from './sentinels-lost.js';

/** @type {readonly {scenario: TrialBenchmark, title: string}[]} */
const TITLED = [
  { scenario: replicasPaused, title: 'replicas frozen' },
  { scenario: replicaRestart, title: 'replica restarted' },
  { scenario: primaryKilled, title: 'primary killed' },
  { scenario: primaryMachineLost, title: 'machine lost' },
  { scenario: primaryStopped, title: 'primary stopped' },
  { scenario: primaryPaused, title: 'primary frozen' },
  { scenario: primaryCut, title: 'network partition' },
  { scenario: primaryIsolated, title: 'primary isolated' },
  { scenario: plannedFailover, title: 'planned failover' },
  { scenario: primaryRestartedEmpty, title: 'restarted empty' },
  { scenario: primaryPowerLost, title: 'power loss' },
  { scenario: sentinelsLost, title: 'Sentinels lost' },
  { scenario: replicaSlow, title: 'replica slow' },
];

export const SCENARIOS = Object.freeze(TITLED.map(({ scenario }) => scenario));

/**
 * @param {string} benchmark its name
 * @param {Partial<CaseResult['params']>} [params] of a case: its variant and link belong to the title
 * @returns {string} such as `network partition`, `planned failover, writes paused`
 */
export function scenarioTitle(benchmark, { variant, linkLatencyMs = 0 } = {}) {
  const title = TITLED.find(({ scenario }) => scenario.name === benchmark)?.title ?? benchmark;
  // The variant of lost Sentinels already names them.
  const named = variant !== undefined && benchmark === sentinelsLost.name ? [] : [title];
  return [
    ...named,
    ...(variant === undefined ? [] : [variantTitle(variant)]),
    ...(linkLatencyMs > 0 ? [`link ${milliseconds(linkLatencyMs)}`] : []),
  ].join(', ');
}
