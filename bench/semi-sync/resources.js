/** What the nodes use while idle, writing and reading, as in the article on replication. */
/** @import { LoadBenchmark } from '../types.js' */

import { activityOf } from '../../src/report/resources.js';
import { CustomParameters } from '../../src/run/parameters.js';
import { declaredIn } from '../pages/declared.js';
import { columnsIn, factTable } from '../pages/fact-table.js';
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

const { columns, ...DECLARED } = declaredIn(new URL('texts.yaml', import.meta.url))['semi-sync-resources'];

/** @type {LoadBenchmark} */
export default {
  ...DECLARED,
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
    ...columnsIn(columns),
  ]),
  checks: ({ cases }) => activityChecks(cases, (one) => `${stackTitle(one.params)}, ${activityOf(one)}`),
};
