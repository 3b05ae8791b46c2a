/**
 * Commands, declared as people read them: help/NAME.yaml has what --help prints, in its order, and which values an option takes. What only
 * code can say of that is in the module of the command, by the name of the option.
 */

import { Option } from 'commander';
import * as quantities from '../quantities.js';
import { filled } from '../sentences.js';
import { readYaml } from '../yaml.js';
import { SHARED_READINGS } from './options.js';

/**
 * @import { Command } from 'commander' @import { Values } from '../sentences.js'
 * @typedef {Readonly<Record<string, string | OptionReading & {text: string}>>} OptionTexts by flags
 * @typedef {Object} Help a file of help/
 * @property {string} description @property {string} [summary] for the list of commands; default: the description
 * @property {Readonly<Record<string, string>>} [arguments]
 * @property {Readonly<Record<string, OptionTexts | readonly (OptionTexts | string)[]>>} [options] or headings, with the options and the
 *   names of groups in shared.yaml under each
 * @property {string} [after] exit statuses and examples
 * @typedef {Object} OptionReading how the value of an option or an argument is read
 * @property {(text: string, earlier?: any) => unknown} [parse]
 * @property {string} [size] the range of a size, such as `1b and 512m`; likewise:
 * @property {string} [count] @property {string} [time] @property {string} [rate] @property {string} [speed]
 * @property {true} [share] 0 … 1, or 0% … 100% @property {true} [repeatable] a list of texts
 * @property {true} [isPrivate] its value names people, machines or places: a result does not record it
 * @property {readonly string[]} [choices] @property {boolean} [isMandatory] @property {string} [conflicts] the name of another option
 * @property {unknown} [byDefault] @property {string} [shown] the default as the help shows it
 * @property {string} [env] the variable that has it where it is not typed
 * @typedef {Readonly<Record<string, OptionReading>>} Readings by the name of the option or argument; default: a text, or a switch
 * @typedef {Object} OwnCommand
 * @property {(...given: any[]) => void | Promise<void>} [run] gets the arguments, the options and the command; none: a group of commands
 * @property {Readings} [readings] @property {Values} [values] for `${name}` in the help
 * @property {(command: Command) => void} [extend] adds options that its help does not have
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
  const addAll = (/** @type {OptionTexts} */ all) => {
    for (const [flags, given] of Object.entries(all)) {
      const { text, ...read } = typeof given === 'string' ? { text: given } : given;
      const option = new Option(flags, filled(text, values));
      command.addOption(withReading(option, { ...readings[option.attributeName()], ...read }));
    }
  };
  for (const [name, content] of Object.entries(options)) {
    if (name.startsWith('-')) {
      addAll({ [name]: /** @type {any} */ (content) });
      continue;
    }
    command.optionsGroup(`${name}:`);
    for (const part of [content].flat()) addAll(typeof part === 'string' ? readHelp('shared')[part] : part);
  }
  const names = [
    ...command.options.map((each) => each.attributeName()),
    ...command.registeredArguments.map((each) => each.name()),
  ];
  const stray = Object.keys(own).find((name) => !names.includes(name));
  if (stray !== undefined) throw new RangeError(`${words} has no option ${stray}`);
  return after === undefined ? command : command.addHelpText('after', `\n${filled(after, values).trimEnd()}`);
}

/** @type {OptionReading['parse']} */
const collectTexts = (text, earlier = []) => [...earlier, text];

/** @param {OptionReading} reading */
function parserOf({ parse, size, count, time, rate, speed, share, repeatable }) {
  if (size) return quantities.bytesBetween(size);
  if (count) return quantities.countBetween(count);
  if (time) return quantities.durationBetween(time);
  if (rate) return quantities.rateBetween(rate);
  if (speed) return quantities.linkSpeedBetween(speed);
  if (share) return quantities.parseShare;
  return repeatable ? collectTexts : parse;
}

/** @type {WeakSet<Option>} */
const privateOptions = new WeakSet();

/** @param {Option} option @param {OptionReading} reading */
export function withReading(option, reading) {
  if (reading.isPrivate) privateOptions.add(option);
  const parse = parserOf(reading);
  if (parse) option.argParser(parse);
  if (reading.choices) option.choices(reading.choices);
  if (reading.conflicts) option.conflicts(reading.conflicts);
  if (reading.env) option.env(reading.env);
  return option.default(reading.byDefault, reading.shown).makeOptionMandatory(reading.isMandatory ?? false);
}

/** As a result records it, without private values. @param {Command} command @param {string[]} [words] default: of this process */
export function publicCommand(command, words = process.argv.slice(2)) {
  const hidden = new Set(command.options.filter((option) => privateOptions.has(option)).map(({ long }) => long));
  const shown = words.map((word, index) => {
    const [option] = word.split('=', 1);
    if (word.includes('=') && hidden.has(option)) return `${option}=…`;
    return hidden.has(words[index - 1]) ? '…' : word;
  });
  return ['sentinel-bench', ...shown].join(' ');
}
