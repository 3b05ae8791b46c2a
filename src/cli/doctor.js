/** `sentinel-bench doctor`: checks prerequisites. */
import chalk from 'chalk';
import { examine } from '../stacks/doctor.js';
import { cleanLine } from '../untrusted.js';
import { print } from './output.js';
import { refusal } from './refusals.js';

export const commands = { doctor: { run: doctor } };

async function doctor() {
  const { symptoms, canRun } = await examine();
  const marks = { ok: chalk.green('ok     '), note: chalk.yellow('note   '), missing: chalk.red('missing') };
  for (const { state, text } of symptoms) print(`${marks[state]}  ${cleanLine(text)}`);
  if (!canRun) throw refusal('no-stack-possible');
}
