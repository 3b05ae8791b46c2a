/**
 * The primary's machine loses power, and its disk loses what was not flushed. Either the machine is back before a Sentinel notices, or a
 * replica is promoted and the machine comes back later.
 */
import { powerLoss } from '../../src/faults/index.js';
import { once } from '../../src/once.js';
import { checkMeasured } from '../../src/report/checks.js';
import { FINDING_CHARACTERS, finding } from '../../src/report/findings.js';
import { count, serverText } from '../../src/report/format.js';
import { failoverHappened, whereMeasured } from '../../src/report/trials/checks.js';
import { total } from '../../src/report/trials/figures.js';
import { askNode } from '../../src/stacks/ask.js';
import { whyModelFails } from '../../src/stacks/volatile-disk.js';
import { modeTitle, WHOLE_MODES } from '../modes.js';
import {
  CASE_TITLES,
  caseTitle,
  failureCases,
  LATE_DOWN_AFTER_MS,
  MODE_TITLES,
  ownAudits,
  SCENARIO,
  trialRows,
  variantTitle,
} from './cases.js';
import { auditChecks } from './checks.js';
import { lossSentence } from './findings.js';
import { DECIDING_MODES } from './groups.js';
import { losePrimary } from './primary-lost.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { BenchmarkResult, CaseResult, Check, Finding } from '../../src/result/schema.js'
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Stack } from '../../src/stacks/types.js'
 * @import { ModeName } from '../modes.js'
 */

export const IN_PLACE = 'in-place';
const REWRITE = 'rewrite';
const PROMOTED = 'promoted';

/** At least two syncs of everysec. */
export const LEAST_HEALTHY_SECONDS = 2;
export const RECOVERY_SECONDS = 3;
/** Each write of such a mode waits for up to a second. */
const EVERYSEC_CONNECTIONS = 100;

/** @type {readonly ModeName[]} */
const MODES = ['defaults', 'aof-no', 'aof', 'aof-always', 'wait2-aof-always', 'waitaof-local', 'waitaof'];
/** @type {readonly ModeName[]} */
const WAITAOF_EVERYSEC = ['waitaof-local-everysec', 'waitaof-everysec'];

/** Before a rewrite of the append-only file: there are keys to rewrite. */
const BEFORE_REWRITE_SECONDS = 0.5;
/** Stands for a large data set: the rewrite lasts until the power loss. */
const KEY_DELAY_US = 20_000;

/**
 * A rewrite of the append-only file. The delay is not in the configuration file, so it ends with the process.
 *
 * @type {Fault}
 */
const longRewrite = {
  name: 'rewrite',
  what: 'rewrites its append-only file for a long time',
  needs: [],
  async inject({ stack, journal }, id) {
    const delay = (/** @type {number} */ us) => ['CONFIG', 'SET', 'rdb-key-save-delay', us];
    const undo = await journal.note({ kind: 'call', id, command: delay(0) });
    await askNode(stack, id, async (control) => {
      const [name, ...args] = delay(KEY_DELAY_US);
      await control.call(String(name), ...args);
      await control.call('BGREWRITEAOF');
    });
    return undo;
  },
};

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'primary-power-lost',
  question: 'Which acknowledged writes are lost when the primary’s machine loses power, and which promises hold?',
  method:
    'The primary’s files are on an emulated disk with a volatile cache. Its process and that cache are lost in the same instant; ' +
    'only flushed blocks survive. Then it restarts in place before a Sentinel notices, or a replica is promoted and it comes back later.',
  needs: powerLoss.needs,
  needsFailover: ({ variant }) => variant === PROMOTED,
  beforeFailover: ({ variant }) => variant !== PROMOTED,
  whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack),
  cases: powerLossCases,
  script: (scene, { params }) =>
    params.variant === PROMOTED
      ? losePrimary(scene, powerLoss)
      : losePowerAndRestart(scene, { rewriting: params.variant === REWRITE }),
  findings: (result, { server }) => [
    ...brokenPromises(result, server),
    ...[IN_PLACE, REWRITE, PROMOTED].flatMap((variant) => lossFindings(result, variant)),
  ],
  checks: (result, { server } = {}) => [
    ...[IN_PLACE, REWRITE].flatMap((variant) =>
      whereMeasured(result, { variant, expected: false, titles: CASE_TITLES }, failoverHappened),
    ),
    ...whereMeasured(result, { variant: PROMOTED, titles: CASE_TITLES }, failoverHappened),
    ...checkMeasured(
      'every write that the server confirmed as synced survives a power loss',
      promisesOf(result),
      (promise) => whyBroken(promise, server),
      { title: ({ one }) => caseTitle(one.params), well: () => wellText(promisesOf(result)) },
    ),
    ...auditChecks(result),
  ],
};

/**
 * The script of a restart in place.
 *
 * @param {Scene} scene
 * @param {{rewriting?: boolean}} [options] rewriting: while the primary rewrites its append-only file; default false
 */
