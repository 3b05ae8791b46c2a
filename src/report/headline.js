/**
 * What a reader learns in ten seconds: the few sentences above everything else.
 */
import { SWEEP } from './decision.js';
import { groupsOf, isFailureBenchmark, OWN_WRITERS, total } from './failure-totals.js';
import { levelTitle } from './failure-words.js';
import { percent, plural } from './format.js';
import { recommend } from './recommend.js';
import { priceText } from './recommend-text.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 *
 * @typedef {Object} Headline
 * @property {string | null} benchmark that it is from; null: from several
 * @property {string} text one sentence without a full stop; code stands between backticks
 */

/** Of what begins a longer finding no more is told here than fits into so many characters. */
const SHORT = 240;

/**
 * @param {Result} result
 * @returns {Headline[]} of a sweep what follows from it, of failures what was lost with which level, of every other benchmark its
 *   first finding; none of what was not measured
 */
export function headlines(result) {
  const others = result.benchmarks.filter((each) => !isFailureBenchmark(each) && !SWEEP.includes(each.name));
  return [
    ...fromSweep(result),
    ...fromFailures(result.benchmarks.filter((each) => isFailureBenchmark(each) && !SWEEP.includes(each.name))),
    ...others.flatMap(({ name, findings }) =>
      findings.slice(0, 1).map(({ text }) => ({ benchmark: name, text: firstSentences(text) })),
    ),
  ];
}

/**
 * @param {Result} result
 * @returns {Headline[]}
 */
function fromSweep(result) {
  const { meets, undecided, fails, criteria, limits } = recommend(result);
  const all = meets.length + undecided.length + fails.length;
  if (all === 0) return [];
  const asked = criteria.map(({ text }) => text).join('; ');
  const open = undecided.length === 0 ? '' : ` (of ${undecided.length} it is not known)`;
  const [cheapest] = meets;
  const text = cheapest
    ? `${meets.length} of ${plural(all, 'configuration')} keep to ${asked}${open}. The cheapest of them is ${cheapest.row.title}: ${priceText(cheapest, limits.batch)}`
    : `None of ${plural(all, 'configuration')} was shown to keep to ${asked}${open}`;
  return [{ benchmark: null, text }];
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @returns {Headline[]} by level, over all cases in which anything was acknowledged
 */
function fromFailures(benchmarks) {
  /** @type {Map<string, {cases: number, lossy: number, worst: number, where: string}>} */
  const levels = new Map();
  /** @type {Map<string, string[]>} level → libraries through which something was lost */
  const losers = new Map();
  for (const benchmark of benchmarks) {
    const all = groupsOf(benchmark).filter(({ audits }) => total(audits, 'acked') > 0);
    for (const { case: one, writer, audits } of all) {
      if (!isOwn(writer) && total(audits, 'ackedLost') > 0) {
        const title = levelTitle(one.params);
        losers.set(title, [...new Set([...(losers.get(title) ?? []), writer])]);
      }
    }
    const groups = all.filter(({ writer }) => isOwn(writer));
    for (const one of new Set(groups.map((group) => group.case))) {
      const shares = groups
        .filter((group) => group.case === one)
        .map(({ audits }) => total(audits, 'ackedLost') / total(audits, 'acked'));
      const title = levelTitle(one.params);
      const level = levels.get(title) ?? { cases: 0, lossy: 0, worst: 0, where: '' };
      const worst = Math.max(...shares);
      levels.set(title, {
        cases: level.cases + 1,
        lossy: level.lossy + (worst > 0 ? 1 : 0),
        ...(worst > level.worst ? { worst, where: benchmark.name } : { worst: level.worst, where: level.where }),
      });
    }
  }
  const all = [...levels].map(([title, level]) => ({ title, ...level }));
  const lossy = all.filter(({ lossy }) => lossy > 0).sort((a, b) => b.worst - a.worst);
  const safe = all.filter(({ lossy }) => lossy === 0).sort((a, b) => b.cases - a.cases);
  const headlines = [];
  if (lossy.length > 0) {
    const told = lossy.map(
      ({ title, lossy, cases, worst, where }) =>
        `${title} in ${lossy} of ${cases} (up to ${percent(worst)}, \`${where}\`)`,
    );
    headlines.push({ benchmark: null, text: `Acknowledged writes were lost in failures with ${told.join('; ')}` });
  }
  if (safe.length > 0) {
    const told = safe.map(({ title, cases }) => {
      const lost = losers.get(title);
      return `${title} (${plural(cases, 'failure')}${lost ? `; some through ${lost.join(' and ')}` : ''})`;
    });
    headlines.push({ benchmark: null, text: `No acknowledged write was lost in failures with ${told.join('; ')}` });
  }
  return headlines;
}

/** @param {string} writer */
function isOwn(writer) {
  return OWN_WRITERS.some((own) => own === writer);
}

/**
 * @param {string} text
 * @returns {string} whole sentences, at least one, and at least the answer when it begins with a question
 */
export function firstSentences(text) {
  const sentences = text.split(/(?<=[.?])\s+(?=[A-Z“`])/);
  let told = sentences[0];
  for (const sentence of sentences.slice(1)) {
    if (!told.endsWith('?') && told.length + sentence.length >= SHORT) break;
    told += ` ${sentence}`;
  }
  return told;
}
