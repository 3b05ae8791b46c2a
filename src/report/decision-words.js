/**
 * The configuration sweep: what a configuration is, in settings and in what a client has to do, and what is to be known
 * before anybody decides by its figures.
 */
import { BATCHES, HEALTHY, LOSING, SWEEP } from './decision.js';
import { sawFailover } from './failure-steps.js';
import { milliseconds } from './failure-words.js';
import { count, plural } from './format.js';

/**
 * @typedef {import('./decision.js').DecisionRow} DecisionRow
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./schema.js').CaseParams} CaseParams
 */

/** Stands after a throughput that the client limited. */
export const CLIENT_MARK = '*';
/** Stands before a ratio that is not told from async's, where there is no room for its interval. */
export const NOISE_MARK = '~';
/** Stands after a throughput beside which writes were not acked as asked. */
export const NOT_ACKED_MARK = '†';

const MINIMUM = 'min-replicas-to-write';

/**
 * @param {DecisionRow} row
 * @returns {string} what is set, with code between backticks: `` `appendonly yes`, `appendfsync always` on every Redis node ``
 */
export function settingsText({ params, note }) {
  const settings = Object.entries(params.settings ?? {}).map(([name, value]) => code(`${name} ${value}`));
  const parts = settings.length === 0 ? [] : [`${settings.join(', ')} on every Redis node`];
  // Each failure case says what its Sentinels had; only of a variant it belongs to the configuration.
  if (note !== null && params.variant !== undefined && params.downAfterMs !== undefined)
    parts.push(`${code(`down-after-milliseconds ${params.downAfterMs}`)} on every Sentinel`);
  return parts.length === 0 ? 'nothing is set' : parts.join('; ');
}

/**
 * @param {DecisionRow} row
 * @returns {string} what a client has to do, with code between backticks
 */
export function clientText({ params }) {
  const { wait, waitLocal, waitTimeoutMs, habit, settings, writers } = params;
  const parts = [];
  const command = waitLocal === undefined ? `WAIT ${wait}` : `WAITAOF ${waitLocal} ${wait}`;
  if (wait > 0 || waitLocal !== undefined) {
    const awaited = habit === 'awaited' && writers === undefined;
    const when = awaited ? 'once a write has been answered' : 'after each write or batch, sent with it';
    const least = waitLocal === undefined ? `${wait}` : `${waitLocal} and ${wait}`;
    const read = waitLocal === undefined ? 'read its count' : 'read both counts';
    parts.push(
      `${code(`${command} ${waitTimeoutMs}`)} ${when}, on the same connection; ${read}: less than ${least} is not confirmed`,
    );
  }
  if ((settings?.[MINIMUM] ?? '0') !== '0') parts.push(`a write answered ${code('NOREPLICAS')} was not applied`);
  return parts.length === 0 ? 'read the answer; nothing else' : parts.join('; ');
}

