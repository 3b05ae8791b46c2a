/**
 * Sentinel's timing: how long writes stop with each down-after-milliseconds, and when it fails over although the primary is well.
 */
import { choseFrozen } from '../../src/audit/judgement.js';
import { blockingCommand, kill, pause } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { writerTitle } from '../../src/registry/writers.js';
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { PROMOTED, perform } from '../../src/run/perform.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { failureCases, NATIVE_WRITERS } from '../experiments/cases.js';
import { preferred } from '../experiments/stale-replica-preferred.js';
import { modeTitle } from '../modes.js';

import {
  BLOCKED_SECONDS,
  FAILOVER_TIMEOUT_SECONDS,
  isSituation,
  QUORUMS,
  situationOf,
  situationTitle,
  variationOf,
} from './situations.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { BenchmarkResult, CaseParams } from '../../src/result/schema.js'
 * @import { Step, Wait } from '../../src/run/perform.js'
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 * @import { Situation } from './situations.js'
 *
 * @typedef {Situation & {downAfterSeconds: number, modes: readonly ModeName[]}} Cell
 */

/** The values that people choose between; 30 s is Redis's own. */
const DOWN_AFTER_SECONDS = [1, 2, 5, 30];
/** A quorum other than two of three, and a failover-timeout, are tried with this down-after. */
const USUAL_SECONDS = 2;
/** How long a healthy deployment is watched. The larger profiles also do that with 30 s. */
const WATCHED_SECONDS = { quick: 60, standard: 150, full: 150 };
const WATCHED_DOWN_AFTER = { quick: [1, 2, 5], standard: DOWN_AFTER_SECONDS, full: DOWN_AFTER_SECONDS };

/**
 * Before the kill, once the Sentinels have seen the priority in INFO: they promote no replica whose INFO is older than five seconds, and a frozen one
 * does not answer another (`sentinelSelectSlave` in Redis's src/sentinel.c).
 */
const KNOWN_FOR_SECONDS = 1;
/** The second attempt begins after twice failover-timeout (`sentinelStartFailoverIfNeeded` in Redis's src/sentinel.c). */
const ATTEMPTS = 2;

/** Writes a second of each writer. */
const IDLE_RATE = 10;
const BUSY_RATE = 2000;
const BUSY_CONNECTIONS = 20;

const TITLES = Object.freeze({
  case: (/** @type {Case['params']} */ params) => `${situationTitle(params)} (${modeTitle(params)})`,
  writer: writerTitle,
});

/** @type {TrialBenchmark} */
export const failoverTiming = {
  kind: 'trial',
  name: 'failover-timing',
  title: 'Sentinel’s timing',
  question:
    'Which down-after-milliseconds and failover-timeout keep outages short without failovers that nobody needed?',
  method:
    'Each trial has its own down-after. The primary is killed, and later comes back; or one command keeps it busy for 1 to 10 s; or nothing happens while clients write ' +
    `${IDLE_RATE} (“idle”) or ${BUSY_RATE} writes a second each (“busy”). In “chosen replica hangs” the replica with the best replica-priority is frozen when the primary is missed, so ` +
    'the first attempt to promote it ends at failover-timeout.',
  titles: TITLES,
  needs: ['kill', 'pause', 'configure', 'blocking-command'],
  needsFailover: promotes,
  whyNoEffect: (trial, params) =>
    isSituation(params) && situationOf(params).kind === 'hung' && !choseFrozen(trial)
      ? 'The Sentinels did not choose the replica that hangs'
      : null,
  // Cases set it.
  parameters: TrialParameters.omit({ downAfter: true }),
  cases: casesOf,
  async script(scene, { params }) {
    const situation = situationOf(params);
    await configure(scene, situation);
    await SCRIPTS[situation.kind](scene, situation, params);
  },
  findings: () => [],
  checks: (result) => [
    failoverHappened(promoting(result), { titles: TITLES }),
    ...auditChecks(result, { titles: TITLES, writers: NATIVE_WRITERS }),
  ],
};

/** @param {CaseParams} params */
function promotes(params) {
  return isSituation(params) && ['killed', 'hung'].includes(situationOf(params).kind);
}

/**
 * @param {BenchmarkResult} result
 * @returns {BenchmarkResult} with the cases in which a replica has to be promoted
 */
function promoting(result) {
  return { ...result, cases: result.cases.filter(({ params }) => promotes(params)) };
}

/**
 * @param {CaseOptions} options
 * @returns {Case[]}
 */
