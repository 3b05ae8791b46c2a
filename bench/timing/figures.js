/** What each down-after-milliseconds did: how long writes stopped, and which failovers were needless. */
/** @import { CaseFigures, CaseVariation } from '../types.js' */
import { rangeOf } from '../../src/facts/fact.js';
import { figure, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { variationName } from '../../src/result/variation.js';
import { sum } from '../../src/stats/statistics.js';
import { readYaml } from '../../src/yaml.js';
import { modeTitle } from '../modes.js';

/** @typedef {ReturnType<typeof measuredIn>[number]} TimedCase a case */
/** @typedef {ReturnType<typeof choicesOf>[number]} TimingChoice one down-after */

const HOUR_SECONDS = 3600;
const MINUTES = 60;

/**
 * @param {readonly CaseFigures[]} rows
 * @returns in the order of the cases. failedOver: trials in which a replica was promoted; chosenHung: in every trial the replica that the Sentinels chose
 *   was frozen; needless: promotions without the one after the primary was killed; tilts: how often a Sentinel entered TILT; hours: that all trials
 *   watched; outage: seconds, the median of the trials, Infinity: to the end; lost: acknowledged writes, in the worst trial
 */
export function measuredIn(rows) {
  const known = rows.filter(({ params }) => situationIn(params) !== undefined);
  return where(known, { writer: NATIVE }).map((row) => {
    const [whole] = where(known, { writer: '', caseId: row.caseId, experiment: row.experiment });
    const valuesOf = (/** @type {string} */ metric) => whole.of[metric]?.values ?? [];
    const situation = situationOf(row.params);
    const wanted = ['killed', 'hung'].includes(situation.kind) ? 1 : 0;
    const promotions = valuesOf('promoted-replicas');
    return {
      situation,
      mode: modeTitle(row.params),
      downAfterMs: row.params.downAfterMs ?? 0,
      trials: promotions.length,
      failedOver: promotions.filter((number) => number > 0).length,
      chosenHung: valuesOf('frozen-replica-chosen').every((chosen) => chosen === 1),
      needless: sum(promotions.map((number) => Math.max(0, number - wanted))),
      tilts: sum(valuesOf('tilts')),
      hours: sum(valuesOf('trial-length')) / HOUR_SECONDS,
      outage: figure(row, 'outage') ?? Number.POSITIVE_INFINITY,
      lost: figure(row, 'lost-writes', 'worst') ?? 0,
    };
  });
}

/**
 * @param {readonly TimedCase[]} measured
 * @returns the shortest down-after first. outage: seconds after a kill, of the mode that stops longest; withstood: seconds of the longest command without
 *   a failover, as all shorter ones, 0: the shortest led to one; watched: without a fault; quiet: without a command; mostLost: writes, in a trial with a
 *   promotion that nothing called for. null: not measured, or there was none
 */
export function choicesOf(measured) {
  const values = [...new Set(measured.map(({ downAfterMs }) => downAfterMs))].sort((a, b) => a - b);
  return values.map((downAfterMs) => {
    const choice = measured.filter((each) => each.downAfterMs === downAfterMs);
    const killed = choice.filter(({ situation: { kind, quorum } }) => kind === 'killed' && quorum === undefined);
    const commands = choice
      .filter(({ situation: { kind } }) => kind === 'blocked')
      .sort((a, b) => (a.situation.blockedSeconds ?? 0) - (b.situation.blockedSeconds ?? 0));
    const first = commands.findIndex(({ failedOver }) => failedOver > 0);
    const well = first === -1 ? commands : commands.slice(0, first);
    const replaced = choice.filter(({ needless }) => needless > 0);
    return {
      downAfterMs,
      outage: killed.length === 0 ? null : Math.max(...killed.map((each) => each.outage)),
      commands,
      withstood: commands.length === 0 ? null : (well.at(-1)?.situation.blockedSeconds ?? 0),
      watched: choice.filter(({ situation: { kind } }) => kind === 'idle' || kind === 'busy'),
      quiet: choice.filter(({ situation: { kind } }) => kind !== 'blocked'),
      mostLost: replaced.length === 0 ? null : Math.max(...replaced.map(({ lost }) => lost)),
    };
  });
}

/** A command of an application, or a fork, may take this long without anybody noticing a fault. */
export const TOLERATED_SECONDS = 4;

/** The shortest down-after that withstood commands of {@link TOLERATED_SECONDS}, without other needless promotions; null: none did. @param {readonly TimingChoice[]} choices */
export function recommended(choices) {
  return (
    choices.find(
      ({ withstood, quiet }) => (withstood ?? 0) >= TOLERATED_SECONDS && quiet.every(({ needless }) => needless === 0),
    ) ?? null
  );
}

/** @param {readonly TimedCase[]} measured @returns when the chosen replica hangs, the shortest failover-timeout first */
export function attemptsOf(measured) {
  const hung = measured.filter(({ situation: { kind }, chosenHung }) => kind === 'hung' && chosenHung);
  const values = [...new Set(hung.map(({ situation }) => situation.failoverTimeoutSeconds ?? 0))].sort((a, b) => a - b);
  return values.map((failoverTimeoutSeconds) => ({
    failoverTimeoutSeconds,
    outage: rangeOf(
      hung
        .filter(({ situation }) => situation.failoverTimeoutSeconds === failoverTimeoutSeconds)
        .map(({ outage }) => outage),
    ).median,
  }));
}

/** @param {readonly TimedCase[]} measured @returns {{quorum: number, outage: number, downAfterMs: number}[]} */
export function quorumsOf(measured) {
  return measured.flatMap(({ situation: { kind, quorum }, outage, downAfterMs }) =>
    kind === 'killed' && quorum !== undefined ? [{ quorum, outage, downAfterMs }] : [],
  );
}

/** Poisson: where no event was seen, the mean number may still be as high as this, at 95%. */
const NONE_BOUND = 3;

/** @param {readonly TimedCase[]} watched @param {'needless' | 'tilts'} what @returns anHour: seen, or the most that seeing none leaves open */
export function rateOf(watched, what) {
  const seen = sum(watched.map((each) => each[what]));
  const hours = sum(watched.map((each) => each.hours));
  return {
    seen,
    minutes: hours * MINUTES,
    anHour: hours === 0 ? Number.POSITIVE_INFINITY : (seen || NONE_BOUND) / hours,
  };
}

/**
 * @typedef {Object} Situation
 * @property {CaseVariation} variation of its cases
 * @property {string} title
 * @property {'killed' | 'hung' | 'blocked' | 'idle' | 'busy'} kind
 * @property {number} [quorum]
 * @property {number} [failoverTimeoutSeconds]
 * @property {number} [blockedSeconds]
 */

/** @type {readonly Situation[]} */
export const SITUATIONS = Object.freeze(readYaml(new URL('situations.yaml', import.meta.url)));

/** @param {CaseVariation} params of a case @returns {Situation | undefined} undefined: a result from elsewhere has another one */
export function situationIn(params) {
  return SITUATIONS.find(({ variation }) => variationName(variation) === variationName(params));
}

/** @param {CaseVariation} params of a case @returns {Situation} @throws {RangeError} there is no such situation */
export function situationOf(params) {
  const found = situationIn(params);
  if (!found) throw new RangeError(`there is no situation ${variationName(params)}`);
  return found;
}

/** @param {CaseVariation & {downAfterMs?: number}} params of a case @returns {string} such as `a command of 4 s, down-after 2 s` */
export function situationTitle(params) {
  const title = situationIn(params)?.title ?? variationName(params);
  return params.downAfterMs === undefined ? title : `${title}, down-after ${params.downAfterMs / 1000} s`;
}
