/**
 * Differences between the servers of a run. A difference that may be chance does not count.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { fellBehind } from '../../src/audit/judgement.js';
import { interval, percent } from '../../src/format.js';
import { milliseconds, NOT_MEASURED, trialsOf } from '../../src/report/trials/figures.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { caseTitle, NATIVE_WRITERS } from '../experiments/cases.js';
import { faultNamed } from '../experiments/decision-faults.js';
import { modeTitle } from '../modes.js';
import { isOn, serverTitle, TITLES } from '../servers.js';
import { COST, costOfCase } from './cost.js';
import { BEHAVIOUR, PREFIX } from './faults.js';
import { controlOf, SPEED } from './speed.js';

/**
 * @typedef {Object} Compared one figure of every server
 * @property {'loss' | 'outage' | 'speed' | 'cost' | 'behaviour'} kind
 * @property {string} what such as `network partition, async: lost`
 * @property {Map<string, string>} shown server → its figure as text
 * @property {boolean} differs
 * @property {boolean} [undecided] too few trials in which the machine kept up, so that it could not differ
 * @property {boolean} [promise] a server lost what it had confirmed as synced, and another did not
 *
 * @typedef {{low: number, high: number}} Range
 */

/** With fewer trials, ranges that do not overlap show little. */
export const LEAST_TRIALS = 3;
/** Two ranges differ when the gap between them is at least this share of the larger one's lower end … */
export const LEAST_GAP = 0.25;
/** … and at least this number of milliseconds. */
const LEAST_GAP_MS = 200;
/** Names what servers know a coordinated failover. */
export const COORDINATED_ROW = 'SENTINEL FAILOVER … COORDINATED';
/** Costs and throughputs differ when the gap between their intervals is at least this; throughputs also have to differ by more than noise. */
export const LEAST_COST_GAP = 0.05;
/** Intervals wider than this do not show that servers are alike. */
export const WIDEST_COST = 0.2;

/**
 * @param {readonly Range[]} ranges
 * @param {(gap: number, upper: number) => boolean} matters upper: the lower end of the higher range
 * @returns {boolean} two of them do not overlap, and the gap matters
 */
export function differ(ranges, matters) {
  return ranges.some((a) => ranges.some((b) => b.low > a.high && matters(b.low - a.high, b.low)));
}

/**
 * @param {number} gapMs
 * @param {number} upperMs
 */
const mattersInTime = (gapMs, upperMs) =>
  gapMs >= LEAST_GAP_MS && (!Number.isFinite(upperMs) || gapMs >= LEAST_GAP * upperMs);

/**
 * @param {Pick<Result, 'benchmarks'>} result of the suite
 * @param {readonly string[]} servers
 * @returns {Compared[]}
 */
export function comparisons({ benchmarks }, servers) {
  const trials = benchmarks.filter(({ name }) => name.startsWith(PREFIX) && ![COST, SPEED].includes(name));
  return [
    ...trials.flatMap((benchmark) => lossesAndOutages(benchmark, servers)),
    ...benchmarks.filter(({ name }) => name === SPEED).flatMap((benchmark) => speeds(benchmark, servers)),
    ...benchmarks.filter(({ name }) => name === COST).flatMap((benchmark) => costs(benchmark, servers)),
    ...behaviour(benchmarks, servers),
  ];
}

/** @param {Pick<BenchmarkResult, 'name'>} benchmark */
function faultOf({ name }) {
  return faultNamed(/** @type {import('../experiments/decision-faults.js').FaultId} */ (name.slice(PREFIX.length)));
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly string[]} servers
 * @returns {Compared[]}
 */
