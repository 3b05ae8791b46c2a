/**
 * What the figures of the sample reports and of the README have to be, computed from result.json anew.
 *
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Result } from '../../src/result/schema.js'
 * @import { ShownTable } from './shown.js'
 */

import { median } from 'simple-statistics';
import { CHOICES } from '../../bench/choices.js';
import { FAULTS as DECISION_FAULTS } from '../../bench/experiments/decision-faults.js';
import { scenarioTitle } from '../../bench/experiments/rows.js';
import failure from '../../bench/failure/index.js';
import { MODES, modeTitle } from '../../bench/modes.js';
import { isPlain } from '../../src/result/variation.js';

/**
 * @typedef {Object} PageFigure
 * @property {string} where row, column
 * @property {string} text as the page shows it
 * @property {number[]} computed in the order of the numbers in the text
 *
 * @typedef {(tables: readonly ShownTable[], result: Result) => PageFigure[]} FiguresOf
 */

const OWN_WRITERS = [
  'sticky',
  'failover-aware',
  'sticky@minority',
  'failover-aware@majority',
  'failover-aware@everywhere',
];
/** Of report.md → of result.json. */
const CLIENTS = Object.freeze(
  /** @type {Record<string, string>} */ ({ native: 'native', 'node-redis': 'redis', ioredis: 'ioredis' }),
);
/** Title → name of the benchmark. @type {ReadonlyMap<string | undefined, string>} */
const SCENARIOS = new Map([
  ...failure.benchmarks.map(({ name }) => /** @type {const} */ ([scenarioTitle(name), name])),
  ['fast restart, down-after 30 s', 'primary-restarted-empty'],
]);
/** By title. */
const FAULTS = new Map(DECISION_FAULTS.map((fault) => [fault.title, fault]));
/** The length of the fault, in the quick profile. @type {Readonly<Record<string, string>>} */
const LENGTHS = Object.freeze({
  'sweep-host-partitioned-briefly': 'until-promoted',
  'sweep-paused-briefly': 'until-promoted',
});

/** @param {Pick<Result, 'benchmarks'>} result @param {string | undefined} name */
function benchmarkOf({ benchmarks }, name) {
  return benchmarks.find((each) => each.name === name);
}

/** @param {BenchmarkResult | undefined} benchmark @param {Partial<CaseParams>} wanted */
function caseOf(benchmark, wanted) {
  return benchmark?.cases.find(({ params }) =>
    Object.entries(wanted).every(([name, value]) => params[/** @type {keyof CaseParams} */ (name)] === value),
  );
}

/**
 * @param {string} where
 * @param {string} text such as `61.2 k/s`, `1.30 ms (1.10–1.60)`
 * @param {CaseResult | undefined} one
 * @param {'throughput' | 'p50Ns' | 'p99Ns'} what
 * @returns {PageFigure[]}
 */
function medianFigure(where, text, one, what) {
  if (!one || !/^\d/.test(text)) return [];
  const [scale, values] =
    what === 'throughput'
      ? [1, one.rounds.map(({ throughput }) => throughput)]
      : [1e-9, one.rounds.map(({ latencyNs }) => latencyNs[what === 'p50Ns' ? 'p50' : 'p99'])];
  const { low, high } = one.summary[what];
  const all = [median(values), low, high].map((value) => value * scale);
  return [{ where, text, computed: text.includes('(') ? all : all.slice(0, 1) }];
}

/** What the table of situations says after the title of a mode. */
const PLACES = CHOICES.flatMap(({ place }) => place ?? []);
/** @param {string} title */
const plainTitle = (title) => PLACES.reduce((text, place) => text.replace(place, ''), title);

/** @param {readonly ShownTable[]} tables @returns {ShownTable[]} that of situations by mode, as the others are */
function byMode(tables) {
  return tables.map((table) =>
    table.header[0] === 'for'
      ? { ...table, header: table.header.slice(1), rows: table.rows.map(([, ...cells]) => cells) }
      : table,
  );
}

/** @type {FiguresOf} */
export function mainFigures(tables, result) {
  return byMode(tables).flatMap(({ header, rows }) => {
    const ours = rows.filter(([title]) => !title.includes('the article'));
    const find = { mode: modeFigure, write: waitFigure }[header[0]];
    if (find === undefined || header.includes('immediately consistent')) return [];
    return ours.flatMap(([title, ...cells]) =>
      cells.flatMap((cell, i) =>
        /^\d/.test(cell)
          ? shownAs(cell, find({ title: plainTitle(title), column: header[i + 1], i, header, result }))
          : [],
      ),
    );
  });
}

