/** The options of `run` that suites define for their benchmarks. */
import { Option } from 'commander';
import { suites } from '../../bench/index.js';
import { withReading } from './declare.js';

/** @import { OptionGroup, RunOption } from '../run/types.js' @import { Command } from 'commander' */

/** The options of all suites. `name`: of the parameter; `flag`: the long flag. */
export const ownOptions = suites.flatMap(({ options }) =>
  (options?.options ?? []).map((option) => {
    const made = madeOption(option);
    return { ...option, name: made.attributeName(), flag: String(made.long) };
  }),
);

/** @param {Command} command @param {OptionGroup} group */
export function addOptionGroup(command, { title, options }) {
  command.optionsGroup(`${title}:`);
  for (const option of options) command.addOption(madeOption(option));
}

/** @param {RunOption} option @returns {Option} */
function madeOption({ flags, description, byDefault, ...reading }) {
  const { value, text } = byDefault ?? {};
  return withReading(new Option(flags, description), { ...reading, byDefault: value, shown: text });
}
