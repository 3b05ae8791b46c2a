/**
 * Examines the claims of the article about the cost of WAIT.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, IntervalValue, Result, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examine, Examined, Range, Run } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 */
import {
  judge,
  nearFactor,
  nearShare,
  openBecause,
  pairedRatioOf,
  rangeText,
  spanRatio,
  trueOrOpen,
  within,
} from '../../src/report/articles.js';
import { costOf, hasEnoughBeyond } from '../../src/report/columns.js';
import { count, interval, percent, plural, rate, times } from '../../src/report/format.js';
import { bootstrapInterval, proportionInterval, sum } from '../../src/stats/statistics.js';
import { examination, nodesDiffer } from '../claims/index.js';
import { plateauOf } from './concurrency.js';
import { consistencyOf } from './read-after-write.js';

/** The article's client and its WAIT after the answer. */
const CONDITIONS = /** @type {const} */ ({ client: 'redis', waitMode: 'sequential' });
/** A second replica costs hardly more if it leaves this share. */
const HARDLY = 0.9;
/** The connections at which their throughput plateaued, and the range that they recommend. */
const PLATEAU = 50;
const OPTIMAL = Object.freeze({ least: 10, most: 50 });
const POSSIBLE = 392_149;
/** More throughput than this is a gain. */
const GAIN = 0.1;
const CROWD_DIFFERS = '256 B (theirs: not stated)';
const TAIL =
  'a tail depends on the machine and the number of requests (theirs: not stated), so another figure decides nothing';
/** A share that rounds to their 100% has fewer stale reads than this. */
const ROUNDS_TO_ALL = 0.005;

const AFTERWARDS = 'WAIT sent after the answer (theirs: none stated); sent with the write it costs less';

/**
 * The article states neither the size of its values nor how it sent a pipeline, so each site says what it chose. Plain pipelines come first,
 * with the figure of MULTI beside them. MULTI alone decides nothing.
 *
 * @type {readonly {payloadBytes: number, differs: string, single: string, pipelined: string, multi?: true}[]}
 */
const SITES = [
  {
    payloadBytes: 256,
    differs: `256 B, 1 connection, ${AFTERWARDS}`,
    single: 'first-article',
    pipelined: 'first-article',
  },
  {
    payloadBytes: 64,
    differs: `64 B, 1 connection, ${AFTERWARDS}`,
    single: 'async-vs-wait',
    pipelined: 'pipeline',
  },
  {
    payloadBytes: 256,
    differs: '256 B, 1 connection, MULTI (theirs: not stated)',
    single: 'first-article',
    pipelined: 'first-article',
    multi: true,
  },
];
const SINGLE_SITES = SITES.filter(({ multi }) => !multi);
const MULTI = SITES[SITES.length - 1];
const MULTI_ALONE = 'one of two ways to send a pipeline, which decides nothing';

const MINIMUM_IN_BOTH =
  'min-replicas is set without WAIT, too, so this is the cost of WAIT alone, which decides nothing about all three';

/** @typedef {(typeof SITES)[number]} Site */

/**
 * Their cost of WAIT, by pipeline depth and replicas. Together: the primary must have min-replicas set, as theirs had.
 *
 * @type {readonly {id: ClaimId, theirs: number, pipeline: number, wait: number, single?: true, together?: true}[]}
 */
