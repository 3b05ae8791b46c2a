/** The part of the configuration sweep that users feel: how long a write takes in each mode, at one rate that all modes get. */
/** @import { CaseResult, LoadBenchmark } from '../types.js' */

import { duration, interval, rate } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { LoadParameters, SizeParameters } from '../../src/run/parameters.js';
import { filled } from '../../src/sentences.js';
import { isSustained } from '../../src/stats/summary.js';
import { modeTitle } from '../modes.js';
import { sweepModes } from './failures.js';
import { WORDS } from './words.js';

const TEXTS = WORDS['sweep-response-time'];
const CONNECTIONS = 10;
/** Writes a second: that of each writer in the trials. A disk that takes 5 ms to sync still sustains it with `appendfsync always`. */
const RATE = 1000;
/** A round has to hold a sync of everysec, and enough writes for a p99 of its own. */
const QUICK_PACE = { rounds: 5, seconds: 1.1, warmUpSeconds: 0.1 };

/** @type {LoadBenchmark} */
export default {
  name: 'sweep-response-time',
  question: TEXTS.question,
  method: filled(TEXTS.method, { connections: CONNECTIONS, rate: rate(RATE) }),
  needs: ['configure'],
  pace: (profile) => (profile.name === 'quick' ? QUICK_PACE : profile),
  kind: 'load',
  parameters: LoadParameters.extend(SizeParameters.shape),
  cases: ({ client = 'native', ...options }) =>
    sweepModes(options).map(({ name: mode, mode: { wait, waitLocal, settings } }) =>
      makeCase({ client, connections: CONNECTIONS, rate: RATE, mode, wait, waitLocal, settings }),
    ),
  table: [
    { title: 'mode', align: 'left', cell: ({ params }) => modeTitle(params) },
    column.right('offered', ({ params }) => rate(params.rate ?? 0)),
    column.right('response time p50', ({ rounds, summary }) =>
      isSustained(rounds) ? interval(summary.p50Ns, duration) : NOT_SUSTAINED,
    ),
    column.right('p99', p99Cell),
    column.notAcked,
    column.limitedBy,
  ],
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(({ rounds }) => isSustained(rounds)) })],
};

const NOT_SUSTAINED = 'rate not sustained';

/** @param {CaseResult} one */
function p99Cell({ rounds, summary }) {
  return isSustained(rounds) ? interval(summary.p99Ns, duration) : NOT_SUSTAINED;
}
