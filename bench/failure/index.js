import plannedFailover from './planned-failover.js';
import primaryCut from './primary-cut.js';
import primaryIsolated from './primary-isolated.js';
import primaryKilled from './primary-killed.js';
import primaryPaused from './primary-paused.js';
import primaryRestartedEmpty from './primary-restarted-empty.js';
import replicaRestart from './replica-restart.js';
import replicaSlow from './replica-slow.js';
import replicasPaused from './replicas-paused.js';
import { failureDetails, failurePage } from './report.js';
import sentinelsLost from './sentinels-lost.js';
import { terminalTables } from './tables.js';

/** @import { Suite } from '../../src/run/types.js' */

/** @type {Suite} */
export default {
  name: 'failure',
  benchmarks: [
    replicasPaused,
    replicaRestart,
    primaryKilled,
    primaryPaused,
    primaryCut,
    primaryIsolated,
    plannedFailover,
    primaryRestartedEmpty,
    sentinelsLost,
    replicaSlow,
  ],
  frontPage: failurePage,
  details: failureDetails,
  terminal: ({ benchmarks }) => terminalTables(benchmarks),
};
