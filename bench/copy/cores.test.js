import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { cpusIn } from '../../src/stacks/processes.js';
import { whyNotCase } from './cores.js';
import { copyCaseOf } from './fixture.js';

const CORES = { sources: '0', copies: '0', movers: '1', writers: '1' };

/** @param {Record<string, string>} cores */
const why = (cores) =>
  whyNotCase({ id: 'scan-1', params: { ...copyCaseOf({ copyMode: 'scan', mover: 'scan' }).params, cores } });

test('a list of CPUs', () => {
  assert.deepEqual(cpusIn('0-2,5'), [0, 1, 2, 5]);
  assert.deepEqual(cpusIn('7'), [7]);
});

test('a CPU that this machine lacks is a reason, with a remedy', async () => {
  const missing = cpus().length + 3;
  assert.match(String(await why({ ...CORES, movers: String(missing) })), new RegExp(`no CPU ${missing}: .*--cores`));
});
