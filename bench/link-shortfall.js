import { shortfallCharts } from '../src/report/charts/link-shortfall.js';
import { count } from '../src/report/format.js';
import { shortfallFindings } from '../src/report/link-shortfall.js';
import { shortfallChecks } from '../src/report/link-shortfall-checks.js';
import { SHORTFALL_COLUMNS } from '../src/report/link-shortfall-columns.js';
import { everyWriteAcked } from '../src/run/checks.js';
import { measureShortfall } from '../src/run/link-shortfall.js';
import { RATE, STACK_SETTINGS, shortfallCases } from '../src/run/link-shortfall-case.js';
import { ON_A_PATH } from '../src/run/link-traffic.js';

/** @satisfies {Record<import('../src/run/types.js').Profile['name'], import('../src/run/types.js').Pace>} */
const PACES = {
  quick: { rounds: 1, seconds: 8.5, warmUpSeconds: 0 },
  standard: { rounds: 3, seconds: 15, warmUpSeconds: 0 },
  full: { rounds: 5, seconds: 30, warmUpSeconds: 0 },
};

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'link-shortfall',
  suite: 'link',
  question: 'What happens when the link of a replica carries less than replication demands, or is far away?',
  method:
    `A writer sends ${count(RATE)} writes a second to the primary, each key once. How many bytes of replication stream a write takes is measured ` +
    'before each round, and the replica’s link is capped to a share of what that makes, or made longer; a chain is a replica ' +
    'that follows a replica, with the slow link between those two. Beside it a connection asks WAIT 1 after each of four writes a second. At the ' +
    'end the link is cut while writes go on, the replica is promoted with what it has, and every acknowledged write is ' +
    'looked for on it. The output buffer limit of replicas is scaled down for it to be reached within a round: see below.',
  ...ON_A_PATH,
  needs: [...ON_A_PATH.needs, 'logs'],
  stackSettings: STACK_SETTINGS,
  measure: measureShortfall,
  pace: ({ name }) => PACES[name],
  cases: shortfallCases,
  table: SHORTFALL_COLUMNS,
  charts: shortfallCharts,
  findings: shortfallFindings,
  checks: (result) => [everyWriteAcked(result), ...shortfallChecks(result)],
};
