import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommanderError } from 'commander';
import { allBenchmarks } from '../../bench/index.js';
import { UserError } from '../errors.js';
import { casesOf, reading, runCommand } from './run-request-fixture.js';

/** @import { requestOf } from './run-request.js' */

/** Of a run, whatever it measures. */
const OF_EVERY_RUN = ['--suite', '--seed', '--out', '--json'];

/** A value of each other option. @type {Readonly<Record<string, readonly string[]>>} */
const VALUES = {
  '--profile': ['full'],
  '--client': ['ioredis'],
  '--set': ['min-replicas-max-lag=7'],
  '--agents': ['all'],
  '--backend': ['docker'],
  '--server': ['/opt/redis/redis-server'],
  '--image': ['redis:8'],
  '--replicas': ['4'],
  '--sentinels': ['5'],
  '--sentinel': ['127.0.0.1:26379'],
  '--master-name': ['other'],
  '--user': ['app'],
  '--sentinel-user': ['app'],
  '--tls': [],
  '--tls-ca': ['ca.pem'],
  '--tls-cert': ['cert.pem'],
  '--tls-key': ['key.pem'],
  '--tls-server-name': ['redis'],
  '--tls-insecure': [],
  '--trials': ['77'],
  '--link-latency': ['7ms'],
  '--placement': ['colocated'],
  '--down-after': ['7s'],
  '--lanes': ['16'],
  '--act': ['stop=true'],
  '--key-prefix': ['app:'],
  '--allow': ['failover'],
  '--slo': ['p99<2ms'],
  '--data-dir': ['disk=/tmp'],
  '--slow-volume': ['7ms'],
  '--no-replicated-volume': [],
  '--preload-keys': ['77'],
  '--link-rate': ['77mbit'],
  '--only-driver': ['redis-py'],
  '--driver-variant': ['defaults'],
  '--nats': ['nats://127.0.0.1:1'],
  '--nats-user': ['app'],
  '--nats-ca': ['ca.pem'],
  '--nats-cert': ['cert.pem'],
  '--nats-key': ['key.pem'],
};

const requestPlain = reading([]);

/** @param {ReturnType<typeof requestOf>} request @returns {string} what applies to whatever is measured */
function howOf({ stack: { settings: _, ...stack }, profile, lanes, agents, parameters }) {
  return JSON.stringify({ stack, profile, lanes, agents, parameters });
}

/** Cases without options. @type {Map<string, string>} */
const plainCases = new Map();

/** @param {string} name of a benchmark @param {ReturnType<typeof requestOf>} asked */
async function matters(name, asked) {
  const plain = requestPlain(name);
  if (howOf(asked) !== howOf(plain)) return true;
  const cases = plainCases.get(name) ?? (await casesOf(plain));
  plainCases.set(name, cases);
  return (await casesOf(asked)) !== cases;
}

/** @param {unknown} error */
function saysWhy(error) {
  if (error instanceof UserError) return error.message !== '' && error.remedy !== '';
  return error instanceof CommanderError && error.code === 'commander.invalidArgument';
}

describe('every option of run changes the plan of every benchmark, or is an error that says why', () => {
  const flags = runCommand().options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const tested = flags.filter((flag) => !OF_EVERY_RUN.includes(flag));

  test('each has a value to try', () => {
    assert.deepEqual(
      tested.filter((flag) => !(flag in VALUES)),
      [],
    );
  });

  for (const flag of tested) {
    test(flag, async () => {
      /** @type {ReturnType<typeof reading>} */
      let request;
      try {
        request = reading([flag, ...VALUES[flag]]);
      } catch (error) {
        assert.ok(saysWhy(error), String(error));
        return;
      }
      for (const name of allBenchmarks.keys()) {
        try {
          assert.ok(await matters(name, request(name)), `${name} ignores it`);
        } catch (error) {
          if (!saysWhy(error)) throw error;
        }
      }
    });
  }
});
