/**
 * The figures of the benchmark `link-loss`, what it found, and what must be so.
 */
import { outcomesOf, TOO_FEW } from './columns.js';
import { bitRate, bytes, count, duration, plural } from './format.js';
import { tunnelName } from './link-compression.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').LinkFigures} LinkFigures
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./schema.js').Check} Check
 * @typedef {import('../run/types.js').Column} Column
 *
 * @typedef {Object} Loss one round
 * @property {CaseResult} result
 * @property {string} name of the round, for a sentence
 * @property {LinkFigures} link
 * @property {NonNullable<LinkFigures['outage']>} outage
 * @property {number} restartAfterMs
 * @property {number} backlogBytes
 */

const NS_A_MS = 1e6;
/** A replica that knows so soon was told by the socket, not by a timeout: an engine and a busy machine take their time, too. */
const AT_ONCE_MS = 10_000;
/** `repl-timeout`, default: what decides where the socket says nothing. */
const REPL_TIMEOUT_SECONDS = 60;
/** Missed and backlog are this far apart before one expects the one or the other resync: looks are 20 ms apart, memory comes in blocks. */
const MARGIN = 1.25;

/** @param {number} ms */
function time(ms) {
  return duration(ms * NS_A_MS);
}

/**
 * @param {CaseResult['params']} params
 * @returns {number} bytes
 */
export function backlogOf({ settings }) {
  return Number(settings?.['repl-backlog-size'] ?? 0);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Loss[]} a round each
 */
function lossesOf(cases) {
  return cases.flatMap((result) =>
    result.rounds.flatMap(({ link }, index) =>
      link?.outage
        ? [
            {
              result,
              name: result.rounds.length === 1 ? result.id : `${result.id}, round ${index + 1}`,
              link,
              outage: link.outage,
              restartAfterMs: result.params.restartAfterMs ?? 0,
              backlogBytes: backlogOf(result.params),
            },
          ]
        : [],
    ),
  );
}

/**
 * @param {string} title
 * @param {(loss: Loss) => number | null} value
 * @param {(value: number) => string} text
 * @param {string} missing what stands where a round has none
 * @returns {Column} from the least to the most of the rounds
 */
function column(title, value, text, missing) {
  return {
    title,
    align: 'right',
    cell: (result) => {
      const losses = lossesOf([result]);
      if (losses.length === 0) return TOO_FEW;
      const values = losses.map(value);
      if (values.includes(null)) return missing;
      const sorted = values.map(Number).sort((a, b) => a - b);
      const [low, high] = [text(sorted[0]), text(sorted[sorted.length - 1])];
      return low === high ? low : `${low}–${high}`;
    },
  };
}

