/**
 * A recommendation in words: what keeps to the limits and by which figures, or that nothing does and why.
 */
import { clientText, settingsText } from './decision-words.js';
import { intervalName } from './findings.js';
import { interval, percent, plural, rate } from './format.js';

/**
 * @typedef {import('./recommend.js').Recommendation} Recommendation
 * @typedef {import('./recommend.js').Judged} Judged
 * @typedef {import('./recommend.js').Judgement} Judgement
 * @typedef {import('./recommend.js').Criterion} Criterion
 *
 * @typedef {Object} Block code stands between backticks, but not in names
 * @property {string} text a paragraph
 * @property {Item[]} items a list below it; may be empty
 * @property {boolean} ordered the order of the items means something
 *
 * @typedef {{name: string, text: string, details: string[]}} Item
 */

/** Titles of more than these say no more. */
const MOST_NAMED = 4;

/**
 * @param {Recommendation} recommendation
 * @param {string} [asked] how the limits came about, such as `by default`; empty: somebody asked for them
 * @returns {Block[]}
 */
export function recommendationBlocks(recommendation, asked = '') {
  const { meets, undecided, fails, criteria, limits } = recommendation;
  const all = meets.length + undecided.length + fails.length;
  const limitsText = criteria.map(({ text }) => text).join('; ');
  const rounds = [...meets, ...undecided, ...fails].flatMap(({ row }) => row.healthy[limits.batch]?.rounds ?? []);
  const least = Math.min(...rounds);
  const intervals = rounds.length > 0 && least > 1 ? ` In parentheses stands the ${intervalName(least)}.` : '';
  /** @type {Block} */
  const asking = {
    text: `Limits${asked === '' ? '' : ` (${asked})`}: ${limitsText || 'none'}.${intervals}`,
    items: [],
    ordered: false,
  };
  const blocks = [asking];
  if (meets.length > 0) {
    const several = meets.length === 1 ? 'meets' : 'meet';
    blocks.push({
      text: `${meets.length} of ${plural(all, 'measured configuration')} ${several} ${criteria.length === 0 ? 'them, for there are none' : 'them all'}${meets.length === 1 ? ':' : `; cheapest first, by throughput at batch ${limits.batch} relative to async:`}`,
      items: meets.map((judged) => ({
        name: judged.row.title,
        text: priceText(judged, limits.batch),
        details: [...metText(judged, criteria), ...doText(judged)],
      })),
      ordered: true,
    });
    const close = overlapText(meets, limits.batch);
    if (close !== '') blocks.push({ text: close, items: [], ordered: false });
  } else {
    blocks.push({
      text: `None of the ${plural(all, 'measured configuration')} does. By each limit:`,
      items: recommendation.tallies.map((tally) => tallyItem(tally, recommendation, all)),
      ordered: false,
    });
  }
  if (undecided.length > 0) {
    blocks.push({
      text: 'Not ruled out, but not shown to keep to them either:',
      items: undecided.map((judged) => ({
        name: judged.row.title,
        text: priceText(judged, limits.batch),
        details: [...metText(judged, criteria), ...openText(judged, recommendation)],
      })),
      ordered: false,
    });
  }
  if (fails.length > 0) {
    blocks.push({
      text: 'Ruled out:',
      items: fails.map((judged) => ({ name: judged.row.title, text: failedText(judged, criteria), details: [] })),
      ordered: false,
    });
  }
  return blocks;
}

/**
 * @param {Judged} judged
 * @param {1 | 100} batch
 */
export function priceText({ row }, batch) {
  const healthy = row.healthy[batch];
  if (!healthy) return `throughput at batch ${batch} not measured`;
  const { throughput, relative, rounds, limitedBy } = healthy;
  const ratio = relative && row.level !== 'async' ? `, ${interval(relative, percent)} of async` : '';
  const single = rounds === 1 ? '; one round, so no interval' : '';
  const limit = limitedBy === 'client' ? '; the client, not Redis, limited it' : '';
  return `${interval(throughput, rate)} at batch ${batch}${ratio}${single}${limit}`;
}

/**
 * @param {Judged} judged
 * @param {readonly Criterion[]} criteria
 * @returns {string[]} one line, or none
 */
