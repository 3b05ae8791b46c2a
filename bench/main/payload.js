import { bytes } from '../../src/format.js';
import { chartAgainst } from '../../src/report/charts/against.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { KIB } from '../../src/units.js';
import { TEXTS } from './headline.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const PAYLOADS = [64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB];
const WAITS = [0, 1];
const STEPS = /** @type {const} */ ({ by: 'payloadBytes', what: 'size of a value', label: bytes });

/** @type {Benchmark} */
export default {
  name: 'payload',
  ...TEXTS.payload,
  profiles: ['standard', 'full'],
  kind: 'load',
  turns: true,
  cases: ({ client }) =>
    PAYLOADS.flatMap((payloadBytes) => WAITS.map((wait) => makeCase({ client, payloadBytes, wait }, { wait: 0 }))),
  table: [column.payload, column.wait, ...column.MEASURED],
  charts: (result) => [chartAgainst('cost', result, STEPS)],
  checks: (result) => [everyWriteAcked(result)],
};
