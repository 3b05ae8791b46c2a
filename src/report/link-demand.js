/**
 * The figures and the table of the benchmark `link-demand`: what writes cost on the replication link.
 */
import { median } from '../measure/statistics.js';
import { bitRate, bytes, count, rate } from './format.js';

/**
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('../run/types.js').Column} Column
 *
 * @typedef {Object} Demand of a case; medians over its rounds
 * @property {number} perWrite bytes of the replication stream
 * @property {number | null} requestPerWrite bytes that the client sent; null: not counted
 * @property {number | null} wirePerWrite bytes that the replica was sent; null: not counted
 * @property {number} demand bytes of the stream a second, at the rate that was reached
 * @property {number} requests answered a second
 * @property {number} writes in all rounds
 * @property {Record<string, number>} executed by the replica, in all rounds
 */

/** The article's mix: so much of the requests writes. */
export const WRITE_SHARE = 0.62;
/** Requests a second that people ask about; the last is the article's. */
const RATES = [1000, 10_000, 30_000];
/** Of an answer to “what did the replica execute”, so many names are enough. */
const SHOWN_COMMANDS = 4;
/** Of the rate asked for. */
const KEPT = 0.99;

/**
 * @param {CaseResult} result
 * @returns {Demand | null} null: nothing was replicated
 */
export function demandOf({ rounds }) {
  const links = rounds.flatMap(({ link, operations, seconds }) =>
    link && link.writes > 0 && seconds > 0 ? [{ ...link, requests: operations / seconds }] : [],
  );
  if (links.length === 0) return null;
  const middle = (/** @type {(link: (typeof links)[number]) => number} */ value) => median(links.map(value));
  /** @type {Record<string, number>} */
  const executed = {};
  for (const [name, calls] of links.flatMap((link) => Object.entries(link.executed ?? {})))
    executed[name] = (executed[name] ?? 0) + calls;
  return {
    perWrite: middle(({ streamBytes, writes }) => streamBytes / writes),
    requestPerWrite: links.every(({ requestBytes }) => requestBytes !== undefined)
      ? middle(({ requestBytes = 0, writes }) => requestBytes / writes)
      : null,
    wirePerWrite: links.every(({ wire }) => wire)
      ? middle(({ wire, writes }) => (wire?.toReplicaBytes ?? 0) / writes)
      : null,
    demand: middle(({ demandBytesPerSecond }) => demandBytesPerSecond),
    requests: middle(({ requests }) => requests),
    writes: links.reduce((sum, { writes }) => sum + writes, 0),
    executed,
  };
}

/**
 * @param {CaseResult} result
 * @returns {boolean} a mix of requests at a rate, not a number of writes that are all alike
 */
export function isMix({ params }) {
  return params.grouping === undefined;
}

/**
 * @param {CaseResult} result of a mix
 * @param {Demand} demand
 */
export function keptRate({ params }, { requests }) {
  return params.rate === undefined || requests >= KEPT * params.rate;
}

/**
 * @param {number} perWrite bytes
 * @param {number} requests a second
 * @param {number} [share] of them that write
 * @returns {number} bytes a second
 */
export function demandAt(perWrite, requests, share = WRITE_SHARE) {
  return perWrite * requests * share;
}

/** @param {number} value @returns {string} such as `133.0 B` */
export function exactBytes(value) {
  return `${value.toFixed(1)} B`;
}

/** @param {CaseResult} result @returns {string} such as `10 SETs in MULTI` */
export function sentAs(result) {
  const { grouping, pipeline, rate: asked } = result.params;
  switch (grouping) {
    case undefined:
      return `the mix${asked === undefined ? '' : `, ${rate(asked)}`}`;
    case 'single':
      return 'SET, one at a time';
    case 'batch':
      return `SET, ${pipeline} in a pipeline`;
    case 'multi':
      return `SET, ${pipeline} in MULTI`;
    case 'script':
      return `SET, ${pipeline} in a script (EVALSHA)`;
    case 'function':
      return `SET, ${pipeline} in a function (FCALL)`;
  }
}

/** @param {Record<string, number>} executed */
function executedText(executed) {
  const names = Object.entries(executed)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name.toUpperCase());
  const more = names.length - SHOWN_COMMANDS;
  return [...names.slice(0, SHOWN_COMMANDS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/**
 * @param {string} title
 * @param {(demand: Demand, result: CaseResult) => string} text
 * @returns {Column}
 */
function figure(title, text) {
  return {
    title,
    align: 'right',
    cell: (result) => {
      const demand = demandOf(result);
      return demand ? text(demand, result) : '';
    },
  };
}

/** @type {Column[]} */
export const DEMAND_COLUMNS = [
  { title: 'sent', align: 'left', cell: sentAs },
  { title: 'keys and values', align: 'left', cell: ({ params }) => params.pattern ?? '' },
  { title: 'value', align: 'right', cell: ({ params }) => bytes(params.payloadBytes) },
  figure('writes', ({ writes }) => count(writes)),
  figure('request, a write', ({ requestPerWrite }) => (requestPerWrite === null ? '' : exactBytes(requestPerWrite))),
  figure('stream, a write', ({ perWrite }) => exactBytes(perWrite)),
  figure('of it key and protocol', ({ perWrite }, result) =>
    isMix(result) ? '' : exactBytes(perWrite - result.params.payloadBytes),
  ),
  figure('wire, a write', ({ wirePerWrite }) => (wirePerWrite === null ? 'not counted' : exactBytes(wirePerWrite))),
  ...RATES.map((requests) =>
    figure(`62 % of ${count(requests)} requests/s`, ({ perWrite }) => bitRate(demandAt(perWrite, requests))),
  ),
  figure('measured', ({ demand, requests }, result) => (isMix(result) ? `${bitRate(demand)}, ${rate(requests)}` : '')),
  {
    title: 'the replica executed',
    align: 'left',
    cell: (result) => executedText(demandOf(result)?.executed ?? {}),
  },
  {
    title: 'limited by',
    align: 'left',
    cell: (result) => {
      const demand = isMix(result) ? demandOf(result) : null;
      return demand === null ? '' : keptRate(result, demand) ? 'nothing' : result.summary.limitedBy;
    },
  },
];
