/** The command line: assembles the program, and turns errors into exit statuses. */
import { chalkStderr } from 'chalk';
import { Command, CommanderError, Option } from 'commander';
import { badInput, ExitStatus, messageOf, ownFault, UserError } from '../errors.js';
import { MOST_BYTES } from '../files.js';
import { toolVersion } from '../measure/environment.js';
import { bytesBetween } from '../quantities.js';
import { setMostDocumentBytes } from '../result/limits.js';
import { print, tell } from './output.js';

/** The heading of the commands that read results. */
const RESULTS = 'Results:';
const documentSize = bytesBetween({ least: 2 ** 20, most: MOST_BYTES, shown: '1m and 511m' });

/** @type {Record<string, Record<string, () => Promise<(program: Command) => void>>>} by the heading in the help */
const COMMANDS = {
  'Measure:': {
    run: async () => (await import('./run.js')).addRunCommand,
    check: async () => (await import('./check.js')).addCheckCommand,
    load: async () => (await import('./load.js')).addLoadCommand,
    link: async () => (await import('./link.js')).addLinkCommand,
    search: async () => (await import('./search.js')).addSearchCommand,
    list: async () => (await import('./list.js')).addListCommand,
    drivers: async () => (await import('./drivers.js')).addDriversCommand,
    driver: async () => (await import('./driver.js')).addDriverCommand,
  },
  [RESULTS]: {
    report: async () => (await import('./report.js')).addReportCommand,
    site: async () => (await import('./site.js')).addSiteCommand,
    recommend: async () => (await import('./recommend.js')).addRecommendCommand,
    claims: async () => (await import('./claims.js')).addClaimsCommand,
    compare: async () => (await import('./compare.js')).addCompareCommand,
    history: async () => (await import('./history.js')).addHistoryCommand,
    facts: async () => (await import('./facts.js')).addFactsCommand,
    export: async () => (await import('./export.js')).addExportCommand,
    audit: async () => (await import('./audit.js')).addAuditCommand,
  },
  'Stack:': {
    up: async () => (await import('./stack.js')).addStackCommands,
    down: async () => (await import('./stack.js')).addStackCommands,
    status: async () => (await import('./stack.js')).addStackCommands,
    configure: async () => (await import('./configure.js')).addConfigureCommand,
    doctor: async () => (await import('./doctor.js')).addDoctorCommand,
    recover: async () => (await import('./recover.js')).addRecoverCommand,
  },
  'Several machines:': {
    agent: async () => (await import('./agents.js')).addAgentCommands,
    agents: async () => (await import('./agents.js')).addAgentCommands,
    collect: async () => (await import('./collect.js')).addCollectCommand,
  },
};

/** Where help and commander's own messages go. @typedef {{writeOut: (text: string) => void, writeErr: (text: string) => void}} Output */

/** @type {Output} */
const TERMINAL = {
  writeOut: (text) => print(text.replace(/\n$/, '')),
  writeErr: (text) => tell(text.replace(/\n$/, '')),
};

/** The command line of this process. */
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
 * @param {string} commandName
 * @param {Output} [output]
 * @returns {Promise<Command>} its `parseAsync` rejects with what {@link explain} takes
 */
export async function makeProgram(commandName, output = TERMINAL) {
  const program = new Command('sentinel-bench')
    .description('What Redis durability settings cost, and what they save: evidence from your own machine.')
    .version(toolVersion)
    .configureHelp({ optionDescription })
    .showHelpAfterError('Add --help to see the options.')
    .configureOutput(output)
    .exitOverride();
  const isCommand = Object.values(COMMANDS).some((commands) => commandName in commands);
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    const wanted = isCommand ? Object.keys(commands).filter((name) => name === commandName) : Object.keys(commands);
    for (const add of new Set(await Promise.all(wanted.map((name) => commands[name]())))) add(program);
  }
  for (const command of program.commands.filter((each) => each.name() in COMMANDS[RESULTS])) {
    command.addOption(
      new Option('--max-size <size>', 'read results up to this size, unpacked, such as 256m').argParser(documentSize),
    );
  }
  return program.hook('preAction', (_, command) => {
    const { out, maxSize } = command.opts();
    if (out === '') throw badInput('The path given with --out is empty.', 'Name a folder or a file with --out.');
    if (command.args.includes('')) throw badInput('An argument is empty.', 'Fill it in, or leave it out.');
    if (maxSize !== undefined) setMostDocumentBytes(maxSize);
  });
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
 * @param {unknown} error
 * @param {string} commandName
 * @returns {{status: number, text: string}} exit status, and what to say on standard error; commander has said its own errors already
 */
export function explain(error, commandName) {
  if (error instanceof CommanderError) {
    // Its errors are bad arguments; its help and version are not errors.
    return { status: error.exitCode === 0 ? ExitStatus.ok : ExitStatus.badInput, text: '' };
  }
  if (error instanceof UserError) {
    const detail = error.detail ? `\n\n${error.detail}` : '';
    return {
      status: error.exitStatus,
      text: `${chalkStderr.red('error:')} ${error.message}\n${error.remedy}${detail}`,
    };
  }
  const fault = ownFault(error);
  if (fault) return explain(new UserError(`It cannot go on: ${fault.what}.`, fault.remedy), commandName);
  if (commandName in COMMANDS[RESULTS]) {
    // Figures of an edited file may contradict each other in ways that no range excludes.
    const contradiction = badInput(
      `The figures of this result contradict each other, so they cannot be shown (${messageOf(error)}).`,
      'Restore the file from where it was written; if nobody has changed it, report this as a defect of sentinel-bench.',
      { cause: error, detail: placeOf(error) },
    );
    return explain(contradiction, commandName);
  }
  return {
    status: ExitStatus.checkFailed,
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/**
 * @param {unknown} error
 * @returns {string | undefined} where this program threw it, for a report of the defect: `src/report/columns.js:120:9`
 */
function placeOf(error) {
  return error instanceof Error ? error.stack?.match(/(?:src|bench)\/[\w./-]+\.js:\d+:\d+/)?.[0] : undefined;
}
