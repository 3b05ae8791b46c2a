import { whyNoMover } from '../src/copy/movers.js';
import { copyCharts } from '../src/report/charts/copy.js';
import { copyChecks } from '../src/report/copy-checks.js';
import { COPY_COLUMNS } from '../src/report/copy-columns.js';
import { copyFindings } from '../src/report/copy-findings.js';
import { count } from '../src/report/format.js';
import { measureCopy } from '../src/run/copy.js';
import { copyCases, HEAVIEST, MODERATE } from '../src/run/copy-modes.js';

/** @type {Record<import('../src/run/types.js').Profile['name'], import('../src/run/copy.js').CopySize>} */
const SIZES = {
  quick: { keys: 100_000, keysIncremental: 10_000, writtenKeys: 1_000_000, rewrittenKeys: 10_000, besideSeconds: 1 },
  standard: { keys: 500_000, keysIncremental: 50_000, writtenKeys: 5_000_000, rewrittenKeys: 50_000, besideSeconds: 3 },
  full: {
    keys: 1_000_000,
    keysIncremental: 100_000,
    writtenKeys: 10_000_000,
    rewrittenKeys: 100_000,
    besideSeconds: 5,
  },
};

/** Of writing; a full copy takes as long as it takes. A mover that falls behind needs as long again, and is waited for 30 s. */
const PACES = {
  quick: { rounds: 1, seconds: 3, warmUpSeconds: 0 },
  standard: { rounds: 3, seconds: 10, warmUpSeconds: 0 },
  full: { rounds: 5, seconds: 15, warmUpSeconds: 0 },
};

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'copy',
  suite: 'copy',
  question: 'How fast can a new node be filled, what does that cost the source, and is the copy right?',
  method:
    'A pair is a source and an empty node. Full copies: each source holds the same data set of every type, and the time counts from the ' +
    'start of what copies until the copy has everything; nothing writes meanwhile, or (-writes) each source takes ' +
    `${count(MODERATE.rate)} mixed writes a second. Diskless or disk-based (sync-rdb-disk) is how the source makes what it sends. ` +
    'Incremental copies (sync-aof, scan-ksn): the copy already has all that the source holds (keys before), then ' +
    `${HEAVIEST.connections} connections a source send two SETs of ${HEAVIEST.payloadBytes} B at a time, as fast as they are answered, all of ` +
    'them in one thread; the time counts from the first write until the copy has the last. Afterwards nothing writes, and source and copy ' +
    'are compared key by key: type, value, expiry. Rates are of all pairs together. Nodes, movers and writers share this machine.',
  needs: ['stop', 'configure', 'stats'],
  generator: 'own',
  ownStacks: true,
  withoutSentinels: true,
  stackSettings: {
    'min-replicas-to-write': '0',
    // Past the default of 32mb a subscriber that falls behind is cut off, and what it would have been told is lost.
    'client-output-buffer-limit': 'pubsub 1gb 0 0',
  },
  pace: ({ name }) => PACES[name],
  cases: copyCases,
  whyNotCase: ({ params: { mover = '' } }) => whyNoMover(mover),
  measure: (site) => measureCopy(site, SIZES[site.bench.profile.name]),
  table: COPY_COLUMNS,
  charts: copyCharts,
  findings: copyFindings,
  checks: copyChecks,
};
