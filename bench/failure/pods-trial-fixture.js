/**
 * For tests only: audited trials of an existing deployment whose failures come from act.sh. Its arguments are a folder for the run and the names
 * of benchmarks; it sends the result to its parent. The names of pods have to be known here.
 */
import { PROFILES } from '../../src/run/profiles.js';
import { runSuite } from '../../src/run/suite.js';
import { ACT, fullName, PASSWORD } from './pods-fixture.js';
import { SCENARIOS } from './scenarios.js';

const [folder] = process.argv.slice(2);
const actions = /** @type {const} */ (['stop', 'start', 'partition', 'join']);

const { result, stopped } = await runSuite({
  suite: 'failure',
  benchmarks: SCENARIOS.filter(({ name }) => ['primary-stopped', 'primary-partition'].includes(name)).map(
    (benchmark) => ({
      ...benchmark,
      cases: (options) => benchmark.cases(options).filter(({ params }) => params.mode === 'async'),
    }),
  ),
  profile: { ...PROFILES.quick, trials: 1, healthySeconds: 1 },
  seed: 1,
  lanes: 1,
  folder: async () => folder,
  command: 'sentinel-bench run primary-stopped primary-partition',
  stack: {
    backend: 'external',
    sentinels: [{ host: fullName('redis-1'), port: 26379 }],
    credentials: { password: PASSWORD, sentinelPassword: PASSWORD },
    commands: Object.fromEntries(actions.map((action) => [action, `${ACT} ${action}`])),
  },
  progress: { tell() {}, now() {}, stop() {} },
  signal: new AbortController().signal,
});
process.send?.({ benchmarks: result.benchmarks, stopped: stopped && String(stopped) });
process.disconnect?.();
