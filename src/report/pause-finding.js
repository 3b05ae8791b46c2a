/**
 * The sentence about replicas that stood still: which configurations still took writes in the end.
 */
import { pauseOf } from './decision-pause.js';
import { OWN_WRITERS, trialsOf } from './failure-totals.js';
import { caseTitle } from './failure-words.js';
import { percent } from './format.js';

/** Of the writes; the rest is what a step of the timeline cuts in two. */
const ALL = 0.99;
const NONE = 0.01;

/**
 * @param {import('./schema.js').BenchmarkResult} benchmark
 * @param {string} what is done to the stack, starts the sentence
 * @returns {import('./schema.js').Finding | null} null: nothing of the kind was measured
 */
export function pauseFinding(benchmark, what) {
  const told = benchmark.cases.flatMap((one) => {
    const pause = pauseOf(trialsOf(benchmark, one), OWN_WRITERS);
    // Without commas of its own, in a list.
    return pause === null
      ? []
      : { id: one.id, title: caseTitle(one.params).replaceAll(', ', ' '), share: pause.ackedAtEnd };
  });
  if (told.length === 0) return null;
  // In every trial: the median would hide one in which it was otherwise.
  const all = told.filter(({ share: { low } }) => low >= ALL).map(({ title }) => title);
  const none = told.filter(({ share: { high } }) => high <= NONE).map(({ title }) => title);
  const some = told.filter(({ share: { low, high } }) => low < ALL && high > NONE);
  const parts = [];
  if (all.length > 0) parts.push(`writes were acked with ${all.join(', ')}`);
  if (some.length > 0) {
    parts.push(`a share of them with ${some.map(({ title, share }) => `${title} (${shareText(share)})`).join(', ')}`);
  }
  if (none.length > 0) parts.push(`none with ${none.join(', ')}`);
  return {
    text: `${what}, in the last 2 s of it ${parts.join('; ')}`,
    evidence: told.map(({ id }) => id),
  };
}

/** @param {import('./decision-pause.js').Spread} share */
function shareText({ median, low, high }) {
  return low === high ? percent(median) : `${percent(low)} … ${percent(high)} in the trials`;
}
