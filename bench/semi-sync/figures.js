/**
 * Losses, outages and phantoms of the trials, by case.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { Titles } from '../../src/run/types.js'
 */

import { count, plural } from '../../src/format.js';
import { FINDING_CHARACTERS, finding, oneFinding } from '../../src/report/findings.js';
import { auditsOf, milliseconds } from '../../src/report/trials/figures.js';
import { mostText, timeText, trialsText } from '../../src/report/trials/losses.js';
import { largestFirst, rowsOf } from '../../src/report/trials/rows.js';
import { variationName } from '../../src/result/variation.js';
import { sum } from '../../src/stats/statistics.js';
import { modeTitle } from './modes.js';

/** By the names of the benchmarks. @type {Readonly<Record<string, string>>} */
const SCENARIOS = Object.freeze({
  'semi-sync-killed': 'primary killed',
  'semi-sync-machine-lost': 'machine lost',
  'semi-sync-restarted': 'restarted in place',
  'semi-sync-power-lost': 'power lost',
  'semi-sync-partition': 'network partition',
  'semi-sync-frozen': 'primary frozen',
  'semi-sync-replicas-frozen': 'replicas frozen, primary killed',
  'semi-sync-replica-frozen': 'one replica frozen, primary killed',
  'semi-sync-switch-over': 'planned switch-over',
});

/** @type {Readonly<Record<string, string>>} */
export const VARIATIONS = Object.freeze({ behind: 'frozen replica promoted', unannounced: 'old primary not told' });

/**
 * @typedef {TrialRow & OwnFigures} Outcome
 *
 * @typedef {Object} OwnFigures
 * @property {number} phantoms writes without an acknowledgement that only the old primary has; where it stayed the primary: that it has
 * @property {number} missing values that some node lacks after healing, compared with the node that holds most
 */

/** @param {string} benchmark its name */
export function scenarioTitle(benchmark) {
  return SCENARIOS[benchmark] ?? benchmark;
}

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) => {
    const name = variationName(params);
    return `${modeTitle(params)}${name === '' ? '' : ` (${VARIATIONS[name] ?? name})`}`;
  },
  writer: () => 'pool',
});

/**
 * @param {BenchmarkResult} result
 * @returns {Outcome[]} cases with acknowledged writes
 */
export function outcomesOf(result) {
  const fault = { id: result.name, title: scenarioTitle(result.name) };
  return rowsOf(result, { titles: TITLES, fault: () => fault }).map((row) => {
    const audits = auditsOf(result, row.one);
    const missing = sum(
      audits.map(({ present }) => Math.max(...Object.values(present)) - Math.min(...Object.values(present))),
    );
    return { ...row, phantoms: phantomsIn(audits), missing };
  });
}

/**
 * @param {readonly AuditResult[]} audits
 * @returns {number} writes without an acknowledgement that only the old primary has; where it stayed the primary: that it has
 */
export function phantomsIn(audits) {
  return sum(audits.map(({ formerPrimary, unknownPresent }) => formerPrimary?.extraUntold ?? unknownPresent));
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} what was lost, and nodes that differ. Tables have the phantoms
 */
export function lossFindings(result) {
  const outcomes = outcomesOf(result);
  if (outcomes.length === 0) return [];
  const evidence = outcomes.map(({ one }) => one);
  const trials = `${trialsText(outcomes.map(({ loss }) => loss))} each`;
  const differing = outcomes.filter(({ missing }) => missing > 0);
  return [
    finding('lost', lossText(result.name, outcomes, { trials }), evidence),
    ...(differing.length > 0
      ? [
          finding(
            'differing',
            oneFinding(
              'Replication runs, but a node lacks writes that another has: ',
              differing.map((each) => `${shortTitle(each)} ${count(each.missing)}`),
            ),
            differing.map(({ one }) => one),
          ),
        ]
      : []),
  ];
}

/**
 * @param {BenchmarkResult} result
 * @returns {string} what every mode lost, however long, without a full stop; empty: nothing was acknowledged
 */
export function lossSentence(result) {
  const outcomes = outcomesOf(result);
  if (outcomes.length === 0) return '';
  const losses = outcomes.map(({ loss }) => loss);
  const once = losses.every(({ trials }) => trials === 1) && losses.filter(({ lost }) => lost > 0).length > 1;
  const trials = `${trialsText(losses)}${once ? ' each, so sizes do not compare modes' : ' each'}`;
  return lossText(result.name, outcomes, { trials, most: Number.POSITIVE_INFINITY });
}

/**
 * @param {string} benchmark its name
 * @param {readonly Outcome[]} outcomes
 * @param {{trials: string, most?: number}} how most: characters, default {@link FINDING_CHARACTERS}
 */
function lossText(benchmark, outcomes, { trials, most: limit = FINDING_CHARACTERS }) {
  const title = scenarioTitle(benchmark);
  const start = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}: `;
  const losing = outcomes.filter(({ loss }) => loss.lost > 0).sort(largestFirst);
  const longest = Math.max(...outcomes.map(({ outage }) => outage.medianMs));
  const each = ` (${trials})`;
  const end = `; outage ${Number.isFinite(longest) ? 'up to ' : ''}${milliseconds(longest)}${each}`;
  if (losing.length === 0) {
    const acked = sum(outcomes.map(({ loss }) => loss.acked));
    return `${start}${plural(outcomes.length, 'case')} lost 0 of ${count(acked)} acknowledged writes${end}`;
  }
  const safe = outcomes.filter(({ loss }) => loss.lost === 0).map(shortTitle);
  const kept = safe.length > 2 ? `${safe.length} others` : safe.join(', ');
  const parts = losing.map((outcome, i) =>
    i === 0
      ? `${shortTitle(outcome)} lost ${mostText(outcome.loss, (most) => plural(most, 'acknowledged write'))}${timeText(outcome.loss)}`
      : `${shortTitle(outcome)} ${mostText(outcome.loss, count)}`,
  );
  const unharmed = kept === '' ? '' : `; ${kept} lost none`;
  const text = oneFinding(start, parts, { end: unharmed + end, most: limit });
  if (!/ and \d+ more/.test(text) && text.length <= limit) return text;
  // The table has the outages, and the modes that lost less.
  const short = `${start}${parts.join(', ')}${unharmed}${each}`;
  if (short.length <= limit) return short;
  return oneFinding(start, parts.slice(0, 2), {
    end: `${safe.length > 1 ? `; ${safe.length} others lost none` : unharmed}${each}`,
  });
}

/** @param {Outcome} outcome @returns {string} for a sentence about semi-sync */
export function shortTitle({ mode }) {
  return mode.replace('semi-sync ', '');
}
