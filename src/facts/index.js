/**
 * Facts: everything that a run measured, as one flat list. Derived from result.json alone.
 * @import { BenchmarkResult, CaseParams, CaseResult, Result, RoundResult, ResultInParts } from '../result/schema.js'
 * @import { Fact, FactSubject } from './fact.js'
 * @import { Metric } from './metrics.js'
 */
import { isFailureBenchmark } from '../audit/of-trials.js';
import { plural } from '../format.js';
import { roundFacts } from './rounds.js';
import { companionFacts, trialFacts } from './trials.js';

/**
 * @typedef {Object} SuiteTerms what only suites know
 * @property {Readonly<Record<string, Metric>>} metrics of rounds, by place, whose unit is not in their name
 * @property {(round: RoundResult) => Record<string, unknown>} [figures] further figures of a round, which follow from others of it
 * @property {(one: CaseResult, benchmark: BenchmarkResult) => Record<string, unknown>} [conditions] further conditions of a case
 * @property {(round: RoundResult) => readonly Companion[]} [companions] what worked beside the writers of a trial
 * @typedef {{writer: string, figures: Readonly<Record<string, number>>}} Companion writer: its name, as a writer of facts
 */

/** @typedef {Pick<Result, 'suite' | 'startedAt' | 'seed' | 'stack'>} RunHead */

/**
 * @param {RunHead & Pick<ResultInParts, 'benchmarks'>} result @param {SuiteTerms} [terms] default: the unit of each metric is in its name
 * @returns {Fact[]} in the order of the benchmarks and cases
 */
export function factsOf(result, terms = { metrics: {} }) {
  return Array.from(result.benchmarks, (benchmark) => benchmarkFacts(result, benchmark, terms)).flat();
}

/** Of one benchmark: one of failures takes tens of megabytes. @param {RunHead} result @param {BenchmarkResult} benchmark @param {SuiteTerms} terms */
export function benchmarkFacts(result, benchmark, terms) {
  const isTrial = isFailureBenchmark(benchmark);
  return benchmark.cases.flatMap((one) => {
    const subject = subjectOf(result, benchmark, one, terms);
    const baseline = benchmark.cases.find(({ id }) => id === one.summary.relativeToBaseline?.baseline);
    const options = { subject, baseline, seed: result.seed, isTrial, terms };
    const ofRounds = one.rounds.length === 0 ? [] : roundFacts(one, options);
    if (!isTrial) return ofRounds;
    const companions = one.rounds.flatMap((round) => terms.companions?.(round) ?? []);
    return [...ofRounds, ...trialFacts(benchmark, one, subject), ...companionFacts(companions, terms, subject)];
  });
}

/** @param {RunHead} result @param {BenchmarkResult} benchmark @param {CaseResult} one @param {SuiteTerms} terms @returns {FactSubject} */
function subjectOf({ suite, startedAt, stack }, benchmark, one, { conditions: more }) {
  const { id, params, summary } = one;
  const { mode = '', length = '', placement = '', setting = '', way = '', ...rest } = params;
  const { server, client, writers: _, replicas, sentinels, ...conditions } = rest;
  const isTrial = isFailureBenchmark(benchmark);
  const { name, version } = stack.server;
  return {
    run: startedAt,
    suite,
    experiment: benchmark.name,
    caseId: id,
    length,
    placement,
    setting,
    way,
    mode,
    writer: isTrial ? '' : client,
    server: server ?? [name, version].filter(Boolean).join('-'),
    topology: topologyOf(stack, { replicas, sentinels }),
    conditions: {
      backend: stack.backend,
      ...conditions,
      ...more?.(one, benchmark),
      ...(!isTrial && { limitedBy: summary.limitedBy }),
    },
  };
}

/** Empty: the nodes are unknown. @param {Result['stack']} stack @param {Pick<CaseParams, 'replicas' | 'sentinels'>} asked by the case; absent: the stack’s */
function topologyOf({ nodes }, asked) {
  if (nodes.length === 0) return '';
  const found = nodes.filter(({ kind }) => kind === 'sentinel').length;
  const { replicas = nodes.length - found - 1, sentinels = found } = asked;
  return [plural(replicas, 'replica'), ...(sentinels === 0 ? [] : [plural(sentinels, 'Sentinel')])].join(', ');
}