function lossesAndOutages(benchmark, servers) {
  const rows = rowsOf(benchmark, { writers: NATIVE_WRITERS, titles: TITLES });
  const { title } = faultOf(benchmark);
  return [...new Set(rows.map(({ one }) => one.params.mode))].flatMap((mode) => {
    const modeRows = inOrder(
      rows.filter(({ one }) => one.params.mode === mode),
      servers,
    );
    if (modeRows.length < 2) return [];
    const what = `${title}, ${caseTitle(modeRows[0].one.params)}`;
    const enough = modeRows.every((row) => soundTrials(row) >= LEAST_TRIALS);
    return [
      {
        kind: /** @type {const} */ ('loss'),
        what: `${what}: lost`,
        shown: shownOf(modeRows, ({ loss }) => worstLoss(loss)),
        promise: isBroken(modeRows),
        undecided: !enough && !isBroken(modeRows),
        differs: isBroken(modeRows) || (enough && differ(modeRows.map(lostRange), mattersInTime)),
      },
      {
        kind: /** @type {const} */ ('outage'),
        what: `${what}: outage`,
        shown: shownOf(modeRows, ({ outage }) => milliseconds(outage.medianMs)),
        undecided: !enough,
        differs:
          enough &&
          differ(
            modeRows.map(({ outage: { lowMs, highMs } }) => ({ low: lowMs, high: highMs })),
            mattersInTime,
          ),
      },
    ];
  });
}

/** @param {TrialRow} row @returns {number} trials in which the machine kept up with the writers */
function soundTrials({ benchmark, one }) {
  return trialsOf(benchmark, one).filter((trial) => !fellBehind(trial)).length;
}

/**
 * A write that WAITAOF confirmed as synced may never be lost in a power loss: one is proof. That another server keeps the promise is not.
 *
 * @param {readonly TrialRow[]} rows of the servers
 */
function isBroken(rows) {
  const [{ one, benchmark }] = rows;
  const promised = one.params.waitLocal === 1 && benchmark.name === `${PREFIX}power`;
  return promised && rows.some(({ loss }) => loss.losing > 0) && rows.some(({ loss }) => loss.losing === 0);
}

/** @param {TrialRow} row @returns {Range} milliseconds of acknowledged writes */
function lostRange({ loss: { each, everything }, one }) {
  const lost = each.map((trial) => (1000 * trial.lost) / (one.params.rate ?? 1000));
  return { low: Math.min(...lost), high: everything ? Number.POSITIVE_INFINITY : Math.max(...lost) };
}

/**
 * Throughput without a durability setting, against the first server.
 *
 * @param {BenchmarkResult} benchmark
 * @param {readonly string[]} servers
 * @returns {Compared[]}
 */
function speeds(benchmark, servers) {
  return [...new Set(benchmark.cases.map(({ params }) => params.pipeline))].flatMap((pipeline) => {
    const others = servers.slice(1).flatMap((server) => {
      const one = benchmark.cases.find(({ params }) => isOn(params, server) && params.pipeline === pipeline);
      return (one && gainOf(one)) ?? [];
    });
    const control = controlOf(benchmark, pipeline);
    const noise = control ? gainOf(control) : null;
    if (others.length === 0 || noise === null) return [];
    const first = serverTitle(servers[0]);
    const least = Math.max(LEAST_COST_GAP, Math.abs(noise.gain.low), Math.abs(noise.gain.high));
    const firstGain = `baseline; again ${signed(noise.gain)}`;
    return [
      {
        kind: /** @type {const} */ ('speed'),
        what: `throughput of async at pipeline depth ${pipeline}, against ${first}`,
        shown: new Map([[servers[0], firstGain], ...shownOf(others, ({ gain }) => signed(gain))]),
        ...decided(
          // The first server measured again should gain nothing.
          [{ low: Math.min(0, noise.gain.low), high: Math.max(0, noise.gain.high) }, ...others.map(({ gain }) => gain)],
          differ([{ low: 0, high: 0 }, ...others.map(({ gain }) => gain)], (gap) => gap >= least),
        ),
      },
    ];
  });
}

/**
 * @param {CaseResult} one
 * @returns {{one: CaseResult, gain: IntervalValue} | null} gain: share of the first server's throughput; null: it was not measured
 */
function gainOf(one) {
  const ratio = one.summary.relativeToBaseline?.throughput;
  if (!ratio || one.rounds.length < 2) return null;
  return { one, gain: { median: ratio.median - 1, low: ratio.low - 1, high: ratio.high - 1 } };
}

/** @param {IntervalValue} gain @returns {string} such as `+12% (8–15)` */
function signed(gain) {
  return `${gain.median > 0 ? '+' : ''}${interval(gain, percent)}`;
}