const COSTS = [
  { id: 'synchronous.wait1-cost', theirs: 1 - 16_265 / 35_170, pipeline: 1, wait: 1, single: true },
  { id: 'synchronous.wait2-cost', theirs: 1 - 15_876 / 35_170, pipeline: 1, wait: 2, single: true },
  { id: 'synchronous.pipeline1-wait1', theirs: 1 - 13_781 / 25_182, pipeline: 1, wait: 1 },
  { id: 'synchronous.pipeline1-wait2', theirs: 1 - 15_443 / 25_182, pipeline: 1, wait: 2 },
  { id: 'synchronous.pipeline10-wait1', theirs: 1 - 121_412 / 198_535, pipeline: 10, wait: 1 },
  { id: 'synchronous.pipeline10-wait2', theirs: 1 - 121_640 / 198_535, pipeline: 10, wait: 2 },
  { id: 'synchronous.pipeline50-wait1', theirs: 1 - 332_869 / 401_598, pipeline: 50, wait: 1 },
  { id: 'synchronous.pipeline50-wait2', theirs: 1 - 310_168 / 401_598, pipeline: 50, wait: 2 },
  { id: 'synchronous.pipeline100-wait1', theirs: 1 - 392_149 / 474_328, pipeline: 100, wait: 1 },
  { id: 'synchronous.pipeline100-wait2', theirs: 1 - 380_334 / 474_328, pipeline: 100, wait: 2 },
  { id: 'synchronous.together-cost', theirs: 1 - 392_149 / 474_328, pipeline: 100, wait: 1, together: true },
];

/** Their latencies with WAIT, as factors of those without. */
const LATENCIES = /** @type {const} */ ([
  { id: 'synchronous.wait1-p50', wait: 1, percentile: 'p50', beyond: 0.5, theirs: 0.055 / 0.025 },
  { id: 'synchronous.wait1-p99', wait: 1, percentile: 'p99', beyond: 0.01, theirs: 0.123 / 0.079 },
  { id: 'synchronous.wait1-p999', wait: 1, percentile: 'p999', beyond: 0.001, theirs: 0.333 / 0.256 },
  { id: 'synchronous.wait2-p50', wait: 2, percentile: 'p50', beyond: 0.5, theirs: 0.056 / 0.025 },
  { id: 'synchronous.wait2-p99', wait: 2, percentile: 'p99', beyond: 0.01, theirs: 0.124 / 0.079 },
  { id: 'synchronous.wait2-p999', wait: 2, percentile: 'p999', beyond: 0.001, theirs: 0.286 / 0.256 },
]);

