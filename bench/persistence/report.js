/**
 * The report of the persistence benchmark: findings, the front page, and the tables of details.md.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Finding, IntervalValue, Result, StorageInfo } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Column, FrontPage } from '../../src/run/types.js'
 * @import { Storage } from './figures.js'
 */

import { bytes, count, duration, interval, percent, plural, rate, times } from '../../src/format.js';
import { briefChart, heading, list, markdown, rightAligned, table, text } from '../../src/report/blocks.js';
import * as column from '../../src/report/columns.js';
import {
  costsText,
  FINDING_CHARACTERS,
  finding,
  headlineCost,
  headlineShare,
  intervalName,
  isDecided,
  oneFinding,
  RANGE_MEANING,
  roundsText,
  tell,
} from '../../src/report/findings.js';
import { aboutOthers } from '../../src/report/resources.js';
import { cellsOf } from '../../src/table.js';
import { NS_A_MS, NS_A_US } from '../../src/units.js';
import { rollOut, rollOutBlocks } from '../pages/paste.js';
import { PUBLISHED, SAFEST } from '../pages/published.js';
import { WITH_DISTANCE } from '../pages/published-costs.js';
import { persistenceCharts } from './chart.js';
import * as figures from './figures.js';
import * as modes from './modes.js';

/** The modes in the deciding table, where they were measured. */
const DECIDING = ['off', 'thresholds', 'everysec', 'everysec-thresholds', 'always', 'snapshot'];
/** A replica that is sent a smaller share of the acknowledged bytes falls behind; the rest may still be in buffers. */
const KEEPS_UP = 0.9;

/** The finding about response times. */
const P99 = 'p99';

const { casesOn, offOf, ratiosTo } = figures;

/**
 * @param {BenchmarkResult} benchmark
 * @param {{storages?: readonly Storage[]}} [options]
 * @returns {Finding[]} those that the front page answers with come first
 */
export function persistenceFindings(benchmark, { storages: descriptions } = {}) {
  const { answers, more } = findingsOf(benchmark, descriptions);
  return [...answers, ...more];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} [descriptions]
 * @returns {{answers: Finding[], more: Finding[]}}
 */
