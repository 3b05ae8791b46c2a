/** The command line: assembles the program, and turns errors into exit statuses. */
import { Command, CommanderError, Option } from 'commander';
import { ExitStatus, messageOf, ownFault, UserError } from '../errors.js';
import { toolVersion } from '../measure/environment.js';
import { bytesBetween } from '../quantities.js';
import { setMostDocumentBytes } from '../result/limits.js';
import { addCommands } from './declare.js';
import { errorText, print, tell } from './output.js';
import { refusal } from './refusals.js';

/** @import { Commands } from './declare.js' */

const RESULTS = 'Results:';
const documentSize = bytesBetween('1m and 511m');

/** By the heading in the help. @type {Readonly<Record<string, readonly string[]>>} */
const COMMANDS = {
  'Measure:': ['run', 'check', 'load', 'link', 'search', 'list', 'drivers', 'driver'],
  [RESULTS]: ['report', 'site', 'recommend', 'claims', 'compare', 'history', 'facts', 'export', 'audit'],
  'Stack:': ['up', 'status', 'down', 'configure', 'doctor', 'recover'],
  'Several machines:': ['agent', 'agents', 'collect'],
};
/** The module of a command that does not have its name. @type {Readonly<Record<string, string>>} */
const MODULES = { up: 'stack', status: 'stack', down: 'stack', agent: 'agents', collect: 'agents' };

/** Where help and commander's own messages go. @typedef {{writeOut: (text: string) => void, writeErr: (text: string) => void}} Output */

/** @type {Output} */
const TERMINAL = {
  writeOut: (text) => print(text.replace(/\n$/, '')),
  writeErr: (text) => tell(text.replace(/\n$/, '')),
};

export async function main() {
  const [, , commandName] = process.argv;
  const end = (/** @type {unknown} */ error) => {
    const { status, text } = explain(error, commandName);
    if (text !== '') tell(text);
    process.exitCode = status;
  };
  // Node itself would print the fields of an error, which may hold the arguments of a login.
  process.on('uncaughtException', (error) => {
    // A run handles its own.
    if (process.listenerCount('uncaughtException') > 1) return;
    end(error);
    process.exit();
  });
  const program = await makeProgram(commandName);
  await program.parseAsync().catch(end);
}

/**
 * Loading all commands takes half a second, so only the one that was asked for is loaded; help and mistakes need all.
 * @param {string} commandName @param {Output} [output] @returns {Promise<Command>} its `parseAsync` rejects with what {@link explain} takes
 */
export async function makeProgram(commandName, output = TERMINAL) {
  const program = new Command('sentinel-bench')
    .description('What Redis durability settings cost, and what they save: evidence from your own machine.')
    .version(toolVersion)
    .configureHelp({ optionDescription })
    .showHelpAfterError('Add --help to see the options.')
    .configureOutput(output)
    .exitOverride();
  const isCommand = Object.values(COMMANDS).flat().includes(commandName);
  for (const [group, names] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const name of names.filter((each) => !isCommand || each === commandName)) await addNamed(program, name);
  }
  for (const command of program.commands.filter((each) => COMMANDS[RESULTS].includes(each.name()))) {
    command.addOption(
      new Option('--max-size <size>', 'read results up to this size, unpacked, such as 256m').argParser(documentSize),
    );
  }
  return program.hook('preAction', (_, command) => {
    const { out, maxSize } = command.opts();
    if (out === '') throw refusal('out-empty');
    if (command.args.includes('')) throw refusal('argument-empty');
    if (maxSize !== undefined) setMostDocumentBytes(maxSize);
  });
}

/** @param {Command} program @param {string} name of a command, which it gets, with those below it */
async function addNamed(program, name) {
  /** @type {{commands: Commands}} */
  const { commands } = await import(`./${MODULES[name] ?? name}.js`);
  addCommands(program, Object.fromEntries(Object.entries(commands).filter(([words]) => words.split(' ')[0] === name)));
}

/** Commander itself shows choices and defaults as JSON. @param {Option} option */
function optionDescription({ description, argChoices, defaultValue, defaultValueDescription = defaultValue }) {
  const notes = [
    ...(argChoices ? [`one of ${argChoices.join(', ')}`] : []),
    ...(defaultValue === undefined ? [] : [`default: ${defaultValueDescription}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/**
 * @param {unknown} error @param {string} commandName
 * @returns {{status: number, text: string}} exit status, and what to say on standard error; commander has said its own errors already
 */
export function explain(error, commandName) {
  if (error instanceof CommanderError) {
    // Its errors are bad arguments; its help and version are not errors.
    return { status: error.exitCode === 0 ? ExitStatus.ok : ExitStatus.badInput, text: '' };
  }
  if (error instanceof UserError) return { status: error.exitStatus, text: errorText(error) };
  const fault = ownFault(error);
  if (fault) return explain(refusal('own-fault', fault), commandName);
  if (COMMANDS[RESULTS].includes(commandName)) {
    // Figures of an edited file may contradict each other in ways that no range excludes.
    const more = { cause: error, detail: placeOf(error) };
    return explain(refusal('contradiction', { why: messageOf(error) }, more), commandName);
  }
  return {
    status: ExitStatus.checkFailed,
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** @param {unknown} error @returns where this program threw it, for a report of the defect: `src/report/columns.js:120:9` */
function placeOf(error) {
  return error instanceof Error ? error.stack?.match(/(?:src|bench)\/[\w./-]+\.js:\d+:\d+/)?.[0] : undefined;
}
