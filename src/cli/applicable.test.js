import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { selectBenchmarks, suites } from '../../bench/index.js';
import { checkUsed, parametersFor, typedOptions } from './applicable.js';
import { LOAD_RULES } from './load.js';

/** What every run is asked for by default. */
const DEFAULTS = { suite: 'main', profile: 'quick', lanes: 4, slowVolume: 5 };
const SLO = { percentile: 'p99', ns: 2e6, text: 'p99<2ms' };

describe('options that benchmarks use', () => {
  /**
   * @param {string[]} names of benchmarks
   * @param {Record<string, unknown>} options that the user typed
   */
  const choose = (names, options) =>
    parametersFor({ ...DEFAULTS, ...options }, Object.keys(options), {
      benchmarks: selectBenchmarks(names, 'main', 'quick'),
      suites,
    });

  test('one benchmark that uses it is enough', () => {
    assert.deepEqual(choose(['pipeline', 'primary-killed'], { downAfter: 1000, lanes: 2 }), {
      downAfter: 1000,
      lanes: 2,
    });
    assert.deepEqual(choose(['pipeline', 'latency-curve'], { slo: SLO, client: 'native' }), {
      slo: SLO,
      client: 'native',
    });
  });

  test('a default is passed on only if a benchmark uses it', () => {
    assert.deepEqual(choose(['pipeline'], {}), {});
    assert.deepEqual(choose(['persistence'], {}), { slowVolume: 5 });
    assert.deepEqual(choose(['primary-killed'], {}), { lanes: 4 });
  });
});

describe('options that a load uses', () => {
  const OPTIONS = { readRatio: 0, wait: 0, waitTimeout: 1000, waitMode: 'pipelined', arrivals: 'constant' };
  /** @param {Record<string, unknown>} options that the user typed */
  const check = (options) => checkUsed(Object.keys(options), { ...OPTIONS, ...options }, LOAD_RULES);

  test('where it has an effect it is taken', () => {
    check({ rate: 100, arrivals: 'poisson' });
    check({ wait: 1, waitMode: 'sequential', waitTimeout: 5 });
    check({ waitaof: { local: 1, replicas: 0 }, waitTimeout: 5 });
    check({ sentinel: [{ host: 'a', port: 1 }], masterName: 'm', sentinelUser: 'u' });
    check({ wait: 0, readRatio: 1 });
  });
});

test('only options that were typed count, not defaults and environment variables', (t) => {
  process.env.OPTION_OF_A_TEST = 'x';
  t.after(() => delete process.env.OPTION_OF_A_TEST);
  const command = new Command()
    .addOption(new Option('--image <image>').env('OPTION_OF_A_TEST'))
    .option('--lanes <n>', '', '4')
    .option('--down-after <time>');
  command.parse(['--down-after', '1s'], { from: 'user' });
  assert.equal(command.opts().image, 'x');
  assert.deepEqual(typedOptions(command), ['downAfter']);
});
