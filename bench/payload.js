import { costAgainst } from '../src/report/charts/against.js';
import * as column from '../src/report/columns.js';
import { costFinding } from '../src/report/findings.js';
import { bytes } from '../src/report/format.js';
import { findCase, makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

const KIB = 1024;
const PAYLOADS = [64, 256, KIB, 4 * KIB, 16 * KIB];
const LARGE_PAYLOADS = [64 * KIB, 256 * KIB];
const WAITS = [0, 1];

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'payload',
  suite: 'main',
  question: 'Does the cost of WAIT grow with the size of the value?',
  method: 'One connection writes one value at a time, each write with its WAIT in one flush.',
  needs: [],
  generator: 'writes',
  cases: ({ profile, client }) =>
    [...PAYLOADS, ...(profile.name === 'quick' ? [] : LARGE_PAYLOADS)].flatMap((payloadBytes) =>
      WAITS.map((wait) => makeCase({ client, payloadBytes, wait }, { wait: 0 })),
    ),
  table: [column.payload, column.wait, ...column.MEASURED],
  charts: (result) => [costAgainst(result, { by: 'payloadBytes', what: 'size of a value', label: bytes })],
  findings: (result) => {
    const sizes = result.cases.map(({ params }) => params.payloadBytes);
    return [Math.min(...sizes), Math.max(...sizes)]
      .map((payloadBytes) => {
        const found = findCase(result, { wait: 1, payloadBytes });
        return (
          found && costFinding(result, found.id, { what: 'WAIT 1', where: `with values of ${bytes(payloadBytes)}` })
        );
      })
      .filter((finding) => finding != null);
  },
  checks: (result) => [everyWriteAcked(result)],
};
