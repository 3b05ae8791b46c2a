/** `sentinel-bench doctor`: checks prerequisites. */
import chalk from 'chalk';
import { UserError } from '../errors.js';
import { examine } from '../stacks/doctor.js';
import { cleanLine } from '../untrusted.js';
import { declare } from './declare.js';
import { print } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export const addDoctorCommand = (program) => declare(program, 'doctor').action(doctor);

async function doctor() {
  const { symptoms, canRun } = await examine();
  const marks = { ok: chalk.green('ok     '), note: chalk.yellow('note   '), missing: chalk.red('missing') };
  for (const { state, text } of symptoms) print(`${marks[state]}  ${cleanLine(text)}`);
  if (!canRun) {
    throw new UserError(
      'No stack can be started here.',
      'Provide what is missing above; of a local server and Docker, one is enough.',
    );
  }
}
