/**
 * A recommendation in words: which configurations meet the limits, by which figures, and why the others fail.
 *
 * @import { Block, Item } from '../../src/report/blocks.js'
 * @import { DecisionRow } from './decision.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 * @import { Criterion, Judged, Judgement, Recommendation, Tally } from './recommend.js'
 */

import { interval, percent, plural, rate } from '../../src/format.js';
import { list, text } from '../../src/report/blocks.js';
import { intervalName } from '../../src/report/findings.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { lossPhrase } from '../../src/report/trials/rows.js';
import { faultTitles, sinceTitles } from '../experiments/decision-faults.js';
import { clientText, settingsText } from './configuration.js';

/** Titles beyond these are counted. */
const MOST_NAMED = 4;

/**
 * @param {Recommendation} recommendation
 * @param {string} [origin] where the limits come from, such as `by default`; empty: from the user
 * @returns {Block[]}
 */
export function recommendationBlocks(recommendation, origin = '') {
  const { meets, undecided, fails, criteria, limits, best } = recommendation;
  const judged = [...meets, ...undecided, ...fails];
  const all = judged.length;
  const counted = countText(judged);
  const rounds = judged.flatMap(({ row }) => row.healthy[limits.batch]?.rounds ?? []);
  const least = Math.min(...rounds);
  const intervals = rounds.length > 0 && least > 1 ? ` In parentheses: the ${intervalName(least)}.` : '';
  const blocks = [
    text(`Limits${origin === '' ? '' : ` (${origin})`}: ${limitsText(recommendation) || 'none'}.${intervals}`),
    ...notTestedBlock(recommendation),
  ];
  if (meets.length > 0) {
    const several = meets.length === 1 ? 'meets' : 'meet';
    const items = meets.map((judged) => ({
      name: judged.row.title,
      text: priceText(judged, limits.batch),
      details: [...metText(judged, recommendation), ...doText(judged)],
    }));
    const close = overlapText(meets, limits.batch);
    blocks.push(
      text(
        `${meets.length} of ${counted} ${several} every limit${meets.length === 1 ? ':' : `; cheapest first, by throughput at depth ${limits.batch} relative to async:`}`,
      ),
      list(items, { ordered: true }),
      ...(close === '' ? [] : [text(close)]),
    );
  } else {
    const failing = recommendation.tallies.filter(({ fails: number, best: seen }) => number > 0 || seen === null);
    blocks.push(
      text(`None of the ${counted} meets every limit. The limits that some fail:`),
      list(failing.map((tally) => tallyItem(tally, recommendation, all))),
      ...(best
        ? [
            text(
              `Closest: ${best.row.title}: ${priceText(best, limits.batch)}. ${[...metText(best, recommendation)].join('; ')}.`,
            ),
          ]
        : []),
    );
  }
  if (undecided.length > 0) {
    const items = undecided.map((judged) => ({
      name: judged.row.title,
      text: priceText(judged, limits.batch),
      details: [...metText(judged, recommendation), ...openText(judged, recommendation)],
    }));
    blocks.push(text('Undecided, because a figure is uncertain or not measured:'), list(items));
  }
  if (fails.length > 0) {
    const items = fails.map((judged) => ({ name: judged.row.title, text: failedText(judged, criteria), details: [] }));
    blocks.push(text('Ruled out:'), list(items));
  }
  return blocks;
}

/**
 * @param {readonly Judged[]} judged
 * @returns {string} such as `9 modes`, or `9 modes and 4 variants`: the variants are a mode with a sequential WAIT or another down-after
 */
function countText(judged) {
  const modes = judged.filter(({ row }) => row.note === null).length;
  const variants = judged.length - modes;
  return `${plural(modes, 'mode')}${variants === 0 ? '' : ` and ${plural(variants, 'variant')}`}`;
}

/** What ids of criteria about faults begin with. */
const LOSS = 'loss-';
const OUTAGE = 'unavailable-';

/**
 * @param {Recommendation} recommendation
 * @returns {string} the limits of all faults at once; empty: no limit
 */
function limitsText({ criteria, tested, notTested }) {
  const faults = tested.length > 0 ? tested : notTested;
  const inEach = (/** @type {string} */ start, /** @type {string} */ what) => {
    const [first] = criteria.filter(({ id }) => id.startsWith(start));
    return first
      ? [
          `${what}${first.text.slice(first.text.indexOf(': ') + 2)} in each of ${plural(faults.length, 'fault')} (${faultTitles(faults)})`,
        ]
      : [];
  };
  const others = criteria.filter(({ id }) => !id.startsWith(LOSS) && !id.startsWith(OUTAGE));
  return [
    ...inEach(LOSS, 'acknowledged writes lost: '),
    ...inEach(OUTAGE, 'unavailable: '),
    ...others.map(({ text }) => text),
  ].join('; ');
}

/**
 * @param {Recommendation} recommendation
 * @returns {Block[]} empty: every fault that was asked for was tested
 */
function notTestedBlock({ notTested, notAvailable }) {
  return [
    ...(notTested.length > 0
      ? [
          text(
            `Not tested: ${faultTitles(notTested)}. The answer below says nothing about ${notTested.length === 1 ? 'it' : 'them'}.`,
          ),
        ]
      : []),
    ...(notAvailable.length > 0 ? [text(`This server does not have: ${sinceTitles(notAvailable)}.`)] : []),
  ];
}

/**
 * @param {Judged} judged
 * @param {1 | 100} batch
 */