/** Their latencies with many clients, as factors of those with fewer. */
const CROWDS = /** @type {const} */ ([
  { id: 'synchronous.ten-p50', few: 1, many: 10, percentile: 'p50', theirs: 0.067 / 0.024 },
  { id: 'synchronous.ten-p99', few: 1, many: 10, percentile: 'p99', theirs: 0.233 / 0.053 },
  { id: 'synchronous.fifty-p50', few: 1, many: 50, percentile: 'p50', theirs: 0.319 / 0.024 },
  { id: 'synchronous.fifty-p99', few: 1, many: 50, percentile: 'p99', theirs: 0.52 / 0.053 },
  { id: 'synchronous.hundred-p50', few: 50, many: 100, percentile: 'p50', theirs: 0.5 / 0.319 },
  { id: 'synchronous.hundred-p99', few: 50, many: 100, percentile: 'p99', theirs: 1.166 / 0.52 },
]);

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  ...SINGLE_SITES.flatMap((site) => [
    ...COSTS.filter(({ single }) => single).map((cost) => costClaim(site, cost)),
    ...LATENCIES.map((latency) => latencyClaim(site, latency)),
    examination('synchronous.second-replica', {
      benchmark: site.single,
      differs: site.differs,
      examine({ cases }, run) {
        const [one, two] = [1, 2].map((wait) => find(cases, site, { wait, pipeline: 1 }));
        return ratioOf(two, one, throughput, {
          claimed: { least: HARDLY },
          text: (ratio) => `WAIT 2 reaches ${interval(ratio, percent)} of the throughput of WAIT 1`,
          unit: percent,
          run,
        });
      },
    }),
  ]),
  ...SITES.flatMap((site) => [
    ...COSTS.filter(({ single }) => !single).map((cost) => costClaim(site, cost)),
    examination('synchronous.pipeline-gain', {
      benchmark: site.pipelined,
      differs: site.differs,
      examine: (benchmark, run) => withMulti(site, benchmark, run, gainOf),
    }),
    examination('synchronous.392k', {
      benchmark: site.pipelined,
      differs: `${site.differs}; another machine: a lower rate decides nothing`,
      examine({ cases }, run) {
        const one = find(cases, site, { wait: 1, pipeline: 100 });
        if (!one) return null;
        const { throughput: reached } = one.summary;
        return {
          ours: interval(reached, rate),
          holds: trueOrOpen(within(reached, { least: POSSIBLE })),
          rounds: one.rounds.length,
          allowed: rangeText({ least: POSSIBLE }, rate),
          evidence: [one.id],
          differs: nodesDiffer(run),
        };
      },
    }),
  ]),
  clientsClaim('synchronous.ten-clients', { few: 1, many: 10, claimed: nearFactor(118_016 / 36_098) }),
  clientsClaim('synchronous.fifty-clients', { few: 1, many: 50, claimed: nearFactor(156_508 / 36_098) }),
  ...CROWDS.map(({ id, few, many, percentile, theirs }) =>
    clientsClaim(id, {
      few,
      many,
      claimed: nearFactor(theirs),
      of: ({ latencyNs }) => latencyNs[percentile],
      enough: (one) => percentile === 'p50' || hasEnoughBeyond(one, 0.01),
    }),
  ),
  examination('synchronous.plateau', {
    benchmark: 'first-article',
    differs: `${CROWD_DIFFERS}; theirs is about their hardware, so a plateau elsewhere decides nothing`,
    examine: ({ cases }, run) => {
      const [ten, fifty, hundred] = [10, PLATEAU, 100].map((connections) => crowd(cases, connections));
      const [more, fewer] = [pairedRatioOf(hundred, fifty, throughput), pairedRatioOf(fifty, ten, throughput)];
      if (!ten || !fifty || !hundred || !more || !fewer) return null;
      const [flat, rising] = [within(more, { most: 1 + GAIN }), within(fewer, { least: 1 + GAIN })];
      const limit = percent(1 + GAIN);
      return {
        ours: `from 10 to 50 connections ${interval(fewer, percent)} of the throughput, from 50 to 100 ${interval(more, percent)}`,
        holds: flat && rising ? true : null,
        rounds: Math.min(...[ten, fifty, hundred].map(({ rounds }) => rounds.length)),
        allowed: `at least ${limit}, then at most ${limit}`,
        evidence: [ten.id, fifty.id, hundred.id],
        differs: nodesDiffer(run),
      };
    },
  }),
  examination('synchronous.optimal-connections', {
    benchmark: 'first-article',
    differs: `${CROWD_DIFFERS}; theirs is about their hardware, so another number decides nothing`,
    examine: (benchmark, run) => {
      const found = plateau(benchmark);
      if (!found) return null;
      const lies = found.connections >= OPTIMAL.least && found.connections <= OPTIMAL.most;
      const limited = limitedText(found.cases);
      return {
        ours: found.text,
        // A client that is as fast as it can be with few connections says nothing about the servers.
        holds: limited === '' ? trueOrOpen(within(found.ratio, { least: HARDLY }) && lies) : null,
        allowed: rangeText({ least: HARDLY }, percent),
        ...found.shared,
        differs: [nodesDiffer(run), limited && `${limited}, which decides nothing`].filter(Boolean).join('; '),
      };
    },
  }),
  examination('synchronous.wait-blocks', {
    benchmark: 'first-article',
    // Such a WAIT cannot be answered early, and with a timeout it is, so only an early answer would decide.
    differs:
      '256 B; WAIT with timeout 0 and healthy replicas; with a timeout it returns without them; they name none, so this decides nothing',
    examine: ({ cases }, run) => {
      const one = cases.find(({ params }) => params.wait > 0 && params.waitTimeoutMs === 0 && params.pipeline === 1);
      if (!one || one.rounds.length === 0) return null;
      const [acked, under] = /** @type {const} */ (['acked', 'underAcked']).map((outcome) =>
        sum(one.rounds.map(({ outcomes }) => outcomes[outcome])),
      );
      const { high } = proportionInterval(under, acked + under);
      return {
        ours: `${count(under)} of ${count(acked + under)} WAITs were answered with fewer than ${plural(one.params.wait, 'replica')} (at most ${percent(high)})`,
        holds: under === 0 ? null : false,
        rounds: one.rounds.length,
        evidence: [one.id],
        differs: nodesDiffer(run),
      };
    },
  }),
  staleClaim('synchronous.reads-immediate', {
    waits: [0],
    alone: true,
    missed: ({ reads, immediate }) => reads - immediate,
    text: 'were stale',
  }),
  staleClaim('synchronous.reads-failed', {
    waits: [0],
    missed: ({ stale }) => stale,
    text: 'stayed stale until the deadline',
    open: 'without WAIT; what “failed” means is not stated, so this decides nothing',
  }),
]);

