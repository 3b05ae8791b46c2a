/**
 * The facts of a case that was measured in rounds.
 * @import { CaseResult, IntervalValue, RoundResult } from '../result/schema.js'
 * @import { Fact, FactSubject, Spread } from './fact.js'
 * @import { SuiteTerms } from './index.js'
 */
import { bootstrapInterval, sum } from '../stats/statistics.js';
import { hasEnoughBeyond, p99Interval, throughputRatios } from '../stats/summary.js';
import { NS_A_MS } from '../units.js';
import { factOf, rangeOf } from './fact.js';
import { figuresIn, METRICS, metricNamed, RESPONSE_METRICS, ROUND_METRICS } from './metrics.js';

/** What trials set by their schedule, or their audits say by writer. */
const OF_AUDITS = /^(throughput$|outcomes\.|latencyNs\.)/;
/** Percentiles of all rounds together, and the share of values beyond each. */
const MERGED = /** @type {const} */ ([
  ['p50', 'p50', 0.5],
  ['p99', 'p99', 0.01],
  ['p999', 'p99.9', 0.001],
]);

/**
 * @param {CaseResult} one with at least one round
 * @param {{subject: FactSubject, baseline?: CaseResult, seed: number, terms: SuiteTerms, isTrial: boolean}} options baseline: what its
 *   throughput is compared with; seed: of the intervals; isTrial: its audits say what became of the writes @returns {Fact[]}
 */
export function roundFacts(one, { subject, baseline, seed, terms, isTrial }) {
  const { rounds, summary } = one;
  const open = rounds.some(({ openLoop }) => openLoop);
  const names = { ...(open ? RESPONSE_METRICS : ROUND_METRICS), ...terms.metrics };
  const isLeftOut = (/** @type {string} */ place) =>
    (isTrial && OF_AUDITS.test(place)) || (place.startsWith('latencyNs') && summary.samples === 0);
  const facts = [...valuesByPlace(rounds, terms)].flatMap(([place, values]) => {
    const spread = storedSpread(summary, place) ?? rangeOf;
    return isLeftOut(place) ? [] : factOf(subject, names[place] ?? metricNamed(place), values, { spread });
  });
  if (isTrial) return facts;
  const relative = baseline ? relativeFacts(one, baseline, subject, seed) : [];
  return [...facts, ...mergedFacts(one, subject, open), ...relative];
}

/** @param {readonly RoundResult[]} rounds @param {SuiteTerms} terms @returns {Map<string, number[]>} place → the figure of each round that has it */
function valuesByPlace(rounds, terms) {
  /** @type {Map<string, number[]>} */
  const values = new Map();
  for (const whole of rounds) {
    const { nodes, errors, ...round } = whole;
    const figures = [
      ...figuresIn({ ...round, errors: sum(Object.values(errors)), ...terms.figures?.(whole) }),
      ...usedByRole(nodes),
    ];
    for (const [place, figure] of figures) values.set(place, [...(values.get(place) ?? []), figure]);
  }
  return values;
}

/** Of all nodes of a role together, where it is known for each. @param {RoundResult['nodes']} nodes @returns {[place: string, figure: number][]} */
function usedByRole(nodes) {
  return [...new Set(nodes.map(({ role }) => role))].flatMap((role) => {
    const used = nodes
      .filter((node) => node.role === role)
      .map(({ id: _, role: __, counters, ...use }) => new Map(figuresIn({ ...use, ...counters })));
    const known = [...used[0].keys()].filter((place) => used.every((figures) => figures.has(place)));
    return known.map((place) => [`${role}.${place}`, sum(used.map((each) => Number(each.get(place))))]);
  });
}

/** @param {CaseResult['summary']} summary @param {string} place of a figure @returns {(() => Spread) | undefined} its interval in result.json */
function storedSpread({ throughput, p50Ns, p99Ns }, place) {
  return {
    throughput: stored(throughput),
    'latencyNs.p50': stored(p50Ns, NS_A_MS),
    'latencyNs.p99': stored(p99Ns, NS_A_MS),
  }[place];
}

/** @param {IntervalValue} interval @param {number} [divisor] @returns {() => Spread} */
function stored({ median, low, high }, divisor = 1) {
  return () => ({ median: median / divisor, low: low / divisor, high: high / divisor, spread: '95% interval' });
}

/** Percentiles of all rounds together, as the tables show them. @param {CaseResult} one @param {FactSubject} subject @param {boolean} open @returns {Fact[]} */
function mergedFacts(one, subject, open) {
  const { rounds, summary } = one;
  return MERGED.filter(([, , beyond]) => hasEnoughBeyond(one, beyond)).map(([field, word, _]) => {
    const metric = `${word}-${open ? 'response' : 'service'}-time-all`;
    const values = rounds.map(({ latencyNs }) => latencyNs[field]);
    const median = summary.latencyNs[field] / NS_A_MS;
    const spread =
      field === 'p99'
        ? stored(p99Interval(summary), NS_A_MS)
        : () => /** @type {Spread} */ ({ median, low: null, high: null, spread: '95% interval' });
    return factOf(subject, { metric, unit: 'ms', divisor: NS_A_MS, better: 'less' }, values, { spread });
  });
}

/** @param {CaseResult} one @param {CaseResult} baseline @param {FactSubject} subject @param {number} seed @returns {Fact[]} paired by round */
function relativeFacts({ rounds, summary }, { id, rounds: baselineRounds }, subject, seed) {
  const relative = summary.relativeToBaseline?.throughput;
  const ratios = throughputRatios(rounds, baselineRounds)?.ratios;
  if (!relative || !ratios) return [];
  const about = { ...subject, conditions: { ...subject.conditions, baseline: id } };
  const cost = { median: 1 - relative.median, low: 1 - relative.high, high: 1 - relative.low };
  const costs = ratios.map((ratio) => 1 - ratio);
  const added = costs.map((_, i) => (rounds[i].latencyNs.p50 - baselineRounds[i].latencyNs.p50) / NS_A_MS);
  const facts = [
    factOf(about, METRICS.case.ratio, ratios, { spread: stored(relative) }),
    factOf(about, METRICS.case.cost, costs, { spread: stored(cost) }),
  ];
  if (summary.samples === 0) return facts;
  return [...facts, factOf(about, METRICS.case.added, added, { spread: stored(bootstrapInterval(added, { seed })) })];
}
