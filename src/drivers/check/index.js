/** The check of a driver: every rule of docs/drivers.md, tried on a stack whose primary answers by a script. */
import pLimit from 'p-limit';
import { repeated, wrongNumbers, wrongOutcomes, wrongSchedule, wrongWaits } from './judge.js';
import { LIMITS, play } from './play.js';
import { scenarios } from './scenarios.js';

/**
 * @import { Stack } from '../../stacks/types.js'
 * @import { Ready } from '../lines.js'
 * @import { Command } from '../child.js'
 * @import { PlayLimits, Play } from './play.js'
 * @typedef {{name: string, verdict: 'passed' | 'failed' | 'finding', text: string}} CheckResult finding: what the library does, which a driver has
 *   to show and not to hide; text: one line
 * @typedef {{ready: Ready | null, checks: CheckResult[], passed: boolean}} Checked ready: null: no scenario got so far; passed: nothing failed
 */

/** Scenarios side by side: more would make each other late. */
const SIDE_BY_SIDE = 2;
const SHOWN = 3;
/** At the end of the time in which nobody reads, writes have to arrive within this. */
const LAST_SECONDS = 0.7;

/**
 * @param {Command} command @param {Object} options @param {Stack} options.stack that works @param {string} [options.variant]
 * @param {PlayLimits} [options.limits] @param {readonly string[]} [options.only] scenarios, for tests
 * @param {(scenario: string) => void} [options.tell] called when a scenario begins @param {AbortSignal} [options.signal] kills the driver
 */
export async function checkDriver(
  command,
  { stack, variant = 'defaults', limits = LIMITS, only, tell = () => {}, signal },
) {
  const limit = pLimit(SIDE_BY_SIDE);
  const plays = /** @type {Map<string, Play>} */ (new Map());
  const ids = [...scenarios.keys()].filter((id) => only?.includes(id) ?? true);
  const inTurn = ids.toSorted((a, b) => Number(b === 'lost') - Number(a === 'lost'));
  await limit.map(inTurn, async (id) => {
    const scenario = /** @type {Play['scenario']} */ (scenarios.get(id));
    tell(scenario.name);
    plays.set(id, await play(command, variant, scenario, stack, { ...limits, signal }));
  });
  const checks = ids.flatMap((id) => judge(id, /** @type {Play} */ (plays.get(id))));
  const ready = [...plays.values()].find((each) => each.ready)?.ready ?? null;
  const all = [...checks, ...overAll([...plays.values()], ready)];
  return { ready, checks: all, passed: all.every(({ verdict }) => verdict !== 'failed') };
}

/** @param {string} id of the scenario @param {Play} played */
function judge(id, played) {
  const { ready, notReady, ended: end, scenario } = played;
  const { check, status } = scenario;
  if (status !== undefined) return [refuses(check, played, status)];
  if (ready) return JUDGES[id]?.(played, ready, check) ?? [ends(check, played, wrongNumbers(played))];
  if (id === 'wait' && end.status === 3) {
    return [finding('WAIT', 'unsupported by the library'), refuses('status 3 for WAIT', played, 3)];
  }
  return [failed(check, end.log === '' ? `${notReady}` : `${notReady} ${lastLine(end.log)}`)];
}

