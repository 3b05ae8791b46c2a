/**
 * Queries of the failure page: what each mode lost in each fault, how long writes stopped, and what happens while a replica is away.
 * @import { CaseFigures } from '../types.js'
 * @import { LossOfRows } from '../pages/trials.js'
 */
import { figure, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { LATE_DOWN_AFTER_MS, variationTitle, withoutLength } from '../experiments/cases.js';
import { scenarioTitle } from '../experiments/rows.js';
import { isPersistent, modeTitle } from '../modes.js';
import { lossOf, worstOfEach } from '../pages/trials.js';

/** Here a mode means something else: the stack has five data nodes. */
const FIVE_NODES = 'topology';
/** A mode is called the safest only if it went through so many faults that others did, too. */
const FAULTS_TO_COMPARE = 5;
const KILLED = 'primary-killed';

/**
 * @typedef {LossOfRows & OfMode} ModeLoss of a mode in a fault
 * @typedef {CaseFigures & ModeLoss} LossRow
 * @typedef {Object} OfMode
 * @property {string} fault title
 * @property {string} title of the mode
 */

/**
 * @param {readonly CaseFigures[]} rows
 * @returns {LossRow[]} one for each mode in each fault: of several lengths of a fault the worst. Lengths that only some modes went through are a
 *   fault of their own
 */
export function lossRows(rows) {
  const usual = where(rows, { writer: NATIVE }).filter(({ experiment }) => experiment !== FIVE_NODES);
  return worstOfAll(usual.map((row) => rowOf(row, faultTitle(row, usual))));
}

/** @param {readonly LossRow[]} losses @returns {LossRow[]} all lengths of a fault as one, the worst of each mode */
export function ofAnyLength(losses) {
  const titled = losses.map((row) => ({ ...row, fault: scenarioTitle(row.experiment, withoutLength(row.params)) }));
  return worstOfAll(titled);
}

/** @param {CaseFigures} row @param {string} fault @returns {LossRow} */
function rowOf(row, fault) {
  return { ...row, ...lossOf([row]), fault, title: modeTitle(row.params) };
}

/** @param {CaseFigures} row @param {readonly CaseFigures[]} rows */
function faultTitle({ experiment, params }, rows) {
  const usual = withoutLength(params);
  const [name, usualName] = [params, usual].map(variationName);
  const alike = rows.filter(
    (row) => row.experiment === experiment && variationName(withoutLength(row.params)) === usualName,
  );
  const names = distinct(alike.map((row) => variationName(row.params)));
  return [
    scenarioTitle(experiment, usual),
    ...(name !== usualName && names.includes(usualName)
      ? [names.length === 2 ? variationTitle(params) : 'other lengths']
      : []),
    ...(params.downAfterMs === LATE_DOWN_AFTER_MS ? [`down-after ${LATE_DOWN_AFTER_MS / 1000} s`] : []),
  ].join(', ');
}

/** @param {readonly LossRow[]} rows @returns {LossRow[]} of each mode in each fault the worst */
const worstOfAll = (rows) => worstOfEach(rows, ({ fault, title }) => `${fault}\n${title}`, worstFirst);

/** @param {LossOfRows} a @param {LossOfRows} b @returns {number} for sorting: losses of everything first, then the larger ones */
export function worstFirst(a, b) {
  return Number(b.all) - Number(a.all) || (b.seconds ?? 0) - (a.seconds ?? 0) || b.writes - a.writes;
}

/** @template T @param {readonly T[]} values */
export const distinct = (values) => [...new Set(values)];

/** Of each mode: its faults, those with a loss, one in which it lost everything, its largest loss in the others. @param {readonly LossRow[]} losses */
export function modesOf(losses) {
  return distinct(losses.map(({ title }) => title)).map((title) => {
    const own = losses.filter((row) => row.title === title);
    const losing = own.filter((row) => row.losing > 0).sort(worstFirst);
    const all = losing.find((row) => row.all)?.fault ?? null;
    return { title, tried: own.length, losing: losing.length, all, most: losing.find((row) => !row.all) ?? null };
  });
}

/**
 * Modes went through different faults, so they are compared in those that all of them went through. A restart without an append-only file empties the
 * primary, so only modes with one count.
 * @param {readonly LossRow[]} losses
 * @returns {ReturnType<typeof modesOf>[number] | null} the mode that lost in the fewest faults; null: too few faults, or none lost anything
 */
export function safestOf(losses) {
  const persistent = losses.filter(({ params }) => isPersistent(params));
  const most = Math.max(0, ...modesOf(persistent).map(({ tried }) => tried));
  const many = modesOf(persistent).filter(({ tried }) => tried > most / 2);
  const shared = distinct(persistent.map(({ fault }) => fault)).filter((fault) =>
    many.every(({ title }) => persistent.some((row) => row.fault === fault && row.title === title)),
  );
  if (shared.length < FAULTS_TO_COMPARE || losses.every(({ losing }) => losing === 0)) return null;
  const inShared = modesOf(persistent.filter(({ fault }) => shared.includes(fault)));
  const losing = (/** @type {string} */ title) => inShared.find((mode) => mode.title === title)?.losing ?? 0;
  return many.sort((a, b) => losing(a.title) - losing(b.title) || a.losing - b.losing || b.tried - a.tried)[0];
}

/** @param {readonly LossRow[]} losses @returns outages after a kill, the shortest first. healed: the harness brought the node back */
export function killOutages(losses) {
  const rows = losses
    .filter(({ experiment }) => experiment === KILLED)
    .filter((row) => !isRefusedOtherwise(row))
    .sort((a, b) => (figure(a, 'outage') ?? 0) - (figure(b, 'outage') ?? 0));
  return { ended: rows.filter((row) => !isHealed(row)), healed: rows.filter(isHealed) };
}

/** @param {readonly LossRow[]} losses @returns {number | null} milliseconds without an answer after which a Sentinel acts, in the trials of a kill */
export function downAfterOf(losses) {
  return losses.find(({ experiment }) => experiment === KILLED)?.params.downAfterMs ?? null;
}

/** @param {CaseFigures} row @returns {boolean} in most trials the outage ended only when the harness ended the fault, or not at all */
export function isHealed(row) {
  return isMost(row, 'outage-until-healed') || figure(row, 'outage') === Number.POSITIVE_INFINITY;
}

/** @param {CaseFigures} row @returns {boolean} in most trials writes were refused for another reason than the fault */
export function isRefusedOtherwise(row) {
  return isMost(row, 'refused-otherwise');
}

/** @param {CaseFigures} row @param {string} metric */
function isMost(row, metric) {
  return (figure(row, metric, 'total') ?? 0) > (figure(row, metric, 'n') ?? 0) / 2;
}

/** @param {readonly CaseFigures[]} rows @param {string} experiment @returns of each mode the sticky client, with what concerns the whole trial */
export function awayRows(rows, experiment) {
  const whole = where(rows, { experiment, writer: '' });
  const usual = where(rows, { experiment, writer: 'sticky' }).filter(({ params }) => isPlain(params));
  return usual.map((row) => ({
    ...row,
    mode: modeTitle(row.params),
    of: { ...whole.find(({ caseId }) => caseId === row.caseId)?.of, ...row.of },
  }));
}

/** @param {readonly CaseFigures[]} rows @returns modes whose confirmed writes the server had not synced when it lost power */
export function brokenPromises(rows) {
  return where(rows, { writer: NATIVE, experiment: 'primary-power-lost', way: 'in-place' })
    .filter(({ params }) => params.waitLocal === 1 || params.settings?.appendfsync === 'always')
    .map((row) => ({
      ...rowOf(row, ''),
      lost: figure(row, 'lost-writes', 'total') ?? 0,
      acked: figure(row, 'acked', 'total') ?? 0,
    }))
    .filter(({ lost }) => lost > 0);
}
