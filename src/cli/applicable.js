/**
 * Which options a command would ignore: each of those is an error, because an ignored option misleads. Only options that were typed
 * count. One that comes from an environment variable may have been set for another command.
 */
import { parametersOf, readParameters } from '../run/parameters.js';
import { refusal } from './refusals.js';

/**
 * @import { Benchmark, Suite } from '../run/types.js' @import { Parameters } from '../run/parameters.js'
 * @import { Command } from 'commander'
 * @typedef {readonly Pick<Suite, 'name' | 'benchmarks'>[]} Suites
 * @typedef {{options: readonly string[], isUsed: (options: Record<string, any>) => boolean, where: string, instead: string}} Rule when some
 *   options are used. where: ends the sentence "--rate is only used …"; instead: what to do so that they are used, such as "Add --rate"
 */

/** @param {Command} command that has been parsed @returns {string[]} attribute names of the options that the user typed */
export function typedOptions(command) {
  const names = command.options.map((option) => option.attributeName());
  return names.filter((name) => command.getOptionValueSource(name) === 'cli');
}

/** @param {string} needed an option with its value, such as `--hdr FILE` @param {readonly string[]} options used with it @returns {Rule} */
export function neededBy(needed, options) {
  const [flag] = needed.split(' ');
  const name = flag.slice(2).replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  return { options, isUsed: (all) => all[name] !== undefined, where: `with ${flag}`, instead: `Add ${needed}` };
}

/** @param {readonly string[]} typed @param {Record<string, any>} options @param {readonly Rule[]} rules @throws {UserError} one is not used */
export function checkUsed(typed, options, rules) {
  for (const { options: names, isUsed, where, instead } of rules) {
    const unused = names.find((name) => typed.includes(name));
    if (unused !== undefined && !isUsed(options))
      throw refusal('option-unused', { flag: flagOf(unused), where, instead });
  }
}

/**
 * @param {Record<string, any>} options of a run @param {readonly string[]} typed attribute names
 * @param {{benchmarks: readonly Benchmark[], suites: Suites}} lists benchmarks: of the run
 * @returns {Parameters} what the benchmarks of the run take, defaults included
 * @throws {UserError} a parameter was typed that none of the benchmarks takes
 */
export function parametersFor(options, typed, { benchmarks, suites }) {
  const names = new Set(suites.flatMap((suite) => suite.benchmarks.flatMap(parametersOf)));
  const suiteOptions = Object.entries(options).filter(([name]) => names.has(name));
  const { parameters, unused } = readParameters(benchmarks, Object.fromEntries(suiteOptions));
  const first = unused.find((name) => typed.includes(name));
  if (first === undefined) return parameters;
  const users = usersOf(first, suites);
  const instead = users.length === 1 ? `Run ${users[0]}` : 'Run one of them';
  throw refusal('option-unused', { flag: flagOf(first), where: `by ${LIST.format(users)}`, instead });
}

/** What takes it: a suite if most of its benchmarks do, else its benchmarks. @param {string} parameter @param {Suites} suites */
function usersOf(parameter, suites) {
  return suites.flatMap(({ name, benchmarks }) => {
    const users = benchmarks.filter((benchmark) => parametersOf(benchmark).includes(parameter));
    if (users.length > 1 && users.length > benchmarks.length / 2) return [`--suite ${name}`];
    return users.map((benchmark) => benchmark.name);
  });
}

const LIST = new Intl.ListFormat('en-GB');

/** @param {string} attribute such as `downAfter` */
function flagOf(attribute) {
  return `--${attribute.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