/**
 * @typedef {{title: string, column: string, i: number, header: readonly string[], result: Result}} ShownCell
 *
 * @typedef {{benchmark: BenchmarkResult | undefined, one: CaseResult | undefined, what: 'added' | 'throughput' | 'p50Ns' | 'p99Ns' | 'p99' | 'p999', where: string}} CellPlace
 */

/** @param {string} text @param {CellPlace} place @returns {PageFigure[]} */
function shownAs(text, { benchmark, one, what, where }) {
  if (!benchmark || !one) return [{ where, text, computed: [] }];
  if (what === 'throughput' || what === 'p50Ns' || what === 'p99Ns') return medianFigure(where, text, one, what);
  if (what !== 'added') return [{ where, text, computed: [one.summary.latencyNs[what] / 1e9] }];
  return addedFigure(where, text, benchmark, one);
}

/** @param {ShownCell} cell @returns {CellPlace} */
function modeFigure({ title, column, i, header, result }) {
  const isApart = i + 1 >= header.findIndex((each) => each.includes('1 ms apart'));
  const isPaced = column.startsWith('p99');
  const connections = isPaced ? 10 : column.includes('50 connections') ? 50 : 1;
  const found = ['distance', 'durable-modes'].flatMap((name) => {
    const benchmark = benchmarkOf(result, name);
    const one = benchmark?.cases.find(
      ({ params }) =>
        modeTitle(params) === title &&
        params.connections === connections &&
        params.pipeline === 1 &&
        (params.rate !== undefined) === isPaced &&
        params.mode !== undefined &&
        (params.linkLatencyMs ?? 0) === (isApart ? 1 : 0),
    );
    return one ? [{ benchmark, one }] : [];
  });
  const what = isPaced ? 'p99Ns' : column.includes('added') ? 'added' : 'throughput';
  return { ...(found.at(-1) ?? { benchmark: undefined, one: undefined }), what, where: `${title}, ${column}, ${i}` };
}

/** What the columns of waiting writes show. @type {Readonly<Record<string, CellPlace['what']>>} */
const WAITING = Object.freeze({
  'added to a write': 'added',
  'writes/s': 'throughput',
  p50: 'p50Ns',
  p99: 'p99',
  'p99.9': 'p999',
});

/** @param {ShownCell} cell @returns {CellPlace} */
function waitFigure({ title, column, result }) {
  const [name, write] = title.split(', ');
  const benchmark = benchmarkOf(result, 'async-vs-wait');
  const client = /** @type {CaseParams['client']} */ (CLIENTS[name]);
  const wait = Number(/\d/.exec(write)?.[0] ?? 0);
  const waitMode = client === 'native' || wait === 0 ? 'pipelined' : 'sequential';
  const one = caseOf(benchmark, { client, wait, waitMode, payloadBytes: 64 });
  return { benchmark, one, what: WAITING[column], where: `${title}, ${column}` };
}

/**
 * @typedef {Object} CaseTrials of a case
 * @property {number[]} lost of each trial, by the writer that lost most
 * @property {number[]} seconds of acknowledged writes lost in each trial, by the writer that lost most of them
 * @property {number} outage seconds, median of the trials, of the writer that waited longest; Infinity: to the end
 */

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {readonly string[]} writers
 * @param {boolean} [promoted] only trials in which a replica was promoted, or could not be
 * @returns {CaseTrials | null} null: none of the writers wrote
 */
function trialsOf({ audit = [], timeline = [] }, one, writers, promoted = false) {
  const rounds = new Set(
    timeline
      .filter((trial) => trial.case === one.id)
      .filter(
        ({ events }) => !promoted || events.some(({ kind }) => kind === 'promoted' || kind === 'no-promotion-due'),
      )
      .map(({ round }) => round),
  );
  const caseAudits = audit.filter(
    (each) => each.case === one.id && writers.includes(each.writer) && rounds.has(each.round),
  );
  const perTrial = [...rounds]
    .map((round) => caseAudits.filter((each) => each.round === round))
    .filter(({ length }) => length > 0);
  if (perTrial.length === 0 || one.params.rate === undefined) return null;
  const { rate } = one.params;
  const stepsOf = (/** @type {AuditResult} */ audit) => writerStepsOf(timeline, audit);
  return {
    lost: perTrial.map((trial) => Math.max(...trial.map(({ ackedLost }) => ackedLost))),
    seconds: perTrial.map((trial) => Math.max(...trial.map((each) => secondsOf(each.ackedLost, rate, stepsOf(each))))),
    outage:
      median(
        perTrial.map((trial) =>
          Math.max(...trial.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY)),
        ),
      ) / 1000,
  };
}

