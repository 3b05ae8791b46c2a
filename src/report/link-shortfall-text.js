/**
 * How each round of the benchmark `link-shortfall` went, in Markdown.
 */
import { bytes, duration } from './format.js';
import { linkTitle } from './link-shortfall-columns.js';
import { DEFAULT_LIMIT, limitText, linksOf } from './link-shortfall-figures.js';
import { codeBlock, escapeProse, list } from './markdown-text.js';
import { compress, NONE, sparkline } from './sparkline.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./link-shortfall-figures.js').Sample} Sample
 */

/** Characters of a chart; more samples than that are put together. */
const MOST_COLUMNS = 72;
const HEADING = '###';
const NS_A_MS = 1e6;

/** Of several samples in one column the first that applies is shown. @type {[Sample['state'], string][]} */
const STATES = [
  ['away', '×'],
  ['syncing', '~'],
  ['online', '-'],
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {string} Markdown; empty when its rounds have no samples
 */
export function renderShortfall({ cases }) {
  const shown = cases.flatMap((result) => {
    const samples = linksOf(result)[0]?.samples ?? [];
    return samples.length < 2 ? [] : [{ result, samples }];
  });
  if (shown.length === 0) return '';
  const most = (/** @type {(sample: Sample) => number | null} */ pick) =>
    Math.max(1, ...shown.flatMap(({ samples }) => samples.map((sample) => pick(sample) ?? 0)));
  const full = { lag: most(({ lagBytes }) => lagBytes), buffer: most(({ bufferBytes }) => bufferBytes) };
  const charts = shown.map(({ result, samples }) => chart(result, samples, full));
  return [
    `${HEADING} How the rounds went`,
    escapeProse(
      `The first round of each case, from its beginning to the cut. lag: what the replica had not processed, a full block is ${bytes(full.lag)}; ` +
        `buffer: the sender’s output buffer for it, a full block is ${bytes(full.buffer)}; ${NONE} none, or not known; replica: ${legend()}.`,
    ),
    codeBlock(charts.join('\n\n')),
    list(notes(shown.map(({ result }) => result)).map(escapeProse)),
  ].join('\n\n');
}

function legend() {
  const words = { away: 'not connected', syncing: 'being sent the whole data set', online: 'connected' };
  return STATES.map(([state, mark]) => `${mark} ${words[state]}`).join(', ');
}

/**
 * @param {CaseResult} result
 * @param {readonly Sample[]} samples
 * @param {{lag: number, buffer: number}} full
 */
function chart(result, samples, full) {
  const width = Math.ceil(samples.length / MOST_COLUMNS);
  const line = (/** @type {(sample: Sample) => number | null} */ pick, /** @type {number} */ top) =>
    sparkline(
      compress(
        samples.map((sample) => pick(sample) ?? 0),
        width,
      ),
      top,
    );
  const each = (samples[samples.length - 1].afterMs / (samples.length - 1)) * width;
  return [
    `${linkTitle(result)} (${duration(each * NS_A_MS)} a character)`,
    `  lag     ${line(({ lagBytes }) => lagBytes, full.lag)}`,
    `  buffer  ${line(({ bufferBytes }) => bufferBytes, full.buffer)}`,
    `  replica ${stateLine(samples, width)}`,
  ].join('\n');
}

/**
 * @param {readonly Sample[]} samples
 * @param {number} width
 */
function stateLine(samples, width) {
  let line = '';
  for (let start = 0; start < samples.length; start += width) {
    const group = samples.slice(start, start + width);
    line += STATES.find(([state]) => group.some((sample) => sample.state === state))?.[1] ?? ' ';
  }
  return line;
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {string[]}
 */
function notes(cases) {
  const links = cases.flatMap(linksOf);
  const by = [...new Set(links.flatMap((link) => link.by ?? []))];
  const limits = [...new Set(links.flatMap(({ outputLimit }) => (outputLimit ? [limitText(outputLimit)] : [])))];
  const { hardBytes, softBytes, softSeconds } = DEFAULT_LIMIT;
  return [
    ...(limits.length > 0
      ? [
          `The limit of a replica’s output buffer was scaled down for it to be reached within a round: ${limits.join('; ')}. Redis’s own is ${bytes(hardBytes)}, or ${bytes(softBytes)} for ${softSeconds} s.`,
        ]
      : []),
    ...(by.length > 0 ? [`The link was shaped by: ${by.join(', ')}.`] : []),
    'A share of demand is that of the payload: what TCP and IP add is neither in the demand nor in the cap. What is far away is only late here: a long link loses packets, too, and TCP sends less through it than through this one.',
    'Largest lag, in brackets: for so long the writers had written that much. Lag as Redis tells: the highest `lag` in the sender’s INFO, in seconds since the replica last answered.',
    'Missed when back: how far the stream was ahead when the replica asked for a partial resync, the first time that it was refused, or else the most.',
    'The output buffer is `omem` of CLIENT LIST, which the limit is held against. `mem_clients_slaves` tells only what is more than the backlog. The memory of the sender grows by the keys that are written as well.',
    'The writes with WAIT are not among those that are looked for after the promotion. A write that was acknowledged after the cut is not either; one that was acknowledged during the milliseconds in which the cut is made counts, and is lost if it is not there.',
  ];
}