/**
 * @param {readonly Range[]} ranges shares of a throughput
 * @param {boolean} differs
 * @returns {Pick<Compared, 'differs' | 'undecided'>}
 */
function decided(ranges, differs) {
  return { differs, undecided: !differs && ranges.some(({ low, high }) => high - low > WIDEST_COST) };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly string[]} servers
 * @returns {Compared[]}
 */
function costs({ cases }, servers) {
  const keys = [...new Set(cases.map(({ params }) => `${params.pipeline} ${params.mode}`))];
  return keys.flatMap((key) => {
    const onServers = servers.flatMap((server) => {
      const one = cases.find(({ params }) => isOn(params, server) && `${params.pipeline} ${params.mode}` === key);
      const cost = one ? costOfCase(one) : null;
      return one && cost ? [{ one, cost }] : [];
    });
    if (onServers.length < 2) return [];
    const { params } = onServers[0].one;
    return [
      {
        kind: /** @type {const} */ ('cost'),
        what: `cost of ${modeTitle(params)} at pipeline depth ${params.pipeline}`,
        shown: shownOf(onServers, ({ cost }) => interval(cost, percent)),
        ...decided(
          onServers.map(({ cost }) => cost),
          differ(
            onServers.map(({ cost }) => cost),
            (gap) => gap >= LEAST_COST_GAP,
          ),
        ),
      },
    ];
  });
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {readonly string[]} servers
 * @returns {Compared[]}
 */
function behaviour(benchmarks, servers) {
  const coordinated = benchmarks.find(({ name }) => name === `${PREFIX}coordinated`);
  const failover = benchmarks.find(({ name }) => name === `${PREFIX}failover`);
  const rows = coordinated ? rowsOf(coordinated, { writers: NATIVE_WRITERS, titles: TITLES }) : [];
  const answers = servers.map((server) => ({
    server,
    text: rows
      .filter(({ one }) => isOn(one.params, server))
      .map(({ loss, outage }) => `yes: lost ${worstLoss(loss)}, outage ${milliseconds(outage.medianMs)}`)[0],
  }));
  return [
    ...(coordinated ? [behaves(COORDINATED_ROW, answers, 'no')] : []),
    ...Object.entries(BEHAVIOUR).flatMap(([title, setting]) => {
      const said = servers.map((server) => ({ server, text: failover && settingOn(failover, server, setting) }));
      const isKnown = said.some(({ text }) => text !== undefined);
      return isKnown ? [behaves(`\`${setting}\` (${title})`, said, NOT_MEASURED)] : [];
    }),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {string} server
 * @param {string} setting
 * @returns {string | undefined} undefined: it was not asked
 */
function settingOn({ cases, timeline = [] }, server, setting) {
  const ids = cases.filter(({ params }) => isOn(params, server)).map(({ id }) => id);
  const said = timeline
    .filter((trial) => ids.includes(trial.case))
    .flatMap(({ events }) => events.filter(({ kind, detail }) => kind === 'setting-read' && detail === setting));
  return said[0]?.value;
}

/**
 * @param {string} what
 * @param {readonly {server: string, text: string | undefined}[]} answers
 * @param {string} otherwise
 * @returns {Compared}
 */
function behaves(what, answers, otherwise) {
  const shown = new Map(answers.map(({ server, text }) => [server, text ?? otherwise]));
  const measured = [...shown.values()].filter((each) => each !== NOT_MEASURED);
  return { kind: 'behaviour', what, shown, differs: new Set(measured).size > 1 };
}

/**
 * @template {{one: {params: import('../../src/result/schema.js').CaseParams}}} T
 * @param {readonly T[]} rows
 * @param {(row: T) => string} figure
 */
function shownOf(rows, figure) {
  return new Map(rows.map((row) => [row.one.params.server ?? '', figure(row)]));
}

/**
 * @param {readonly TrialRow[]} rows
 * @param {readonly string[]} servers
 * @returns {TrialRow[]}
 */
function inOrder(rows, servers) {
  return servers.flatMap((server) => rows.find(({ one }) => isOn(one.params, server)) ?? []);
}
