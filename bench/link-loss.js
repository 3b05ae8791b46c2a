import { lossCharts } from '../src/report/charts/link-loss.js';
import { LOSS_COLUMNS, lossChecks, lossFindings } from '../src/report/link-loss.js';
import { measureLoss } from '../src/run/link-loss.js';
import { MIX, mixCase, ON_A_PATH } from '../src/run/link-traffic.js';

const MIB = 1024 * 1024;
/** The default, and enough for a minute. */
const SMALL = 1 * MIB;
const LARGE = 64 * MIB;

/** What is killed, when its supervisor starts it again, and what the primary keeps for who was away. */
const LOSSES = [
  { tunnel: 'ssh-C', restartAfterMs: 0, backlog: SMALL },
  { tunnel: 'ssh-C', restartAfterMs: 0, backlog: LARGE },
  { tunnel: 'ssh-C', restartAfterMs: 3000, backlog: SMALL },
  { tunnel: 'ssh-C', restartAfterMs: 3000, backlog: LARGE },
  { tunnel: 'zstd-5', restartAfterMs: 0, backlog: LARGE },
  { tunnel: 'zstd-5', restartAfterMs: 3000, backlog: SMALL },
];

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'link-loss',
  suite: 'link',
  question: 'For how long is there no replication when its tunnel dies and a supervisor starts it again?',
  method:
    `The tunnel’s end beside the replica is killed (SIGKILL) after 1.5 s of ${MIX.rate.toLocaleString('en-US')} requests a second, 62 % of ` +
    'them writes to regular keys, and started again by a supervisor at once or after 3 s; the requests go on; on Docker the ' +
    'engine’s own time to kill and to start is in the figures. Both nodes are looked at ' +
    'every 20 ms. Tunnel back: until it took connections again. Away: until the replica’s link was up again, which after a full resync is when the data set was loaded. Caught up: until it ' +
    'had all that was written by then. Missed: how far the stream had run ahead when the replica asked for what it lacked. When the ' +
    'requests have ended every key of both nodes is compared: its type, its value and when it expires. ' +
    'All of it is on one machine: over a distance a tunnel takes some round trips longer to come back.',
  ...ON_A_PATH,
  pace: ({ name }) => PACES[name],
  cases: () =>
    LOSSES.map(({ tunnel, restartAfterMs, backlog }) =>
      mixCase(`${tunnel}-after-${restartAfterMs}ms-backlog-${backlog / MIB}mb`, {
        pattern: 'regular',
        tunnel,
        restartAfterMs,
        settings: { 'repl-backlog-size': String(backlog) },
      }),
    ),
  measure: measureLoss,
  table: LOSS_COLUMNS,
  charts: lossCharts,
  findings: lossFindings,
  checks: lossChecks,
};

const PACES = {
  quick: { rounds: 1, seconds: 4, warmUpSeconds: 0 },
  standard: { rounds: 3, seconds: 6, warmUpSeconds: 0 },
  full: { rounds: 7, seconds: 10, warmUpSeconds: 0 },
};
