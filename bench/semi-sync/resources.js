/** What the nodes use while idle, writing and reading, as in the article on replication. */
/** @import { LoadBenchmark } from '../types.js' */

import { activityOf } from '../../src/report/resources.js';
import { CustomParameters } from '../../src/run/parameters.js';
import { declaredIn } from '../pages/declared.js';
import { factTable } from '../pages/fact-table.js';
import { activityCases, activityChecks } from '../resources/activities.js';
import { patientSettings, stackTitle } from './modes.js';

const CONNECTIONS = 50;
const PAYLOAD_BYTES = 256;
const KEYS = 10_000;
export const STACKS = Object.freeze(
  [
    { replicas: 0, mode: 'async' },
    { replicas: 1, mode: 'async' },
    { replicas: 2, mode: 'after-sync' },
  ].map((stack) => ({ ...stack, settings: patientSettings(stack.mode) })),
);

/** @type {LoadBenchmark} */
export default {
  ...declaredIn(new URL('texts.yaml', import.meta.url))['semi-sync-resources'],
  system: 'mariadb',
  kind: 'load',
  needs: ['stop', 'stats', 'configure'],
  usePerNode: true,
  stacks: {},
  parameters: CustomParameters,
  cases: () =>
    activityCases(STACKS, { client: 'mysql2', connections: CONNECTIONS, payloadBytes: PAYLOAD_BYTES, keyspace: KEYS }),
  ...factTable([
    { title: 'stack', text: ({ params }) => stackTitle(params) },
    { title: 'activity', text: activityOf },
    { title: 'operations/s', metric: 'throughput', format: 'rate' },
    { title: 'p50', metric: 'p50-service-time', format: 'ms' },
    { title: 'p99', metric: 'p99-service-time', format: 'ms' },
    { title: 'primary CPU', metric: 'primary-cpu', format: 'percent' },
    { title: 'replicas CPU', metric: 'replica-cpu', format: 'percent' },
    { title: 'primary memory', metric: 'primary-memory', format: 'bytes' },
    { title: 'replicas memory', metric: 'replica-memory', format: 'bytes' },
  ]),
  checks: ({ cases }) => activityChecks(cases, (one) => `${stackTitle(one.params)}, ${activityOf(one)}`),
};
