/**
 * Examines the claims of the article about the cost of WAIT.
 *
 * @import { CaseParams, CaseResult, IntervalValue, Result, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examine, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 */
import { judge, nearFactor, nearShare, pairedRatioOf, within } from '../../src/report/articles.js';
import { costOf, hasEnoughBeyond } from '../../src/report/columns.js';
import { count, interval, percent, rate, times } from '../../src/report/format.js';
import { proportionInterval } from '../../src/stats/statistics.js';
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

/** The article's own conditions first: they count. */
const SITES = [
  { payloadBytes: 256, differs: '', single: 'first-article', pipelined: 'first-article' },
  {
    payloadBytes: 64,
    differs: '64 B values (theirs: 256 B)',
    single: 'async-vs-wait',
    pipelined: 'pipeline',
  },
];

/** @typedef {(typeof SITES)[number]} Site */

/**
 * Their cost of WAIT, by pipeline depth and replicas.
 *
 * @type {readonly {id: ClaimId, theirs: number, pipeline: number, wait: number, single?: true}[]}
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
];

/** Their latencies with WAIT 1, as factors of those without. */
const LATENCIES = /** @type {const} */ ([
  { id: 'synchronous.wait1-p50', percentile: 'p50', beyond: 0.5, theirs: 0.055 / 0.025 },
  { id: 'synchronous.wait1-p99', percentile: 'p99', beyond: 0.01, theirs: 0.123 / 0.079 },
  { id: 'synchronous.wait1-p999', percentile: 'p999', beyond: 0.001, theirs: 0.333 / 0.256 },
]);

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  ...SITES.flatMap((site) => [...COSTS.map((cost) => costClaim(site, cost)), ...latencyClaims(site)]),
  ...SITES.flatMap((site) => [
    examination('synchronous.second-replica', {
      benchmark: site.single,
      differs: site.differs,
      examine({ cases }, run) {
        const [one, two] = [1, 2].map((wait) => find(cases, site, { wait, pipeline: 1 }));
        return ratioOf(two, one, throughput, {
          claimed: { least: HARDLY },
          text: (ratio) => `WAIT 2 reaches ${interval(ratio, percent)} of the throughput of WAIT 1`,
          run,
        });
      },
    }),
    examination('synchronous.pipeline-gain', {
      benchmark: site.pipelined,
      differs: site.differs,
      examine({ cases }, run) {
        const [one, many] = [1, 100].map((pipeline) => find(cases, site, { wait: 1, pipeline }));
        return ratioOf(many, one, throughput, {
          claimed: nearFactor(392_149 / 13_781),
          text: (ratio) => interval(ratio, times),
          run,
        });
      },
    }),
    examination('synchronous.392k', {
      benchmark: site.pipelined,
      differs: [site.differs, 'another machine: a lower rate decides nothing'].filter(Boolean).join('; '),
      examine({ cases }, run) {
        const one = find(cases, site, { wait: 1, pipeline: 100 });
        if (!one) return null;
        const { throughput: reached } = one.summary;
        return {
          ours: interval(reached, rate),
          // A slower machine decides nothing.
          holds: within(reached, { least: POSSIBLE }) === true ? true : null,
          rounds: one.rounds.length,
          evidence: [one.id],
          differs: nodesDiffer(run),
        };
      },
    }),
  ]),
  clientsClaim('synchronous.ten-clients', { few: 1, many: 10, claimed: nearFactor(118_016 / 36_098) }),
  clientsClaim('synchronous.fifty-clients', { few: 1, many: 50, claimed: nearFactor(156_508 / 36_098) }),
  clientsClaim('synchronous.hundred-p99', {
    few: 50,
    many: 100,
    claimed: nearFactor(1.166 / 0.52),
    of: (round) => round.latencyNs.p99,
  }),
  examination('synchronous.plateau', {
    benchmark: 'first-article',
    differs: '',
    examine: (benchmark, run) => {
      const found = plateau(benchmark);
      if (!found) return null;
      const plateaus = within(found.ratio, { least: HARDLY });
      return {
        ours: found.text,
        holds: plateaus === null ? null : plateaus && found.connections === PLATEAU,
        ...found.shared,
        differs: nodesDiffer(run),
      };
    },
  }),
  examination('synchronous.optimal-connections', {
    benchmark: 'first-article',
    differs: '',
    examine: (benchmark, run) => {
      const found = plateau(benchmark);
      if (!found) return null;
      const decided = within(found.ratio, { least: HARDLY });
      const lies = found.connections >= OPTIMAL.least && found.connections <= OPTIMAL.most;
      return {
        ours: found.text,
        holds: decided === null ? null : decided && lies,
        ...found.shared,
        differs: nodesDiffer(run),
      };
    },
  }),
  staleClaim('synchronous.reads-immediate', {
    waits: [0],
    missed: ({ reads, immediate }) => reads - immediate,
    text: 'were stale',
  }),
  staleClaim('synchronous.reads-failed', {
    waits: [0, 1, 2],
    missed: ({ stale }) => stale,
    text: 'stayed stale until the deadline',
  }),
]);

/**
 * @param {Site} site
 * @param {(typeof COSTS)[number]} cost
 */