/**
 * @param {NonNullable<BenchmarkResult['timeline']>} timeline
 * @param {AuditResult} audit
 * @returns {{stepMs: number, acked?: number[], lost?: number[]}} of its writer in its trial
 */
function writerStepsOf(timeline, { case: id, round, writer }) {
  const trial = timeline.find((each) => each.case === id && each.round === round);
  return { stepMs: trial?.stepMs ?? 0, ...trial?.writers.find((each) => each.writer === writer) };
}

/**
 * @param {number} writes acknowledged and lost
 * @param {number} rate writes a second that were asked for
 * @param {{stepMs: number, acked?: number[], lost?: number[]}} steps of the writer
 * @returns {number} for how long they were acknowledged: at the rate that was asked for, unless the writer had less than 90% of it in the steps with a
 *   loss between two others with acknowledgements
 */
function secondsOf(writes, rate, { stepMs, acked = [], lost = [] }) {
  let [slowAcked, slowLost, steps] = [0, 0, 0];
  for (let i = 1; i + 1 < lost.length; i++) {
    if (lost[i] === 0 || acked[i - 1] === 0 || acked[i + 1] === 0) continue;
    slowAcked += acked[i];
    slowLost += lost[i];
    steps++;
  }
  const reached = slowAcked / ((steps * stepMs) / 1000);
  return steps > 0 && reached < 0.9 * rate ? slowLost / reached + (writes - slowLost) / rate : writes / rate;
}

/** Heading of the table of outages. */
const OUTAGES = 'How long writes stop';

/** Title of a column → of its mode. */
const SITUATIONS = new Map(CHOICES.map(({ situation, modes: [mode] }) => [situation, modeTitle(MODES[mode])]));
/** What a column of outages says after the situation. */
const STOPS = / stops$/;
/** Beside a fault that can be prevented. */
const MARK = / [¹²³⁴⁵]$/;

/** @type {FiguresOf} */
export function failureFigures(tables, result) {
  return byMode(tables).flatMap(({ heading, header, rows }) => {
    const [first, ...columns] = header;
    return rows.flatMap(([title, ...cells]) =>
      cells.flatMap((cell, i) => {
        const where = `${heading}: ${title}, ${columns[i]}`;
        const situation = columns[i].replace(STOPS, '');
        // Of a mode: its worst loss, and in which fault.
        const named = first === 'fault' ? null : /^(\S+ s), (.+)$/.exec(cell);
        const [fault, mode] =
          first === 'fault'
            ? [title.replace(MARK, ''), SITUATIONS.get(situation) ?? situation]
            : [named?.[2] ?? columns[i], plainTitle(title)];
        const trials = worstTrials(benchmarkOf(result, SCENARIOS.get(fault)), mode);
        if (!trials) return [];
        if (named !== null) return worstFigure(where, named[1], trials);
        if (heading !== OUTAGES && !STOPS.test(columns[i])) return worstFigure(where, cell, trials);
        const text = /^[\d.,]+ \w+/.exec(cell)?.[0];
        return text === undefined ? [] : [{ where, text, computed: [trials.outage] }];
      }),
    );
  });
}

/** @param {BenchmarkResult | undefined} benchmark @param {string} title of the mode @returns {CaseTrials | null} of the length that lost most */
function worstTrials(benchmark, title) {
  if (benchmark === undefined) return null;
  const all = benchmark.cases
    .filter(({ params }) => modeTitle(params) === title && isPlain({ ...params, length: undefined }))
    .filter(({ params }) => (params.linkLatencyMs ?? 0) === 0)
    .flatMap((one) => trialsOf(benchmark, one, OWN_WRITERS) ?? []);
  const most = (/** @type {CaseTrials} */ { seconds }) => Math.max(...seconds);
  return all.toSorted((a, b) => most(b) - most(a))[0] ?? null;
}

