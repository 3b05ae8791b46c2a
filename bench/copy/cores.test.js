import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { cpusIn } from '../../src/stacks/processes.js';
import { whyNotCase } from './cores.js';
import { limitOf } from './figures.js';
import { copied, copyCaseOf } from './fixture.js';

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

test('limited by: parts on one CPU add up, and a busy machine does not count', () => {
  const { use } = copied();
  const of = (/** @type {number} */ source, /** @type {number} */ copy) =>
    copyCaseOf(
      { copyMode: 'scan', mover: 'scan', cores: CORES },
      {
        use: {
          source: { ...use.source, cpu: source },
          copy: { ...use.copy, cpu: copy },
          mover: { ...use.copy, cpu: 0.3 },
        },
      },
      { round: { machineCpu: 1 } },
    );
  assert.equal(limitOf(of(0.5, 0.5)), 'CPU 0: sources, copies');
  assert.equal(limitOf(of(0.2, 0.3)), 'no single part');
});