export async function losePowerAndRestart(
  { profile, primary, inject, prepare, write, info },
  { rewriting = false } = {},
) {
  if (rewriting) {
    await write(BEFORE_REWRITE_SECONDS);
    await prepare(longRewrite, primary.id);
  }
  // everysec syncs once a second from the first write on. The moment of the power loss within a second is random.
  await write(Math.max(profile.healthySeconds, LEAST_HEALTHY_SECONDS) + Math.random());
  if (rewriting && (await info(primary.id, 'persistence')).aof_rewrite_in_progress !== '1')
    throw new Error('The rewrite ended before the power loss, so the trial shows nothing about it');
  const undo = await inject(powerLoss, primary.id);
  await undo();
  await write(RECOVERY_SECONDS);
}

const selfTest = once(() => whyModelFails());

/**
 * Proves the model of a power loss on this machine, once a run.
 *
 * @param {Stack} stack
 * @returns {Promise<string | null>} why there can be no power loss here, and the remedy; null: the model holds, or it is an existing
 *   deployment, for which a run gives another reason
 */
export async function whyNoPowerLoss({ backend }) {
  if (backend === 'external') return null;
  return selfTest();
}

/**
 * @param {CaseOptions} options
 * @returns {Case[]}
 */
function powerLossCases(options) {
  const quick = options.profile.name === 'quick';
  /** @type {(variant: string, modes: readonly ModeName[]) => Case[]} */
  const casesOf = (variant, modes) => {
    const waiting = modes.filter((mode) => WAITAOF_EVERYSEC.includes(mode));
    const others = modes.filter((mode) => !waiting.includes(mode));
    const how = { variant, ...(variant !== PROMOTED && { downAfterMs: LATE_DOWN_AFTER_MS }) };
    return [
      ...failureCases(options, { ...how, modes: others }),
      ...failureCases(options, { ...how, modes: waiting, connections: EVERYSEC_CONNECTIONS }),
    ];
  };
  const inPlace = [
    ...casesOf(
      IN_PLACE,
      quick
        ? ['defaults', 'aof', 'aof-always', ...DECIDING_MODES, 'waitaof-local-everysec']
        : [...MODES, ...DECIDING_MODES, ...WAITAOF_EVERYSEC],
    ),
    ...(quick
      ? []
      : failureCases(options, {
          variant: REWRITE,
          modes: ['aof'],
          settings: { 'no-appendfsync-on-rewrite': 'yes' },
          downAfterMs: LATE_DOWN_AFTER_MS,
        })),
  ];
  return [
    ...inPlace,
    ...casesOf(PROMOTED, quick ? ['aof'] : ['async', 'wait1', ...WHOLE_MODES, ...MODES, ...WAITAOF_EVERYSEC]),
  ];
}

/**
 * Writes that the primary confirmed as synced to its own disk, before it restarted in place.
 *
 * @typedef {Object} Promised
 * @property {CaseResult} one
 * @property {number} acked
 * @property {number} lost
 */

/**
 * @param {BenchmarkResult} result
 * @returns {Promised[]} one for each mode that makes the promise
 */
function promisesOf(result) {
  return result.cases
    .filter(({ params }) => params.variant === IN_PLACE)
    .filter(({ params }) => params.waitLocal === 1 || params.settings?.appendfsync === 'always')
    .map((one) => {
      const audits = ownAudits(result, one);
      return { one, acked: total(audits, 'acked'), lost: total(audits, 'ackedLost') };
    });
}

/**
 * @param {BenchmarkResult} result
 * @param {Stack['server']} [server]
 * @returns {Finding[]} one for each mode whose promise the server broke
 */
export function brokenPromises(result, server) {
  return promisesOf(result).flatMap(({ one, acked, lost }) => {
    const mode = modeTitle(one.params);
    const text = `${whoseText(server)} broke the promise of ${mode}: ${count(lost)} of ${count(acked)} writes confirmed as synced were not on its disk`;
    return lost === 0 ? [] : [finding(`promise-${one.id}`, text, [one])];
  });
}

/**
 * @param {BenchmarkResult} result
 * @param {string} variant
 * @returns {Finding[]} one, or none if no write was acknowledged
 */
function lossFindings(result, variant) {
  const cases = trialRows(result, { variant, titles: MODE_TITLES });
  if (cases.length === 0) return [];
  const title = variantTitle(variant);
  const start = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}: `;
  const text = `${start}${lossSentence(cases, { most: FINDING_CHARACTERS - start.length })}`;
  const evidence = cases.map(({ one }) => one);
  return [finding(`lost-${variant}`, text, evidence)];
}

/**
 * @param {Promised} promise
 * @param {Stack['server']} [server]
 * @returns {string | null} null: the promise held
 */
function whyBroken({ acked, lost }, server) {
  if (acked === 0) return 'no write was confirmed, so this tested nothing';
  if (lost === 0) return null;
  return `${count(lost)} of ${count(acked)} writes that ${whoseText(server)} had confirmed as synced were not on its disk`;
}

/** @param {readonly Promised[]} promises */
function wellText(promises) {
  return `0 of ${count(promises.reduce((sum, { acked }) => sum + acked, 0))} confirmed writes lost`;
}

/** @param {Stack['server']} [server] */
function whoseText(server) {
  return server === undefined ? 'the server' : serverText(server);
}
