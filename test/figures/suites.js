/**
 * What the figures of the sample reports and of the README have to be, computed from result.json anew.
 *
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Result } from '../../src/result/schema.js'
 * @import { ShownTable } from './shown.js'
 */

import { median } from 'simple-statistics';
import clients from '../../bench/clients/index.js';
import { caseTitle, variationTitle } from '../../bench/experiments/cases.js';
import { modeTitle } from '../../bench/modes.js';
import proxy from '../../bench/proxy/index.js';
import { moveTitle } from '../../bench/upgrade/titles.js';
import { readLanguages } from '../../src/drivers/manifest.js';
import { isPlain } from '../../src/result/variation.js';

/**
 * @typedef {Object} PageFigure
 * @property {string} where row, column
 * @property {string} text as the page shows it
 * @property {number[]} computed in the order of the numbers in the text
 *
 * @typedef {(markdown: string, tables: readonly ShownTable[], result: Result) => PageFigure[]} FiguresOf
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
const SCENARIOS = Object.freeze(
  /** @type {Record<string, string>} */ ({
    'replicas frozen': 'replicas-paused',
    'replica restarted': 'replica-restart',
    'primary killed': 'primary-killed',
    'machine lost': 'primary-machine-lost',
    'graceful stop': 'primary-stopped',
    'primary frozen': 'primary-paused',
    'network partition': 'primary-partition',
    'primary isolated': 'primary-isolated',
    'SENTINEL FAILOVER': 'planned-failover',
    'fast restart, down-after 30 s': 'primary-restarted-empty',
    'partition with a replica': 'partition-with-replica',
    'one-way partition': 'partition-one-way',
    'flapping partition': 'partition-flapping',
    'Sentinels cut off': 'sentinels-cut-off',
    'quorum 1': 'quorum-one',
    'confirming replica lost': 'confirming-replica-lost',
  }),
);
const FAULTS = Object.freeze(
  /** @type {Record<string, string>} */ ({
    'primary killed': 'sweep-killed',
    'machine lost': 'sweep-machine-lost',
    'network partition': 'sweep-partition',
    'primary frozen': 'sweep-paused',
    'SENTINEL FAILOVER': 'sweep-failover',
    'failover by runbook': 'sweep-failover-held',
    'coordinated failover': 'sweep-failover-coordinated',
    'graceful stop': 'sweep-stopped',
    'fast restart': 'sweep-restarted',
    'power loss': 'sweep-power-lost',
    'partition with a replica': 'sweep-partition-with-replica',
    'host partitioned briefly': 'sweep-host-partitioned-briefly',
    'primary frozen briefly': 'sweep-paused-briefly',
  }),
);
/** A trial without a promotion counts in these. */
const WITHOUT_PROMOTION = [
  'sweep-restarted',
  'sweep-power-lost',
  'sweep-partition-with-replica',
  'sweep-host-partitioned-briefly',
  'sweep-paused-briefly',
];
/** The length of the fault, in the quick profile. @type {Readonly<Record<string, string>>} */
const LENGTHS = Object.freeze({
  'sweep-host-partitioned-briefly': 'until-promoted',
  'sweep-paused-briefly': 'until-promoted',
});

/** @param {Pick<Result, 'benchmarks'>} result @param {string} name */
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
 * The median comes from the rounds. Its interval has random resamples, so it comes from the summary.
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {{ratio: number, low: number, high: number} | null} of its throughput to the baseline's
 */
function ratioOf({ cases }, { rounds, summary: { relativeToBaseline: relative } }) {
  const baseline = cases.find(({ id }) => id === relative?.baseline);
  if (!relative || !baseline) return null;
  const pairs = rounds.slice(0, baseline.rounds.length);
  const ratio = median(pairs.map(({ throughput }, round) => throughput / baseline.rounds[round].throughput));
  return { ratio, low: relative.throughput.low, high: relative.throughput.high };
}

/**
 * @param {string} where
 * @param {string} text such as `46% (42–49)`, `undecided: −8 to 43%`
 * @param {BenchmarkResult | undefined} benchmark
 * @param {CaseResult | undefined} one
 * @returns {PageFigure[]} empty: not measured, or the cell says so
 */