function casesOf(options) {
  const { name } = options.profile;
  /** @type {Cell[]} */
  const cells = [
    ...DOWN_AFTER_SECONDS.map((seconds) => cell('killed', seconds, { modes: ['async', 'wait1-min1-aof'] })),
    ...QUORUMS.map((quorum) => cell('killed', USUAL_SECONDS, { quorum })),
    ...FAILOVER_TIMEOUT_SECONDS.slice(0, name === 'quick' ? -1 : undefined).map((failoverTimeoutSeconds) =>
      cell('hung', USUAL_SECONDS, { failoverTimeoutSeconds }),
    ),
    ...DOWN_AFTER_SECONDS.flatMap((seconds) =>
      BLOCKED_SECONDS.map((blockedSeconds) => cell('blocked', seconds, { blockedSeconds })),
    ),
    ...WATCHED_DOWN_AFTER[name].flatMap((seconds) => [cell('idle', seconds), cell('busy', seconds)]),
  ];
  return cells.flatMap((each) => casesIn(options, each));
}

/**
 * @param {Situation['kind']} kind
 * @param {number} downAfterSeconds
 * @param {Partial<Cell>} [more]
 * @returns {Cell}
 */
function cell(kind, downAfterSeconds, more) {
  return { kind, downAfterSeconds, modes: ['async'], ...more };
}

/**
 * @param {CaseOptions} options
 * @param {Cell} cell
 * @returns {Case[]}
 */
function casesIn(options, { downAfterSeconds, modes, ...situation }) {
  const { kind } = situation;
  const cases = failureCases(options, {
    modes,
    variation: variationOf(situation),
    downAfterMs: downAfterSeconds * 1000,
    ...(kind === 'busy' && { connections: BUSY_CONNECTIONS }),
  });
  const rate = { idle: IDLE_RATE, busy: BUSY_RATE }[/** @type {'idle' | 'busy'} */ (kind)];
  return cases.map(({ id, params }) => ({
    id: `${id}-down-after-${downAfterSeconds}s`,
    params: { ...params, ...(rate !== undefined && { rate }) },
  }));
}

/**
 * @param {Scene} scene
 * @param {Situation} situation
 */
async function configure({ prepare, sentinels }, { quorum, failoverTimeoutSeconds }) {
  const settings = {
    ...(quorum !== undefined && { quorum: String(quorum) }),
    ...(failoverTimeoutSeconds !== undefined && { 'failover-timeout': String(failoverTimeoutSeconds * 1000) }),
  };
  if (Object.keys(settings).length > 0) await prepare(sentinelSettings(settings), sentinels[0].id);
}

/**
 * @param {Record<string, string>} settings
 * @returns {Fault} of all Sentinels, whichever node it is injected into
 */
export function sentinelSettings(settings) {
  return Object.freeze({
    name: 'sentinel-settings',
    what: `and the other Sentinels get ${JSON.stringify(settings)}`,
    needs: /** @type {Fault['needs']} */ (['configure']),
    inject: (/** @type {Parameters<Fault['inject']>[0]} */ site) => applySettings(site, { sentinels: settings }),
  });
}

/** @type {Readonly<Record<Situation['kind'], (scene: Scene, situation: Situation, params: CaseParams) => Promise<void>>>} */
const SCRIPTS = Object.freeze({
  killed: (scene, _, params) => perform(scene, [{ fault: kill, until: PROMOTED }], params),
  hung: (scene, situation, params) => perform(scene, hungSteps(situation), params),
  blocked: (scene, { blockedSeconds = 0 }, params) =>
    perform(scene, [{ fault: blockingCommand(blockedSeconds * 1000), lasts: blockedSeconds }], params),
  idle: watch,
  busy: watch,
});

/** @param {Scene} scene */
async function watch({ profile: { name }, write }) {
  await write(WATCHED_SECONDS[name]);
}

/**
 * The replica is frozen when the first Sentinel misses the primary: it answered until then, so the Sentinels choose it.
 *
 * @param {Situation} situation
 * @returns {Step[]}
 */
function hungSteps({ failoverTimeoutSeconds = 0 }) {
  /** @type {Wait} */
  const second = { event: 'promoted', within: ATTEMPTS * failoverTimeoutSeconds + FAILOVER_SECONDS, plus: 'healthy' };
  return [
    { at: 0, fault: preferred, on: 'replica-1', prepares: true },
    { when: { event: 'missed' }, fault: pause, on: 'replica-1', until: second },
    { at: KNOWN_FOR_SECONDS, fault: kill, until: second },
  ];
}
