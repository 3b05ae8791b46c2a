/**
 * The benchmark `link-supervisors`: how long replication stops when its tunnel is killed, hangs or goes dark, by what supervises it.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */
import { checkEach } from '../../src/report/checks.js';
import { MIB } from '../../src/units.js';
import { factTable } from '../pages/fact-table.js';
import { everyRequestAnswered, linksOf, rangeText } from './figures.js';
import { mixCase, ON_A_PATH, paceOf } from './round.js';
import { DARK_SECONDS, measureSupervisor } from './supervisors-round.js';
import { TEXTS } from './texts.js';

/** Far below what a tunnel can carry, so that a replica has caught up at once. */
const RATE = 5000;
/** A gap of 15 s fits. */
const BACKLOG = 64 * MIB;

export const SUPERVISORS = Object.freeze({
  restart: 'restart at its end',
  autossh: 'autossh',
  monit: 'autossh + monit',
  'monit-asks': 'autossh + monit that sends PING',
});
export const FAULTS = Object.freeze({
  killed: 'ssh killed',
  hung: 'ssh hangs',
  dark: `link dark ${DARK_SECONDS} s`,
  'all-killed': 'ssh and autossh killed',
});

/** @param {Pick<CaseFigures, 'params'>} row */
export const supervisorOf = ({ params }) => SUPERVISORS[params.supervisor ?? 'restart'];
/** @param {Pick<CaseFigures, 'params'>} row */
export const faultOf = ({ params }) => FAULTS[params.tunnelFault ?? 'killed'];

/** @param {CaseFigures} row @returns {string} of a tunnel that was not back in every round: `not back` */
export function stoppedText(row) {
  const isBack = row.of['link-stopped-away']?.n === row.of['link-demand'].n;
  return isBack ? rangeText(row, 'link-stopped-away') : 'not back';
}

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
function supervisorChecks({ cases }) {
  const killed = cases.filter(({ params }) => params.tunnelFault === 'killed');
  return [
    everyRequestAnswered(cases),
    checkEach('every supervisor brought a killed tunnel back', killed, (/** @type {CaseResult} */ result) =>
      linksOf(result).some(({ stopped }) => stopped?.awayMs === null) ? 'not in every round' : null,
    ),
  ];
}

/** @type {Benchmark} */
export default {
  name: 'link-supervisors',
  ...TEXTS['link-supervisors'],
  ...ON_A_PATH,
  pace: paceOf({ quick: [1, 4], standard: [3, 4], full: [7, 4] }),
  cases: () =>
    /** @type {(keyof typeof SUPERVISORS)[]} */ (Object.keys(SUPERVISORS)).flatMap((supervisor) =>
      /** @type {(keyof typeof FAULTS)[]} */ (Object.keys(FAULTS))
        // This tool's own restart has no process to kill.
        .filter((fault) => supervisor !== 'restart' || fault !== 'all-killed')
        .map((tunnelFault) =>
          mixCase(`${supervisor}-${tunnelFault}`, {
            pattern: 'regular',
            rate: RATE,
            tunnel: 'ssh-C',
            supervisor,
            tunnelFault,
            ...(supervisor === 'restart' && { restartAfterMs: 0 }),
            settings: { 'repl-backlog-size': String(BACKLOG) },
          }),
        ),
    ),
  measure: measureSupervisor,
  ...factTable([
    { title: 'supervisor', text: supervisorOf },
    { title: 'fault', text: faultOf },
    { title: 'replication stopped', text: stoppedText, align: 'right' },
  ]),
  findings: () => [],
  checks: supervisorChecks,
};
