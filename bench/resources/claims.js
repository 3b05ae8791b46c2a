/**
 * Examines the claims about resources of an article that measured MySQL. This suite measures Redis, so it only stands in. The suite
 * `semi-sync` measures MariaDB.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, NodeUse, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { Operation } from '../../src/report/resources.js'
 * @import { ClaimId } from '../claims/index.js'
 */
import {
  judge,
  nearFactor,
  nearShare,
  openBecause,
  openIfMachineLimits,
  spanRatio,
  trueOrOpen,
} from '../../src/report/articles.js';
import { costOf } from '../../src/report/columns.js';
import { interval, percent, times } from '../../src/report/format.js';
import { bootstrapInterval, sum } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import { measured } from './report.js';

/** “Way less” load is at most this share. Theirs is 3.4%. */
const WAY_LESS = 0.1;
/** An idle node uses less than this share of a core, although the article sets no limit. */
const IDLE_CPU = 0.01;
const DIFFERS =
  'Redis instead of MySQL, so another figure decides nothing; without ProxySQL; all nodes and the load share this machine';

/** Resident memory does not shrink between rounds. */
export const ONE_STACK =
  'all rounds are of one start of the stack, so they are one reading of its memory, which decides nothing';

/** Redis, which only stands in. */
const STAND_IN = Object.freeze({ benchmark: 'resources', differs: DIFFERS, standIn: /** @type {const} */ (true) });

/** @type {readonly Claim[]} */
export const claims = Object.freeze([asyncCostClaim(STAND_IN), ...resourceClaims(STAND_IN)]);

/**
 * @typedef {Pick<Claim, 'benchmark' | 'differs' | 'standIn'>} Site a benchmark whose nodes are idle, write and read, without replicas and with one
 *
 * @param {Site} site
 * @returns {Claim} about writing with one replica, as in the article
 */
export function asyncCostClaim(site) {
  const claimed = nearShare(319.54 / 403.31);
  return claimOf(site, 'replication.async-cost', 'set', (cases) => {
    const [alone, replicated] = cases;
    const found = judge(throughputRatio(replicated, alone), claimed, {
      text: (ratio) => `a cost of ${interval(costOf(ratio), percent)}`,
      unit: percent,
      limits: { least: 1 - claimed.most, most: 1 - claimed.least },
      cases,
    });
    return openIfMachineLimits(found, cases);
  });
}

/**
 * @param {Site} site
 * @returns {Claim[]} about CPU, memory, and reads that go to a replica
 */
export function resourceClaims(site) {
  return [
    nodesClaim(site, 'replication.write-cpu', 'set', ([, replicated]) =>
      judge(replicaShare(replicated, cpuOf), nearFactor(56.59 / 111.96), {
        text: (ratio) => `the replica uses ${interval(ratio, percent)} of the CPU of the primary`,
        unit: percent,
        cases: [replicated],
      }),
    ),
    nodesClaim(site, 'replication.write-memory', 'set', ([, replicated]) => {
      // A factor would also hold for two nodes with as much.
      const found = judge(replicaShare(replicated, memoryOf), nearShare(382.3 / 447.2), {
        text: (ratio) => `the replica has ${interval(ratio, percent)} of the memory of the primary`,
        unit: percent,
        cases: [replicated],
      });
      return openBecause(found, ONE_STACK);
    }),
    claimOf(site, 'replication.read-throughput', 'get', (cases) => {
      const [alone, routed] = cases;
      const found = judge(throughputRatio(routed, alone), nearShare(248.71 / 271.98), {
        text: (ratio) => `${interval(ratio, percent)} of the throughput`,
        unit: percent,
        cases,
      });
      return openIfMachineLimits(found, cases);
    }),
    nodesClaim(site, 'replication.read-relief', 'get', ([alone, routed]) => {
      const [loaded, spared] = [alone, routed].map((one) => intervalOver(one, 'primary', cpuOf));
      const found = judge(
        spanRatio(spared, loaded),
        { most: WAY_LESS },
        {
          text: () =>
            `CPU of the primary from ${loaded && interval(loaded, percent)} to ${spared && interval(spared, percent)}`,
          unit: percent,
          cases: [alone, routed],
        },
      );
      return openBecause(found, 'our client sends every read to the replica, so nothing can be left on the primary');
    }),
    claimOf(site, 'replication.read-latency', 'get', (cases) => {
      const [alone, routed] = cases;
      const found = judge(spanRatio(routed.summary.p50Ns, alone.summary.p50Ns), nearFactor(185.97 / 158.11), {
        text: (ratio) => `${interval(ratio, times)} in the median`,
        unit: times,
        cases,
      });
      return openIfMachineLimits(found, cases);
    }),
    nodesClaim(site, 'replication.idle', 'idle', (cases) =>
      openBecause(
        judge(
          intervalOf(cases.flatMap(({ rounds }) => rounds.flatMap(busiestOf))),
          { most: IDLE_CPU },
          {
            text: (cpu) => `the busiest node of a round uses ${interval(cpu, percent)} of a core`,
            unit: percent,
            cases,
          },
        ),
        'an idle server can hardly use more, so this decides nothing',
      ),
    ),
  ];
}

/**
 * @param {Site} site
 * @returns {Claim} about what a replica writes to its disk
 */
