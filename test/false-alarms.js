/**
 * How often does the audit report a loss that did not happen, and how often does it miss one that did? Runs trials without a fault,
 * and trials in which keys are deleted, changed, doubled or added on a server behind the audit's back. Load, ledger, reading and verdict
 * are those of the program; the servers are real.
 *
 *     node test/false-alarms.js                    1,000 clean trials, 20 planted losses
 *     node test/false-alarms.js 100 5 --seed 7 --lanes 3
 *
 * Ends with 1 if the audit was wrong once, or a trial failed. The figures are in docs/methods.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listWriters, loadWriter } from '../src/audit/files.js';
import { State } from '../src/audit/ledger.js';
import { keyName } from '../src/clients/native-batch.js';
import { KEY_NAMESPACE } from '../src/clients/types.js';
import { messageOf } from '../src/errors.js';
import { temporaryFolder } from '../src/private-files.js';
import { makeCase } from '../src/run/case.js';
import { inLanes } from '../src/run/lanes.js';
import { PROFILES } from '../src/run/profiles.js';
import { runTrial } from '../src/run/trial.js';
import { askNode, dataNodes } from '../src/stacks/ask.js';
import { startLocal } from '../src/stacks/redis/local/index.js';
import { randomFrom, shuffle } from '../src/stats/random.js';

/**
 * @import { AuditResult } from '../src/result/failure-schema.js'
 * @import { Stack } from '../src/stacks/types.js'
 * @import { Case, TrialBenchmark } from '../src/run/types.js'
 */

/**
 * @typedef {'deleted' | 'swapped' | 'damaged' | 'doubled' | 'added'} PlantedHarm swapped: has the value of another key; damaged: one byte is
 *   another; added: a copy under a key that nobody wrote
 *
 * @typedef {Object} Plant
 * @property {PlantedHarm} harm
 * @property {number} keys how many, ≥ 1; fewer if the writer has not written so many yet
 * @property {string} writer whose keys
 * @property {'primary' | 'replica'} where replica: on one replica only
 * @property {'during the load' | 'after the load'} when
 *
 * @typedef {Object} PlantedTrial
 * @property {Case} theCase
 * @property {number} seconds of load, > 0
 * @property {Plant | null} plant null: a clean trial
 * @property {number} seed
 *
 * @typedef {Object} PlantedOutcome of a trial
 * @property {PlantedTrial} trial
 * @property {number} acked acknowledged writes of all writers
 * @property {string | null} wrong what the audit got wrong, or why the trial failed; null: it was right
 */