/**
 * @param {Site} site
 * @param {(typeof COSTS)[number]} cost
 */
function costClaim(site, { id, theirs, pipeline, wait, single, together }) {
  // A pipeline of one was not measured apart from single writes, and their two tables differ at depth 1.
  const asSingle =
    !single && pipeline === 1
      ? `single writes, the same cases as for WAIT ${wait} after each write, so not measured as a pipeline of one`
      : '';
  /** @type {Way} */
  const costOn = (each, { cases }, run) => {
    const [before, after] = [0, wait].map((asked) => find(cases, each, { wait: asked, pipeline }));
    // Their cases without WAIT are the same for both ways to wait.
    const base = before ?? cases.find((one) => one.id === after?.summary.relativeToBaseline?.baseline);
    const claimed = nearShare(1 - theirs);
    return ratioOf(after, base, throughput, {
      claimed,
      text: (ratio) => `a cost of ${interval(costOf(ratio), percent)}${ratesText(base, after)}`,
      unit: percent,
      limits: { least: 1 - claimed.most, most: 1 - claimed.least },
      run,
    });
  };
  return examination(id, {
    benchmark: single ? site.single : site.pipelined,
    differs: [site.differs, asSingle].filter(Boolean).join('; '),
    examine(benchmark, run) {
      if (together && !hasMinimum(run)) return null;
      if (single) return costOn(site, benchmark, run);
      const found = withMulti(site, benchmark, run, costOn);
      if (together) return openBecause(found, MINIMUM_IN_BOTH);
      return found && asSingle ? { ...found, holds: null } : found;
    },
  });
}

/** @param {(CaseResult | undefined)[]} cases @returns {string} such as `: 4.92 k/s to 2.32 k/s` */
function ratesText(...cases) {
  const rates = cases.flatMap((one) => (one ? rate(one.summary.throughput.median) : []));
  return rates.length < cases.length ? '' : `: ${rates.join(' to ')}`;
}

/** @typedef {(site: Site, benchmark: BenchmarkResult, run: Run) => Examined | null} Way */

/** @type {Way} */
function gainOf(site, benchmark, run) {
  // The pipelines of 64 B are in a benchmark of their own, whose rounds did not take turns with single writes.
  const single = [benchmark, ...(run.benchmarks ?? [])].find(({ name }) => name === site.single);
  const many = find(benchmark.cases, site, { wait: 1, pipeline: 100 });
  const one = single && find(single.cases, site, { wait: 1, pipeline: 1 });
  if (!one || !many) return null;
  const ratio =
    single === benchmark
      ? pairedRatioOf(many, one, throughput)
      : spanRatio(many.summary.throughput, one.summary.throughput);
  return judge(ratio, nearFactor(392_149 / 13_781), {
    text: (value) => interval(value, times),
    unit: times,
    cases: [one, many],
    differs: nodesDiffer(run),
  });
}

