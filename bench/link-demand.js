import { demandCharts } from '../src/report/charts/link-demand.js';
import { count } from '../src/report/format.js';
import { DEMAND_COLUMNS } from '../src/report/link-demand.js';
import { demandChecks } from '../src/report/link-demand-checks.js';
import { demandFindings } from '../src/report/link-demand-findings.js';
import { everyWriteAcked } from '../src/run/checks.js';
import { demandCases, GROUP, measureDemand, WRITES } from '../src/run/link-demand.js';
import { KEY_BYTES } from '../src/run/link-demand-groups.js';
import { ON_A_PATH } from '../src/run/link-traffic.js';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'link-demand',
  suite: 'link',
  question: 'How much does replication have to send for each write?',
  method:
    `SET with keys of ${KEY_BYTES} B: ${count(WRITES)} writes a round over one connection, each sent by itself or ${GROUP} that belong ` +
    'together: in one pipeline, in MULTI, or done by a script or function whose call carries what they have in common, the beginning of ' +
    'their keys and their value. The stream is the primary’s replication offset, before and after; what Redis adds on its own (a PING every ten ' +
    `seconds) is less than a hundredth of a byte each. The mix is an application’s: 62 % of its requests add to counters of services ` +
    'and applications (INCR, INCRBY, HINCRBY), give some of them an end (EXPIRE) and keep short texts (SET), under keys of 55 to 75 B; ' +
    'the others read. Its requests leave on a schedule, ten together over four connections. What is told for other rates is the ' +
    'bytes of a write, times 62 % of the requests; for the mix, what was measured stands beside it. A replica follows through a relay that ' +
    'counts bytes; what the headers of TCP and IP add is in no figure, unless its unit is packets.',
  ...ON_A_PATH,
  pace: ({ name }) => PACES[name],
  cases: ({ server }) => demandCases(server),
  measure: measureDemand,
  table: DEMAND_COLUMNS,
  charts: demandCharts,
  findings: demandFindings,
  checks: (result) => [everyWriteAcked(result), ...demandChecks(result)],
};

/** Bytes are counted, so a second round tells little more; seconds are the mix's. */
const PACES = {
  quick: { rounds: 1, seconds: 3, warmUpSeconds: 0 },
  standard: { rounds: 2, seconds: 10, warmUpSeconds: 0 },
  full: { rounds: 3, seconds: 30, warmUpSeconds: 0 },
};
