/**
 * The program of s/aa-check.sh: compares cases with themselves on a local stack, and prints how many were called different.
 */
import { randomInt } from 'node:crypto';
import chalk from 'chalk';
import { print, tell } from '../src/cli/output.js';
import { ExitStatus, UserError } from '../src/errors.js';
import { count, percent } from '../src/format.js';
import { METRICS } from '../src/report/compare/compare.js';
import { abortable } from '../src/run/interruption.js';
import { createProgress } from '../src/run/progress.js';
import { runSuite } from '../src/run/suite.js';
import { left, makeTable, right, terminalTable } from '../src/table.js';
import { AA_PROFILE, aaBenchmark, judgePairs, MOST_DIFFERENT } from './aa-pairs.js';

/**
 * @import { CaseResult } from '../src/result/schema.js'
 * @import { AaFigure } from './aa-pairs.js'
 * @import { Column } from '../src/table.js'
 */

/** 5% of them are six pairs. They take about four minutes. */
const PAIRS = 120;

/** @returns {Promise<CaseResult[]>} */
async function measurePairs() {
  const { result, stopped } = await abortable(
    (signal) =>
      runSuite({
        suite: 'aa-check',
        benchmarks: [aaBenchmark(PAIRS)],
        profile: AA_PROFILE,
        seed: randomInt(2 ** 32),
        command: 'aa-check',
        stack: { backend: 'local' },
        progress: createProgress(),
        signal,
      }),
    tell,
  );
  if (stopped) throw stopped;
  const [{ status, reason, cases }] = result.benchmarks;
  if (status !== 'ok') throw new UserError(`The pairs could not be measured: ${reason}`, 'Run it again.');
  return cases;
}

/** @param {AaFigure[]} figures */
function render(figures) {
  /** @type {Column<AaFigure>[]} */
  const columns = [
    left('compared by', ({ metric }) => METRICS[metric].what),
    right('threshold', ({ threshold }) => percent(threshold)),
    right('pairs', ({ compared }) => count(compared)),
    right('called different', ({ different }) => count(different)),
    right('share', ({ compared, different }) => percent(compared === 0 ? 0 : different / compared)),
    right(`${percent(MOST_DIFFERENT)} may show up to`, ({ allowed }) => count(allowed)),
    left('', ({ ok }) => (ok ? 'ok' : 'too many'), { tone: ({ ok }) => (ok ? 'good' : 'bad') }),
  ];
  return terminalTable(makeTable(columns, figures));
}

try {
  const figures = judgePairs(await measurePairs());
  print(
    `${PAIRS} cases compared with themselves, ${AA_PROFILE.rounds} rounds of ${AA_PROFILE.seconds} s a side\n${render(figures)}`,
  );
  process.exitCode = figures.every(({ ok }) => ok) ? ExitStatus.ok : ExitStatus.checkFailed;
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  tell(`${chalk.red('error:')} ${error.message}\n${error.remedy}`);
  process.exitCode = error.exitStatus;
}
