/**
 * A recommendation in words: which configurations meet the limits, by which figures, and why the others fail.
 *
 * @import { Criterion, Judged, Judgement, Recommendation, Tally } from './recommend.js'
 */

import { intervalName } from '../../src/report/findings.js';
import { interval, percent, plural, rate } from '../../src/report/format.js';
import { clientText, settingsText } from './configuration.js';

/**
 * @typedef {Object} RecommendationBlock code is between backticks, except in names
 * @property {string} text a paragraph
 * @property {Item[]} items a list below it; may be empty
 * @property {boolean} ordered the order of the items has a meaning
 *
 * @typedef {{name: string, text: string, details: string[]}} Item
 */

/** Titles beyond these are counted. */
const MOST_NAMED = 4;

/**
 * @param {Recommendation} recommendation
 * @param {string} [asked] where the limits come from, such as `by default`; empty: from the user
 * @returns {RecommendationBlock[]}
 */
export function recommendationBlocks(recommendation, asked = '') {
  const { meets, undecided, fails, criteria, limits } = recommendation;
  const all = meets.length + undecided.length + fails.length;
  const limitsText = criteria.map(({ text }) => text).join('; ');
  const rounds = [...meets, ...undecided, ...fails].flatMap(({ row }) => row.healthy[limits.batch]?.rounds ?? []);
  const least = Math.min(...rounds);
  const intervals = rounds.length > 0 && least > 1 ? ` In parentheses: the ${intervalName(least)}.` : '';
  /** @type {RecommendationBlock} */
  const asking = {
    text: `Limits${asked === '' ? '' : ` (${asked})`}: ${limitsText || 'none'}.${intervals}`,
    items: [],
    ordered: false,
  };
  const blocks = [asking];
  if (meets.length > 0) {
    const several = meets.length === 1 ? 'meets' : 'meet';
    blocks.push({
      text: `${meets.length} of ${plural(all, 'measured configuration')} ${several} every limit${meets.length === 1 ? ':' : `; cheapest first, by throughput at depth ${limits.batch} relative to async:`}`,
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
      text: `None of the ${plural(all, 'measured configuration')} meets every limit. By limit:`,
      items: recommendation.tallies.map((tally) => tallyItem(tally, recommendation, all)),
      ordered: false,
    });
  }
  if (undecided.length > 0) {
    blocks.push({
      text: 'Undecided, because a figure is uncertain or not measured:',
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
  if (!healthy) return `throughput at depth ${batch} not measured`;
  const { throughput, relative, rounds, limitedBy } = healthy;
  const ratio = relative && row.level !== 'async' ? `, ${interval(relative, percent)} of async` : '';
  const single = rounds === 1 ? '; one round, so no interval' : '';
  const limit = limitedBy === 'client' ? '; the client, not Redis, limited it' : '';
  return `${interval(throughput, rate)} at depth ${batch}${ratio}${single}${limit}`;
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
 * @returns {string[]} lines: what is uncertain, and what was not measured; of a variant
 *   with the figure of the mode itself
 */
function openText({ row, judgements }, { meets, undecided, fails, criteria, limits }) {
  const of = (/** @type {Judgement['verdict']} */ wanted) => judgements.filter(({ verdict }) => verdict === wanted);
  const uncertain = of('uncertain').map(
    ({ criterion, figure }) => `${textOf(criterion, criteria)}: uncertain: ${figure} is only partly within`,
  );
  const base = [...meets, ...undecided, ...fails].find(
    (other) => other.row.id === row.level && other.row.note === null,
  );
  const missing = of('not measured').map(({ criterion }) => {
    if (criterion === 'p99' && row.healthy[limits.batch]) return 'p99 (too few values)';
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
 * @param {Tally} tally
 * @param {Recommendation} recommendation
 * @param {number} all
 * @returns {Item}
 */
function tallyItem({ criterion, fails, open, best }, { criteria }, all) {
  const told = [`${fails} of ${all} ${fails === 1 ? 'fails' : 'fail'}`];
  if (open > 0) told.push(`${open} uncertain or not measured`);
  const [first, ...others] = best?.titles ?? [];
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
 * @returns {string} which of them overlap with the first; empty: none
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
    : `Sorted by medians; the interval of ${first.row.title} overlaps with that of ${namesText(close.map(({ row }) => row.title))}.`;
}