/** What an audit reports when a server lost, changed or invented a write. */
const ALARMS = Object.freeze(
  /** @type {const} */ ([
    'ackedLost',
    'underAckedLost',
    'rejectedPresent',
    'unsentPresent',
    'wrongValue',
    'appliedTwice',
    'surplus',
  ]),
);
/** Two writers write side by side: one with SET, and a library with SET or APPEND. */
const WRITERS = [
  ['sticky', 'redis'],
  ['failover-aware', 'ioredis'],
  ['sticky', 'ioredis-detector'],
  ['failover-aware', 'redis-example'],
  ['sticky', 'ioredis-example'],
];
const HARMS = /** @type {const} */ (['deleted', 'swapped', 'damaged', 'doubled', 'added']);
/** A busy machine must not cause a failover, which may lose writes. */
const DOWN_AFTER_MS = 600_000;
/** For a WAIT on a busy machine. */
const WAIT_TIMEOUT_MS = 20_000;
const BENCHMARK_NAME = 'false-alarms';

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '3' },
    },
  });
  const [clean = 1000, planted = 20] = positionals.map(Number);
  const [seed, lanes] = [Number(values.seed), Number(values.lanes)];
  const began = performance.now();
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort(new Error('interrupted')));
  let done = 0;
  const outcomes = await checkAudit({
    clean,
    planted,
    seed,
    lanes,
    signal: interruption.signal,
    tell({ trial, wrong }) {
      done++;
      if (trial.plant || wrong !== null) console.log(`${describe(trial)}: ${wrong ?? 'found'}`);
      else if (done % 50 === 0) console.log(`${done} of ${clean + planted} trials`);
    },
  });
  for (const [what, isOfKind] of /** @type {const} */ ([
    ['clean trials', (/** @type {PlantedOutcome} */ { trial }) => trial.plant === null],
    ['planted losses', (/** @type {PlantedOutcome} */ { trial }) => trial.plant !== null],
  ])) {
    const kindOutcomes = outcomes.filter(isOfKind);
    const acked = kindOutcomes.reduce((sum, outcome) => sum + outcome.acked, 0);
    const right = kindOutcomes.filter(({ wrong }) => wrong === null).length;
    console.log(`${kindOutcomes.length} ${what}: the audit was right in ${right}; ${acked} acknowledged writes`);
  }
  console.log(`seed ${seed}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  if (outcomes.some(({ wrong }) => wrong !== null)) process.exitCode = 1;
}

/**
 * @param {Object} options
 * @param {number} options.clean trials without a fault, ≥ 0
 * @param {number} options.planted trials with a planted loss, ≥ 0
 * @param {number} options.seed
 * @param {number} [options.lanes] trials side by side, each on a stack of its own, ≥ 1; default 1
 * @param {AbortSignal} [options.signal] ends the trials under way; every stack is removed
 * @param {(outcome: PlantedOutcome) => void} [options.tell] called when a trial has ended
 * @returns {Promise<PlantedOutcome[]>} one for each trial; rejects with the signal's reason
 */
export async function checkAudit({ clean, planted, seed, lanes = 1, signal = new AbortController().signal, tell }) {
  const trials = planTrials({ clean, planted, seed });
  /** @type {PlantedOutcome[]} */
  const outcomes = [];
  /** @type {Stack[]} */
  const free = [];
  try {
    await inLanes(trials, lanes, async (trial) => {
      const stack = free.pop() ?? (await startQuietStack(signal));
      try {
        const outcome = await judge(stack, trial, signal);
        outcomes.push(outcome);
        tell?.(outcome);
      } finally {
        free.push(stack);
      }
    });
  } finally {
    await Promise.all(free.map((stack) => stack.close()));
  }
  return outcomes;
}

/**
 * @param {{clean: number, planted: number, seed: number}} options
 * @returns {PlantedTrial[]} in random order. Planted losses cycle through the kinds of harm
 */
function planTrials({ clean, planted, seed }) {
  const random = randomFrom(seed);
  /** @type {<T>(from: readonly T[]) => T} */
  const pick = (from) => from[Math.floor(random() * from.length)];
  const trials = Array.from({ length: clean + planted }, (_, index) => {
    const writers = pick(WRITERS);
    const harm = HARMS[index % HARMS.length];
    return {
      theCase: makeCase({
        writers,
        wait: pick([0, 1, 2]),
        waitTimeoutMs: WAIT_TIMEOUT_MS,
        waitMode: pick(['pipelined', 'sequential']),
        rate: pick([200, 500, 1000]),
        payloadBytes: pick([64, 1000]),
        connections: pick([1, 10]),
      }),
      seconds: 0.2 + 0.3 * random(),
      plant:
        index < clean
          ? null
          : {
              harm,
              keys: pick([1, 1, 2, 5, 20]),
              writer: pick(writers),
              // A replica that lacks a key lost no acknowledged write; neither does the audit look for it there.
              where: harm === 'deleted' ? /** @type {const} */ ('primary') : pick(['primary', 'primary', 'replica']),
              when: pick(['during the load', 'after the load']),
            },
      seed: Math.floor(random() * 2 ** 32),
    };
  });
  return shuffle(/** @type {PlantedTrial[]} */ (trials), random);
}

/** @param {PlantedTrial} trial */
function describe({ theCase, plant }) {
  if (plant === null) return `clean trial ${theCase.id} of ${theCase.params.writers}`;
  const { harm, keys, writer, where, when } = plant;
  return `${keys} ${harm} ${when} on ${where === 'primary' ? 'the primary' : 'one replica'}, writer ${writer}`;
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<Stack>} a stack without failovers. It stays for many trials, so each trial puts everything back
 */
async function startQuietStack(signal) {
  const stack = await startLocal({ signal });
  const sentinels = stack.nodes.filter(({ kind }) => kind === 'sentinel');
  const command = ['SET', stack.access.masterName, 'down-after-milliseconds', DOWN_AFTER_MS];
  try {
    for (const { id } of sentinels) await askNode(stack, id, (control) => control.call('SENTINEL', ...command));
  } catch (error) {
    await stack.close();
    throw error;
  }
  return { ...stack, about: { ...stack.about, ours: false } };
}

/** @param {Stack} stack @param {PlantedTrial} trial @param {AbortSignal} signal @returns {Promise<PlantedOutcome>} */
async function judge(stack, trial, signal) {
  const folder = await mkdtemp(join(temporaryFolder(), 'false-alarms-'));
  try {
    const { audits, harmed } = await carryOut(stack, trial, { folder, signal });
    const acked = audits.reduce((sum, audit) => sum + audit.acked, 0);
    return { trial, acked, wrong: await whatIsWrong(trial, audits, { harmed, folder }) };
  } catch (error) {
    signal.throwIfAborted();
    return { trial, acked: 0, wrong: `the trial failed: ${messageOf(error)}` };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {Stack} stack
 * @param {PlantedTrial} trial
 * @param {{folder: string, signal: AbortSignal}} run folder: for the ledgers
 * @returns {Promise<{audits: AuditResult[], harmed: number[]}>} harmed: numbers of the writes
 */
async function carryOut(stack, { theCase, seconds, plant, seed }, { folder, signal }) {
  /** @type {number[]} */
  let harmed = [];
  const strike = async (/** @type {Plant['when']} */ when) => {
    if (plant?.when === when && harmed.length === 0) harmed = await harm(stack, plant, randomFrom(seed));
  };
  /** @type {TrialBenchmark} */
  const benchmark = {
    name: BENCHMARK_NAME,
    question: 'Is the audit right?',
    method: 'Writers write without a fault.',
    needs: [],
    kind: 'trial',
    cases: () => [],
    table: [],
    findings: () => [],
    checks: () => [],
    async script({ write }) {
      await write(seconds / 2);
      await strike('during the load');
      await write(seconds / 2);
    },
  };
  const observed = {
    ...stack,
    // The trial waits for a healthy stack between the last answer and the first reading.
    async heal() {
      await stack.heal();
      await strike('after the load');
    },
  };
  const { audits } = await runTrial({
    stack: observed,
    benchmark,
    theCase,
    round: 1,
    profile: PROFILES.quick,
    folder,
    notKept: (error) => {
      throw error;
    },
    signal,
  });
  return { audits, harmed };
}

/**
 * @param {Stack} stack
 * @param {Plant} plant
 * @param {() => number} random
 * @returns {Promise<number[]>} the numbers of the harmed writes
 */
async function harm(stack, { harm: kind, keys: count, writer, where }, random) {
  const primary = await stack.database.primary();
  const replica = dataNodes(stack).find(({ id }) => id !== primary.id);
  const id = where === 'primary' || !replica ? primary.id : replica.id;
  // A key that an earlier trial added on a replica only is still there. The primary has keys of this trial only.
  const keys = await askNode(stack, primary.id, (control) => control.call('KEYS', `${KEY_NAMESPACE}*:${writer}:*`));
  const [first] = /** @type {string[]} */ (keys);
  if (first === undefined) throw new Error(`${writer} wrote no key`);
  return askNode(stack, id, async (control) => {
    const there = /** @type {string[]} */ (await control.call('KEYS', `${prefixOf(first)}*`)).sort();
    if (there.length < 2) throw new Error(`${writer} wrote only ${there.length} keys`);
    const [other, ...others] = shuffle(there, random);
    const victims = others.slice(0, count);
    if (where === 'replica') await control.call('CONFIG', 'SET', 'replica-read-only', 'no');
    for (const key of victims) {
      const value = String(await control.call('GET', key));
      if (kind === 'deleted') await control.call('DEL', key);
      else if (kind === 'swapped') await control.call('SET', key, String(await control.call('GET', other)));
      else if (kind === 'doubled') await control.call('SET', key, value + value);
      else if (kind === 'damaged') await control.call('SET', key, withOtherByte(value, random));
      // Beyond every number that a writer reaches.
      else await control.call('SET', keyName(prefixOf(key), 900_000_000 + numberOf(key)), value);
    }
    if (where === 'replica') await control.call('CONFIG', 'SET', 'replica-read-only', 'yes');
    return victims.map(numberOf);
  });
}

/** @param {string} value @param {() => number} random */
function withOtherByte(value, random) {
  const at = Math.floor(random() * value.length);
  return value.slice(0, at) + (value[at] === '#' ? '+' : '#') + value.slice(at + 1);
}

/** @param {string} key */
function prefixOf(key) {
  return key.slice(0, key.lastIndexOf(':') + 1);
}

/** @param {string} key */
function numberOf(key) {
  return Number(key.slice(prefixOf(key).length));
}

/**
 * @param {PlantedTrial} trial
 * @param {AuditResult[]} audits
 * @param {{harmed: number[], folder: string}} done folder: with the ledgers
 * @returns {Promise<string | null>} null: the audit found exactly what was planted, in number and kind
 */
async function whatIsWrong({ plant }, audits, { harmed, folder }) {
  const wrong = [];
  for (const audit of audits) {
    const plantHere = plant?.writer === audit.writer ? plant : null;
    const expected = plantHere
      ? expectedOf(plantHere, audit, harmed.length, await ackedAmong(harmed, folder, audit.writer))
      : {};
    for (const alarm of ALARMS) {
      const [is, should] = [audit[alarm] ?? 0, expected[alarm] ?? 0];
      if (is !== should) wrong.push(`${audit.writer}: ${alarm} is ${is}, not ${should}`);
    }
    if (audit.acked === 0) wrong.push(`${audit.writer}: nothing was acknowledged`);
  }
  return wrong.length === 0 ? null : wrong.join('; ');
}

/**
 * @param {Plant} plant
 * @param {AuditResult} audit of its writer
 * @param {number} keys how many were harmed
 * @param {number} acked how many of the harmed writes were acknowledged
 * @returns {Partial<Record<typeof ALARMS[number], number>>} what is 0 may be missing
 */
function expectedOf({ harm: kind, where }, { appliedTwice }, keys, acked) {
  if (kind === 'added') return { surplus: keys };
  // Only a writer with APPEND can apply a write twice. With SET it is a wrong value.
  if (kind === 'doubled' && appliedTwice !== null) return { appliedTwice: keys };
  const ackedLost = where === 'primary' ? acked : 0;
  return kind === 'deleted' ? { ackedLost } : { ackedLost, wrongValue: keys };
}

/** @param {number[]} numbers @param {string} folder @param {string} writer */
async function ackedAmong(numbers, folder, writer) {
  for (const name of await listWriters(folder)) {
    const { facts, ledger } = await loadWriter(folder, name);
    if (facts.writer === writer) return numbers.filter((number) => ledger.states[number] === State.acked).length;
  }
  throw new Error(`there is no ledger of ${writer}`);
}
