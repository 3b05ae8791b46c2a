/**
 * `sentinel-bench audit`: auditing a run again from its files; what it prints, and its exit status.
 */
import chalk from 'chalk';
import Table from 'cli-table3';
import { recheck } from '../audit/recheck.js';
import { ExitStatus, UserError } from '../errors.js';
import { count, plural } from '../report/format.js';
import { print, printJson } from './output.js';

/**
 * @import { Rechecked } from '../audit/recheck.js'
 * @import { Command } from 'commander'
 */

/** More differences than these of one writer are only counted. */
const MOST_DIFFERENCES = 5;
const SCHEMA_ID = 'sentinel-bench/audit@1';

/** @param {Command} program gets the command */
export function addAuditCommand(program) {
  program
    .command('audit')
    .summary('audit a run’s writes again from its ledgers')
    .description(
      'Audits every write of a run of failure benchmarks again, from the files in its folder `audit`: what each writer was told (its ledger) against what each node held. Compares the counts with those in result.json.',
    )
    .argument('<folder>', 'a run’s folder')
    .option('--json', 'print the audit document to standard output, and nothing else')
    .addHelpText(
      'after',
      `
Exit status: 0 the counts agree and every safety claim holds; 1 they differ, or a write that was refused or never sent is there,
a value is wrong, or there are keys that nobody wrote; 2 the folder has no audit, or it is damaged.

Examples:
  sentinel-bench audit results/latest            a table: what each writer was told, and what is gone
  sentinel-bench audit results/latest --json     every count, for scripts`,
    )
    .action(audit);
}

/**
 * @param {string} folder
 * @param {{json?: boolean}} options
 */
async function audit(folder, { json = false }) {
  const { compared, writers } = await recheck(folder);
  const agrees = writers.every(({ differences }) => differences.length === 0);
  const holds = writers.every(({ broken }) => broken.length === 0);
  if (json) printJson({ schema: SCHEMA_ID, compared, agrees, holds, writers });
  else print([tableOf(writers, compared), ...notes(writers), summary(writers, { compared, agrees, holds })].join('\n'));
  if (!agrees || !holds) {
    process.exitCode = ExitStatus.checkFailed;
  } else if (!compared) {
    throw new UserError(
      `${folder} has no result.json to compare the audit with.`,
      'The run that wrote it did not finish; what is shown is what its ledgers tell.',
      ExitStatus.badInput,
    );
  }
}

/**
 * @param {Rechecked[]} writers
 * @param {boolean} compared
 */
function tableOf(writers, compared) {
  const table = new Table({
    head: ['case', 'writer', 'acked', 'lost', 'underAcked', 'rejected', 'unknown', 'unsent', 'result.json'],
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
    // No lines between the rows: there may be many.
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  let benchmark = '';
  for (const one of writers) {
    if (one.benchmark !== benchmark) {
      benchmark = one.benchmark;
      table.push([chalk.bold(benchmark), ...Array(8).fill('')]);
    }
    const { audit: counts } = one;
    const fields = /** @type {const} */ (['acked', 'ackedLost', 'underAcked', 'rejected', 'unknown', 'unsent']);
    const cells = fields.map((field) => (counts ? count(counts[field]) : '–'));
    table.push([`  ${one.case} ${one.round}`, one.writer, ...cells, agreement(one, compared)]);
  }
  return table.toString();
}

/**
 * @param {Rechecked} one
 * @param {boolean} compared
 */
function agreement({ audit: counts, differences }, compared) {
  if (differences.length > 0) return chalk.red.bold('differs');
  if (!counts) return chalk.yellow('not read');
  return compared ? chalk.green('agrees') : chalk.yellow('missing');
}

/**
 * @param {Rechecked[]} writers
 * @returns {string[]} what is wrong, a line each
 */
function notes(writers) {
  return writers.flatMap((one) => {
    const who = `${one.benchmark}/${one.case}, round ${one.round}, ${one.writer}`;
    const shown = one.differences.slice(0, MOST_DIFFERENCES).map((difference) => differenceText(difference));
    const more = one.differences.length - shown.length;
    return [
      ...one.broken.map((text) => chalk.red(`${who}: ${text}`)),
      ...shown.map((text) => chalk.red(`${who}: ${text}`)),
      ...(more > 0 ? [chalk.red(`${who}: and ${plural(more, 'more difference')}`)] : []),
    ];
  });
}

/** @param {Rechecked['differences'][number]} difference */
function differenceText({ field, recorded, audited }) {
  if (field !== '') return `${field} is ${JSON.stringify(audited)}, result.json says ${JSON.stringify(recorded)}`;
  return recorded ? 'in result.json, but its files are missing' : 'not in result.json';
}

/**
 * @param {Rechecked[]} writers
 * @param {{compared: boolean, agrees: boolean, holds: boolean}} verdict
 */
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
