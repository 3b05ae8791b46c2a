import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { startNode, until } from '../../clients/conformance/nodes.js';
import { connectControl } from './control.js';
import { writeConfig } from './settings.js';

const skip = await needs('server', 'ps');

/** Long enough to be ended in the middle: half a minute. */
const KEYS = 6000;
const MICROSECONDS_A_KEY = 5000;

/** @param {number} pid */
function childrenOf(pid) {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child] : []));
}

test('a failing rewrite of the append-only file is reported at once', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const node = await startNode(['--rdb-key-save-delay', String(MICROSECONDS_A_KEY)]);
  t.after(() => node.close());
  await node.call('MSET', ...Array.from({ length: KEYS }, (_, key) => [`k${key}`, 'x']).flat());
  const control = await connectControl(node.address);
  t.after(() => control.close());
  const turnedOn = assert.rejects(writeConfig(control, 'appendonly', 'yes'), /could not be written/);
  const pid = Number((await control.info('server')).process_id);
  await until(() => childrenOf(pid).length > 0, 'the rewrite began', 25_000);
  // As the system does when memory or a quota is used up.
  process.kill(childrenOf(pid)[0], 'SIGKILL');
  await turnedOn;
});
