/** An experiment as a benchmark of a suite: what happens is the experiment's; modes, writers and what is said about the result are the suite's. */
/** @import { Case, Stack, Titles, TrialBenchmark } from '../types.js' */
/** @import { Experiment } from './types.js' */
import { whySkipped } from '../../src/run/abilities.js';
import { scriptOf } from '../../src/run/perform.js';
import { LATE_DOWN_AFTER_MS, OWN_WRITERS, PLACED_WRITERS, TITLES } from './cases.js';
import { auditChecks, checksBy, failoverChecks } from './checks.js';
import { whyNoScript } from './failover-script.js';
import { applies, variationsOf } from './index.js';

/**
 * @param {Experiment} experiment
 * @param {Object} selection what a suite measures of an experiment
 * @param {TrialBenchmark['cases']} selection.cases
 * @param {string} [selection.way] of failing over, in all cases; default: as each case says
 * @param {boolean} [selection.varied] its cases have variations; default false
 * @param {Titles} [selection.titles] of a suite that compares writers or servers; default: those of modes, with the checks of an outcome
 * @param {readonly string[]} [selection.writers] with `titles`: those that never send a write again
 * @param {Partial<TrialBenchmark>} [selection.own] what the suite says otherwise; default: as the experiment says
 * @returns {TrialBenchmark}
 */
export function benchmarkOf(experiment, { cases, way, varied, titles, writers, own }) {
  const { id, title, question, late, disks, oneLane, parameters, whyNot } = experiment;
  const variation = way === undefined ? undefined : variationsOf(experiment)[way];
  const script = experiment.script ?? scriptOf(experiment.steps ?? [], experiment.course);
  const asAsked = (/** @type {Case} */ theCase) =>
    way === undefined ? theCase : { ...theCase, params: { ...theCase.params, way } };
  const whyNotVaried = async (/** @type {Case} */ theCase, /** @type {Stack} */ stack) => {
    const asked = asAsked(theCase);
    const { script, needs: more = [] } = variationsOf(experiment)[asked.params.way ?? ''] ?? {};
    const missing = more.filter((ability) => !stack.can.has(ability));
    if (missing.length > 0) return whySkipped(stack, missing);
    return script ? whyNoScript(stack) : ((await whyNot?.(asked, stack)) ?? null);
  };
  const byCase = (/** @type {TrialBenchmark['needsFailover']} */ rule) =>
    way === undefined ? rule : applies(rule, way);
  const due = byCase(experiment.promotes) ?? false;
  const usual = due
    ? (/** @type {Parameters<typeof failoverChecks>[0]} */ result) => failoverChecks(result, { due })
    : auditChecks;
  return {
    kind: 'trial',
    titles: titles ?? TITLES,
    name: id,
    title: variation?.fault ?? title,
    question: variation?.question ?? question,
    method: [variation?.method ?? experiment.method, ...(varied && experiment.varied ? [experiment.varied] : [])].join(
      ' ',
    ),
    needs: [...experiment.needs, ...(variation?.needs ?? [])],
    cases,
    script: (scene, theCase) => script(scene, asAsked(theCase)),
    checks: titles ? checksBy({ titles, writers, due }) : usual,
    needsFailover: due,
    ...(late !== undefined && { beforeFailover: byCase(late) }),
    ...(disks && { disks }),
    ...(oneLane && { mostLanes: () => 1 }),
    ...(parameters && { parameters }),
    ...((whyNot ?? experiment.ways) && { whyNotCase: whyNotVaried }),
    ...own,
  };
}

/** @param {Experiment} experiment @returns {readonly string[]} the native writers that it takes */
export function writersFor({ placed }) {
  return placed ? PLACED_WRITERS : OWN_WRITERS;
}

/** @param {Experiment} experiment @param {string} [way] of all cases @returns {{downAfterMs?: number}} of the Sentinels; empty: the stack's */
export function downAfterOf({ late, downAfterMs }, way) {
  if (applies(late, way)) return { downAfterMs: LATE_DOWN_AFTER_MS };
  return downAfterMs === undefined ? {} : { downAfterMs };
}
