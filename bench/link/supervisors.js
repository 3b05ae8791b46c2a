/**
 * The benchmark `link-supervisors`: how long replication stops when its tunnel is killed, hangs or goes dark, by what supervises it.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */

import { count, plural } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { left, outcomesOf } from '../../src/report/columns.js';
import { overRounds } from '../../src/report/over-rounds.js';
import { MIB, MS_A_SECOND } from '../../src/units.js';
import { mixCase, ON_A_PATH, paceOf } from './round.js';
import { time } from './shortfall-figures.js';
import { DARK_SECONDS, measureSupervisor, WATCHED_SECONDS } from './supervisors-round.js';

/** Far below what a tunnel can carry, so that a replica has caught up at once. */
const RATE = 5000;
/** A gap of 15 s fits. */
const BACKLOG = 64 * MIB;

const ALL_FAULTS = /** @type {const} */ (['killed', 'hung', 'dark', 'all-killed']);
/** This tool's own restart has no process to kill. */
const FAULTS_OF = Object.freeze({
  restart: ALL_FAULTS.slice(0, -1),
  autossh: ALL_FAULTS,
  monit: ALL_FAULTS,
  'monit-asks': ALL_FAULTS,
});

/** @typedef {keyof typeof FAULTS_OF} Supervisor */

export const SUPERVISOR_TITLES = Object.freeze(
  /** @type {Record<Supervisor, string>} */ ({
    restart: 'restart at its end',
    autossh: 'autossh',
    monit: 'autossh + monit',
    'monit-asks': 'autossh + monit that sends PING',
  }),
);
export const FAULT_TITLES = Object.freeze(
  /** @type {Record<typeof ALL_FAULTS[number], string>} */ ({
    killed: 'ssh killed',
    hung: 'ssh hangs',
    dark: `link dark ${DARK_SECONDS} s`,
    'all-killed': 'ssh and autossh killed',
  }),
);

const { each: stoppedOf, medianColumn } = overRounds(({ link }) => link?.stopped);

/** @param {CaseResult} result */
const isKilled = ({ params }) => params.tunnelFault === 'killed';

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function supervisorChecks({ cases }) {
  if (cases.length === 0) return [];
  return [
    checkEach('the primary answered every request meanwhile', cases, (result) => {
      const { rejected, unknown } = outcomesOf(result);
      return rejected + unknown === 0 ? null : `${count(rejected)} rejected, ${count(unknown)} unanswered`;
    }),
    checkEach('every supervisor brought a killed tunnel back', cases.filter(isKilled), (result) => {
      const gone = stoppedOf(result).filter(({ awayMs }) => awayMs === null).length;
      return gone === 0 ? null : `not in ${plural(gone, 'round')}`;
    }),
  ];
}

/** @type {Benchmark} */
export default {
  name: 'link-supervisors',
  question: 'How long does replication stop when its tunnel is killed, hangs or goes dark, by what supervises it?',
  method:
    `The stream goes through ssh -C, beside ${count(RATE)} requests a second. Then ssh is killed (SIGKILL), hangs (SIGSTOP), nothing passes the link for ` +
    `${DARK_SECONDS} s, or ssh and its autossh are killed. The time counts until the replica has writes made after the fault; a tunnel that is not back after ` +
    `${WATCHED_SECONDS} s is given up. ssh sends a keepalive each second and ends after three without an answer (ServerAliveInterval 1, ServerAliveCountMax 3). ` +
    'This tool and autossh (-M 0) start ssh again when it has ended. monit looks once a second (its package: every 120 s) whether autossh runs; with PING it ' +
    'also asks Redis through the tunnel, and restarts both after two failures. autossh’s own monitoring port needs a second host, and is off.',
  ...ON_A_PATH,
  pace: paceOf({ quick: [1, 4], standard: [3, 4], full: [7, 4] }),
  cases: () =>
    Object.entries(FAULTS_OF).flatMap(([supervisor, faults]) =>
      faults.map((tunnelFault) =>
        mixCase(`${supervisor}-${tunnelFault}`, {
          pattern: 'regular',
          rate: RATE,
          tunnel: 'ssh-C',
          supervisor: /** @type {Supervisor} */ (supervisor),
          tunnelFault,
          ...(supervisor === 'restart' && { restartAfterMs: 0 }),
          settings: { 'repl-backlog-size': String(BACKLOG) },
        }),
      ),
    ),
  measure: measureSupervisor,
  table: [
    left('supervisor', ({ params: { supervisor = 'restart' } }) => SUPERVISOR_TITLES[supervisor]),
    left('fault', ({ params: { tunnelFault = 'killed' } }) => FAULT_TITLES[tunnelFault]),
    medianColumn(
      'replication stopped',
      ({ awayMs }) => awayMs,
      (ms) => time(ms / MS_A_SECOND),
      `over ${WATCHED_SECONDS} s`,
    ),
  ],
  findings: () => [],
  checks: supervisorChecks,
};
