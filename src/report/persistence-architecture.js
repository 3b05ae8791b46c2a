/**
 * Which arrangement of nodes and files: what each costs, and what is known of its risk.
 */
import { median } from '../measure/statistics.js';
import { duration, interval, percent, range, rate } from './format.js';
import { offOf, PAYLOAD, p99Of, primaryOf, ratio, ratiosTo, times } from './persistence-figures.js';
import { modeTitle, nodesTitle, storageTitle } from './persistence-words.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./persistence-figures.js').Storage} Storage
 */

const QUESTION = 'Which architecture suits many writes?';
const RISK =
  'What each loses in a failure is not measured here: what a failover loses of asynchronous writes is measured by `primary-killed`, and what ' +
  'becomes of a primary that restarts without its data by `primary-restarted-empty`, both in the failure suite';
const SAME_MACHINE =
  'The replica ran on the same machine and storage as the primary, and took its share of both from it';
/** A replica that is sent less than this share of what is acknowledged falls behind; the rest is what is still in buffers. */
const KEEPS_UP = 0.9;

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @returns {import('./persistence.js').Answer}
 */
export function architectureAnswer(benchmark, storage) {
  const own = benchmark.cases.filter(
    ({ params }) =>
      params.operation === 'set' &&
      params.payloadBytes === PAYLOAD &&
      params.storage === storage.label &&
      params.preloadKeys === undefined &&
      params.during === undefined,
  );
  const alone = own.filter(({ params }) => params.replicas === 0 && params.level === 'everysec');
  const paired = own.filter(({ params }) => params.replicas === 1);
  const keeping = [...alone, ...paired.filter(({ params }) => params.level !== 'off')].sort(
    (a, b) => b.summary.throughput.median - a.summary.throughput.median,
  );
  if (alone.length === 0 || keeping.length === alone.length) {
    return { question: QUESTION, short: 'Not measured', main: [], more: [] };
  }
  const [best, ...rest] = keeping;
  const named = (/** @type {CaseResult} */ each) => `${describe(each)}, with ${figures(each)}`;
  return {
    question: QUESTION,
    short: `Of those that put the data on a disk (${storageTitle(storage)}), by the SETs they take: ${named(best)}; then ${rest.map(named).join('; ')}`,
    main: [
      ...undecided(best, rest),
      ...againstBoth(paired),
      ...paired.flatMap((result) => (result.params.level === 'split' ? fallenBehind(result) : [])),
      { text: SAME_MACHINE, evidence: keeping.map(({ id }) => id) },
    ],
    more: [
      ...keeping.flatMap((result) => {
        const ratios = ratiosTo(result, offOf(benchmark, result));
        if (!ratios) return [];
        const p99 = ratios.p99 ? `, p99 ${times(ratios.p99)}` : '';
        return {
          text: `${capital(describe(result))}: throughput ${times(ratios.throughput)} that of the same nodes without persistence${p99}`,
          evidence: [ratios.off.id, result.id],
        };
      }),
      ...paired.flatMap((result) => (result.params.level === 'split' ? [] : fallenBehind(result))),
      { text: RISK, evidence: [] },
    ],
  };
}

/**
 * A replica does not hold its primary up: what it cannot take is kept for it, until its output buffer is full and it is cut off.
 *
 * @param {CaseResult} result
 * @returns {import('./schema.js').Finding[]} none when the server does not count what it sends
 */
function fallenBehind(result) {
  const shares = result.rounds.flatMap((round) => {
    const sent = primaryOf(round)?.counters?.replicationOutBytes;
    const acked = round.outcomes.acked * result.params.payloadBytes;
    return sent == null || acked === 0 ? [] : Math.min(1, sent / acked);
  });
  if (shares.length === 0) return [];
  const middle = median(shares);
  const spread = range(Math.min(...shares), Math.max(...shares), percent);
  const verdict =
    middle < KEEPS_UP
      ? 'so the replica falls behind, and cannot keep up with this rate for long'
      : 'so the replica kept up, as far as rounds of this length show';
  return [
    {
      text: `${capital(describe(result))}: the replica was sent ${percent(middle)} (${spread}) of what was acknowledged meanwhile, ${verdict}`,
      evidence: [result.id],
    },
  ];
}

/**
 * A median that is higher decides nothing where the rounds of the one are among those of the other.
 *
 * @param {CaseResult} best
 * @param {CaseResult[]} rest
 * @returns {import('./schema.js').Finding[]}
 */
function undecided(best, rest) {
  const close = rest.filter(({ summary }) => summary.throughput.high >= best.summary.throughput.low);
  if (close.length === 0) return [];
  return [
    {
      text: `Which takes more, the first or ${close.map(describe).join(', or ')}, is not settled: their intervals overlap`,
      evidence: [best, ...close].map(({ id }) => id),
    },
  ];
}

/** @param {string} text */
function capital(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/**
 * The split and AOF on both nodes were measured side by side, so these two can be compared round by round.
 *
 * @param {CaseResult[]} paired
 * @returns {import('./schema.js').Finding[]}
 */
function againstBoth(paired) {
  const both = paired.find(({ params }) => params.level === 'everysec');
  const split = paired.find(({ params }) => params.level === 'split');
  const throughput = both && split && ratio(split, both, (round) => round.throughput);
  const p99 = both && split && ratio(split, both, ({ latencyNs }) => latencyNs.p99);
  if (!throughput || !p99) return [];
  return [
    {
      text: `The split has ${times(throughput)} the throughput and ${times(p99)} the p99 of AOF everysec on both nodes`,
      evidence: [both.id, split.id],
    },
  ];
}

/** @param {CaseResult} result */
function describe({ params }) {
  return `${nodesTitle(params)}, ${modeTitle(params)}`;
}

/** @param {CaseResult} result */
function figures(result) {
  const p99 = p99Of(result);
  return `${interval(result.summary.throughput, rate)}${p99 === null ? '' : `, p99 ${duration(p99)}`}`;
}
