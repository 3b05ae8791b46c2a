/**
 * For tests only: audited trials of an existing deployment whose failures come from act.sh. Its arguments are a folder for the run and the names
 * of benchmarks; it sends the result to its parent. The names of pods have to be known here.
 */
import { only, runQuietly } from '../../src/run/suite-fixture.js';
import { ACT, fullName, PASSWORD } from './pods-fixture.js';
import { SCENARIOS } from './scenarios.js';

const [folder] = process.argv.slice(2);
const actions = /** @type {const} */ (['stop', 'start', 'partition', 'join']);
const measured = SCENARIOS.filter(({ name }) => ['primary-stopped', 'primary-partition'].includes(name));

const { result, stopped } = await runQuietly({
  benchmarks: measured.map((each) => only(each, ({ params }) => params.mode === 'async')),
  profile: { healthySeconds: 1 },
  folder: async () => folder,
  stack: {
    backend: 'external',
    sentinels: [{ host: fullName('redis-1'), port: 26379 }],
    credentials: { password: PASSWORD, sentinelPassword: PASSWORD },
    commands: Object.fromEntries(actions.map((action) => [action, `${ACT} ${action}`])),
  },
});
process.send?.({ benchmarks: result.benchmarks, stopped: stopped && String(stopped) });
process.disconnect?.();
