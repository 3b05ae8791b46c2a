/** `sentinel-bench driver check`: does a driver keep the protocol, and what does its library do? */
import chalk from 'chalk';
import { rulesOfDriven } from '../../bench/index.js';
import { checkDriver } from '../drivers/check/index.js';
import { checkWorkload } from '../drivers/check/workload.js';
import { checkRunnable, DRIVEN_WORKLOADS, driversAt } from '../drivers/manifest.js';
import { ExitStatus } from '../errors.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { cleanLine } from '../untrusted.js';
import { print, printJson, withProgress } from './output.js';

/**
 * @import { Checked, CheckResult } from '../drivers/check/index.js' @import { CheckedWorkload } from '../drivers/check/workload.js'
 * @import { WorkloadEntry } from '../drivers/manifest.js'
 */

export const commands = {
  driver: {},
  'driver check': { run: check, readings: { workload: { choices: DRIVEN_WORKLOADS } } },
};

const NAME_WIDTH = 52;

/** @param {string} path @param {{variant: string, workload?: WorkloadEntry['workload'], json?: boolean}} options */
async function check(path, { variant, workload, json }) {
  const found = driversAt(path);
  const drivers = [...found.drivers.map((driver) => ({ workload, ...driver })), ...found.workloads];
  for (const driver of drivers) checkRunnable(driver, variant);
  const all = await withProgress(async (progress, signal) => {
    progress.now('starting servers');
    const stack = await startLocal({ signal });
    try {
      const done = [];
      for (const driver of drivers) {
        const tell = (/** @type {string} */ scenario) => progress.now(`${driver.name}: ${scenario}`);
        const options = { stack, variant, tell, signal };
        const checked = driver.workload
          ? await checkWorkload(driver.command, rulesOfDriven(driver.workload), options)
          : await checkDriver(driver.command, options);
        done.push({ name: driver.name, ...checked });
      }
      return done;
    } finally {
      await stack.close();
    }
  });
  if (json) printJson({ schema: 'sentinel-bench/driver-check@1', variant, drivers: all });
  else for (const each of all) printChecked(each, variant);
  if (all.some(({ passed }) => !passed)) process.exitCode = ExitStatus.checkFailed;
}

/** @param {(Checked | CheckedWorkload) & {name: string}} checked @param {string} variant */
function printChecked({ name, ready, checks, passed }, variant) {
  const library = ready ? `: ${ready.library} ${ready.version}, ${ready.language}` : '';
  print(chalk.bold(`${name} (${variant})${library}`));
  for (const one of checks) print(`  ${line(one)}`);
  const failures = checks.filter(({ verdict }) => verdict === 'failed').length;
  print(passed ? chalk.green('All checks passed.') : chalk.red(`${failures} checks failed.`));
}

/** @param {CheckResult} result */
function line({ name, verdict, text }) {
  const marks = { passed: chalk.green('passed '), failed: chalk.red('failed '), finding: chalk.yellow('finding') };
  return `${marks[verdict]}  ${name.padEnd(NAME_WIDTH)}  ${cleanLine(text)}`.trimEnd();
}
