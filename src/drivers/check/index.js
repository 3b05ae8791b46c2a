/** The check of a driver: every rule of docs/drivers.md, tried on a stack whose primary answers by a script. */
import pLimit from 'p-limit';
import { attemptsByNumber, repeated, wrongNumbers, wrongOutcomes, wrongSchedule, wrongWaits } from './judge.js';
import { LIMITS, play } from './play.js';
import { DROPPED, SCENARIOS } from './scenarios.js';

/**
 * @import { Stack } from '../../stacks/types.js'
 * @import { Ready } from '../lines.js'
 * @import { Command } from '../child.js'
 * @import { PlayLimits, Play } from './play.js'
 * @import { Scenario } from './scenarios.js'
 *
 * @typedef {Object} CheckResult
 * @property {string} name
 * @property {'passed' | 'failed' | 'finding'} verdict finding: what the library does, which a driver has to show and not to hide
 * @property {string} text one line
 *
 * @typedef {Object} Checked
 * @property {Ready | null} ready null: no scenario got so far
 * @property {CheckResult[]} checks
 * @property {boolean} passed nothing failed
 */

/** Scenarios side by side: more would make each other late. */
const SIDE_BY_SIDE = 2;
/** The most faults of a list that are shown. */
const SHOWN = 3;

/**
 * @param {Command} command
 * @param {Object} options
 * @param {Stack} options.stack that works
 * @param {string} [options.variant] default: defaults
 * @param {PlayLimits} [options.limits]
 * @param {readonly (keyof typeof SCENARIOS)[]} [options.only] for tests
 * @param {(scenario: string) => void} [options.tell] called when a scenario begins
 * @param {AbortSignal} [options.signal] kills the driver
 * @returns {Promise<Checked>}
 */
export async function checkDriver(
  command,
  { stack, variant = 'defaults', limits = LIMITS, only, tell = () => {}, signal },
) {
  const limit = pLimit(SIDE_BY_SIDE);
  /** @type {Map<string, Play>} */
  const plays = new Map();
  // The longest first.
  const names = /** @type {(keyof typeof SCENARIOS)[]} */ (Object.keys(SCENARIOS))
    .filter((name) => only?.includes(name) ?? true)
    .sort((a, b) => Number(b === 'lost') - Number(a === 'lost'));
  await Promise.all(
    names.map((name) =>
      limit(async () => {
        /** @type {Scenario} */
        const scenario = SCENARIOS[name];
        tell(scenario.name);
        plays.set(name, await play(command, variant, scenario, stack, { ...limits, signal }));
      }),
    ),
  );
  const checks = names.toSorted(inOrder).flatMap((name) => JUDGES[name](/** @type {Play} */ (plays.get(name))));
  const ready = [...plays.values()].find((each) => each.ready)?.ready ?? null;
  const all = [...checks, ...overAll([...plays.values()], ready)];
  return { ready, checks: all, passed: all.every(({ verdict }) => verdict !== 'failed') };
}

/** @param {string} a @param {string} b */
function inOrder(a, b) {
  const order = Object.keys(SCENARIOS);
  return order.indexOf(a) - order.indexOf(b);
}

/** @type {Record<keyof typeof SCENARIOS, (play: Play) => CheckResult[]>} */
const JUDGES = {
  answers: (played) =>
    whenReady(played, 'outcomes of OK', () => {
      const { lies, early } = wrongOutcomes(played);
      return [
        judged('each write reported once', wrongNumbers(played)),
        judged('outcomes of OK', lies),
        judged('no answer before the server’s', early),
        judged('keys and values', played.strange),
        judged('schedule', wrongSchedule(played)),
        ended('ends on `stop`', played),
      ];
    }),
  errors: (played) =>
    whenReady(played, 'outcomes of error replies', () => {
      const { lies, kinds, hidden } = wrongOutcomes(played);
      return [
        judged(
          'outcomes of error replies',
          [...lies, ...wrongNumbers(played)],
          'NOREPLICAS, OOM, MISCONF, LOADING, READONLY',
        ),
        judged('kinds of errors', kinds),
        ...(hidden === 0
          ? []
          : [finding('error replies', `the library hides ${hidden} of them, so these writes are unknown`)]),
        retries('retries after an error reply', played),
      ];
    }),
  dropped: (played) =>
    whenReady(played, 'outcomes of a dropped connection', () => {
      const last = Math.max(...DROPPED);
      const after = played.reports.filter(({ number }) => number > last);
      const acked = after.filter(({ outcome }) => outcome === 'acked').length;
      return [
        judged('outcomes of a dropped connection', [...wrongOutcomes(played).lies, ...wrongNumbers(played)]),
        retries('retries after a lost connection', played),
        finding('after a lost connection', `${acked} of ${after.length} further writes were acked`),
      ];
    }),
  silent: (played) =>
    whenReady(played, 'outcomes of a silent server', () => {
      const { lies } = wrongOutcomes(played);
      const unsent = played.reports.filter(({ outcome }) => outcome === 'unsent').length;
      return [
        judged('outcomes of a silent server', [...lies, ...wrongNumbers(played)]),
        ended('ends beside a silent server', played),
        retries('retries while the server is silent', played),
        finding(
          'a silent server',
          `${played.reports.filter(({ outcome }) => outcome === 'unknown').length} unknown, ${unsent} unsent`,
        ),
      ];
    }),
  // One that sends on after its time is not at an end before it is killed.
  backlog: judgeEnd('ends with more writes than it can send'),
  wait: judgeWait,
  secret: (played) =>
    whenReady(played, 'login', () => [
      judged(
        'login',
        [...wrongOutcomes(played).lies, ...wrongNumbers(played)],
        'user name and passwords with quotes, spaces and signs',
      ),
    ]),
  input: judgeEnd('ends at the end of input'),
  sigterm: judgeEnd('ends on SIGTERM'),
  invalid: (played) => [refuses('status 2 for a task that is not JSON', played, 2)],
  protocol: (played) => [refuses('status 2 for another protocol', played, 2)],
  lost: (played) => [refuses('status 4 without a primary', played, 4)],
  deaf: (played) =>
    whenReady(played, 'writes on while nobody reads', () => {
      const [, until] = SCENARIOS.deaf.deaf;
      const arrived = played.attempts.filter(
        ({ at }) => at > played.startAt + (until - 0.7) * 1000 && at < played.startAt + until * 1000,
      );
      const stopped = arrived.length === 0 ? ['no write arrived in the last 0.7 s'] : [];
      return [judged('writes on while nobody reads', [...stopped, ...wrongNumbers(played)])];
    }),
};

