import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { allBenchmarks, selectBenchmarks, suites } from '../../bench/index.js';
import { ExitStatus, UserError } from '../errors.js';
import { checkUsed, flagOf, parametersFor, typedOptions } from './applicable.js';
import { LOAD_RULES } from './load.js';

/** What every run is asked for by default. */
const DEFAULTS = { suite: 'main', profile: 'quick', lanes: 4, slowVolume: 5 };
const SLO = { percentile: 'p99', ns: 2e6, text: 'p99<2ms' };

/**
 * @param {() => unknown} check
 * @param {RegExp} message
 * @param {RegExp} remedy
 */
function assertIgnored(check, message, remedy) {
  assert.throws(check, (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, message);
    assert.match(error.remedy, remedy);
    assert.equal(error.exitStatus, ExitStatus.badInput);
    return true;
  });
}

describe('an option that none of the benchmarks uses is an error', () => {
  /**
   * @param {string[]} names of benchmarks
   * @param {Record<string, unknown>} options that the user typed
   */
  const choose = (names, options) =>
    parametersFor({ ...DEFAULTS, ...options }, Object.keys(options), {
      benchmarks: selectBenchmarks(names, 'main', 'quick'),
      suites,
    });

  for (const [names, options, users] of /** @type {[string[], Record<string, unknown>, RegExp][]} */ ([
    [['pipeline'], { downAfter: 1000 }, /^--down-after is only used by --suite failure, sweep-killed, /],
    [['pipeline'], { trials: 30 }, /^--trials is only used by --suite failure, /],
    [['pipeline'], { lanes: 2 }, /^--lanes is only used by --suite failure, /],
    [['pipeline'], { linkLatency: 1 }, /^--link-latency is only used by --suite failure, /],
    [['pipeline'], { act: { pause: 'x', resume: 'y' } }, /^--act is only used by --suite failure, /],
    [['pipeline', 'primary-killed'], { slo: SLO }, /^--slo is only used by latency-curve\.$/],
    [[], { slo: SLO }, /^--slo is only used by latency-curve\.$/],
    [['pipeline'], { slowVolume: 5 }, /^--slow-volume is only used by persistence\.$/],
    [['pipeline'], { preloadKeys: 1 }, /^--preload-keys is only used by persistence\.$/],
    [
      ['primary-killed'],
      { dataDir: [{ label: 'ssd', path: '/mnt/ssd' }] },
      /^--data-dir is only used by persistence\.$/,
    ],
    [['copy'], { client: 'native' }, /^--client is only used by --suite main, engine, --suite failure, /],
  ])) {
    const flags = Object.keys(options).map(flagOf).join(' ');
    test(`run ${names.join(' ')} ${flags}`, () => {
      assertIgnored(() => choose(names, options), users, /^Run .*, or leave out --/);
    });
  }

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

  test('every benchmark declares parameters', () => {
    for (const benchmark of allBenchmarks.values()) {
      assert.doesNotThrow(() => parametersFor({}, [], { benchmarks: [benchmark], suites }));
    }
  });
});

describe('an option that a load would ignore is an error', () => {
  const OPTIONS = { readRatio: 0, wait: 0, waitTimeout: 1000, waitMode: 'pipelined', arrivals: 'constant' };
  /** @param {Record<string, unknown>} options that the user typed */
  const check = (options) => checkUsed(Object.keys(options), { ...OPTIONS, ...options }, LOAD_RULES);

  for (const [options, message, remedy] of /** @type {[Record<string, unknown>, RegExp, RegExp][]} */ ([
    [{ arrivals: 'poisson' }, /^--arrivals is only used with --rate\.$/, /^Add --rate, or leave out --arrivals\.$/],
    [{ waitMode: 'sequential' }, /^--wait-mode is only used with --wait or --waitaof\.$/, /^Add --wait 1, or/],
    [{ wait: 0, waitTimeout: 5 }, /^--wait-timeout is only used with --wait or --waitaof\.$/, /^Add --wait 1, or/],
    [{ masterName: 'm' }, /^--master-name is only used with --sentinel\.$/, /^Add --sentinel HOST:PORT, or/],
    [{ sentinelUser: 'u' }, /^--sentinel-user is only used with --sentinel\.$/, /^Add --sentinel HOST:PORT, or/],
    [{ wait: 1, readRatio: 1 }, /^--wait is only used with loads that write\.$/, /^Lower --read-ratio, or/],
  ])) {
    test(Object.keys(options).map(flagOf).join(' '), () => assertIgnored(() => check(options), message, remedy));
  }

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