export function replicaDiskClaim(site) {
  return nodesClaim(site, 'replication.replica-disk', 'set', ([, replicated]) => {
    if (isInMemory(replicated))
      return notMeasured(
        site.benchmark,
        replicated,
        'the files of this run were in memory, so no node wrote to a disk',
      );
    // “As much” is within a tenth.
    return judge(replicaShare(replicated, writtenOf), nearShare(773 / 743), {
      text: (ratio) => `the replica writes ${interval(ratio, percent)} of what the primary writes`,
      unit: percent,
      cases: [replicated],
      differs: 'bytes of the rounds (theirs: since the start)',
    });
  });
}

/**
 * @param {CaseResult} written
 * @returns {boolean} the primary took writes and wrote nothing to a disk
 */
export function isInMemory({ rounds }) {
  const bytes = rounds.flatMap((round) => writtenOf(round, 'primary') ?? []);
  return bytes.length > 0 && bytes.every((each) => each === 0);
}

/**
 * A claim about what nodes used. A sample may leave that out; then its row says so, instead of a figure of another database.
 *
 * @param {Site} site
 * @param {ClaimId} id
 * @param {Operation} operation
 * @param {(pair: [CaseResult, CaseResult]) => Examined | null} examine
 */
function nodesClaim(site, id, operation, examine) {
  const claim = claimOf(site, id, operation, (pair) => {
    const found = examine(pair);
    if (found !== null || site.standIn || !pair.some(isBlank)) return found;
    const [one] = pair;
    return notMeasured(site.benchmark, one);
  });
  return { ...claim, needsNodes: /** @type {const} */ (true) };
}

/** @param {CaseResult} one @returns {boolean} it was measured without what its nodes used, or that was left out */
function isBlank({ rounds }) {
  return rounds.every(({ nodes }) => nodes.length === 0);
}

/**
 * @param {string} benchmark
 * @param {CaseResult} one measured, without what its nodes used
 * @param {string} [why]
 * @returns {Examined} which decides nothing and says what measures it
 */
export function notMeasured(benchmark, one, why = 'this run leaves out what each node used') {
  return {
    ours: `not measured: ${why}; \`sentinel-bench run ${benchmark} --profile standard\``,
    holds: null,
    missing: true,
    rounds: one.rounds.length,
    evidence: [one.id],
  };
}

/**
 * @param {Site} site
 * @param {ClaimId} id
 * @param {Operation} operation
 * @param {(pair: [CaseResult, CaseResult]) => Examined | null} examine pair: without replicas, and with one
 */
function claimOf(site, id, operation, examine) {
  return examination(id, {
    ...site,
    examine(benchmark) {
      const [alone, replicated] = pairOf(benchmark, operation);
      const found = alone && replicated ? examine([alone, replicated]) : null;
      // Theirs is MySQL, so the figure of another database contradicts nothing.
      return found && { ...found, holds: trueOrOpen(found.holds) };
    },
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Operation} operation
 * @returns {(CaseResult | undefined)[]} without replicas, and with one
 */
function pairOf(benchmark, operation) {
  const uses = measured(benchmark, operation);
  return [0, 1].map((wanted) => uses.find(({ replicas }) => replicas === wanted)?.result);
}

/**
 * @param {CaseResult} one
 * @param {CaseResult} base on a stack of its own
 */
function throughputRatio(one, base) {
  return spanRatio(one.summary.throughput, base.summary.throughput);
}

/**
 * @param {CaseResult} one
 * @param {(round: RoundResult, role: NodeUse['role']) => number | null} of
 * @returns {IntervalValue | null} of the replica over the primary; null: not known
 */
export function replicaShare({ rounds }, of) {
  const ratios = rounds.flatMap((round) => {
    const [primary, replica] = [of(round, 'primary'), of(round, 'replica')];
    return primary && replica !== null ? [replica / primary] : [];
  });
  return intervalOf(ratios);
}

/**
 * @param {RoundResult} round
 * @param {NodeUse['role']} role
 * @returns {number | null} cores, all nodes of the role together; null: not known
 */
export function cpuOf(round, role) {
  return totalOf(round, role, ({ cpu }) => cpu);
}

/**
 * @param {RoundResult} round
 * @param {NodeUse['role']} role
 * @returns {number | null} resident bytes, all nodes of the role together; null: not known
 */
export function memoryOf(round, role) {
  return totalOf(round, role, ({ memoryBytes }) => memoryBytes);
}

/**
 * @param {RoundResult} round
 * @param {NodeUse['role']} role
 * @returns {number | null} bytes written to disks, all nodes of the role together; null: not known
 */
function writtenOf(round, role) {
  return totalOf(round, role, ({ blockOutBytes }) => blockOutBytes ?? null);
}

/**
 * @param {RoundResult} round
 * @param {NodeUse['role']} role
 * @param {(node: NodeUse) => number | null} of
 */
function totalOf({ nodes }, role, of) {
  const values = nodes.filter((node) => node.role === role).map(of);
  return values.length === 0 || values.includes(null) ? null : sum(values.map(Number));
}

/**
 * @param {RoundResult} round
 * @returns {number[]} cores of the busiest node; empty: not known
 */
function busiestOf({ nodes }) {
  const cores = nodes.flatMap(({ cpu }) => cpu ?? []);
  return cores.length === 0 ? [] : [Math.max(...cores)];
}

/**
 * @param {CaseResult} one
 * @param {NodeUse['role']} role
 * @param {(round: RoundResult, role: NodeUse['role']) => number | null} of
 */
function intervalOver({ rounds }, role, of) {
  return intervalOf(rounds.flatMap((round) => of(round, role) ?? []));
}

/**
 * @param {readonly number[]} values one a round
 * @returns {IntervalValue | null} null: none
 */
function intervalOf(values) {
  return values.length === 0 ? null : bootstrapInterval(values);
}