function costFigure(where, text, benchmark, one) {
  const found = benchmark && one && ratioOf(benchmark, one);
  if (!found || !/\d/.test(text)) return [];
  const [middle, low, high] = [1 - found.ratio, 1 - found.high, 1 - found.low];
  const isUndecided = text.startsWith('undecided') || /^\d+ to \d+%/.test(text);
  return [{ where, text, computed: isUndecided ? [low, high] : text.includes('(') ? [middle, low, high] : [middle] }];
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

/** @type {FiguresOf} */
export function mainFigures(_markdown, tables, result) {
  return tables.flatMap(({ header, rows }) => {
    const ours = rows.filter(([title]) => !title.includes('the article'));
    if (header.includes('failed')) return ours.flatMap((row) => readFigures(row, result));
    const find = { mode: modeFigure, write: waitFigure, depth: pipelineFigure, connections: connectionFigure }[
      header[0]
    ];
    if (find === undefined) return [];
    return ours.flatMap(([title, ...cells]) =>
      cells.flatMap((cell, i) =>
        /^\d/.test(cell) ? shownAs(cell, find({ title, column: header[i + 1], i, header, result })) : [],
      ),
    );
  });
}

/** What a page shows at most of a share that is not all. */
const ALMOST_ALL = 0.9999;

/** @param {readonly string[]} row @param {Result} result @returns {PageFigure[]} */
function readFigures([title, immediate, ...others], result) {
  const wait = Number(/\d/.exec(title)?.[0] ?? 0);
  const one = benchmarkOf(result, 'read-after-write')?.cases.find(
    ({ params }) => params.wait === wait && title.endsWith('load') === (params.backgroundConnections ?? 0) > 0,
  );
  const sum = (/** @type {'reads' | 'immediate' | 'afterWait' | 'stale'} */ what) =>
    (one?.rounds ?? []).reduce((all, { consistency }) => all + (consistency?.[what] ?? 0), 0);
  const parts = [sum('afterWait'), sum('stale')];
  return [
    // Only all reads are 100%.
    {
      where: title,
      text: immediate,
      computed: [sum('immediate') === sum('reads') ? 1 : Math.min(sum('immediate') / sum('reads'), ALMOST_ALL)],
    },
    ...others.map((text, i) => ({
      where: title,
      text: text.replace(/ \(.*/, ''),
      computed: text.includes(' of ') ? [parts[i], sum('reads')] : [parts[i]],
    })),
  ];
}

/**
 * @typedef {{title: string, column: string, i: number, header: readonly string[], result: Result}} ShownCell
 *
 * @typedef {{benchmark: BenchmarkResult | undefined, one: CaseResult | undefined, what: 'added' | 'cost' | 'throughput' | 'p50Ns' | 'p99Ns' | 'p99' | 'p999', where: string}} CellPlace
 */

/** @param {string} text @param {CellPlace} place @returns {PageFigure[]} */
function shownAs(text, { benchmark, one, what, where }) {
  if (!benchmark || !one) return [{ where, text, computed: [] }];
  if (what === 'cost') return costFigure(where, text, benchmark, one);
  if (what === 'throughput' || what === 'p50Ns' || what === 'p99Ns') return medianFigure(where, text, one, what);
  if (what !== 'added') return [{ where, text, computed: [one.summary.latencyNs[what] / 1e9] }];
  const baseline = benchmark.cases.find(({ id }) => id === one.summary.relativeToBaseline?.baseline);
  const pairs = one.rounds.slice(0, baseline?.rounds.length);
  const added = pairs.map(({ latencyNs }, i) => latencyNs.p50 - Number(baseline?.rounds[i].latencyNs.p50));
  // The ends of the interval are random resamples.
  return [{ where, text: text.replace(/ \(.*/, ''), computed: [median(added) / 1e9] }];
}

/** @param {ShownCell} cell @returns {CellPlace} */
function modeFigure({ title, column, i, header, result }) {
  const isApart = i + 1 >= header.findIndex((each) => each.startsWith('1 ms apart'));
  const isPaced = column.startsWith('p99');
  const connections = isPaced ? 10 : column.startsWith('50') ? 50 : 1;
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
  costs: 'cost',
  'writes/s': 'throughput',
  p50: 'p50Ns',
  p99: 'p99',
  'p99.9': 'p999',
});

/** The benchmark that repeats the article. A run of it alone has the same tables. */
const REPEATED = 'first-article';
const ONE_AT_A_TIME = { pipeline: 1, connections: 1, grouping: undefined, waitTimeoutMs: 1000 };
const isRepeated = (/** @type {BenchmarkResult | undefined} */ benchmark) => benchmark?.name === REPEATED;

/** @param {ShownCell} cell @returns {CellPlace} */
function waitFigure({ title, column, result }) {
  const [name, write] = title.split(', ');
  const benchmark = benchmarkOf(result, 'async-vs-wait') ?? benchmarkOf(result, REPEATED);
  const client = /** @type {CaseParams['client']} */ (CLIENTS[name]);
  const wait = Number(/\d/.exec(write)?.[0] ?? 0);
  const waitMode = client === 'native' || wait === 0 ? 'pipelined' : 'sequential';
  const one = isRepeated(benchmark)
    ? caseOf(benchmark, { ...ONE_AT_A_TIME, client, wait })
    : caseOf(benchmark, { client, wait, waitMode, payloadBytes: 64 });
  return { benchmark, one, what: WAITING[column], where: `${title}, ${column}` };
}

/** @param {ShownCell} cell @returns {CellPlace} */
function pipelineFigure({ title, column, result }) {
  const benchmark = benchmarkOf(result, 'pipeline') ?? benchmarkOf(result, REPEATED);
  const wait = Number(/^WAIT (\d)/.exec(column)?.[1] ?? 0);
  const pipeline = Number(title);
  const one = isRepeated(benchmark)
    ? caseOf(benchmark, { ...ONE_AT_A_TIME, pipeline, wait })
    : caseOf(benchmark, { pipeline, wait, waitMode: 'pipelined' });
  const what = column.includes('adds') ? 'added' : column.includes('costs') ? 'cost' : 'throughput';
  return { benchmark, one, what, where: `${title}, ${column}` };
}

/** @param {ShownCell} cell @returns {CellPlace} */
function connectionFigure({ title, column, i, result }) {
  const benchmark = benchmarkOf(result, 'concurrency') ?? benchmarkOf(result, REPEATED);
  const connections = Number(title);
  const one = caseOf(benchmark, { ...(isRepeated(benchmark) && ONE_AT_A_TIME), connections, wait: 0 });
  const what = column === 'p50' ? 'p50Ns' : column === 'p99' ? 'p99' : 'throughput';
  return { benchmark, one, what, where: `${title}, ${column}, ${i}` };
}

/**
 * @typedef {Object} Trials of a case
 * @property {number[]} lost of each trial, by the writer that lost most
 * @property {number[]} seconds of acknowledged writes lost in each trial, by the writer that lost most of them
 * @property {number} outage seconds, median of the trials, of the writer that waited longest; Infinity: to the end
 */

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {readonly string[]} writers
 * @param {boolean} [promoted] only trials in which a replica was promoted
 * @returns {Trials | null} null: none of the writers wrote
 */
function trialsOf({ audit = [], timeline = [] }, one, writers, promoted = false) {
  const rounds = new Set(
    timeline
      .filter((trial) => trial.case === one.id)
      .filter(({ events }) => !promoted || events.some(({ kind }) => kind === 'promoted'))
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

/** @type {FiguresOf} */
export function failureFigures(_markdown, tables, result) {
  return tables.flatMap(({ heading, header, rows }) => {
    const [first, ...columns] = header;
    return rows.flatMap(([title, ...cells]) =>
      cells.flatMap((cell, i) => {
        const where = `${heading}: ${title}, ${columns[i]}`;
        if (heading === AWAY) return awayFigure(where, cell, columns, i, title, result);
        const [fault, mode] = first === 'fault' ? [title, columns[i]] : [columns[i], title];
        const benchmark = benchmarkOf(result, SCENARIOS[fault]);
        const one = benchmark && plainCase(benchmark, mode, OWN_WRITERS);
        const trials = one ? trialsOf(benchmark, one, OWN_WRITERS) : null;
        if (!trials) return [];
        if (heading !== 'How long writes stop') return worstFigure(where, cell, trials);
        const text = /^[\d.,]+ \w+/.exec(cell)?.[0];
        return text === undefined ? [] : [{ where, text, computed: [trials.outage] }];
      }),
    );
  });
}

/** Of the tables of two scenarios, by their only columns. */
const AWAY = 'While replicas are away';
/** @type {Readonly<Record<string, (audit: AuditResult) => number | null>>} */
const AWAY_COLUMNS = Object.freeze({
  confirmed: ({ acceptedShare }) => acceptedShare,
  NOREPLICAS: ({ errors }) => errors.NOREPLICAS ?? 0,
  'not confirmed': ({ underAcked }) => underAcked,
  'never sent': ({ unsent }) => unsent,
});

/**
 * @param {string} where
 * @param {string} text
 * @param {readonly string[]} columns
 * @param {number} i
 * @param {string} title of the mode
 * @param {Result} result
 * @returns {PageFigure[]} of the sticky client
 */
function awayFigure(where, text, columns, i, title, result) {
  const benchmark = benchmarkOf(result, columns.includes('replicas') ? 'replica-restart' : 'replicas-paused');
  const one = benchmark && plainCase(benchmark, title, ['sticky']);
  const figureOf = AWAY_COLUMNS[columns[i]];
  if (!one || !figureOf || !/^\d/.test(text)) return [];
  const audits = (benchmark.audit ?? []).filter((each) => each.case === one.id && each.writer === 'sticky');
  return [{ where, text, computed: [median(audits.map((audit) => Number(figureOf(audit))))] }];
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
export function sweepFigures(_markdown, tables, result) {
  const healthy = benchmarkOf(result, 'sweep-healthy');
  const secondsIn = (/** @type {string} */ fault, /** @type {string} */ mode, beside = false) => {
    const name = FAULTS[fault];
    const benchmark = benchmarkOf(result, name);
    const placed = benchmark?.cases.find(
      ({ params }) => beside && modeTitle(params) === mode && params.placement === 'colocated',
    );
    // Where the placement of Sentinels does not matter, a fault was tried with one.
    const one = benchmark && (placed ?? plainCase(benchmark, mode, OWN_WRITERS, LENGTHS[name]));
    const trials = one ? trialsOf(benchmark, one, OWN_WRITERS, !WITHOUT_PROMOTION.includes(name)) : null;
    return trials ? [Math.max(...trials.seconds)] : [];
  };
  return tables.flatMap(({ heading, header, rows }) =>
    rows.flatMap(([mode, ...cells], row) =>
      cells.flatMap((cell, i) => {
        const where = `${heading}: ${mode}, ${header[i + 1]}`;
        const beside = mode.startsWith('the same');
        const [text, fault] = cell.split(', ');
        const isMeasured = /^\d/.test(text);
        if (isMeasured && heading === 'Lost by fault')
          return [{ where, text, computed: secondsIn(header[i + 1], beside ? rows[row - 1][0] : mode, beside) }];
        if (isMeasured && fault in FAULTS) return [{ where, text, computed: secondsIn(fault, mode) }];
        if (isMeasured && header[i + 1] === 'added to a write') return addedFigure(where, text, healthy, mode);
        return [];
      }),
    ),
  );
}

/**
 * @param {string} where
 * @param {string} text such as `0.47 ms (0.41–0.55)`
 * @param {BenchmarkResult | undefined} healthy
 * @param {string} mode title
 * @returns {PageFigure[]} what a write takes longer than without the mode, paired by round
 */
function addedFigure(where, text, healthy, mode) {
  const one = healthyCase(healthy, mode);
  const baseline = healthy?.cases.find(({ id }) => id === one?.summary.relativeToBaseline?.baseline);
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

/** @type {FiguresOf} */
export function copyFigures(_markdown, tables, result) {
  const benchmark = benchmarkOf(result, 'copy');
  const modes = tables.find(({ header }) => header[0] === 'mode, one pair');
  return (modes?.rows ?? []).flatMap(([title, copied, took]) => {
    const one = caseOf(benchmark, { copyMode: title.replace(/ \(.*/, ''), pairs: 1 });
    const copies = one?.rounds.flatMap(({ copy }) => copy ?? []) ?? [];
    if (copies.length === 0) return [];
    return [
      {
        where: `${title}, copied`,
        text: copied.replace(/ \(.*/, ''),
        computed: [median(copies.map(({ copyRate }) => copyRate))],
      },
      {
        where: `${title}, took`,
        text: took.replace(/ \(.*/, ''),
        computed: [median(copies.map(({ seconds }) => seconds))],
      },
    ];
  });
}

/** Of `go-redis 9.23.0 (Go)`. */
const VERSION = / \d[\w.]*(?= \()/;
/** Writers of this process, by the file that people copy. @type {Record<string, string>} */
const COPIED = {
  'failover-aware (no library)': 'failover-aware',
  'examples/node-redis.js (Node.js)': 'redis-example',
  'examples/ioredis.js (Node.js)': 'ioredis-example',
};

/** @type {FiguresOf} */
export function clientsFigures(_markdown, tables, result) {
  const { header, rows } = tables.find(({ heading }) => heading === 'Libraries') ?? { header: [], rows: [] };
  const drivers = readLanguages().flatMap(({ language, drivers }) =>
    drivers.map(({ name, title }) => ({ title: `${title} (${language})`, writer: `driver.${name}` })),
  );
  return rows.flatMap(([title, ...cells]) => {
    const plain = title.replace(VERSION, '');
    const writer = String(COPIED[plain] ?? drivers.find((each) => each.title === plain)?.writer);
    return cells.flatMap((cell, i) => {
      const column = header[i + 1];
      const where = `${title}, ${column}`;
      const isWaited = column === 'WAIT 1';
      const chosen = clients.benchmarks.filter((each) => isWaited || each.title === column);
      const found = chosen.flatMap(({ name }) => {
        const benchmark = benchmarkOf(result, name);
        const one = benchmark && plainCase(benchmark, isWaited ? 'WAIT 1' : 'async', [writer]);
        return (one && trialsOf(benchmark, one, [writer])) ?? [];
      });
      if (found.length === 0) return [];
      const [lost, seconds] = [found.flatMap((each) => each.lost), found.flatMap((each) => each.seconds)];
      return worstFigure(where, cell, { lost, seconds });
    });
  });
}

/** The row of the page and of the README that servers are judged by. */
const CONFIRMED = /^power loss, WAITAOF 1 0 \+ AOF everysec(: lost)?$/;

/** @type {FiguresOf} */
export function versionsFigures(_markdown, tables, result) {
  const power = benchmarkOf(result, 'versions-power');
  return tables.flatMap(({ heading, header, rows }) =>
    rows
      .filter(([title]) => CONFIRMED.test(title) && heading !== 'How long writes stop')
      .flatMap(([, ...cells]) =>
        cells.flatMap((cell, i) => {
          const server = header[i + 1];
          const one = caseOf(power, { server: server.toLowerCase().replace(' ', '-'), waitLocal: 1 });
          const trials = power && one ? trialsOf(power, one, OWN_WRITERS) : null;
          return trials ? pooledFigure(`${server}, confirmed and lost`, cell, [trials]) : [];
        }),
      ),
  );
}

/** @type {FiguresOf} */
export function upgradeFigures(_markdown, tables, { benchmarks }) {
  const moves = benchmarks.filter(({ name }) => name !== 'downgrade');
  const found = (/** @type {(params: CaseParams) => boolean} */ isWanted) =>
    moves.flatMap((benchmark) =>
      benchmark.cases
        .filter(({ id, params }) => isWanted(params) && wasFollowed(benchmark, id))
        .flatMap((one) => trialsOf(benchmark, one, OWN_WRITERS) ?? []),
    );
  return tables.flatMap(({ header, rows }) =>
    rows.flatMap(([title, ...cells]) => {
      if (header[0] === 'the primary moves')
        return pooledFigure(
          title,
          cells[0],
          found((params) => variationTitle({ way: params.way }) === title),
        );
      if (header[0] !== 'move') return [];
      const ofMove = (/** @type {CaseParams} */ params) => moveTitle(params) === title;
      return cells.flatMap((cell, i) =>
        pooledFigure(
          title,
          cell,
          found((params) => ofMove(params) && variationTitle({ way: params.way }) === header[i + 1]),
        ),
      );
    }),
  );
}

/** @param {BenchmarkResult} benchmark @param {string} id of a case */
function wasFollowed({ timeline = [] }, id) {
  return !timeline.some((trial) => trial.case === id && trial.events.some(({ kind }) => kind === 'not-followed'));
}

/**
 * @param {string} where
 * @param {string} cell such as `1.20 s, 24/24`
 * @param {readonly Trials[]} cases
 * @returns {PageFigure[]}
 */
function pooledFigure(where, cell, cases) {
  if (cases.length === 0) return [];
  const trials = {
    ...cases[0],
    lost: cases.flatMap(({ lost }) => lost),
    seconds: cases.flatMap(({ seconds }) => seconds),
  };
  return worstFigure(where, cell, trials);
}

/** @type {FiguresOf} */
export function proxyFigures(_markdown, tables, { benchmarks }) {
  return tables.flatMap(({ header, rows }) =>
    header[0] !== 'clients and failure'
      ? []
      : rows.flatMap(([way, mode, ...cells]) => {
          const name = proxy.benchmarks.find(({ title }) => title === way)?.name;
          const benchmark = benchmarks.find((each) => each.name === name);
          const one = benchmark?.cases.find(({ params }) => caseTitle(params) === mode);
          return (one?.params.writers ?? []).flatMap((writer, i) => {
            const trials = benchmark && one ? trialsOf(benchmark, one, [writer]) : null;
            const where = `${way}, ${mode}, ${header[2 + 2 * i]}`;
            return trials ? worstFigure(where, cells[2 * i], trials) : [];
          });
        }),
  );
}

/** Such as `` `WAIT 1` cost 38% of the throughput (32–43%) `` or `` sequential `WAIT 1` 58% (55–62%) ``. */
const _COST = /(sequential |ms apart pipelined )?`WAIT (\d)`(?: cost)? (\d+%)(?: of the throughput)? (\([\d–-]+%\))/g;
