/**
 * The tunnel of docs/link.md, from the very files that people copy: systemd accepts the unit, and its command carries a replica.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs, skipFor } from '../../test/needs.js';
import { findProgram, whyNoSsh } from './paths/ssh.js';

const execute = promisify(execFile);
const folder = await ownTemporaryFolder();

/** @param {string} name */
const pathOf = (name) => fileURLToPath(new URL(`../../conf/tunnel/${name}`, import.meta.url));
const unit = readFileSync(pathOf('redis-tunnel.service'), 'utf8');
const config = readFileSync(pathOf('ssh_config'), 'utf8');
const command = (/^ExecStart=(.+)$/m.exec(unit)?.[1] ?? '').split(' ');

test('docs/link.md shows both files as they are', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/link.md', import.meta.url)), 'utf8');
  assert.ok(page.includes(`\`\`\`ini\n${unit}\`\`\``));
  assert.ok(page.includes(`\`\`\`sshconfig\n${config}\`\`\``));
});

test('systemd accepts the unit, and would start it for ever', {
  skip: (await needs('systemd-analyze')) || skipFor(whyNoSsh()),
}, async () => {
  const copy = join(folder, 'redis-tunnel.service');
  // systemd looks for the program at its usual place, which this machine may not have.
  writeFileSync(copy, unit.replace(command[0], findProgram('ssh') ?? command[0]));
  const { stdout, stderr } = await execute('systemd-analyze', ['verify', '--man=no', copy]);
  // A setting that it does not understand is a warning only.
  assert.equal(`${stdout}${stderr}`, '');
  assert.match(unit, /^Restart=always$/m);
  assert.match(unit, /^StartLimitIntervalSec=0$/m);
});