/**
 * @param {string} where
 * @param {string} cell such as `25.7 s, 3/3`, `ALL, 3/3`, `0/3`; without how often: in all trials
 * @param {{lost: number[], seconds: number[]}} trials
 * @returns {PageFigure[]}
 */
function worstFigure(where, cell, { lost, seconds }) {
  if (cell === '–') return [];
  const [, most, often] = /^(?:(.+?))??(?:(?:^|, )(\d+\/\d+))?$/.exec(cell) ?? [];
  const losing = lost.filter((writes) => writes > 0).length;
  if (cell === '0') return [{ where, text: cell, computed: [losing] }];
  return [
    { where, text: often ?? String(lost.length), computed: often === undefined ? [losing] : [losing, lost.length] },
    ...(most === undefined || most === 'ALL' ? [] : [{ where, text: most, computed: [Math.max(...seconds)] }]),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {string} title of the mode
 * @param {readonly string[]} writers one of them wrote
 * @param {string} [length] of the fault
 */
function plainCase({ cases, audit = [] }, title, writers, length) {
  return cases.find(
    ({ id, params }) =>
      modeTitle(params) === title &&
      (length === undefined ? isPlain(params) : params.length === length) &&
      (params.linkLatencyMs ?? 0) === 0 &&
      audit.some((each) => each.case === id && writers.includes(each.writer)),
  );
}

/** @type {FiguresOf} */
export function sweepFigures(tables, result) {
  const healthy = benchmarkOf(result, 'sweep-healthy');
  const secondsIn = (/** @type {string} */ fault, /** @type {string} */ mode, beside = false) => {
    const { benchmark: name, promotes = true } = FAULTS.get(fault) ?? {};
    const benchmark = benchmarkOf(result, name);
    const placed = benchmark?.cases.find(
      ({ params }) => beside && modeTitle(params) === mode && params.placement === 'colocated',
    );
    // Where the placement of Sentinels does not matter, a fault was tried with one.
    const one = benchmark && (placed ?? plainCase(benchmark, mode, OWN_WRITERS, LENGTHS[benchmark.name]));
    const trials = one ? trialsOf(benchmark, one, OWN_WRITERS, promotes) : null;
    return trials ? [Math.max(...trials.seconds)] : [];
  };
  return byMode(tables).flatMap(({ heading, header, rows }) =>
    rows.flatMap(([title, ...cells], row) =>
      cells.flatMap((cell, i) => {
        const where = `${heading}: ${title}, ${header[i + 1]}`;
        const beside = title.startsWith('the same') || title.endsWith(PLACES[0]);
        const mode = plainTitle(title);
        const [text, fault] = cell.split(', ');
        const isMeasured = /^\d/.test(text);
        if (isMeasured && heading === 'Lost by fault')
          return [{ where, text, computed: secondsIn(header[i + 1], beside ? rows[row - 1][0] : mode, beside) }];
        if (isMeasured && FAULTS.has(fault)) return [{ where, text, computed: secondsIn(fault, mode, beside) }];
        if (isMeasured && header[i + 1] === 'added to a write')
          return addedFigure(where, text, healthy, healthyCase(healthy, mode));
        return [];
      }),
    ),
  );
}

/**
 * The ends of its interval are random resamples.
 * @param {string} where
 * @param {string} text such as `0.47 ms (0.41–0.55)`
 * @param {BenchmarkResult | undefined} benchmark
 * @param {CaseResult | undefined} one
 * @returns {PageFigure[]} what a write takes longer than without the mode, paired by round
 */
function addedFigure(where, text, benchmark, one) {
  const baseline = benchmark?.cases.find(({ id }) => id === one?.summary.relativeToBaseline?.baseline);
  if (!one || !baseline) return [];
  const pairs = one.rounds.slice(0, baseline.rounds.length);
  const added = pairs.map(({ latencyNs }, i) => (latencyNs.p50 - baseline.rounds[i].latencyNs.p50) / 1e9);
  return [{ where, text: text.split(' (')[0], computed: [median(added)] }];
}

/** @param {BenchmarkResult | undefined} healthy @param {string} mode title */
function healthyCase(healthy, mode) {
  return healthy?.cases.find(
    ({ params }) =>
      modeTitle(params) === mode &&
      params.pipeline === 1 &&
      params.connections === 1 &&
      params.waitMode === 'pipelined',
  );
}
