/**
 * What `sentinel-bench check` quotes of published trials, and the commands that repeat them. The facts are in evidence.jsonl, which perf/evidence.js writes.
 * @import { Fact } from './types.js'
 * @import { Evidence, EvidenceAsks } from '../src/check/judge.js'
 * @import { Prediction } from '../src/check/types.js'
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isKnown } from '../src/check/unknown.js';
import { range } from '../src/format.js';
import { once } from '../src/once.js';
import { reproducing } from './reproduce.js';

/**
 * @typedef {Record<'suite' | 'experiment' | 'length' | 'placement' | 'setting' | 'way' | 'file', string> &
 *   Record<'wait' | 'min' | 'lag' | 'n' | 'median' | 'low' | 'high' | 'all', number>} PublishedTrial facts of the native writer that fared
 *   worst. file: `none`, `snapshots`, or a policy of fsync; n: trials; all: those that lost everything; median, low, high: seconds lost, of
 *   a price ms a write
 */

export const FILE = fileURLToPath(new URL('./evidence.jsonl', import.meta.url));

const EXPERIMENTS = Object.freeze({
  restart: { experiment: 'primary-restarted-empty' },
  frozen: { experiment: 'primary-paused' },
  planned: { experiment: 'planned-failover' },
  power: { experiment: 'power-lost-everywhere' },
  'machine-lost': { experiment: 'primary-machine-lost' },
  'node-lost': { experiment: 'primary-killed' },
});
const BRIEF_HANG = { experiment: 'primary-paused-briefly', length: 'plus-1000ms' };
const CUT = Object.freeze({
  alone: { experiment: 'primary-partition' },
  withReplica: { experiment: 'partition-with-replica' },
});
const NO_MAJORITY = { experiment: 'sentinels-lost', setting: 'two' };
const QUOTED = [...Object.values(EXPERIMENTS), ...Object.values(CUT), NO_MAJORITY, BRIEF_HANG];
const PLAIN = { length: '', placement: '', setting: '', way: '' };
/** Their result depends on the files of the nodes. */
const OF_FILES = ['primary-restarted-empty', 'power-lost-everywhere'];

/** Costs of one connection at pipeline depth 1, 64 B, by key. @type {Readonly<Record<string, {suite: string, caseId: string}>>} */
const PRICES = Object.freeze({
  wait1: { suite: 'main', caseId: 'native-batch1-conn1-64B-wait1' },
  wait2: { suite: 'main', caseId: 'native-batch1-conn1-64B-wait2' },
  far: { suite: 'main', caseId: 'native-batch1-conn1-64B-wait1-link1ms' },
  'append-only-file': { suite: 'config-sweep', caseId: 'native-batch1-conn1-64B-async-aof' },
  'fsync-always': { suite: 'config-sweep', caseId: 'native-batch1-conn1-64B-wait2-wait2-min2-aof-always' },
});

const PRICE = 'price';

/** @param {readonly Fact[]} facts of the samples @returns {string} JSON: a line for each fact that is quoted */
export function evidenceOf(facts) {
  const trials = facts.filter(isQuoted).map((fact) => {
    const everything = facts.find(
      ({ experiment, caseId, metric, writer }) =>
        experiment === fact.experiment && caseId === fact.caseId && metric === 'total-loss' && writer === 'native',
    );
    return { ...trialOf(fact), all: everything?.total ?? 0 };
  });
  const prices = Object.entries(PRICES).flatMap(([setting, { suite, caseId }]) => {
    const found = facts.filter(
      (fact) => fact.suite === suite && fact.caseId === caseId && fact.metric === 'added-time',
    );
    return found.slice(0, 1).map((fact) => ({ ...trialOf(fact), experiment: PRICE, setting, all: 0 }));
  });
  return [...trials, ...prices].map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** @param {Fact} fact */
function isQuoted(fact) {
  const { suite, writer, metric } = fact;
  const isOne = (/** @type {Partial<PublishedTrial>} */ which) =>
    Object.entries({ ...PLAIN, ...which }).every(([field, value]) => fact[/** @type {'length'} */ (field)] === value);
  return suite === 'failure' && writer === 'native' && metric === 'lost-seconds' && QUOTED.some(isOne);
}

/** @param {Fact} fact @returns {Omit<PublishedTrial, 'all'>} */
function trialOf({ suite, experiment, length, placement, setting, way, conditions, n, median, low, high }) {
  const { wait = 0, settings = {} } = /** @type {{wait?: number, settings?: Record<string, string>}} */ (conditions);
  const { appendonly, appendfsync = 'everysec', save = '' } = settings;
  return {
    ...{ suite, experiment, length, placement, setting, way, wait },
    min: Number(settings['min-replicas-to-write'] ?? 0),
    lag: Number(settings['min-replicas-max-lag'] ?? 10),
    file: appendonly === 'yes' ? appendfsync : save === '' ? 'none' : 'snapshots',
    n,
    median: rounded(median),
    low: rounded(low ?? 0),
    high: rounded(high ?? 0),
  };
}

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(3));