/**
 * Plain pipelines, with MULTI beside them. The article names neither, so the claim is undecided where they disagree.
 *
 * @param {Site} site
 * @param {BenchmarkResult} benchmark
 * @param {Run} run
 * @param {Way} examine
 * @returns {Examined | null}
 */
function withMulti(site, benchmark, run, examine) {
  const found = examine(site, benchmark, run);
  if (!found) return null;
  if (site.multi) return openBecause(found, MULTI_ALONE);
  const other = [benchmark, ...(run.benchmarks ?? [])].find(({ name }) => name === MULTI.pipelined);
  const multi = other && examine(MULTI, other, run);
  if (!multi) return found;
  const agree = multi.holds === found.holds;
  const why = agree ? '' : 'the two ways to send a pipeline do not both show it, and theirs names none';
  return {
    ...found,
    ours: `${found.ours}; with MULTI and ${MULTI.payloadBytes} B ${multi.ours}`,
    holds: agree ? found.holds : null,
    differs: [found.differs, why].filter(Boolean).join('; '),
  };
}

/** @param {Run} run @returns {boolean} the primary had the article's setting */
function hasMinimum({ stack }) {
  return Object.values(stack?.config ?? {}).some((settings) => settings['min-replicas-to-write'] === '1');
}

/**
 * @param {Site} site
 * @param {(typeof LATENCIES)[number]} latency
 */
function latencyClaim(site, { id, wait, percentile, beyond, theirs }) {
  return examination(id, {
    benchmark: site.single,
    differs: site.differs,
    examine({ cases }, run) {
      const [before, after] = [0, wait].map((each) => find(cases, site, { wait: each, pipeline: 1 }));
      if (![before, after].every((one) => one && hasEnoughBeyond(one, beyond))) return null;
      const found = ratioOf(after, before, ({ latencyNs }) => latencyNs[percentile], {
        claimed: nearFactor(theirs),
        text: (ratio) => interval(ratio, times),
        unit: times,
        run,
      });
      if (!found || percentile === 'p50') return found;
      return { ...found, holds: trueOrOpen(found.holds), differs: [found.differs, TAIL].filter(Boolean).join('; ') };
    },
  });
}

/**
 * @param {readonly CaseResult[]} cases
 * @param {number} connections
 * @returns {CaseResult | undefined} without WAIT, one write at a time
 */
function crowd(cases, connections) {
  return cases.find(
    ({ params }) =>
      params.wait === 0 && params.pipeline === 1 && params.connections === connections && params.grouping === undefined,
  );
}

/**
 * @param {ClaimId} id
 * @param {{few: number, many: number, claimed: Required<Range>, of?: (round: RoundResult) => number,
 *   enough?: (one: CaseResult) => boolean}} what of: default: throughput; enough: values for that, default: always
 */