/** @param {string} text */
function code(text) {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``;
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows at least one
 * @returns {string[]} a sentence or two for each column, then what was not measured; code between backticks
 */
export function tableNotes(result, rows) {
  const { benchmarks } = result;
  const healthy = benchmarks.find(({ name }) => name === HEALTHY);
  return [
    ...(healthy && healthy.cases.length > 0 ? healthyNotes(healthy.cases, rows) : []),
    ...failureNotes(result, rows),
    ...persistenceNotes(result),
    `– : not measured, too few values to tell, or no replica was promoted. Never a zero.${withoutFailover(result)}`,
    ...missingNotes(result),
  ];
}

/**
 * @param {Result['benchmarks'][number]['cases']} cases at least one
 * @param {readonly DecisionRow[]} rows
 */
function healthyNotes(cases, rows) {
  const figures = rows.flatMap(({ healthy }) => BATCHES.flatMap((batch) => healthy[batch] ?? []));
  if (figures.length === 0) return [];
  const [{ params }] = cases;
  const rounds = range(figures.map((each) => each.rounds));
  const spread = rounds === '1' ? 'one round each: no interval' : `median of ${rounds} rounds each`;
  const notes = [
    `batch 1, batch 100: acked writes a second, so many of them sent at once and confirmed together, by ${plural(params.connections, 'connection')} with values of ${params.payloadBytes} B; ${spread}.`,
    'of async, and batch 100 where it is in percent: the same, relative to no WAIT and no settings at the same batch, paired by round.',
    'p99: service time of a batch, from its sending to the answer that completed it; of all rounds together.',
  ];
  if (figures.some(({ limitedBy }) => limitedBy === 'client'))
    notes.push(
      `${CLIENT_MARK} the load client, not Redis, limited this figure: the configuration may be faster than it shows.`,
    );
  if (figures.some(({ notAcked }) => notAcked > 0))
    notes.push(`${NOT_ACKED_MARK} some writes were not acked as asked although all was well; they do not count.`);
  return notes;
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function failureNotes({ benchmarks, profile }, rows) {
  const losses = rows.flatMap(({ lost }) => Object.values(lost)).filter((loss) => loss !== null);
  const pauses = rows.flatMap(({ down }) => Object.values(down)).filter((pause) => pause !== null);
  const failures = benchmarks.filter(({ name }) => name !== HEALTHY && SWEEP.includes(name));
  const notes = [];
  const trials = range([...losses, ...pauses].map((each) => each.trials));
  const over = trials === '1' ? '' : '; over the trials the sum, and what each had';
  const rates = new Set(
    failures.flatMap(({ cases }) => cases.map(({ params }) => params.rate ?? profile.writesPerSecond)),
  );
  const [rate] = rates;
  const load = rates.size === 1 && rate !== undefined ? `, each of ${count(rate)} writes a second` : '';
  if (losses.length > 0) {
    const acked = losses.flatMap(({ each }) => each.map((trial) => trial.acked));
    notes.push(
      `lost: acknowledged writes that are not on the primary after everything was healed, of the writer that lost more (one stays with its connections until an error, one follows \`+switch-master\`${load}); of ${range(acked)} that were acknowledged in a trial${over}. It grows with the rate and with the time that two primaries take writes: read the counts.`,
      `unavailable: longest time without an acknowledgement once the primary was killed, or cut from its peers, of the writer that waited longer${trials === '1' ? '' : '; median of the trials'}.${downAfterText(failures)} Acknowledgements count here although they were lost later.`,
    );
  }
  if (pauses.length > 0) {
    const shortest = Math.min(...pauses.map(({ lengthMs }) => lengthMs));
    notes.push(
      `one down, both down: share of the writes that was acked in the last 2 s in which one replica, or both, stood still, for ${milliseconds(shortest)} or longer, and what became of most of the others: refused (not applied), or short (applied, WAIT’s count too low)${trials === '1' ? '' : '; median of the trials, and their range'}.`,
    );
  }
  if (trials !== '')
    notes.push(
      trials === '1'
        ? 'Failures: one trial each, so no interval; nothing here tells how much of a difference is chance.'
        : `Failures: ${trials} trials each.`,
    );
  return notes;
}

/** @param {Result['benchmarks']} failures */
function downAfterText(failures) {
  const plain = failures.flatMap(({ cases }) => cases.filter(({ params }) => params.variant === undefined));
  const [only, ...others] = new Set(plain.flatMap(({ params }) => params.downAfterMs ?? []));
  if (only === undefined || others.length > 0) return '';
  return ` Where nothing else is said, the Sentinels’ down-after is ${milliseconds(only)}.`;
}

/**
 * @param {Result} result
 * @returns {string[]} what is on disk in configurations that do not say
 */
function persistenceNotes({ cluster: { config } }) {
  const nodes = Object.values(config);
  const told = ['appendonly', 'save'].flatMap((name) => {
    const values = new Set(nodes.flatMap((settings) => settings[name] ?? []));
    return values.size === 0
      ? []
      : [...values].map((value) => code(`${name} ${value === '' ? '""' : value}`)).join(' or ');
  });
  return told.length === 0
    ? []
    : [`Where a configuration does not say otherwise, the nodes ran with ${told.join(', ')}.`];
}

/**
 * @param {Result} result
 * @returns {string} a sentence, after a space; empty: each trial saw a failover
 */
function withoutFailover({ benchmarks }) {
  const trials = benchmarks
    .filter(({ name }) => Object.values(LOSING).includes(name))
    .flatMap(({ timeline = [] }) => timeline)
    .filter((trial) => !sawFailover(trial)).length;
  return trials === 0
    ? ''
    : ` ${plural(trials, 'trial')} of a kill or a cut, in which no replica was promoted, ${trials === 1 ? 'counts' : 'count'} nowhere in this table.`;
}

/** @param {Result} result */
function missingNotes({ benchmarks }) {
  const told = SWEEP.flatMap((name) => {
    const found = benchmarks.find((benchmark) => benchmark.name === name);
    if (found?.status === 'ok') return [];
    const why = found ? `${found.status}${found.reason ? `: ${found.reason.replace(/\.$/, '')}` : ''}` : 'not run';
    return `${name} (${why})`;
  });
  return told.length === 0 ? [] : [`Not, or not wholly, measured: ${told.join('; ')}.`];
}

/**
 * @param {readonly number[]} values
 * @returns {string} such as `5` or `3–5`; empty: there is none
 */
function range(values) {
  if (values.length === 0) return '';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? count(low) : `${count(low)}–${count(high)}`;
}
