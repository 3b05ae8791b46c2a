import { compressionCharts } from '../src/report/charts/link-compression.js';
import { COMPRESSION_COLUMNS } from '../src/report/link-compression.js';
import { compressionChecks, compressionFindings } from '../src/report/link-compression-findings.js';
import { measureCompression } from '../src/run/link-compression.js';
import { MIX, mixCase, ON_A_PATH } from '../src/run/link-traffic.js';

/** From nothing at all to the most CPU. */
const TUNNELS = ['none', 'ssh', 'ssh-C', 'zstd-1', 'zstd-5', 'zstd-9'];
/** @type {readonly ('regular' | 'random')[]} */
const PATTERNS = ['regular', 'random'];
/** What arrives together is compressed together: the same requests in longer pipelines, through two of the tunnels. */
const TOGETHER = ['ssh-C', 'zstd-5'];
const LONG = 100;

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'link-compression',
  suite: 'link',
  question: 'How much less does replication send when its stream is compressed, and what does that cost?',
  method:
    `${MIX.rate.toLocaleString('en-US')} requests a second as in the article, 62 % of which write, in pipelines of 10 over 4 connections, ` +
    'while the replica follows through the tunnel. The stream (the primary’s offset) and the wire between both ends of the tunnel are ' +
    'read while nothing moves, before the load and when the replica has everything, so that one is what the other carried; the ' +
    'handshake and the first sync are in neither. The wire is the payload of TCP, on Docker packets with their headers. ' +
    'A writer of its own sends SET and WAIT 1 twenty times a second. Regular: counters and short texts under keys of one pattern, with ' +
    'numbers of services and applications drawn anew; random: 24 letters a key, and values alike. `ssh -C` has one level: protocol 2 of ' +
    'OpenSSH has none to choose. OpenSSH’s server leaves Nagle’s algorithm on for a connection that only forwards (9.2, seen with strace): ' +
    'what does not fill a segment may wait for the acknowledgement of what went before, and WAIT with it. On loopback a segment holds ' +
    '64 KB, so that it waits for far longer than in a network, whose segments hold 1.4 KB and are soon full. All of it is on one ' +
    'machine: there is no distance in what WAIT takes, and both ends share the cores with the nodes.',
  ...ON_A_PATH,
  pace: ({ name }) => PACES[name],
  cases: () => [
    ...PATTERNS.flatMap((pattern) => TUNNELS.map((tunnel) => mixCase(`${tunnel}-${pattern}`, { pattern, tunnel }))),
    ...TOGETHER.map((tunnel) => mixCase(`${tunnel}-regular-long`, { pattern: 'regular', tunnel, pipeline: LONG })),
  ],
  measure: measureCompression,
  table: COMPRESSION_COLUMNS,
  charts: compressionCharts,
  findings: compressionFindings,
  checks: compressionChecks,
};

const PACES = {
  quick: { rounds: 1, seconds: 3, warmUpSeconds: 0 },
  standard: { rounds: 3, seconds: 10, warmUpSeconds: 0 },
  full: { rounds: 5, seconds: 30, warmUpSeconds: 0 },
};
