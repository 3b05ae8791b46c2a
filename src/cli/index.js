#!/usr/bin/env node
/**
 * The command line: assembles the program, and turns errors into exit statuses.
 *
 * @import { Option } from 'commander'
 */
import { chalkStderr } from 'chalk';
import { Command, CommanderError } from 'commander';
import { ExitStatus, ownFault, UserError } from '../errors.js';
import { toolVersion } from '../measure/environment.js';
import { addAuditCommand } from './audit.js';
import { addCompareCommand } from './compare.js';
import { addDoctorCommand } from './doctor.js';
import { addExportCommand } from './export.js';
import { addHistoryCommand } from './history.js';
import { addLinkCommand } from './link.js';
import { addListCommand } from './list.js';
import { addLoadCommand } from './load.js';
import { print, tell } from './output.js';
import { addRecommendCommand } from './recommend.js';
import { addRecoverCommand } from './recover.js';
import { addReportCommand } from './report.js';
import { addRunCommand } from './run.js';
import { addStackCommands } from './stack.js';

const program = new Command('sentinel-bench')
  .description('What Redis durability settings cost, and what they save: evidence from your own machine.')
  .version(toolVersion)
  .configureHelp({ optionDescription })
  .showHelpAfterError('Add --help to see what is possible.')
  .configureOutput({
    writeOut: (text) => print(text.replace(/\n$/, '')),
    writeErr: (text) => tell(text.replace(/\n$/, '')),
  })
  .exitOverride();

program.commandsGroup('Measure:');
addRunCommand(program);
addLoadCommand(program);
addLinkCommand(program);
addListCommand(program);
program.commandsGroup('Results:');
addReportCommand(program);
addRecommendCommand(program);
addCompareCommand(program);
addHistoryCommand(program);
addExportCommand(program);
addAuditCommand(program);
program.commandsGroup('Stack:');
addStackCommands(program);
addDoctorCommand(program);
addRecoverCommand(program);

// Node itself would print the fields of an error, which may hold the arguments of a login.
process.on('uncaughtException', (error) => {
  // A run handles its own.
  if (process.listenerCount('uncaughtException') > 1) return;
  fail(error);
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  fail(error);
}

/**
 * Commander itself shows choices and defaults as JSON.
 *
 * @param {Option} option
 */
function optionDescription({ description, argChoices, defaultValue, defaultValueDescription = defaultValue }) {
  const notes = [
    ...(argChoices ? [`one of ${argChoices.join(', ')}`] : []),
    ...(defaultValue === undefined ? [] : [`default: ${defaultValueDescription}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/**
 * Prints the error and sets the exit status.
 *
 * @param {unknown} error
 */
function fail(error) {
  if (error instanceof CommanderError) {
    // Commander has printed it already. Its errors are bad arguments; its help and version are not errors.
    process.exitCode = error.exitCode === 0 ? ExitStatus.ok : ExitStatus.badInput;
  } else if (error instanceof UserError) {
    tell(`${chalkStderr.red('error:')} ${error.message}\n${error.remedy}`);
    if (error.detail) tell(`\n${error.detail}`);
    process.exitCode = error.exitStatus;
  } else if (ownFault(error)) {
    fail(new UserError(`It cannot go on: ${ownFault(error)?.what}.`, String(ownFault(error)?.remedy)));
  } else {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = ExitStatus.checkFailed;
  }
}
