/**
 * The facts of a case that was measured in rounds.
 *
 * @import { CaseResult, IntervalValue, RoundResult } from '../result/schema.js'
 * @import { Fact, Figure, Spread, Subject } from './fact.js'
 * @import { SuiteTerms } from './index.js'
 * @import { Metric } from './metrics.js'
 */
import { bootstrapInterval, sum } from '../stats/statistics.js';
import { hasEnoughBeyond, p99Interval, throughputRatios } from '../stats/summary.js';
import { NS_A_MS } from '../units.js';
import { factOf, rangeOf } from './fact.js';
import { CASE_METRICS, figuresIn, metricNamed, RESPONSE_METRICS, ROUND_METRICS } from './metrics.js';

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
 * @param {Object} options
 * @param {Subject & Pick<Figure, 'conditions'>} options.subject
 * @param {CaseResult} [options.baseline] what its throughput is compared with
 * @param {number} options.seed of the intervals
 * @param {SuiteTerms} options.terms
 * @param {boolean} options.isTrial its audits say what became of the writes
 * @returns {Fact[]}
 */
export function roundFacts(one, { subject, baseline, seed, terms, isTrial }) {
  const { rounds, summary } = one;
  const open = rounds.some(({ openLoop }) => openLoop);
  const names = { ...(open ? RESPONSE_METRICS : ROUND_METRICS), ...terms.metrics };
  const facts = [...valuesByPlace(rounds, terms)]
    .filter(
      ([place]) => !(isTrial && OF_AUDITS.test(place)) && !(place.startsWith('latencyNs') && summary.samples === 0),
    )
    .map(([place, values]) =>
      factOf(subject, names[place] ?? metricNamed(place), values, { spread: storedSpread(summary, place) ?? rangeOf }),
    );
  if (isTrial) return facts;
  return [
    ...facts,
    ...mergedFacts(one, subject, open),
    ...(baseline ? relativeFacts(one, baseline, subject, seed) : []),
  ];
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
    for (const [place, figure] of figures) {
      const known = values.get(place);
      if (known) known.push(figure);
      else values.set(place, [figure]);
    }
  }
  return values;
}

/**
 * @param {RoundResult['nodes']} nodes
 * @returns {[place: string, figure: number][]} of all nodes of a role together; without figures that are unknown for one of them
 */
function usedByRole(nodes) {
  return [...new Set(nodes.map(({ role }) => role))].flatMap((role) => {
    const used = nodes
      .filter((node) => node.role === role)
      .map(({ id: _, role: __, counters, ...use }) => new Map(figuresIn({ ...use, ...counters })));
    return [...used[0].keys()]
      .filter((place) => used.every((figures) => figures.has(place)))
      .map(
        (place) =>
          /** @type {[string, number]} */ ([`${role}.${place}`, sum(used.map((each) => Number(each.get(place))))]),
      );
  });
}

/**
 * @param {CaseResult['summary']} summary
 * @param {string} place
 * @returns {(() => Spread) | null} the interval that result.json has of this figure; null: it has none
 */
function storedSpread({ throughput, p50Ns, p99Ns }, place) {
  if (place === 'throughput') return () => ({ ...throughput, spread: '95% interval' });
  const stored = { 'latencyNs.p50': p50Ns, 'latencyNs.p99': p99Ns }[place];
  return stored ? () => inMs(stored) : null;
}

/** @param {IntervalValue} nanoseconds @returns {Spread} */
function inMs({ median, low, high }) {
  return { median: median / NS_A_MS, low: low / NS_A_MS, high: high / NS_A_MS, spread: '95% interval' };
}

/**
 * @param {CaseResult} one
 * @param {Subject & Pick<Figure, 'conditions'>} subject
 * @param {boolean} open
 * @returns {Fact[]} percentiles of all rounds together, as the tables show them; without those that too few values lie beyond
 */
function mergedFacts(one, subject, open) {
  const { rounds, summary } = one;
  return MERGED.filter(([, , beyond]) => hasEnoughBeyond(one, beyond)).map(([field, word, _]) => {
    const metric = `${word}-${open ? 'response' : 'service'}-time-all`;
    const value = summary.latencyNs[field];
    const spread =
      field === 'p99'
        ? inMs(p99Interval(summary))
        : { ...inMs({ median: value, low: value, high: value }), low: null, high: null };
    /** @type {Metric} */
    const named = { metric, unit: 'ms', divisor: NS_A_MS, better: 'less' };
    const values = rounds.map(({ latencyNs }) => latencyNs[field]);
    return factOf(subject, named, values, { spread: () => spread });
  });
}

/**
 * @param {CaseResult} one
 * @param {CaseResult} baseline
 * @param {Subject & Pick<Figure, 'conditions'>} subject
 * @param {number} seed
 * @returns {Fact[]} paired by round
 */
function relativeFacts({ rounds, summary }, { id, rounds: baselineRounds }, subject, seed) {
  const relative = summary.relativeToBaseline?.throughput;
  const ratios = throughputRatios(rounds, baselineRounds)?.ratios;
  if (!relative || !ratios) return [];
  const about = { ...subject, conditions: { ...subject.conditions, baseline: id } };
  const cost = { median: 1 - relative.median, low: 1 - relative.high, high: 1 - relative.low };
  const interval = (/** @type {IntervalValue} */ value) => () =>
    /** @type {Spread} */ ({ ...value, spread: '95% interval' });
  const added = rounds
    .slice(0, ratios.length)
    .map(({ latencyNs }, i) => (latencyNs.p50 - baselineRounds[i].latencyNs.p50) / NS_A_MS);
  return [
    factOf(about, CASE_METRICS.ratio, ratios, { spread: interval(relative) }),
    factOf(
      about,
      CASE_METRICS.cost,
      ratios.map((ratio) => 1 - ratio),
      { spread: interval(cost) },
    ),
    ...(summary.samples === 0
      ? []
      : [
          factOf(about, CASE_METRICS.added, added, {
            spread: (values) => ({ ...bootstrapInterval(values, { seed }), spread: '95% interval' }),
          }),
        ]),
  ];
}