function priceText({ row }, batch) {
  const healthy = row.healthy[batch];
  if (!healthy) return `throughput at depth ${batch} not measured`;
  const { throughput, relative, rounds, limitedBy } = healthy;
  const ratio = relative && row.mode !== 'async' ? `, ${interval(relative, percent)} of async` : '';
  const single = rounds === 1 ? '; one round, so no interval' : '';
  const limit = limitedBy === 'client' ? '; the client, not Redis, limited it' : '';
  return `${interval(throughput, rate)} at depth ${batch}${ratio}${single}${limit}`;
}

/**
 * @param {Judged} judged
 * @param {Recommendation} recommendation
 * @returns {string[]} one line, or none
 */
function metText({ row, judgements }, { criteria, tested }) {
  const met = judgements.filter(({ verdict }) => verdict === 'meets');
  const others = met.filter(({ criterion }) => !criterion.startsWith(LOSS) && !criterion.startsWith(OUTAGE));
  const parts = [
    ...(met.some(({ criterion }) => criterion.startsWith(LOSS)) ? [keptText(row, tested)] : []),
    ...(met.some(({ criterion }) => criterion.startsWith(OUTAGE)) ? [outageText(met, criteria)] : []),
    ...others.map(({ criterion, figure }) => `${aboutOf(criterion, criteria)}: ${figure}`),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/**
 * @param {DecisionRow} row
 * @param {readonly FaultId[]} faults that were tested with at least one mode
 * @returns {string} such as `lost nothing in 7 of 7 faults (1 trial each: the risk in each may still be up to 95%)`
 */
function keptText(row, faults) {
  const faultTrials = row.trials.filter(({ fault }) => faults.includes(fault.id));
  const losing = faultTrials.filter(({ loss }) => loss.most > 0);
  const trials = Math.min(...faultTrials.map(({ loss }) => loss.trials));
  const risk = `${plural(trials, 'trial')} each: the risk in each may still be up to ${percent(riskBound(trials))}`;
  const lost = losing.length === 0 ? '' : `; lost ${losing.map(lossPhrase).join('; ')}`;
  return `lost nothing in ${faultTrials.length - losing.length} of ${plural(faults.length, 'fault')} (${risk})${lost}`;
}

/**
 * @param {readonly Judgement[]} met
 * @param {readonly Criterion[]} criteria
 * @returns {string} the outage in each fault
 */
function outageText(met, criteria) {
  const outages = met.filter(({ criterion }) => criterion.startsWith(OUTAGE));
  return outages.map(({ criterion, figure }) => `${aboutOf(criterion, criteria)}: ${figure}`).join('; ');
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
  const base = [...meets, ...undecided, ...fails].find((other) => other.row.id === row.mode && other.row.note === null);
  const unmeasured = of('not measured');
  const untested = unmeasured.filter(({ criterion }) => criterion.startsWith(LOSS) || criterion.startsWith(OUTAGE));
  const noFault = row.trials.length === 0 && untested.length > 0;
  const missing = unmeasured
    .filter((each) => !noFault || !untested.includes(each))
    .map(({ criterion }) => {
      if (criterion === 'p99' && row.healthy[limits.batch]) return 'p99 (too few values)';
      const figure = base?.judgements.find((judgement) => judgement.criterion === criterion)?.figure;
      return `${aboutOf(criterion, criteria)}${figure ? ` (${base?.row.title}: ${figure})` : ''}`;
    });
  const all = [...(noFault ? [`any fault${base ? ` (see ${base.row.title})` : ''}`] : []), ...missing];
  return [...uncertain, ...(all.length === 0 ? [] : [`not measured: ${all.join('; ')}`])];
}

/**
 * @param {Judged} judged
 * @param {readonly Criterion[]} criteria
 */
function failedText({ row, judgements }, criteria) {
  const failed = judgements.filter(({ verdict }) => verdict === 'fails');
  const lost = row.trials.filter(({ fault }) => failed.some(({ criterion }) => criterion === `${LOSS}${fault.id}`));
  return [
    ...(lost.length > 0 ? [`lost ${lost.map(lossPhrase).join('; ')}`] : []),
    ...failed
      .filter(({ criterion }) => !criterion.startsWith(LOSS))
      .map(({ criterion, figure }) => `${aboutOf(criterion, criteria)}: ${figure}`),
  ].join('; ');
}

/**
 * @param {string} wanted id
 * @param {readonly Criterion[]} criteria
 * @returns {string} such as `lost (network partition): at most 0`
 */
function textOf(wanted, criteria) {
  return criteria.find(({ id }) => id === wanted)?.text ?? wanted;
}

/**
 * @param {string} wanted id
 * @param {readonly Criterion[]} criteria
 * @returns {string} such as `lost (network partition)`
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
  const tallies = [`${fails} of ${all} ${fails === 1 ? 'fails' : 'fail'}`];
  if (open > 0) tallies.push(`${open} uncertain or not measured`);
  const [first, ...others] = best?.titles ?? [];
  const more = others.length === 0 ? '' : `; as good: ${namesText(others)}`;
  const seen = best ? `The best: ${best.figure} (${first}${more}).` : 'Nothing was measured.';
  return { name: textOf(criterion, criteria), text: `${tallies.join(', ')}. ${seen}`, details: [] };
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
    const healthy = row.healthy[batch];
    if (!best || !healthy || healthy.rounds < 2) return false;
    return healthy.relative && best.relative
      ? healthy.relative.high >= best.relative.low
      : healthy.throughput.high >= best.throughput.low;
  });
  return close.length === 0
    ? ''
    : `Sorted by medians; the interval of ${first.row.title} overlaps with that of ${namesText(close.map(({ row }) => row.title))}.`;
}
