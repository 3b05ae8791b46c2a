/**
 * Commands, declared as people read them: help/NAME.yaml has what --help prints, in its order. What a text cannot say, such as how a value
 * is read, is in the module of the command, by the name of the option.
 */

import { Option } from 'commander';
import { filled } from '../sentences.js';
import { readYaml } from '../yaml.js';
import { SHARED_READINGS } from './options.js';

/**
 * @import { Command } from 'commander'
 * @import { Values } from '../sentences.js'
 *
 * @typedef {Readonly<Record<string, string>>} OptionTexts by flags
 *
 * @typedef {Object} Help a file of help/
 * @property {string} description
 * @property {string} [summary] for the list of commands; default: the description
 * @property {OptionTexts} [arguments]
 * @property {Readonly<Record<string, string | OptionTexts | readonly (OptionTexts | string)[]>>} [options] under a heading: options, and
 *   names of groups in shared.yaml
 * @property {string} [after] exit statuses and examples
 *
 * @typedef {Object} OptionReading how the value of an option or an argument is read
 * @property {(text: string, earlier?: any) => unknown} [parse]
 * @property {readonly string[]} [choices]
 * @property {unknown} [byDefault]
 * @property {string} [shown] the default as the help shows it
 * @property {boolean} [isMandatory]
 * @property {string} [conflicts] the name of another option
 * @property {string} [env] the variable that has it where it is not typed
 *
 * @typedef {Readonly<Record<string, OptionReading>>} Readings by the name of the option or argument; default: a text, or a switch
 *
 * @typedef {Object} OwnCommand
 * @property {(...given: any[]) => void | Promise<void>} [run] gets the arguments, the options and the command; none: a group of commands
 * @property {Readings} [readings]
 * @property {Values} [values] for `${name}` in the help
 * @property {(command: Command) => void} [extend] adds options that its help does not have
 *
 * @typedef {Readonly<Record<string, OwnCommand>>} Commands by their words, such as `link observe`. A module of a command exports them
 */

/** @param {string} name @returns {any} */
const readHelp = (name) => readYaml(new URL(`help/${name}.yaml`, import.meta.url));

/** @param {Command} program gets the commands @param {Commands} commands */
export function addCommands(program, commands) {
  for (const [words, { run, readings, values, extend }] of Object.entries(commands)) {
    const [first, second] = words.split(' ');
    const parent = second && program.commands.find((each) => each.name() === first);
    const command = declare(parent || program, words, readings, values);
    extend?.(command);
    if (run) command.action(run);
  }
}

/** @param {Command} parent @param {string} words @param {Readings} [own] @param {Values} [values] */
function declare(parent, words, own = {}, values = {}) {
  /** @type {Help} */
  const { summary = '', description, arguments: args = {}, options = {}, after } = readHelp(words.replace(' ', '-'));
  const readings = { ...SHARED_READINGS, ...own };
  const command = parent
    .command(words.split(' ').at(-1) ?? '')
    .summary(summary)
    .description(description);
  for (const [flags, text] of Object.entries(args)) {
    const argument = command.createArgument(flags, text);
    const read = readings[argument.name()]?.parse;
    command.addArgument(read ? argument.argParser(read) : argument);
  }
  const add = (/** @type {string} */ flags, /** @type {string} */ text) =>
    command.addOption(withReading(new Option(flags, filled(text, values)), readings));
  for (const [name, content] of Object.entries(options)) {
    if (typeof content === 'string') {
      add(name, content);
      continue;
    }
    command.optionsGroup(`${name}:`);
    for (const part of [content].flat()) {
      const group = typeof part === 'string' ? readHelp('shared')[part] : part;
      for (const [flags, text] of Object.entries(group)) add(flags, String(text));
    }
  }
  const names = [
    ...command.options.map((each) => each.attributeName()),
    ...command.registeredArguments.map((each) => each.name()),
  ];
  const stray = Object.keys(own).find((name) => !names.includes(name));
  if (stray !== undefined) throw new RangeError(`${words} has no option ${stray}`);
  return after === undefined ? command : command.addHelpText('after', `\n${filled(after, values).trimEnd()}`);
}

/** @param {Option} option @param {Readings} readings */
export function withReading(option, readings) {
  const reading = readings[option.attributeName()] ?? {};
  if (reading.parse) option.argParser(reading.parse);
  if (reading.choices) option.choices(reading.choices);
  if (reading.conflicts) option.conflicts(reading.conflicts);
  if (reading.env) option.env(reading.env);
  return option.default(reading.byDefault, reading.shown).makeOptionMandatory(reading.isMandatory ?? false);
}