function metText({ judgements }, criteria) {
  const met = judgements.filter(({ verdict }) => verdict === 'meets');
  return met.length === 0
    ? []
    : [met.map(({ criterion, figure }) => `${aboutOf(criterion, criteria)}: ${figure}`).join('; ')];
}

/**
 * @param {Judged} judged
 * @param {Recommendation} recommendation
 * @returns {string[]} lines: what is uncertain, and what was not measured; of a configuration that is another one but for a note,
 *   with what that one had
 */
function openText({ row, judgements }, { meets, undecided, fails, criteria, limits }) {
  const of = (/** @type {Judgement['verdict']} */ wanted) => judgements.filter(({ verdict }) => verdict === wanted);
  const uncertain = of('uncertain').map(
    ({ criterion, figure }) => `${textOf(criterion, criteria)}: uncertain; not all of ${figure} does`,
  );
  const base = [...meets, ...undecided, ...fails].find(
    (other) => other.row.id === row.level && other.row.note === null,
  );
  const missing = of('not measured').map(({ criterion }) => {
    if (criterion === 'p99' && row.healthy[limits.batch]) return 'p99 (too few values to tell)';
    const figure = base?.judgements.find((judgement) => judgement.criterion === criterion)?.figure;
    return `${aboutOf(criterion, criteria)}${figure ? ` (${base?.row.title}: ${figure})` : ''}`;
  });
  return [...uncertain, ...(missing.length === 0 ? [] : [`not measured: ${missing.join('; ')}`])];
}

/**
 * @param {Judged} judged
 * @param {readonly Criterion[]} criteria
 */
function failedText({ judgements }, criteria) {
  return judgements
    .filter(({ verdict }) => verdict === 'fails')
    .map(({ criterion, figure }) => `${aboutOf(criterion, criteria)}: ${figure}`)
    .join('; ');
}

/**
 * @param {string} wanted id
 * @param {readonly Criterion[]} criteria
 * @returns {string} such as `lost on cut: at most 0`
 */
function textOf(wanted, criteria) {
  return criteria.find(({ id }) => id === wanted)?.text ?? wanted;
}

/**
 * @param {string} wanted id
 * @param {readonly Criterion[]} criteria
 * @returns {string} such as `lost on cut`
 */
function aboutOf(wanted, criteria) {
  const text = textOf(wanted, criteria);
  return text.slice(0, text.indexOf(': '));
}

/** @param {Judged} judged */
function doText({ row }) {
  return [`Set: ${settingsText(row)}. Client: ${clientText(row)}.`];
}

/**
 * @param {import('./recommend.js').Tally} tally
 * @param {Recommendation} recommendation
 * @param {number} all
 * @returns {Item}
 */
function tallyItem({ criterion, fails, open, best }, { criteria }, all) {
  const told = [`${fails} of ${all} ${fails === 1 ? 'fails' : 'fail'}`];
  if (open > 0) told.push(`${open} uncertain or not measured`);
  const [first, ...others] = best?.titles ?? [];
  // What else is as good was found among other numbers of writes.
  const more = others.length === 0 ? '' : `; as good: ${namesText(others)}`;
  const seen = best ? `The best: ${best.figure} (${first}${more}).` : 'Nothing was measured.';
  return { name: textOf(criterion, criteria), text: `${told.join(', ')}. ${seen}`, details: [] };
}

/** @param {readonly string[]} titles */
function namesText(titles) {
  const more = titles.length - MOST_NAMED;
  return more > 0 ? `${titles.slice(0, MOST_NAMED).join(' · ')} and ${more} more` : titles.join(' · ');
}

/**
 * @param {readonly Judged[]} meets at least one
 * @param {1 | 100} batch
 * @returns {string} which of them are not told from the first; empty: each
 */
function overlapText([first, ...others], batch) {
  const best = first.row.healthy[batch];
  const close = others.filter(({ row }) => {
    const own = row.healthy[batch];
    if (!best || !own || own.rounds < 2) return false;
    return own.relative && best.relative
      ? own.relative.high >= best.relative.low
      : own.throughput.high >= best.throughput.low;
  });
  return close.length === 0
    ? ''
    : `Their order is that of the medians; the interval of ${first.row.title} overlaps with that of ${namesText(close.map(({ row }) => row.title))}.`;
}
