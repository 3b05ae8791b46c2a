/** `sentinel-bench list`: the benchmarks, and the question that each answers. */
import chalk from 'chalk';
import { allBenchmarks, suites } from '../../bench/index.js';
import { print } from './output.js';

export const commands = { list: { run: list } };

function list() {
  const longest = Math.max(...[...allBenchmarks.keys()].map((name) => name.length));
  for (const { name: suite, benchmarks } of suites) {
    print(chalk.bold(suite));
    for (const { name, question } of benchmarks) print(`  ${name.padEnd(longest)} ${question}`);
  }
}