/** By scenario; the others only have to end well. @type {Record<string, (play: Play, ready: Ready, check: string) => CheckResult[]>} */
const JUDGES = {
  answers(played, _, check) {
    const { lies, early } = wrongOutcomes(played);
    return [
      judged('each write reported once', wrongNumbers(played)),
      judged(check, lies),
      judged('no answer before the server’s', early),
      judged('keys and values', played.strange),
      judged('schedule', wrongSchedule(played)),
      ends('ends on `stop`', played),
    ];
  },
  errors(played, _, check) {
    const { lies, kinds, hidden } = wrongOutcomes(played);
    const hiding = finding('error replies', `the library hides ${hidden} of them, so these writes are unknown`);
    return [
      judged(check, [...lies, ...wrongNumbers(played)], 'NOREPLICAS, OOM, MISCONF, LOADING, READONLY'),
      judged('kinds of errors', kinds),
      ...(hidden === 0 ? [] : [hiding]),
      retries('retries after an error reply', played),
    ];
  },
  dropped(played, _, check) {
    const last = Math.max(...(played.scenario.writes?.dropped ?? []));
    const after = played.reports.filter(({ number }) => number > last);
    return [
      judged(check, outcomeFaults(played)),
      retries('retries after a lost connection', played),
      finding('after a lost connection', `${countOf(after, 'acked')} of ${after.length} further writes were acked`),
    ];
  },
  silent(played, _, check) {
    const { reports } = played;
    return [
      judged(check, outcomeFaults(played)),
      ends('ends beside a silent server', played),
      retries('retries while the server is silent', played),
      finding('a silent server', `${countOf(reports, 'unknown')} unknown, ${countOf(reports, 'unsent')} unsent`),
    ];
  },
  wait(played, ready, check) {
    if (ready.wait === 'unsupported') {
      return [failed(check, 'says that it does not support WAIT, and accepts a task with WAIT')];
    }
    const { lies, onSame, judged: count } = wrongWaits(played);
    const share = `${onSame} of ${count} counts are those of the write’s connection`;
    const isSame = ready.wait === 'same-connection';
    const wrong = isSame && onSame < count ? [`it says same-connection, and ${share}`] : [];
    return [
      judged(check, [...lies, ...wrongNumbers(played)]),
      judged('WAIT goes where `ready` says', wrong, `${ready.wait}; ${share}`),
      finding('WAIT on the connection of the write', isSame && wrong.length === 0 ? 'yes' : 'no, or not known'),
    ];
  },
  secret: (played, _, check) => [
    judged(check, outcomeFaults(played), 'user name and passwords with quotes, spaces and signs'),
  ],
  deaf(played, _, check) {
    const { startAt, attempts, scenario } = played;
    const until = startAt + Number(scenario.deaf?.[1]) * 1000;
    const hasArrived = attempts.some(({ at }) => at > until - LAST_SECONDS * 1000 && at < until);
    const stopped = hasArrived ? [] : [`no write arrived in the last ${LAST_SECONDS} s`];
    return [judged(check, [...stopped, ...wrongNumbers(played)])];
  },
};

function outcomeFaults(/** @type {Play} */ played) {
  return [...wrongOutcomes(played).lies, ...wrongNumbers(played)];
}

/** @param {Play['reports']} reports @param {Play['reports'][number]['outcome']} outcome */
function countOf(reports, outcome) {
  return reports.filter((each) => each.outcome === outcome).length;
}

/** @param {Play[]} plays @param {Ready | null} ready @returns {CheckResult[]} */
function overAll(plays, ready) {
  const lines = plays.flatMap(({ problems }) => problems);
  const leaks = plays.flatMap(({ leak, scenario }) => (leak === null ? [] : [`in ${leak} (${scenario.name})`]));
  const repeats = plays.flatMap(repeated).length;
  const hasWritten = plays.some(({ attempts }) => attempts.length > 0);
  const retrying = repeats > 0 ? `yes: ${repeats} writes arrived more than once` : 'no';
  return [
    ...(ready ? [judged('only lines of the protocol', lines)] : []),
    judged('no password in its output, command line or environment', leaks),
    ...(hasWritten ? [finding('retries silently', retrying)] : []),
  ];
}

/** @param {string} name @param {readonly string[]} wrong @param {string} [right] @returns {CheckResult} */
export function judged(name, wrong, right = '') {
  if (wrong.length === 0) return { name, verdict: 'passed', text: right };
  const more = wrong.length > SHOWN ? `; and ${wrong.length - SHOWN} more` : '';
  return failed(name, `${wrong.slice(0, SHOWN).join('; ')}${more}`);
}

/** @param {string} name @param {string} text @returns {CheckResult} */
const failed = (name, text) => ({ name, verdict: 'failed', text });

/** @param {string} name @param {string} text @returns {CheckResult} */
const finding = (name, text) => ({ name, verdict: 'finding', text });

/** @param {string} name @param {Play} played */
function retries(name, played) {
  const counts = repeated(played);
  const text = counts.length === 0 ? 'no' : `yes: ${counts.length} writes, up to ${Math.max(...counts)} times each`;
  return finding(name, text);
}

/** @param {string} name @param {Play} played @param {readonly string[]} [besides] */
function ends(name, { killed, ended: { status, signal, due } }, besides = []) {
  const wrong = [];
  if (killed) wrong.push('it did not end in time, and was killed');
  else if (status !== 0) wrong.push(signal ? `it was ended by ${signal}` : `it ended with status ${status}`);
  if (due === null) wrong.push('there was no `done`');
  return judged(name, [...wrong, ...besides]);
}

/** @param {string} name @param {Play} played @param {number} status */
function refuses(name, { ready, killed, ended: end }, status) {
  const wrong = [];
  if (ready) wrong.push('it said `ready`');
  else if (killed || end.signal) wrong.push('it did not end in time');
  else if (end.status !== status) wrong.push(`it ended with status ${end.status}`);
  if (end.log.trim() === '') wrong.push('it says nothing on standard error');
  return judged(name, wrong, lastLine(end.log));
}

/** @param {string} log */
export function lastLine(log) {
  return log.trim().split('\n').at(-1) ?? '';
}