function clientsClaim(id, { few, many, claimed, of = throughput, enough = () => true }) {
  return examination(id, {
    benchmark: 'first-article',
    differs: CROWD_DIFFERS,
    examine({ cases }, run) {
      const [base, one] = [few, many].map((connections) => crowd(cases, connections));
      if (!base || !one || ![base, one].every(enough)) return null;
      const found = ratioOf(one, base, of, { claimed, text: (ratio) => interval(ratio, times), unit: times, run });
      const limited = limitedText([one]);
      if (!found || limited === '') return found;
      // Their ratio is that of their client's speed to a round trip, so the same ratio may be a coincidence.
      return openBecause(found, `${limited}, which decides nothing`);
    },
  });
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {string} such as `limited by the client of this machine`; empty: nothing limited them
 */
function limitedText(cases) {
  const limits = [...new Set(cases.map(({ summary }) => summary.limitedBy))].filter((each) => each !== 'nothing');
  return limits.length === 0 ? '' : `limited by the ${limits.join(' and ')} of this machine`;
}

/** @param {Parameters<Examine>[0]} benchmark */
function plateau(benchmark) {
  const cases = benchmark.cases.filter(({ params }) => params.pipeline === 1 && params.grouping === undefined);
  const found = plateauOf({ ...benchmark, cases }, 0);
  if (!found) return null;
  const { best, enough, fewer, more, ratio } = found;
  const [few, many] = [fewer, more].map(({ params }) => count(params.connections));
  return {
    ratio,
    connections: enough.params.connections,
    cases: [fewer, more],
    text: `${few} connections reach ${interval(ratio, percent)} of the throughput of ${many}`,
    shared: { rounds: best.rounds.length, evidence: [fewer.id, more.id] },
  };
}

/**
 * @param {ClaimId} id
 * @param {{waits: readonly number[], alone?: true, missed: (sums: ReturnType<typeof consistencyOf>) => number, text: string, open?: string}} what
 *   alone: without other load, because theirs states none; open: why it can only be contradicted
 */
function staleClaim(id, { waits, alone, missed, text, open }) {
  return examination(id, {
    benchmark: 'read-after-write',
    differs: `native client; 4 connections; repeated for 2 s at most, from the same turn of the event loop${alone ? '' : ', alone and under load'}`,
    examine({ cases }, run) {
      const waitCases = cases.filter(
        ({ params }) => waits.includes(params.wait) && !(alone && params.backgroundConnections),
      );
      const rounds = waitCases.flatMap((one) => one.rounds.map((round) => consistencyOf({ ...one, rounds: [round] })));
      const read = rounds.filter(({ reads }) => reads > 0);
      if (read.length === 0) return null;
      const [reads, late] = [sum(read.map((each) => each.reads)), sum(read.map(missed))];
      // A stall makes many reads of one round stale, so the interval is over rounds.
      const share = bootstrapInterval(read.map((each) => missed(each) / each.reads));
      const most = proportionInterval(0, reads).high;
      const rounded = late > 0 && share.high < ROUNDS_TO_ALL;
      return {
        ours: `${count(late)} of ${count(reads)} reads ${text}${late === 0 ? ` (at most ${percent(most)})` : `, ${interval(share, percent)} a round`}`,
        holds: late === 0 ? (open === undefined ? true : null) : share.low >= ROUNDS_TO_ALL ? false : null,
        rounds: Math.min(...waitCases.map((one) => one.rounds.length)),
        evidence: waitCases.map((one) => one.id),
        differs: [
          nodesDiffer(run),
          rounded ? `${percent(1 - share.median)} were immediate, which rounds to their 100%` : '',
          open ?? '',
        ]
          .filter(Boolean)
          .join('; '),
      };
    },
  });
}

/**
 * @param {readonly CaseResult[]} cases
 * @param {Site} site
 * @param {Pick<CaseParams, 'wait' | 'pipeline'>} params
 * @returns {CaseResult | undefined}
 */
function find(cases, { payloadBytes, multi }, { wait, pipeline }) {
  // The article does not state its timeout: the suite's usual one comes first.
  return cases.find(
    ({ params }) =>
      params.client === CONDITIONS.client &&
      params.payloadBytes === payloadBytes &&
      params.connections === 1 &&
      params.pipeline === pipeline &&
      params.wait === wait &&
      (wait === 0 || params.waitMode === CONDITIONS.waitMode) &&
      params.grouping === (multi ? 'multi' : undefined),
  );
}

/**
 * @param {CaseResult | undefined} one
 * @param {CaseResult | undefined} base
 * @param {(round: RoundResult) => number} of
 * @param {{claimed: Range, text: (ratio: IntervalValue) => string, unit: (value: number) => string, limits?: Range,
 *   run: Partial<Pick<Result, 'stack'>>}} what
 */
function ratioOf(one, base, of, { run, claimed, ...shown }) {
  if (!one || !base) return null;
  return judge(pairedRatioOf(one, base, of), claimed, { ...shown, cases: [base, one], differs: nodesDiffer(run) });
}

/** @param {RoundResult} round */
function throughput(round) {
  return round.throughput;
}
