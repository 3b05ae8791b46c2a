import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needs } from '../../test/needs.js';

const UNIT = fileURLToPath(new URL('../../deploy/systemd/sentinel-bench-agent.service', import.meta.url));

test('systemd accepts the unit of an agent', { skip: await needs('systemd-analyze') }, async () => {
  const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', UNIT]);
  assert.doesNotMatch(stdout + stderr, /sentinel-bench-agent\.service/);
});
