/**
 * A comparison as a comment on a pull request: the verdict, what is worse or better, and the rest folded away.
 */
import { casesThatAre } from './compare.js';
import {
  caseRows,
  circumstancesText,
  failureRows,
  isTelling,
  onlyText,
  sidesText,
  tableOf,
  unknownText,
  verdictLine,
} from './compare-markdown.js';
import { chanceText, neighbourSentence } from './compare-text.js';
import { plural } from './format.js';
import { escapeText } from './markdown-text.js';

/** What GitHub takes as a comment, in characters, with room for what else somebody writes into it. */
const MOST = 65_536 - 2048;

/** @typedef {import('./compare-markdown.js').Compared} Compared */

/**
 * @param {Compared} compared
 * @returns {string} Markdown that fits a comment on GitHub; what is left out for that is counted
 */
export function renderPullRequest(compared) {
  const { comparison } = compared;
  const { failures = [] } = comparison;
  const telling = (/** @type {import('./compare.js').ComparedCase} */ { verdict }) =>
    verdict === 'worse' || verdict === 'better';
  // The weightiest first: what is left out is what comes last.
  const order = ['worse', 'better'].flatMap((verdict) =>
    caseRows(compared, (one) => one.verdict === verdict, { named: true }).slice(1),
  );
  const header = caseRows(compared, () => false, { named: true });
  const restCases = caseRows(compared, (one) => !telling(one), { named: true });
  const restFailures = failureRows(failures.filter((one) => !isTelling(one)));
  const circumstances = circumstancesText(comparison);
  const differ = comparison.differences.length > 0 || neighbourSentence(comparison) !== '';
  const room = { left: MOST };
  // What B no longer measures is not among the verdicts, and may be what matters.
  const only = /** @type {const} */ ([
    ['A', comparison.onlyInA],
    ['B', comparison.onlyInB],
  ]).map(([side, names]) => {
    const text = cut(onlyText(side, names), MOST / 8);
    return fold(`Only in ${side}, not compared: ${plural(names.length, 'case')}`, [text], room);
  });
  const blocks = [
    `### sentinel-bench\n\n${verdictLine(comparison)}`,
    escapeText(chanceText(comparison)),
    differ ? cut(circumstances, MOST / 4) : '',
  ];
  for (const block of [...blocks, ...only]) room.left -= block.length;
  blocks.push(fitted([...header, ...order], 2, room));
  blocks.push(fitted(failureRows(failures.filter(isTelling)), 3, room));
  const unknown = casesThatAre(comparison, 'unknown').length;
  blocks.push(fold('What was compared', [sidesText(compared), differ ? '' : circumstances], room));
  blocks.push(
    fold(
      `No difference${unknown > 0 ? `, or unknown` : ''}: ${plural(restCases.length - 1, 'case')}`,
      [fitted(restCases, 2, room)],
      room,
    ),
  );
  blocks.push(
    fold(
      `Failures without a difference, or unknown: ${plural(restFailures.length - 1, 'writer')}`,
      [fitted(restFailures, 3, room), restFailures.length > 1 ? unknownText(failures) : ''],
      room,
    ),
  );
  return [...blocks, ...only].filter((block) => block !== '').join('\n\n');
}

/**
 * @param {string[][]} rows header first
 * @param {number} left columns that are text
 * @param {{left: number}} room characters; what the table takes is taken from it
 * @returns {string} as many of the rows as fit, from the top; empty when there is none
 */
function fitted(rows, left, room) {
  if (rows.length < 2) return '';
  let shown = rows.length;
  let text = tableOf(rows, left);
  while (text.length > room.left - RESERVE && shown > 1) {
    shown = Math.max(1, Math.floor(shown * Math.min(0.9, (room.left - RESERVE) / text.length)));
    text = shown === 1 ? '' : tableOf(rows.slice(0, shown), left);
  }
  const missing = rows.length - shown;
  const note = missing === 0 ? '' : `${plural(missing, 'more row')} left out: a comment holds no more; see the report.`;
  const block = [text, note].filter((part) => part !== '').join('\n\n');
  room.left -= block.length;
  return block;
}

/** For what stands around tables. */
const RESERVE = 4096;

/**
 * @param {string} summary
 * @param {string[]} parts
 * @param {{left: number}} room
 */
function fold(summary, parts, room) {
  const content = parts.filter((part) => part !== '').join('\n\n');
  if (content === '') return '';
  room.left -= summary.length + 64;
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/**
 * @param {string} text lines
 * @param {number} most characters
 */
function cut(text, most) {
  if (text.length <= most) return text;
  const lines = text.slice(0, most).split('\n').slice(0, -1);
  return `${lines.join('\n')}\n- and ${text.split('\n').length - lines.length} more`;
}