function costClaim(site, { id, theirs, pipeline, wait, single }) {
  return examination(id, {
    benchmark: single ? site.single : site.pipelined,
    differs: site.differs,
    examine({ cases }, run) {
      const [before, after] = [0, wait].map((each) => find(cases, site, { wait: each, pipeline }, !single));
      if (!after) return null;
      // Their cases without WAIT are the same for both ways to wait.
      const base = before ?? cases.find((one) => one.id === after.summary.relativeToBaseline?.baseline);
      return ratioOf(after, base, throughput, {
        claimed: nearShare(1 - theirs),
        text: (ratio) => `a cost of ${interval(costOf(ratio), percent)}`,
        differs: !single && after.params.grouping !== 'multi' ? 'no MULTI' : '',
        run,
      });
    },
  });
}

/** @param {Site} site */
function latencyClaims(site) {
  return LATENCIES.map(({ id, percentile, beyond, theirs }) =>
    examination(id, {
      benchmark: site.single,
      differs: site.differs,
      examine({ cases }, run) {
        const [before, after] = [0, 1].map((wait) => find(cases, site, { wait, pipeline: 1 }));
        if (![before, after].every((one) => one && hasEnoughBeyond(one, beyond))) return null;
        return ratioOf(after, before, ({ latencyNs }) => latencyNs[percentile], {
          claimed: nearFactor(theirs),
          text: (ratio) => interval(ratio, times),
          run,
        });
      },
    }),
  );
}

/**
 * @param {ClaimId} id
 * @param {{few: number, many: number, claimed: Range, of?: (round: RoundResult) => number}} what of: default: throughput
 */
function clientsClaim(id, { few, many, claimed, of = throughput }) {
  return examination(id, {
    benchmark: 'first-article',
    differs: '',
    examine({ cases }, run) {
      const [base, one] = [few, many].map((connections) =>
        cases.find(
          ({ params }) =>
            params.wait === 0 &&
            params.pipeline === 1 &&
            params.connections === connections &&
            params.grouping === undefined,
        ),
      );
      return ratioOf(one, base, of, { claimed, text: (ratio) => interval(ratio, times), run });
    },
  });
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
    text: `${few} connections reach ${interval(ratio, percent)} of the throughput of ${many}`,
    shared: { rounds: best.rounds.length, evidence: [fewer.id, more.id] },
  };
}

/**
 * @param {ClaimId} id
 * @param {{waits: readonly number[], missed: (sums: ReturnType<typeof consistencyOf>) => number, text: string}} what
 */
function staleClaim(id, { waits, missed, text }) {
  return examination(id, {
    benchmark: 'read-after-write',
    differs: 'native client; read in the same turn of the event loop, alone and under load',
    examine({ cases }, run) {
      const own = cases.filter(({ params }) => waits.includes(params.wait));
      const sums = own.map(consistencyOf);
      const reads = sums.reduce((sum, each) => sum + each.reads, 0);
      const late = sums.reduce((sum, each) => sum + missed(each), 0);
      if (reads === 0) return null;
      const { low, high } = proportionInterval(late, reads);
      return {
        ours: `${count(late)} of ${count(reads)} reads ${text}${late === 0 ? ` (at most ${percent(high)})` : `, ${interval({ median: late / reads, low, high }, percent)}`}`,
        holds: late === 0,
        rounds: Math.max(...own.map(({ rounds }) => rounds.length)),
        evidence: own.map((one) => one.id),
        differs: nodesDiffer(run),
      };
    },
  });
}

/**
 * @param {readonly CaseResult[]} cases
 * @param {Site} site
 * @param {Pick<CaseParams, 'wait' | 'pipeline'>} params
 * @param {boolean} [multi] take the case with MULTI, if there is one; default: true above depth 1
 * @returns {CaseResult | undefined}
 */
function find(cases, { payloadBytes }, { wait, pipeline }, multi = pipeline > 1) {
  const own = cases.filter(
    ({ params }) =>
      params.client === CONDITIONS.client &&
      params.payloadBytes === payloadBytes &&
      params.connections === 1 &&
      params.pipeline === pipeline &&
      params.wait === wait &&
      (wait === 0 || params.waitMode === CONDITIONS.waitMode),
  );
  const usual = own.filter(({ params }) => params.grouping === undefined);
  // The article's timeout is not stated: the suite's usual one comes first.
  return (multi ? own.find(({ params }) => params.grouping === 'multi') : undefined) ?? usual[0];
}

/**
 * @param {CaseResult | undefined} one
 * @param {CaseResult | undefined} base
 * @param {(round: RoundResult) => number} of
 * @param {{claimed: Range, text: (ratio: IntervalValue) => string, run: Partial<Pick<Result, 'stack'>>, differs?: string}} what
 */
function ratioOf(one, base, of, { claimed, text, run, differs = '' }) {
  if (!one || !base) return null;
  return judge(pairedRatioOf(one, base, of), claimed, {
    text,
    cases: [base, one],
    differs: [nodesDiffer(run), differs].filter(Boolean).join('; '),
  });
}

/** @param {RoundResult} round */
function throughput(round) {
  return round.throughput;
}