function findingsOf(benchmark, descriptions) {
  const storages = figures.storagesOf(benchmark, descriptions);
  return {
    answers: [
      ...storages.slice(0, 1).flatMap((storage) => costFinding(benchmark, storage)),
      ...storages.slice(0, 1).flatMap((storage) => costFinding(benchmark, storage, modes.SMALL)),
      ...snapshotFindings(benchmark, storages),
      ...p99Finding(benchmark, storages[0]),
    ],
    more: [
      ...storages.slice(1).flatMap((storage) => costFinding(benchmark, storage)),
      ...splitFinding(benchmark, storages[0]),
      ...readFinding(benchmark, storages),
      ...storages.flatMap((storage) => verdictFinding(benchmark, storage)),
      ...fallsBehindFinding(benchmark, storages[0]),
    ],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {string} mode
 * @param {number} [payloadBytes] default: the article's
 * @returns {{result: CaseResult, ratios: figures.Ratios} | null} SET on the small data set of the primary alone; null: not measured
 */
function setCase(benchmark, storage, mode, payloadBytes = modes.PAYLOAD) {
  const [result] = casesOn(benchmark, storage, { operation: 'set', mode, payloadBytes, preloadKeys: undefined });
  const ratios = result && ratiosTo(result, offOf(benchmark, result));
  return ratios ? { result, ratios } : null;
}

/**
 * @param {string} id
 * @param {readonly ({name: string, result: CaseResult, ratios: figures.Ratios})[]} measured
 * @param {string} what
 * @returns {Finding[]}
 */
function costs(id, measured, what) {
  if (measured.length === 0) return [];
  const rounds = Math.min(...measured.map(({ result }) => result.rounds.length));
  const named = measured.map(({ name, ratios }) => ({ name, share: column.costOf(ratios.throughput) }));
  const evidence = measured.flatMap(({ result, ratios }) => [ratios.off, result]);
  const [{ params }] = evidence;
  const load = `SETs of ${bytes(params.payloadBytes)}, ${plural(params.connections, 'connection')}`;
  const sentence = (/** @type {typeof named} */ some) => costsText(what, some, `${load}, ${roundsText(rounds)}`);
  const whole = sentence(named);
  if (whole.length <= FINDING_CHARACTERS) return [finding(id, whole, evidence)];
  const decided = named.filter(({ share }) => isDecided(share));
  const open = named.filter((each) => !decided.includes(each));
  const parts = [
    { key: id, costs: decided },
    { key: `${id}-open`, costs: open },
  ];
  return parts.flatMap(({ key, costs: some }) => (some.length > 0 ? [finding(key, sentence(some), evidence)] : []));
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {number} [payloadBytes] default: the article's
 */
function costFinding(benchmark, storage, payloadBytes = modes.PAYLOAD) {
  const measured = ['everysec', 'always'].flatMap((mode) => {
    const found = setCase(benchmark, storage, mode, payloadBytes);
    return found ? [{ name: `with ${mode}`, ...found }] : [];
  });
  const small = payloadBytes === modes.PAYLOAD ? '' : '-small';
  return costs(`aof-${storage.label}${small}`, measured, `AOF on ${modes.storageTitle(storage)}`);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 */
function snapshotFindings(benchmark, storages) {
  const of = (/** @type {string} */ mode) =>
    storages.flatMap((storage) => {
      const found = setCase(benchmark, storage, mode);
      return found ? [{ name: `on ${modes.storageTitle(storage)}`, ...found }] : [];
    });
  return [
    ...costs('snapshot', of('snapshot'), 'RDB with BGSAVE running'),
    ...costs('rdb', of('rdb'), 'RDB with frequent saves'),
  ];
}

/** @param {CaseResult} result */
function p99Cell(result) {
  const p99 = figures.p99Of(result);
  return p99 === null ? column.TOO_FEW : interval(p99, duration);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {Finding[]}
 */
function p99Finding(benchmark, storage) {
  const found = storage ? ['everysec', 'always'].flatMap((mode) => setCase(benchmark, storage, mode) ?? []) : [];
  const withP99 = found.filter(({ ratios }) => ratios.p99 !== null);
  if (!storage || withP99.length === 0) return [];
  const { off } = withP99[0].ratios;
  const p99 = (/** @type {CaseResult} */ { summary }) => interval(summary.p99Ns, duration);
  const shown = withP99.map(({ result }) => `${p99(result)} with ${modes.modeTitle(result.params)}`);
  return [
    finding(
      P99,
      `p99 service time of SET on ${modes.storageTitle(storage)} rises from ${p99(off)} to ${shown.join(' and ')}`,
      [off, ...withP99.map(({ result }) => result)],
    ),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 */
function readCases(benchmark, storages) {
  return benchmark.cases.flatMap((result) => {
    const { operation, payloadBytes, replicas } = result.params;
    if (operation !== 'get' || payloadBytes !== modes.PAYLOAD || replicas !== 0) return [];
    const ratios = ratiosTo(result, offOf(benchmark, result));
    const storage = storages.find(({ label }) => label === result.params.storage);
    return ratios && storage ? [{ result, ratios, effect: figures.effectOn(ratios) }] : [];
  });
}

/**
 * @param {{result: CaseResult, ratios: figures.Ratios}} read
 * @returns {string} such as `GET beside SET, AOF always costs 44% (42–55)`
 */
function slowedText({ result: { params }, ratios: { throughput, p99 } }) {
  const what = `${modes.loadTitle(params)}, ${modes.modeTitle(params)}, on \`${params.storage}\``;
  return throughput.high < 1 || !p99
    ? `${what} costs ${headlineCost(column.costOf(throughput))}`
    : `${what}: p99 ${interval(p99, times)}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 * @returns {Finding[]}
 */
function readFinding(benchmark, storages) {
  const compared = readCases(benchmark, storages);
  if (compared.length === 0) return [];
  const of = (/** @type {figures.Effect} */ effect) => compared.filter((each) => each.effect === effect);
  const affected = of('affected').sort((a, b) => a.ratios.throughput.median - b.ratios.throughput.median);
  const among = `${affected.length} of ${plural(compared.length, 'case')}`;
  const open = of(figures.UNDECIDED).length;
  const end = open === 0 ? '' : `; undecided: ${open}`;
  const text =
    affected.length === 0
      ? `Persistence slows GET in ${among}${end}`
      : oneFinding(`Persistence slows GET in ${among}: `, affected.map(slowedText), { joint: '; ', end });
  const evidence = compared.map(({ result }) => result);
  return [finding('reads', text, evidence)];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 */
function verdicts(benchmark, storage) {
  const aofCases = benchmark.cases.filter(
    ({ params }) =>
      params.operation === 'set' &&
      params.payloadBytes === modes.PAYLOAD &&
      params.replicas === 0 &&
      params.storage === storage.label &&
      params.settings?.appendonly === 'yes',
  );
  return aofCases.flatMap((result) => {
    const ratios = ratiosTo(result, offOf(benchmark, result));
    return ratios ? [{ result, verdict: figures.verdictOn(result, ratios) }] : [];
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @returns {Finding[]}
 */
function verdictFinding(benchmark, storage) {
  const judged = verdicts(benchmark, storage);
  if (judged.length === 0) return [];
  const bad = judged.filter(({ verdict }) => verdict === 'not good').length;
  const rest = /** @type {const} */ ([figures.UNDECIDED, figures.FEW]).flatMap((verdict) => {
    const amount = judged.filter((each) => each.verdict === verdict).length;
    return amount === 0 ? [] : [`${verdict}: ${amount}`];
  });
  return [
    finding(
      `verdict-${storage.label}`,
      `SET of ${bytes(modes.PAYLOAD)} with AOF on ${modes.storageTitle(storage)} has a ${figures.BAD} in ${[`${bad} of ${plural(judged.length, 'case')}`, ...rest].join('; ')}`,
      judged.map(({ result }) => result),
    ),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {CaseResult[]} SET through a primary and its replica, every mode
 */
function pairs(benchmark, storage) {
  return storage ? casesOn(benchmark, storage, { operation: 'set', replicas: 1, preloadKeys: undefined }) : [];
}

/** The splits: what the replica writes, and both nodes together. In the second the primary has RDB as well, so seldom that a round sees no snapshot. */
const SPLITS = {
  split: { file: 'AOF', nodes: 'AOF on the replica only' },
  'split-rdb': { file: 'RDB', nodes: 'RDB on both nodes (primary: save 3600 1)' },
};

/**
 * A split and AOF on both nodes were measured side by side, so they are compared round by round.
 *
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {Finding[]}
 */
function splitFinding(benchmark, storage) {
  const pairCases = pairs(benchmark, storage);
  const both = pairCases.find(({ params }) => params.mode === 'everysec');
  return Object.entries(SPLITS).flatMap(([mode, { nodes }]) => {
    const split = pairCases.find(({ params }) => params.mode === mode);
    const ratio = both && split && figures.ratio(both, split, (round) => round.throughput);
    if (!ratio) return [];
    const share = column.costOf(ratio);
    const text = isDecided(share)
      ? `Against ${nodes}, AOF everysec on both nodes costs ${headlineShare(share)} of SET throughput, ${roundsText(split.rounds.length)}`
      : `The cost of AOF everysec on both nodes, against ${nodes}, is ${headlineShare(share)} of SET throughput`;
    return [finding(`cost-${mode}`, text, [both, split])];
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {Finding[]}
 */
function fallsBehindFinding(benchmark, storage) {
  return pairs(benchmark, storage).flatMap((result) => {
    const { mode = '' } = result.params;
    const sent = mode in SPLITS ? figures.sentShare(result) : null;
    if (sent === null) return [];
    const { file } = SPLITS[/** @type {keyof typeof SPLITS} */ (mode)];
    const verdict = sent.median < KEEPS_UP ? 'falls behind' : 'keeps up for these rounds';
    return [
      finding(
        `sent-${result.id}`,
        `The replica of the split with ${file} ${verdict}: it was sent ${interval(sent, percent)} of the acknowledged bytes`,
        [result],
      ),
    ];
  });
}

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function persistenceFrontPage({ benchmarks, storage: descriptions, storageNotMeasured }) {
  const [benchmark] = benchmarks;
  if (!benchmark || benchmark.cases.length === 0) return { answer: [], evidence: [] };
  const storages = figures.storagesOf(benchmark, descriptions);
  const split = splitFinding(benchmark, storages[0]).length > 0;
  const [first] = persistenceCharts(benchmark, { storage: descriptions });
  const { answers } = findingsOf(benchmark, descriptions);
  const { answer, toldFindings } = tell([{ benchmark: benchmark.name, findings: answers }]);
  const cautious = answer.map((sentence, i) =>
    answers[i].id === P99 ? [sentence, CLOSED_LOOP, ...tailText(benchmark, storages[0])].join(' ') : sentence,
  );
  const scale = modes.scaleText(benchmark.cases);
  return {
    answer: [USE, STEP_TWO, NOT_ENOUGH, ...syncText(descriptions), ...savedText(benchmark, storages), ...cautious],
    toldFindings,
    evidence: [...briefChart(first ?? null), decidingTable(benchmark, storages)],
    actions: [text(AOF_ADVICE), ...rollOutBlocks(AOF_COMMANDS), ...(split ? [text(SPLIT_CAVEAT)] : [])],
    limits: [
      ...(benchmark.pace
        ? [`A round of ${benchmark.pace.seconds} s shows a burst. The system may still hold part of it in memory.`]
        : []),
      ...fasterText(benchmark, storages),
      ...(scale === '' ? [] : [`${scale}.`]),
      ...(storages.some(({ emulated }) => emulated)
        ? ['Emulated storage adds a delay to each write and sync. It represents no product.']
        : []),
      ...(storageNotMeasured === undefined ? [] : [`Further storage was not measured: ${storageNotMeasured}`]),
      ...(storages.some(isNetwork)
        ? ['The GlusterFS volume runs on this machine: three bricks on one disk, without the delay of a real network.']
        : []),
      ...(split ? ['The replica shares machine and storage with its primary.'] : []),
      `${RANGE_MEANING}. Costs are medians of ratios paired by round, so they may differ from the ratio of two rates. Rates of storages without persistence differ by chance and by other work of the machine: compare within a storage.`,
      `${column.TOO_FEW}: too few answers for a p99. What each mode loses in a failure: \`failure\`.`,
    ],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {string[]} why the milder setting has the longer tail; empty: it has not
 */
function tailText(benchmark, storage) {
  const [everysec, always] = ['everysec', 'always'].map((mode) => {
    const found = storage && setCase(benchmark, storage, mode);
    return found ? figures.p99Of(found.result) : null;
  });
  if (!everysec || !always || everysec.low <= always.high) return [];
  return ['With everysec a write that meets the sync of a whole second of data may wait for all of it.'];
}

/** Stands beside the figure that it is about. */
const CLOSED_LOOP =
  'It understates what users see: each connection waits for its answer before it sends again (closed loop), so a stall delays few commands.';
const AOF_ADVICE =
  'Give every node the same persistence, because roles change at a failover. Take `always` for data that you cannot lose, and `everysec` if a power loss may take the last second or two of writes. This is step 1. Who takes both steps pastes the blocks of `failure` or `config-sweep` instead: they have the client that waits, and all settings.';
/** Before the figures: the sentence that can hurt when it is read alone. */
const USE =
  'For data that you cannot lose take two steps. Step 1, priced here: the same AOF on every node, with `appendfsync always` (`everysec` only if a power loss may take the last second or two of writes).';
const STEP_TWO = `Step 2: WAIT for every replica, as \`config-sweep\` advises; both steps together (${SAFEST}) cost one connection ${PUBLISHED[SAFEST].cost} of throughput at pipeline depth 1 (64 B, its published run). AOF alone is no protection in a failover, and this page tries no failure.`;
const NOT_ENOUGH =
  'AOF protects a node that comes back as the primary. If Sentinel promotes a replica, what had not reached it is lost in every mode of this page. ' +
  `Distance between nodes adds nothing to the cost of AOF, because no write waits for another node (not measured). With WAIT each write does: ${WITH_DISTANCE}.`;
/** What the page advises. A test sends it to a server with data. */
export const AOF_COMMANDS = rollOut('AOF always', { appendfsync: 'always', appendonly: 'yes' });
const SPLIT_CAVEAT =
  'Do not persist on the replica only. It saves this cost, and it is dangerous with Sentinel: at a failover the roles change, but the settings ' +
  'do not. A primary without persistence that restarts by itself is empty, and its replicas then delete their data.';

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 * @returns {Block} SET on the primary alone, the article's values; on the first storage also small ones
 */
function decidingTable(benchmark, storages) {
  const places = storages.flatMap((storage, i) => [
    { storage, payloadBytes: modes.PAYLOAD },
    ...(i === 0 ? [{ storage, payloadBytes: modes.SMALL }] : []),
  ]);
  const rows = places.flatMap(({ storage, payloadBytes }) =>
    DECIDING.flatMap((mode) => {
      const [one] = casesOn(benchmark, storage, { operation: 'set', mode, payloadBytes, preloadKeys: undefined });
      if (!one) return [];
      const ratios = ratiosTo(one, offOf(benchmark, one));
      return [
        [
          `${modes.storageTitle(storage)}${payloadBytes === modes.PAYLOAD ? '' : `, ${bytes(payloadBytes)}`}`,
          modes.modeTitle(one.params),
          interval(one.summary.throughput, rate),
          ratios ? headlineCost(column.costOf(ratios.throughput)) : '',
          p99Cell(one),
          interval(figures.meanOf(one), duration),
        ],
      ];
    }),
  );
  const titles = ['SETs answered', 'cost', 'p99 (closed loop)', 'mean'];
  return table(['storage', 'persistence', ...rightAligned(titles)], rows);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 * @returns {string[]} a sentence: for which values everysec pays; empty: not measured, or the costs do not tell them apart
 */
function savedText(benchmark, [storage]) {
  if (!storage) return [];
  const costsOf = (/** @type {number} */ payloadBytes) =>
    ['everysec', 'always'].map((mode) => {
      const found = setCase(benchmark, storage, mode, payloadBytes);
      return found ? column.costOf(found.ratios.throughput) : null;
    });
  const [[everysec, always], [smallEverysec, smallAlways]] = [costsOf(modes.PAYLOAD), costsOf(modes.SMALL)];
  if (!everysec || !always || !smallEverysec || !smallAlways) return [];
  const overlapping = everysec.high >= always.low;
  return overlapping && smallEverysec.high < smallAlways.low
    ? [
        `With small values \`everysec\` is cheaper (at most ${percent(smallEverysec.high)}, and \`always\` at least ${percent(smallAlways.low)}, at ${bytes(modes.SMALL)}). At ${bytes(modes.PAYLOAD)} its cost cannot be told from that of \`always\` on ${modes.storageTitle(storage)}.`,
      ]
    : [];
}

/**
 * @param {readonly StorageInfo[]} [descriptions]
 * @returns {string[]} a sentence: what a sync takes on each of them; empty: the result does not describe them
 */
function syncText(descriptions = []) {
  const described = descriptions.map((each) => {
    const { how, filesystem, fsyncNs } = each;
    return `${modes.storageTitle(each)}: ${duration(fsyncNs.p50)} (${how}${how.toLowerCase().includes(filesystem.replace('fuse.', '')) ? '' : `, ${filesystem}`})`;
  });
  return described.length === 0
    ? []
    : [`Storages, with their median time for a synced write of 4 KiB: ${described.join('; ')}.`];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 * @returns {string[]} a sentence; empty: no setting may have been faster than none
 */
function fasterText(benchmark, storages) {
  const faster = storages.some((storage) =>
    DECIDING.some((mode) => Number(setCase(benchmark, storage, mode)?.ratios.throughput.high) > 1),
  );
  return faster
    ? [
        'A cost below 0 is a setting that was faster than none in some rounds. Persistence saves no work, so that is chance or this machine, not a gain to expect.',
      ]
    : [];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @returns {Block[]} the p99 chart, beside the throughput chart of the front page
 */
export function persistenceBrief(benchmark, run) {
  const found = persistenceCharts(benchmark, run).find(({ id }) => id.startsWith(`${benchmark.name}.p99`));
  return briefChart(found ?? null);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage' | 'storageNotMeasured'> & {environment?: Pick<Result['environment'], 'cores'>}} run
 * @returns {Block[]} storage, a table for each kind of load, architectures and notes; none when nothing was measured
 */
export function persistenceDetails(benchmark, { storage: storages = [], storageNotMeasured, environment }) {
  const { cases } = benchmark;
  if (cases.length === 0) return [];
  const scale = modes.scaleText(cases);
  const loads = [...new Set(cases.map(({ params }) => modes.loadTitle(params)))];
  const architectures = architectureTable(benchmark, figures.storagesOf(benchmark, storages)[0]);
  return [
    ...(environment ? aboutOthers(withoutHelpers(cases, storages), environment.cores).map(markdown) : []),
    heading(3, 'Storage'),
    ...storageBlocks(storages),
    ...(storageNotMeasured === undefined ? [] : [text(`Further storage was not measured: ${storageNotMeasured}`)]),
    ...(scale === '' ? [] : [text(`${scale}.`)]),
    ...loads.flatMap((load) => [
      heading(3, load),
      ...loadBlocks(
        benchmark,
        cases.filter(({ params }) => modes.loadTitle(params) === load),
      ),
    ]),
    ...(architectures.length > 0 ? [heading(3, 'Architectures'), ...architectures] : []),
    list(notes(benchmark)),
  ];
}

/**
 * @param {Storage} storage
 * @returns {boolean} a file system of another program, such as GlusterFS
 */
function isNetwork({ filesystem = '' }) {
  return filesystem.startsWith('fuse.');
}

/**
 * Children of the server and the programs of a volume use CPU for a case, and are neither node nor load.
 *
 * @param {CaseResult[]} cases
 * @param {readonly StorageInfo[]} storages
 */
function withoutHelpers(cases, storages) {
  const served = storages.filter((storage) => storage.emulated || isNetwork(storage)).map(({ label }) => label);
  return cases.filter(
    ({ params: { during, settings, storage } }) =>
      during === undefined && !settings?.save && !served.includes(storage ?? ''),
  );
}

/**
 * @param {readonly StorageInfo[]} storages
 * @returns {Block[]}
 */
function storageBlocks(storages) {
  if (storages.length === 0) return [text('This result does not describe the storage.')];
  const rows = storages.map(({ label, emulated, how, filesystem, freeBytes, fsyncNs }) => [
    label,
    emulated && !/emulated/i.test(how) ? `emulated: ${how}` : how,
    filesystem,
    bytes(freeBytes),
    ...[fsyncNs.p50, fsyncNs.p99, fsyncNs.max].map(duration),
  ]);
  const samples = storages.map(({ fsyncNs }) => count(fsyncNs.samples)).join(', ');
  return [
    table(
      ['storage', 'description', 'file system', ...rightAligned(['free before', 'sync p50', 'sync p99', 'longest'])],
      rows,
    ),
    text(
      `A sync writes 4 KiB and calls \`fdatasync\`, one after the other, before the benchmark (${samples} samples). Power loss is not tested.`,
    ),
  ];
}

/**
 * @param {string} title
 * @param {(params: CaseParams) => string} cell
 * @returns {Column}
 */
const place = (title, cell) => column.left(title, ({ params }) => cell(params));

/** Columns with one value for all rows become a sentence above the table. @type {readonly Column[]} */
const PLACES = Object.freeze([
  place('storage', ({ storage }) => storage ?? ''),
  place('nodes', modes.nodesTitle),
  place('data set', modes.dataSetTitle),
  place('payload', modes.payloadTitle),
]);

/**
 * @param {BenchmarkResult} benchmark the cases without persistence are in it
 * @returns {Column[]}
 */
function measuredColumns(benchmark) {
  /** @type {(cell: (result: CaseResult, ratios: figures.Ratios) => string) => Column['cell']} */
  const compared = (cell) => (result) => {
    const ratios = ratiosTo(result, offOf(benchmark, result));
    return ratios ? cell(result, ratios) : '';
  };
  return [
    place('persistence', modes.modeTitle),
    column.right('answered (interval)', ({ summary }) => interval(summary.throughput, rate)),
    column.right(
      '× none',
      compared((_, { throughput }) => interval(throughput, times)),
    ),
    column.right('mean (over rounds)', (result) => interval(figures.meanOf(result), duration)),
    column.p50,
    column.right('p99 (over rounds)', p99Cell),
    column.right(
      'p99 × none',
      compared((_, { p99 }) => (p99 ? interval(p99, times) : '')),
    ),
    column.right('longest', ({ summary }) => (summary.samples === 0 ? '' : duration(summary.latencyNs.max))),
    column.left('verdict', compared(verdictCell)),
    column.right('other writers', (result) => {
      const beside = figures.besideRate(result);
      return beside === null ? '' : rate(beside);
    }),
    column.right('delayed fsyncs', (result) => {
      const { delayedFsyncs } = figures.evidenceOf(result);
      return delayedFsyncs === null ? '' : count(delayedFsyncs);
    }),
    column.left('longest event', (result) => eventText(figures.evidenceOf(result))),
    column.right('fork', (result) => forkText(figures.evidenceOf(result))),
    column.limitedBy,
  ];
}

/**
 * @param {CaseResult} result
 * @param {figures.Ratios} ratios
 * @returns {string} empty where no question is asked
 */
function verdictCell(result, ratios) {
  const { operation, payloadBytes, replicas, settings } = result.params;
  if (payloadBytes !== modes.PAYLOAD || replicas !== 0) return '';
  if (operation === 'get') return figures.effectOn(ratios);
  return operation === 'set' && settings?.appendonly === 'yes' ? figures.verdictOn(result, ratios) : '';
}

/** @param {figures.Evidence} evidence */
function eventText({ longestEvent }) {
  return longestEvent === null ? '' : `${longestEvent.name} ${duration(longestEvent.ms * NS_A_MS)}`;
}

/** @param {figures.Evidence} evidence */
function forkText({ fork }) {
  return fork === null ? '' : `${duration(fork.us * NS_A_US)}${fork.before ? ', before' : ''}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult[]} cases of one kind of load
 * @returns {Block[]}
 */
function loadBlocks(benchmark, cases) {
  const varies = (/** @type {Column} */ { cell }) => new Set(cases.map(cell)).size > 1;
  const common = PLACES.filter((each) => !varies(each)).map(({ title, cell }) => `${title}: ${cell(cases[0])}`);
  const columns = [
    ...PLACES.filter(varies),
    // An empty column only widens the table.
    ...measuredColumns(benchmark).filter(({ cell }) => cases.some((one) => cell(one) !== '')),
  ];
  const shown = table(columns, cases);
  const few = `${column.TOO_FEW} : fewer than ${column.ENOUGH_BEYOND} independent values lie beyond the percentile.`;
  return [
    ...(common.length === 0 ? [] : [text(`In every row ${common.join(', ')}.`)]),
    shown,
    ...(cellsOf(shown).flat().includes(column.TOO_FEW) ? [text(few)] : []),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {Block[]} the arrangements that keep data on a disk, fastest first; none without a pair of nodes
 */
function architectureTable(benchmark, storage) {
  const paired = pairs(benchmark, storage).filter(({ params }) => params.mode !== 'off');
  if (!storage || paired.length === 0) return [];
  const alone = casesOn(benchmark, storage, { operation: 'set', mode: 'everysec', preloadKeys: undefined });
  const sorted = [...alone, ...paired].sort((a, b) => b.summary.throughput.median - a.summary.throughput.median);
  const [best, second] = sorted.map(({ summary }) => summary.throughput);
  const rows = sorted.map((result) => {
    const ratios = ratiosTo(result, offOf(benchmark, result));
    const sent = figures.sentShare(result);
    return [
      modes.nodesTitle(result.params),
      modes.modeTitle(result.params),
      interval(result.summary.throughput, rate),
      ratios ? interval(ratios.throughput, times) : '',
      p99Cell(result),
      sent === null ? '' : interval(sent, percent),
    ];
  });
  return [
    table(['nodes', 'persistence', ...rightAligned(['SETs answered', '× none', 'p99', 'sent to the replica'])], rows),
    ...(second && second.high >= best.low
      ? [text('The order of the first two is undecided: their intervals overlap.')]
      : []),
    text(
      `Sent to the replica: the share of the acknowledged bytes, median and range of rounds. Below ${percent(KEEPS_UP)} the replica falls behind.`,
    ),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {string[]}
 */
function notes({ cases, pace }) {
  const rounds = Math.max(...cases.map((one) => one.rounds.length));
  const preloaded = Math.max(0, ...cases.map(({ params }) => params.preloadKeys ?? 0));
  const thresholds = cases.map(({ params }) => modes.thresholdSeconds(params.replicaSettings));
  return [
    '× none: relative to the same load, nodes, data set and storage without persistence, paired by round; the median of the rounds’ ratios.',
    `In parentheses: the ${intervalName(rounds)}.`,
    `Verdict on SET: good means ${figures.GOOD}, in the whole interval. Verdict on GET: affected means ${figures.READS_AFFECTED}.`,
    ...(pace !== undefined && thresholds.some((seconds) => seconds > pace.seconds)
      ? ['A round is too short for the thresholds of the replica’s snapshots: their cost is not included.']
      : []),
    ...(cases.some(({ params }) => params.preloadKeys === undefined)
      ? [
          'Data set small: only the keys that the load draws from. Each was written once before, so that a GET finds a value.',
        ]
      : []),
    ...(preloaded > 0 ? [`${count(preloaded)} keys were preloaded; the load draws from all of them.`] : []),
    'Delayed fsyncs, longest event (10 ms and more) and fork: `aof_delayed_fsync`, LATENCY LATEST and `latest_fork_usec` of the primary, all rounds.',
    ...(cases.some((one) => figures.evidenceOf(one).fork?.before)
      ? ['A fork marked “before” came before the timed round: no latency includes it.']
      : []),
    ...(pace === undefined
      ? []
      : [
          `With everysec Redis delays a write for up to 2 s while a sync runs, and counts only then a delayed fsync; a round takes ${pace.seconds} s.`,
          `A round of ${pace.seconds} s shows a burst of writes. How long the storage sustains it is not measured.`,
        ]),
  ];
}
