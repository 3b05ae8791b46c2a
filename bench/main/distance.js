/**
 * The benchmark `distance`: the modes of `durable-modes` with the nodes apart.
 *
 * @import { Benchmark, CaseOptions } from '../../src/run/types.js'
 */
import * as column from '../../src/report/columns.js';
import { whyNoLatency } from '../../src/stacks/links.js';
import { modeTitle } from '../modes.js';
import { LARGER_LOADS, LOADS, modeCases, modePace, sustainedWritesAcked } from './durable-modes.js';
import { TEXTS } from './headline.js';

/** Added to a round trip between nodes: another zone. */
export const APART_MS = 1;
/** Of one connection in larger profiles: the relay alone, the same rack, and another region. */
const OTHER_MS = [0, 0.5, 5];

/** @type {Benchmark} */
export default {
  name: 'distance',
  ...TEXTS.distance,
  needs: ['slow-all', 'configure'],
  whyNotCase: ({ params: { linkLatencyMs = 0 } }, stack) => whyNoLatency(stack, linkLatencyMs),
  stacks: { links: true },
  kind: 'load',
  pace: modePace,
  cases: (options) => loadsFor(options).flatMap((load) => modeCases(load, options)),
  table: [
    column.left('mode', ({ params }) => modeTitle(params)),
    column.right('round trip longer by', ({ params }) => `${params.linkLatencyMs ?? 0} ms`),
    column.connections,
    column.batch,
    ...column.MEASURED,
  ],
  checks: (result) => [sustainedWritesAcked(result)],
};

/** @param {CaseOptions} options */
function loadsFor({ profile }) {
  const loads = profile.name === 'quick' ? LOADS : [...LOADS, ...LARGER_LOADS];
  const apart = loads.map((load) => ({ ...load, linkLatencyMs: APART_MS }));
  const others = OTHER_MS.map((linkLatencyMs) => ({ ...LOADS[0], linkLatencyMs }));
  return profile.name === 'quick' ? apart : [...apart, ...others];
}
