import { stripVTControlCharacters } from 'node:util';
import { explain, makeProgram } from './program.js';

/**
 * For tests only: what the command line refuses, without a process of its own.
 * @param {string[]} args
 * @returns {Promise<{status: number, stdout: string, stderr: string}>}
 * @throws {Error} it did not refuse them
 */
export async function refusalOf(args) {
  const printed = { stdout: '', stderr: '' };
  const [commandName] = args;
  const program = await makeProgram(commandName, {
    writeOut: (text) => {
      printed.stdout += text;
    },
    writeErr: (text) => {
      printed.stderr += text;
    },
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { status, text } = explain(error, commandName);
    return { ...printed, status, stderr: stripVTControlCharacters(`${printed.stderr}${text}\n`) };
  }
  throw new Error(`${args.join(' ')} was not refused`);
}