/** @type {Column[]} */
export const LOSS_COLUMNS = [
  { title: 'tunnel', align: 'left', cell: tunnelName },
  {
    title: 'started again',
    align: 'right',
    cell: ({ params: { restartAfterMs = 0 } }) => (restartAfterMs === 0 ? 'at once' : `after ${time(restartAfterMs)}`),
  },
  { title: 'backlog', align: 'right', cell: ({ params }) => bytes(backlogOf(params)) },
  column('stream', ({ link }) => link.demandBytesPerSecond, bitRate, ''),
  column('noticed', ({ outage }) => outage.noticedMs, time, 'never'),
  column('tunnel back', ({ outage }) => outage.tunnelMs, time, 'not known'),
  column('away', ({ outage }) => outage.awayMs, time, 'for good'),
  column('caught up', ({ outage }) => outage.behindMs, time, 'never'),
  {
    title: 'resync',
    align: 'left',
    cell: (result) => [...new Set(lossesOf([result]).map(({ outage }) => outage.resync))].join(', '),
  },
  column('missed', ({ link }) => link.missedBytes ?? null, bytes, ''),
  column('restarts', ({ outage }) => outage.restarts, count, ''),
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function lossFindings({ cases }) {
  const losses = lossesOf(cases);
  return [noticed(losses), away(losses), resyncs(losses), needed(losses)].flatMap((finding) => finding ?? []);
}

/** @param {readonly Loss[]} losses */
function evidence(losses) {
  return [...new Set(losses.map(({ result }) => result.id))];
}

/**
 * @param {readonly number[]} values at least one
 * @param {(value: number) => string} text
 */
function fromTo(values, text) {
  const [low, high] = [text(Math.min(...values)), text(Math.max(...values))];
  return low === high ? low : `${low} to ${high}`;
}

/**
 * @param {readonly Loss[]} losses
 * @returns {Finding | null}
 */
function noticed(losses) {
  if (losses.length === 0) return null;
  const times = losses.flatMap(({ outage }) => outage.noticedMs ?? []);
  if (times.length < losses.length) {
    const blind = losses.filter(({ outage }) => outage.noticedMs === null);
    return {
      text: `In ${plural(blind.length, 'round')} of ${losses.length} the replica never noticed while it was watched: where no socket closes, repl-timeout (${REPL_TIMEOUT_SECONDS} s by default) decides.`,
      evidence: evidence(blind),
    };
  }
  const atOnce = times.every((ms) => ms < AT_ONCE_MS);
  return {
    text: atOnce
      ? `Each replica knew ${fromTo(times, time)} after its tunnel was killed: the socket was closed, so repl-timeout (${REPL_TIMEOUT_SECONDS} s by default) decided nothing. A wire that goes dead without closing it is another matter, and was not measured.`
      : `The replicas knew ${fromTo(times, time)} after their tunnel was killed.`,
    evidence: evidence(losses),
  };
}

/**
 * A replica dials once a second; until then it is away even where the tunnel is back at once.
 *
 * @param {readonly Loss[]} losses
 * @returns {Finding | null}
 */
function away(losses) {
  const back = losses.flatMap((loss) => (loss.outage.awayMs === null ? [] : [{ ...loss, awayMs: loss.outage.awayMs }]));
  if (back.length === 0) return null;
  const groups = [...new Set(back.map(({ restartAfterMs }) => restartAfterMs))].sort((a, b) => a - b);
  const parts = groups.map((after) => {
    const own = back.filter(({ restartAfterMs }) => restartAfterMs === after);
    return `${fromTo(
      own.map(({ awayMs }) => awayMs),
      time,
    )} with a tunnel that was started again ${after === 0 ? 'at once' : `after ${time(after)}`}`;
  });
  const sentences = [`From the kill until replication was connected again: ${parts.join('; ')}`];
  const waits = /** @type {const} */ (['partial', 'full']).flatMap((kind) => {
    const own = back.flatMap(({ outage: { tunnelMs, resync }, awayMs }) =>
      tunnelMs === null || resync !== kind ? [] : Math.max(0, awayMs - tunnelMs),
    );
    return own.length === 0 ? [] : [`${fromTo(own, time)} where a ${kind} resync followed`];
  });
  if (waits.length > 0) {
    sentences.push(
      `The tunnel took connections again earlier, by ${waits.join(', and by ')}: until then the replica waits for its next attempt, one a second, and for its resync`,
    );
  }
  return { text: `${sentences.join('. ')}.`, evidence: evidence(back) };
}

/**
 * @param {readonly Loss[]} losses
 * @returns {Finding | null}
 */
function resyncs(losses) {
  const known = losses.filter(({ link }) => typeof link.missedBytes === 'number');
  if (known.length === 0) return null;
  const of = (/** @type {'partial' | 'full'} */ kind) => known.filter(({ outage }) => outage.resync === kind);
  const parts = /** @type {const} */ (['partial', 'full']).flatMap((kind) => {
    const own = of(kind);
    if (own.length === 0) return [];
    const missed = fromTo(
      own.map(({ link }) => Number(link.missedBytes)),
      bytes,
    );
    const backlogs = fromTo(
      own.map(({ backlogBytes }) => backlogBytes),
      bytes,
    );
    return [`${plural(own.length, 'round')} ended in a ${kind} resync (${missed} missed, backlog ${backlogs})`];
  });
  const caught = known.flatMap(({ outage }) => outage.behindMs ?? []);
  const until = caught.length === 0 ? '' : ` Caught up ${fromTo(caught, time)} after the kill.`;
  return { text: `${parts.join('; ')}.${until}`, evidence: evidence(known) };
}

/**
 * @param {readonly Loss[]} losses
 * @returns {Finding | null}
 */
function needed(losses) {
  const full = losses.filter(({ outage, link }) => outage.resync === 'full' && typeof link.missedBytes === 'number');
  if (full.length === 0) return null;
  const most = full.reduce((a, b) => (Number(a.link.missedBytes) > Number(b.link.missedBytes) ? a : b));
  const { demandBytesPerSecond } = most.link;
  const lasts = most.backlogBytes / demandBytesPerSecond;
  return {
    text: `A backlog of ${bytes(most.backlogBytes)} lasts ${duration(lasts * 1e9)} at ${bitRate(demandBytesPerSecond)} of stream; to spare each replica here its full resync it would have had to hold ${bytes(Number(most.link.missedBytes))}, and ${bytes(demandBytesPerSecond * REPL_TIMEOUT_SECONDS)} for a wire that is found dead only after repl-timeout.`,
    evidence: evidence(full),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function lossChecks({ cases }) {
  const losses = lossesOf(cases);
  if (losses.length === 0) return [];
  /** @type {(name: string, wrong: (loss: Loss) => string | null) => Check} */
  const check = (name, wrong) => {
    const failed = losses.flatMap((loss) => {
      const what = wrong(loss);
      return what === null ? [] : [`${loss.name}: ${what}`];
    });
    return { name, ok: failed.length === 0, detail: failed.join('; ') || plural(losses.length, 'round') };
  };
  const failed = cases.flatMap((result) => {
    const { rejected, unknown } = outcomesOf(result);
    return rejected + unknown === 0 ? [] : [`${result.id}: ${count(rejected)} rejected, ${count(unknown)} unanswered`];
  });
  return [
    {
      name: 'the primary answered every request meanwhile',
      ok: failed.length === 0,
      detail: failed.join('; ') || plural(losses.length, 'round'),
    },
    check('every kill was followed by a return', ({ outage: { awayMs, behindMs } }) =>
      awayMs === null ? 'the replica never came back' : behindMs === null ? 'it did not catch up' : null,
    ),
    check('both sides held the same in the end', ({ link: { agreement } }) => {
      if (!agreement) return 'the replica never had everything';
      const { primaryKeys, replicaKeys, compared, different } = agreement;
      if (primaryKeys !== replicaKeys) return `${count(primaryKeys)} and ${count(replicaKeys)} keys`;
      if (compared === 0) return 'there were no keys to compare';
      return different === 0 ? null : `${plural(different, 'difference')} in ${plural(compared, 'key')}`;
    }),
    check('a gap well within the backlog was sent alone, one well beyond it was not', expectedResync),
  ];
}

/**
 * @param {Loss} loss
 * @returns {string | null}
 */
function expectedResync({ link: { missedBytes }, outage: { resync }, backlogBytes }) {
  if (typeof missedBytes !== 'number' || backlogBytes === 0) return null;
  const expected =
    missedBytes * MARGIN < backlogBytes ? 'partial' : missedBytes > backlogBytes * MARGIN ? 'full' : resync;
  return resync === expected ? null : `${resync}, with ${bytes(missedBytes)} missed of ${bytes(backlogBytes)}`;
}
