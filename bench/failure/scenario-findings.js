/** What scenarios of the suite show and no table does. texts.yaml has the words. */
/** @import { BenchmarkResult, Check, Finding } from '../types.js' */
/** @import { EventKind } from '../../src/result/events.js' */
/** @import { TrialResult } from '../../src/result/failure-schema.js' */
import { firstAt, happened, sawFailover } from '../../src/audit/judgement.js';
import { pause } from '../../src/faults/index.js';
import { oneFinding, plural, range } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { finding } from '../../src/report/findings.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { filled } from '../../src/sentences.js';
import { caseTitle } from '../experiments/cases.js';
import { DOWN_AFTER_MS } from '../experiments/primary-loading.js';
import { WORDS } from './words.js';

const SAYS = WORDS.findings;
/** @type {ReadonlyMap<EventKind, string>} */
const RESYNCS = new Map([
  ['full-resync', 'full'],
  ['partial-resync', 'partial'],
]);

/** @param {BenchmarkResult} result @returns {Finding} */
export function resyncs({ cases, timeline = [] }) {
  const parts = cases.map(({ id, params }) => {
    const events = timeline.filter((trial) => trial.case === id).flatMap((trial) => trial.events);
    const words = new Set(events.flatMap(({ kind }) => RESYNCS.get(kind) ?? []));
    return `${caseTitle(params)}: ${[...words].join(' and ') || 'none seen'}`;
  });
  return finding('resync', oneFinding(SAYS.resync, parts, { joint: '; ' }), cases);
}

/** @param {BenchmarkResult} result @returns {Check} */
export function noneWithoutMajority({ cases, timeline = [] }) {
  const ids = cases.filter(({ params }) => params.setting === 'two').map(({ id }) => id);
  const trials = timeline.filter((trial) => ids.includes(trial.case));
  const { majority, early, late } = WORDS.checks;
  return checkEach(majority, trials, (trial) => (happened(trial, 'no-failover-yet') ? null : early), {
    title: (trial) => `${trial.case}, trial ${trial.round}`,
    well: () => filled(late, { trials: trials.length }),
  });
}

/** @param {BenchmarkResult} result @returns {Finding[]} empty: no script ran */
export function killedFindings({ cases, timeline = [] }) {
  const scripts = cases.filter(({ params }) => params.setting === 'lua');
  const trials = timeline.filter((trial) => scripts.some(({ id }) => id === trial.case));
  if (trials.length === 0) return [];
  const killed = trials.filter((trial) => happened(trial, 'script-killed')).length;
  const text = filled(SAYS.killed, { killed, trials: plural(trials.length, 'trial') });
  return [finding('script-killed', text, scripts)];
}

/** How often a replica that had been frozen was promoted. @param {BenchmarkResult} result @returns {Finding[]} empty: no trial tells */
export function chosenFindings({ cases, timeline = [] }) {
  const trials = timeline.flatMap(({ events }) => {
    const frozen = events.find(({ kind, fault }) => kind === 'fault-begun' && fault === pause.name);
    const promoted = events.find(({ kind }) => kind === 'promoted');
    return frozen && promoted ? [{ chosen: frozen.node === promoted.node }] : [];
  });
  if (trials.length === 0) return [];
  const chosen = trials.filter((trial) => trial.chosen).length;
  const text = filled(SAYS.chosen, { chosen, trials: plural(trials.length, 'trial') });
  return [finding('chosen', text, cases)];
}

/** @param {TrialResult} trial @returns {number} milliseconds from the crash until the file was loaded; 0: it was not seen */
function loadingMs(trial) {
  const begun = firstAt(trial, 'fault-begun') ?? 0;
  return (firstAt(trial, 'file-loaded') ?? begun) - begun;
}

/** @param {BenchmarkResult} result @returns {Finding[]} empty: no file took longer than down-after */
export function replacedFindings({ cases, timeline = [] }) {
  const long = timeline.filter((trial) => loadingMs(trial) > DOWN_AFTER_MS);
  if (long.length === 0) return [];
  const times = long.map(loadingMs);
  const loaded = range(Math.min(...times), Math.max(...times), milliseconds);
  const replaced = long.filter(sawFailover).length;
  const trials = plural(long.length, 'trial');
  const text = filled(SAYS.replaced, { replaced, trials, loaded, downAfter: DOWN_AFTER_MS / 1000 });
  return [finding('replaced', text, cases)];
}
