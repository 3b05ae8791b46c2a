/** `sentinel-bench audit`: counts the writes of a run again from its files, and compares the counts with result.json. */
import chalk from 'chalk';
import { ResultSchema, suites } from '../../bench/index.js';
import { recheck, recheckHistories } from '../audit/recheck.js';
import { ExitStatus } from '../errors.js';
import { count, plural } from '../format.js';
import { left, makeTable, right, terminalTable } from '../table.js';
import { print, printJson } from './output.js';
import { refusal } from './refusals.js';

/** @import { Rechecked } from '../audit/recheck.js' @import { Column } from '../table.js' */

export const commands = { audit: { run: audit } };

const MOST_DIFFERENCES = 5;
const SCHEMA_ID = 'sentinel-bench/audit@1';
const COUNTS = /** @type {const} */ (['acked', 'ackedLost', 'underAcked', 'rejected', 'unknown', 'unsent']);

/** @param {string} folder @param {{json?: boolean}} options */
async function audit(folder, { json = false }) {
  const { compared, writers } = await recheck(folder, ResultSchema);
  const histories = compared ? await recheckHistories(folder, ResultSchema, suites) : { counted: 0, differ: [] };
  const agrees = writers.every(({ differences }) => differences.length === 0) && histories.differ.length === 0;
  const holds = writers.every(({ broken }) => broken.length === 0);
  if (json)
    printJson({ schema: SCHEMA_ID, compared, agrees, holds, writers, ...(histories.counted > 0 && { histories }) });
  else
    print(
      [
        tableOf(writers, compared),
        ...notes(writers),
        ...histories.differ.map((text) => chalk.red(text)),
        ...(histories.counted > 0 ? [`histories counted again: ${count(histories.counted)}`] : []),
        summary(writers, { compared, agrees, holds }),
      ].join('\n'),
    );
  if (!agrees || !holds) process.exitCode = ExitStatus.checkFailed;
  else if (!compared) throw refusal('nothing-to-compare', { folder });
}

/** @param {Rechecked[]} writers @param {boolean} compared */
function tableOf(writers, compared) {
  const counted =
    (/** @type {typeof COUNTS[number]} */ field) =>
    (/** @type {Rechecked} */ { audit: counts, answers }) => {
      // What was lost shows only on the nodes.
      const number = counts ? counts[field] : field === 'ackedLost' ? undefined : answers?.[field];
      return number === undefined ? '–' : count(number);
    };
  /** @type {Column<Rechecked>[]} */
  const columns = [
    left('benchmark', ({ benchmark }) => benchmark, { group: true }),
    left('case', (one) => `${one.case} ${one.round}`),
    left('writer', ({ writer }) => writer),
    ...COUNTS.map((field) => right(field === 'ackedLost' ? 'lost' : field, counted(field))),
    left('result.json', (one) => agreementOf(one, compared).text, { tone: (one) => agreementOf(one, compared).tone }),
  ];
  return terminalTable(makeTable(columns, writers));
}

/** @param {Rechecked} one @param {boolean} compared @returns {{text: string, tone: 'good' | 'bad' | 'note'}} */
function agreementOf({ audit: counts, differences }, compared) {
  if (differences.length > 0) return { text: 'differs', tone: 'bad' };
  if (!counts) return { text: 'not read', tone: 'note' };
  return compared ? { text: 'agrees', tone: 'good' } : { text: 'missing', tone: 'note' };
}

/** @param {Rechecked[]} writers @returns {string[]} a line for each thing that is wrong */
function notes(writers) {
  return writers.flatMap(({ benchmark, case: id, round, writer, broken, differences }) => {
    const more = differences.length - MOST_DIFFERENCES;
    return [
      ...broken,
      ...differences.slice(0, MOST_DIFFERENCES).map(differenceText),
      ...(more > 0 ? [`and ${plural(more, 'more difference')}`] : []),
    ].map((text) => chalk.red(`${benchmark}/${id}, round ${round}, ${writer}: ${text}`));
  });
}

/** @param {Rechecked['differences'][number]} difference */
function differenceText({ field, recorded, audited }) {
  if (field !== '') return `${field} is ${JSON.stringify(audited)}, result.json says ${JSON.stringify(recorded)}`;
  return recorded ? 'in result.json, but its files are missing' : 'not in result.json';
}

/** @param {Rechecked[]} writers @param {{compared: boolean, agrees: boolean, holds: boolean}} verdict */
function summary(writers, { compared, agrees, holds }) {
  const writes = writers.reduce((sum, { audit: counts }) => sum + (counts?.due ?? 0), 0);
  const unread = writers.filter(({ audit: counts }) => !counts).length;
  return [
    `${plural(writes, 'write')} of ${plural(writers.length - unread, 'ledger')} audited again`,
    ...(unread > 0 ? [`${unread} without what the nodes held`] : []),
    ...(compared ? [agrees ? 'all counts agree with result.json' : 'not all counts agree with result.json'] : []),
    `${holds ? 'every' : 'not every'} safety claim holds.`,
  ].join('; ');
}