const published = once(() => {
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  return /** @type {readonly PublishedTrial[]} */ (lines.map((line) => JSON.parse(line)));
});

/** Trials of one fault differ by so much. */
const TOLERANCE_SECONDS = 2;

/** @param {Partial<PublishedTrial>} which @param {EvidenceAsks} asks @returns {PublishedTrial | null} with these settings */
function trialWith(which, { wait, replicas, minReplicas, maxLag, file }) {
  // The trials have two replicas, and what a writer loses depends on how many of them have to confirm.
  if (replicas !== 2 || !isKnown(minReplicas) || !isKnown(file)) return null;
  const wanted = { ...PLAIN, ...which, wait, min: minReplicas };
  const found = published().find(
    (trial) =>
      Object.entries(wanted).every(([field, value]) => trial[/** @type {keyof PublishedTrial} */ (field)] === value) &&
      (trial.min === 0 || trial.lag === maxLag) &&
      (!OF_FILES.includes(trial.experiment) || trial.file === file),
  );
  return found ?? null;
}

/** @param {PublishedTrial} trial */
const lossText = ({ all, n, low, high }) =>
  all === n ? 'ALL' : high === 0 ? '0 s' : range(low, high, (value) => `${value.toFixed(1)} s`);

/** @param {PublishedTrial} trial @param {Prediction['loss']} loss @returns it was lost in the trials, too; false: without a loss */
function agrees({ all, n, low, high }, loss) {
  if (loss.kind === 'all') return all === n;
  return (
    loss.kind === 'seconds' &&
    all === 0 &&
    loss.seconds >= low - TOLERANCE_SECONDS &&
    loss.seconds <= high + TOLERANCE_SECONDS
  );
}

/** Shows which modes stop while a replica is away. */
const REPLICA_LOST = { experiment: 'sweep-one-replica-paused' };

/** @param {Prediction} prediction @returns null: no experiment has this reason */
function experimentOf({ fault: { kind }, promotes, because, confirming = 0, loss }) {
  if (kind === 'cut') return confirming > 0 ? CUT.withReplica : CUT.alone;
  if (because === 'too-few-replicas') return REPLICA_LOST;
  if (kind === 'restart' || kind === 'power' || promotes)
    return kind === 'frozen' && loss.kind === 'seconds' && loss.seconds < 10 ? BRIEF_HANG : EXPERIMENTS[kind];
  return because === 'no-majority' ? NO_MAJORITY : null;
}

/** @type {Evidence} */
export const evidence = Object.freeze({
  trials(prediction, asks) {
    const experiment = experimentOf(prediction);
    const trial = experiment && trialWith(experiment, asks);
    if (trial === null) return null;
    return {
      text: `${lossText(trial)} lost in ${trial.n} trials of ${trial.experiment}`,
      agree: agrees(trial, prediction.loss),
    };
  },
  price(key, needed) {
    const own = key === 'wait' ? (needed > 1 ? 'wait2' : 'wait1') : key;
    const priced = (/** @type {string} */ setting) =>
      published().find((row) => row.experiment === PRICE && row.setting === setting);
    const one = priced(own);
    if (!one) return '';
    if (one.low <= 0) return 'no measurable time on loopback';
    const far = key === 'wait' ? priced('far') : undefined;
    const text = (/** @type {PublishedTrial} */ { median }) => `${Math.max(0.01, median).toFixed(2)} ms`;
    if (key === 'fsync-always') return `${text(one)} a write on loopback, with WAIT 2`;
    return far
      ? `${text(one)} a write on loopback, ${text(far)} with nodes 1 ms apart`
      : `${text(one)} a write on loopback`;
  },
  command(about, d, wait) {
    const which = 'fault' in about ? experimentOf(about) : about;
    return which ? reproducing(which.experiment, d, wait) : '';
  },
});
