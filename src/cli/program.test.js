import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeProgram } from './program.js';

test('the help of each command says what the command does', async () => {
  const program = await makeProgram('--help');
  const names = program.commands.map((command) => command.name());
  for (const name of ['run', 'up', 'down', 'status', 'list', 'report', 'recover']) assert.ok(names.includes(name));
  for (const command of program.commands) {
    assert.match(program.helpInformation(), RegExp(`^ {2}${command.name()} .*? {2,}\\S`, 'm'));
    assert.doesNotMatch(command.helpInformation(), /undefined|\$\{/);
    assert.match(command.helpInformation(), RegExp(`^Usage: sentinel-bench ${command.name()}.*\\n\\n[^\\n]*\\w+ \\w+`));
  }
});
