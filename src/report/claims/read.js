/**
 * Reads a figure of ours from facts, as a claim asks for it.
 * @import { Fact } from '../../facts/fact.js' @import { IntervalValue } from '../../result/schema.js'
 * @import { ClaimAnswer } from './answer.js' @import { ClaimMeasure, Query } from './schema.js'
 * @typedef {{answer: ClaimAnswer, ours: string, value: number | null, low?: number, high?: number, n: number, failing?: number, facts: Fact[]}} ClaimReading ours: our
 *   figure, as readers see it; value: its median, or its sum; null: its trials have no such figure; low, high: of its interval, if it was
 *   measured in rounds; n: rounds or trials behind it; failing: trials outside of the band; absent: rounds; facts: behind it, at least one
 */

import * as format from '../../format.js';
import { bootstrapInterval, pairedRatio, sum } from '../../stats/statistics.js';
import { NS_A_MS, NS_A_SECOND } from '../../units.js';
import { costOf } from '../columns.js';
import { answerOf, answerOfTrials, bandOf, ENOUGH, isWithin } from './answer.js';

/** A field for the variant of a case: a query that does not name it means the plain case. */
const VARIANT = Object.freeze({ length: '', placement: '', setting: '', way: '' });
const OTHERS = ['suite', 'experiment', 'caseId', 'mode', 'writer', 'server', 'topology', 'metric', 'unit'];
const FIELDS = new Set([...Object.keys(VARIANT), ...OTHERS]);

const ANY = '*';

/** @type {Readonly<Record<string, (value: number) => string>>} */
const FORMATS = Object.freeze({
  share: format.percent,
  factor: format.times,
  compression: (ratio) => format.times(ratio).replace('×', ':1'),
  s: (value) => (value === 0 ? '0 s' : format.duration(value * NS_A_SECOND)),
  ms: (value) => (value === 0 ? '0 ms' : format.duration(value * NS_A_MS)),
  billed: format.billedBytes,
  rate: format.rate,
  bytes: format.bytes,
  bits: format.bitRate,
  count: (value) => format.count(Math.round(value)),
});
/** Units of facts that have another name here. */
const UNIT_OF_FACTS = Object.freeze({ 'operations/s': 'rate', '/s': 'rate', 'bytes/s': 'bits', cores: 'share' });

/** @param {ClaimMeasure} measure @param {readonly Fact[]} facts of one run @returns {ClaimReading | null} null: the run lacks them */
export function readMeasure(measure, facts) {
  const of = chosen(facts, { ...measure.where, ...measure.of });
  if (of.length === 0) return null;
  if (measure.each || measure.outOf) return readTrials(measure, of, facts);
  const over = measure.over && chosen(facts, { ...measure.where, ...measure.over });
  if (over?.length === 0) return null;
  const value = over ? compared(of[0], over[0], measure) : intervalOf(of[0]);
  return value && readInterval(measure, value, [of[0], ...(over?.slice(0, 1) ?? [])]);
}

/** @param {ClaimMeasure} measure @param {IntervalValue} read @param {Fact[]} facts one, or two that were compared */
function readInterval(measure, read, facts) {
  const { scale = 1, unit = 'factor', says = '{value}' } = measure;
  const value = { median: read.median * scale, low: read.low * scale, high: read.high * scale };
  const n = Math.min(...facts.map((fact) => fact.n));
  const noun = nounOf(facts[0]);
  const isEnough = n >= ENOUGH[`${noun}s`];
  const [of, over] = facts.map((fact) => formatOf(fact)(fact.median));
  const text = filled(says, { value: format.interval(value, FORMATS[unit]), of, over });
  return {
    answer: isEnough ? answerOf(value, measure) : 'too noisy',
    ours: isEnough ? text : `${text} (${format.plural(n, noun)})`,
    value: value.median,
    low: value.low,
    high: value.high,
    n,
    facts,
  };
}

