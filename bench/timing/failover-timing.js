/** Sentinel's timing: how long writes stop with each down-after-milliseconds, and when it fails over although the primary is well. */
/** @import { Case, CaseOptions, CaseParams, Profile, Scene, Step, TrialBenchmark, Wait } from '../types.js' */
/** @import { Situation } from './figures.js' */

import { choseFrozen } from '../../src/audit/judgement.js';
import { blockingCommand, kill, pause } from '../../src/faults/index.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { perform } from '../../src/run/perform.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { readYaml } from '../../src/yaml.js';
import { failureCases, titledBy } from '../experiments/cases.js';
import { checksBy } from '../experiments/checks.js';
import { experimentNamed } from '../experiments/index.js';
import { preferred, settingsFault } from '../experiments/own-faults.js';
import { modeTitle } from '../modes.js';
import { SITUATIONS, situationIn, situationOf, situationTitle } from './figures.js';

/** The values that people choose between; 30 s is Redis's own. */
const DOWN_AFTER_SECONDS = [1, 2, 5, 30];
/** A quorum other than two of three, and a failover-timeout, are tried with this down-after. */
const USUAL_SECONDS = 2;
/** Too long for the quick profile. */
const LONGEST_TIMEOUT = 30;
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

const TITLES = titledBy((params) => `${situationTitle(params)} (${modeTitle(params)})`);

/** @type {TrialBenchmark} */
export const failoverTiming = {
  kind: 'trial',
  name: 'failover-timing',
  ...readYaml(new URL('texts.yaml', import.meta.url))['failover-timing'],
  titles: TITLES,
  needs: ['kill', 'pause', 'configure', 'blocking-command'],
  needsFailover: promotes,
  whyNoEffect: (trial, params) =>
    situationIn(params)?.kind === 'hung' && !choseFrozen(trial)
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
  checks: checksBy({ titles: TITLES, due: promotes }),
};

/** @param {CaseParams} params */
function promotes(params) {
  return ['killed', 'hung'].includes(situationIn(params)?.kind ?? '');
}

/** @param {CaseOptions} options @returns {Case[]} */
function casesOf(options) {
  return SITUATIONS.flatMap((situation) => {
    const { kind, quorum, variation } = situation;
    const modes = kind === 'killed' && quorum === undefined ? ['async', 'wait1-min1-aof'] : ['async'];
    const how = { modes, variation, ...(kind === 'busy' && { connections: BUSY_CONNECTIONS }) };
    const rate = kind === 'idle' ? IDLE_RATE : kind === 'busy' ? BUSY_RATE : undefined;
    return downAfterFor(situation, options.profile).flatMap((seconds) =>
      failureCases(options, { ...how, downAfterMs: seconds * 1000 }).map(({ id, params }) => ({
        id: `${id}-down-after-${seconds}s`,
        params: { ...params, ...(rate !== undefined && { rate }) },
      })),
    );
  });
}

/** @param {Situation} situation @param {Pick<Profile, 'name'>} profile @returns {readonly number[]} seconds */
function downAfterFor({ kind, quorum, failoverTimeoutSeconds }, { name }) {
  if (kind === 'idle' || kind === 'busy') return WATCHED_DOWN_AFTER[name];
  if (failoverTimeoutSeconds === LONGEST_TIMEOUT && name === 'quick') return [];
  return quorum === undefined && failoverTimeoutSeconds === undefined ? DOWN_AFTER_SECONDS : [USUAL_SECONDS];
}

/** @param {Scene} scene @param {Situation} situation */
async function configure({ prepare, sentinels }, { quorum, failoverTimeoutSeconds }) {
  const settings = {
    ...(quorum !== undefined && { quorum: String(quorum) }),
    ...(failoverTimeoutSeconds !== undefined && { 'failover-timeout': String(failoverTimeoutSeconds * 1000) }),
  };
  const what = `and the other Sentinels get ${JSON.stringify(settings)}`;
  if (Object.keys(settings).length > 0)
    await prepare(settingsFault('sentinel-settings', what, { sentinels: settings }), sentinels[0].id);
}

/** Those of the experiment. */
const KILLED = /** @type {readonly Step[]} */ (experimentNamed('primary-killed').steps);

/** @type {Readonly<Record<Situation['kind'], (scene: Scene, situation: Situation, params: CaseParams) => Promise<void>>>} */
const SCRIPTS = Object.freeze({
  killed: (scene, _, params) => perform(scene, KILLED, params),
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

/** The replica is frozen when a Sentinel misses the primary: it answered until then, so it is chosen. @param {Situation} situation @returns {Step[]} */
function hungSteps({ failoverTimeoutSeconds = 0 }) {
  /** @type {Wait} */
  const second = { event: 'promoted', within: ATTEMPTS * failoverTimeoutSeconds + FAILOVER_SECONDS, plus: 'healthy' };
  return [
    { at: 0, fault: preferred, on: 'replica-1', prepares: true },
    { when: { event: 'missed' }, fault: pause, on: 'replica-1', until: second },
    { at: KNOWN_FOR_SECONDS, fault: kill, until: second },
  ];
}