/** @param {string} name @returns {(played: Play) => CheckResult[]} */
function judgeEnd(name) {
  return (played) => whenReady(played, name, () => [ended(name, played, wrongNumbers(played))]);
}

/** @param {Play} played @returns {CheckResult[]} */
function judgeWait(played) {
  if (played.ready === null && played.ended.status === 3) {
    return [finding('WAIT', 'unsupported by the library'), ...[refuses('status 3 for WAIT', played, 3)]];
  }
  return whenReady(played, 'outcomes of WAIT', (ready) => {
    if (ready.wait === 'unsupported') {
      return [failed('outcomes of WAIT', 'says that it does not support WAIT, and accepts a task with WAIT')];
    }
    const { lies, onSame, judged: count } = wrongWaits(played);
    const share = `${onSame} of ${count} counts are those of the write’s connection`;
    const isSame = ready.wait === 'same-connection';
    const wrong = isSame && onSame < count ? [`it says same-connection, and ${share}`] : [];
    return [
      judged('outcomes of WAIT', [...lies, ...wrongNumbers(played)]),
      judged('WAIT goes where `ready` says', wrong, `${ready.wait}; ${share}`),
      finding('WAIT on the connection of the write', isSame && wrong.length === 0 ? 'yes' : 'no, or not known'),
    ];
  });
}

/** @param {Play[]} plays @param {Ready | null} ready @returns {CheckResult[]} */
function overAll(plays, ready) {
  const lines = plays.flatMap(({ problems }) => problems);
  const leaks = plays.flatMap(({ leak, scenario }) => (leak === null ? [] : [`in ${leak} (${scenario.name})`]));
  const repeats = plays.reduce((sum, each) => sum + repeated(each), 0);
  const hasWritten = plays.some(({ attempts }) => attempts.length > 0);
  return [
    ...(ready ? [judged('only lines of the protocol', lines)] : []),
    judged('no password in its output, command line or environment', leaks),
    ...(hasWritten
      ? [finding('retries silently', repeats > 0 ? `yes: ${repeats} writes arrived more than once` : 'no')]
      : []),
  ];
}

/**
 * @param {Play} played
 * @param {string} name of the check if it is not ready
 * @param {(ready: Ready) => CheckResult[]} judge
 * @returns {CheckResult[]}
 */
function whenReady(played, name, judge) {
  const { ready, notReady, ended: end } = played;
  if (ready) return judge(ready);
  const log = end.log === '' ? '' : ` ${lastLine(end.log)}`;
  return [failed(name, `${notReady}${log}`)];
}

/** @param {string} name @param {readonly string[]} wrong @param {string} [right] @returns {CheckResult} */
export function judged(name, wrong, right = '') {
  if (wrong.length === 0) return { name, verdict: 'passed', text: right };
  const more = wrong.length > SHOWN ? `; and ${wrong.length - SHOWN} more` : '';
  return failed(name, `${wrong.slice(0, SHOWN).join('; ')}${more}`);
}

/** @param {string} name @param {string} text @returns {CheckResult} */
function failed(name, text) {
  return { name, verdict: 'failed', text };
}

/** @param {string} name @param {string} text @returns {CheckResult} */
function finding(name, text) {
  return { name, verdict: 'finding', text };
}

/** @param {string} name @param {Play} played */
function retries(name, played) {
  const all = [...attemptsByNumber(played)].filter(([, tried]) => tried.length > 1);
  const most = Math.max(0, ...all.map(([, tried]) => tried.length));
  return finding(name, all.length === 0 ? 'no' : `yes: ${all.length} writes, up to ${most} times each`);
}

/** @param {string} name @param {Play} played @param {readonly string[]} [besides] @returns {CheckResult} */
function ended(name, { killed, ended: end }, besides = []) {
  const wrong = [];
  if (killed) wrong.push('it did not end in time, and was killed');
  else if (end.status !== 0)
    wrong.push(end.signal ? `it was ended by ${end.signal}` : `it ended with status ${end.status}`);
  if (end.due === null) wrong.push('there was no `done`');
  return judged(name, [...wrong, ...besides]);
}

/** @param {string} name @param {Play} played @param {number} status @returns {CheckResult} */
function refuses(name, { ready, killed, ended: end }, status) {
  const wrong = [];
  if (ready) wrong.push('it said `ready`');
  else if (killed || end.signal) wrong.push('it did not end in time');
  else if (end.status !== status) wrong.push(`it ended with status ${end.status}`);
  if (end.log.trim() === '') wrong.push('it says nothing on standard error');
  return judged(name, wrong, lastLine(end.log));
}

/** @param {string} log */
function lastLine(log) {
  return log.trim().split('\n').at(-1) ?? '';
}