/** @param {ClaimMeasure} measure @param {Fact[]} found at least one @param {readonly Fact[]} facts of the run */
function readTrials({ where, of, outOf, each = 'all', scale = 1, says = '{value}', ...expected }, found, facts) {
  const values = found.flatMap((fact) => fact.values.map((value) => value * scale));
  const band = outOf && expected.number === undefined && !expected.band ? { most: 0 } : bandOf(expected);
  const n = overCases(found, (fact) => fact.n);
  const failing = overCases(found, (fact) => fact.values.filter((value) => !isWithin(value * scale, band)).length);
  const shownAs = expected.unit ? FORMATS[expected.unit] : formatOf(found[0]);
  const shown = outOf
    ? `${format.count(sum(values))} of ${format.count(sum(chosen(facts, { ...where, ...of, metric: outOf }).flatMap((fact) => fact.values)))}`
    : format.rangeOrOne(Math.min(...values), Math.max(...values), shownAs);
  return {
    // Cases are no repetitions of each other: the fewest trials of a case count.
    answer: answerOfTrials({ failing, n, fewest: Math.min(...found.map((fact) => fact.n)), each }),
    ours: `${filled(says, { value: shown })} (${format.plural(n, nounOf(found[0]))})`,
    value: outOf ? sum(values) : Math.max(...values),
    n,
    failing,
    facts: found,
  };
}

/** Several writers of one trial are one trial. @param {readonly Fact[]} facts @param {(fact: Fact) => number} trials */
function overCases(facts, trials) {
  const cases = new Map(facts.map(({ caseId }) => [caseId, 0]));
  for (const fact of facts) cases.set(fact.caseId, Math.max(Number(cases.get(fact.caseId)), trials(fact)));
  return sum([...cases.values()]);
}

/** @param {readonly Fact[]} facts @param {Query} query @returns {Fact[]} */
function chosen(facts, query) {
  const wanted = /** @type {[string, Query[string]][]} */ (Object.entries({ ...VARIANT, ...query }));
  return facts.filter((fact) =>
    wanted.every(([name, value]) => {
      const own = FIELDS.has(name) ? fact[/** @type {'mode'} */ (name)] : (conditionOf(fact, name) ?? null);
      if (value === ANY) return own !== null;
      return Array.isArray(value) ? value.includes(/** @type {string} */ (own)) : own === value;
    }),
  );
}

/** @param {Fact} fact @param {string} name of a condition, such as `pipeline` or `settings.save` @returns {unknown} */
function conditionOf({ conditions }, name) {
  if (!name.startsWith('settings.')) return conditions[name];
  return /** @type {Record<string, string> | undefined} */ (conditions.settings)?.[name.slice('settings.'.length)];
}

/** @param {Fact} fact @returns {IntervalValue} the 95% interval of the median over its rounds */
function intervalOf({ median, low, high, spread, values }) {
  return spread === '95% interval' && low !== null && high !== null ? { median, low, high } : bootstrapInterval(values);
}

/** Null: a ratio to what may be 0. @param {Fact} of @param {Fact} over @param {Pick<ClaimMeasure, 'as' | 'apart'>} how @returns {IntervalValue | null} */
function compared(of, over, { as = 'ratio', apart }) {
  const isPaired = !apart && of.experiment === over.experiment && of.n === over.n;
  const [one, base] = [of, over].map(intervalOf);
  // Intervals of figures that were not measured side by side span all combinations.
  if (as === 'difference')
    return isPaired
      ? bootstrapInterval(of.values.map((value, round) => value - over.values[round]))
      : { median: one.median - base.median, low: one.low - base.high, high: one.high - base.low };
  if (isPaired ? over.values.some((value) => value <= 0) : base.low <= 0) return null;
  const ratio = isPaired
    ? pairedRatio(of.values, over.values)
    : { median: one.median / base.median, low: one.low / base.high, high: one.high / base.low };
  return as === 'ratio' ? ratio : costOf(ratio);
}

/** What `n` of a fact counts. @param {Fact} fact */
const nounOf = ({ writer, trialsWithLoss }) => (writer === '' || trialsWithLoss !== null ? 'trial' : 'round');

/** @param {Fact} fact */
function formatOf({ unit }) {
  return FORMATS[UNIT_OF_FACTS[/** @type {keyof typeof UNIT_OF_FACTS} */ (unit)] ?? unit] ?? FORMATS.count;
}

/** @param {string} says @param {Record<string, string | undefined>} figures */
function filled(says, figures) {
  return says.replaceAll(/\{(\w+)\}/g, (whole, name) => figures[name] ?? whole);
}
