import { costAgainst } from '../../src/report/charts/against.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { costsText, finding, roundsText } from '../../src/report/findings.js';
import { bytes } from '../../src/report/format.js';
import { makeCase } from '../../src/run/case.js';
import { KIB } from '../../src/units.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const PAYLOADS = [64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB];
const WAITS = [0, 1];
const STEPS = /** @type {const} */ ({ by: 'payloadBytes', what: 'size of a value', label: bytes });

/** @type {Benchmark} */
export default {
  name: 'payload',
  question: 'Does the cost of WAIT grow with the size of the value?',
  method: 'One connection writes one value at a time, each write with a pipelined WAIT.',
  profiles: ['standard', 'full'],
  kind: 'load',
  turns: true,
  cases: ({ client }) =>
    PAYLOADS.flatMap((payloadBytes) => WAITS.map((wait) => makeCase({ client, payloadBytes, wait }, { wait: 0 }))),
  table: [column.payload, column.wait, ...column.MEASURED],
  charts: (result) => [costAgainst(result, STEPS)],
  findings: (result) => {
    const costs = result.cases
      .filter(({ summary }) => summary.relativeToBaseline)
      .sort((a, b) => a.params.payloadBytes - b.params.payloadBytes);
    const ends = [...new Set([costs[0], costs[costs.length - 1]])].flatMap((one) => {
      const ratio = one?.summary.relativeToBaseline;
      return ratio ? [{ one, baseline: ratio.baseline, share: column.costOf(ratio.throughput) }] : [];
    });
    if (ends.length === 0) return [];
    const named = ends.map(({ one, share }) => ({ name: `with ${bytes(one.params.payloadBytes)} values`, share }));
    const rounds = Math.min(...ends.map(({ one }) => one.rounds.length));
    const evidence = ends.flatMap(({ one, baseline }) => [baseline, one.id]);
    return [finding('cost', costsText('WAIT 1', named, `WAIT sent with its write, ${roundsText(rounds)}`), evidence)];
  },
  checks: (result) => [everyWriteAcked(result)],
};
