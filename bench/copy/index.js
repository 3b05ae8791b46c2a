/**
 * The suite `copy`: filling a new node by full sync, SCAN, SCAN with notifications, or RedisShake.
 *
 * @import { Benchmark, Suite } from '../../src/run/types.js'
 */

import { count } from '../../src/format.js';
import { copyCharts } from './charts.js';
import { copyChecks } from './checks.js';
import { whyNotCase } from './cores.js';
import { params, roundFigures } from './document.js';
import { measureCopy } from './measure.js';
import { copyCases, HEAVIEST, MODERATE, OVERHEAD_SECONDS, PACES, SIZES, STRING_BYTES } from './modes.js';
import { CopyParameters, options, withCores } from './options.js';
import { pageData, terminalTables } from './page.js';
import shards from './shards.js';
import { COPY_COLUMNS, copyDetails } from './tables.js';

/** @type {Benchmark} */
const copy = {
  name: 'copy',
  question: 'How fast can a new node be filled, what does that cost the source, and is the copy right?',
  method:
    'A pair is a source and an empty node. Full copies: each source holds the same data set, and the time counts from the ' +
    'start of the copying until the copy has everything; nothing writes meanwhile, or (-writes) each source takes ' +
    `${count(MODERATE.rate)} mixed writes a second. All keys are strings of ${STRING_BYTES} B. The modes -collections have keys of every type: a quarter ` +
    'are collections, and one in ten expires. sync-rdb is diskless, sync-rdb-disk writes the data set to a file first. ' +
    'Incremental copies (sync-aof, scan-ksn, with and without RedisShake): source and copy are equal at first (keys before). Then ' +
    `${HEAVIEST.connections} connections a source send two SETs of ${HEAVIEST.payloadBytes} B at a time, as fast as they are answered, all in ` +
    'in one thread (quick) or several; the time counts from the first write until the copy has the last. Then the writers stop, and source and copy ' +
    'are compared key by key: type, value, expiry. Rates are of all pairs together. Nodes, movers and writers share this machine.',
  needs: ['stop', 'configure', 'stats'],
  kind: 'custom',
  stacks: {
    sentinels: false,
    settings: {
      'min-replicas-to-write': '0',
      // Past the default of 32mb Redis closes the connection of a slow subscriber, and its messages are lost.
      'client-output-buffer-limit': 'pubsub 1gb 0 0',
    },
  },
  pace: ({ name }) => PACES[name],
  overheadSeconds: OVERHEAD_SECONDS,
  cases: (how) => withCores(copyCases(how), how.parameters),
  whyNotCase,
  parameters: CopyParameters,
  measure: (site) => measureCopy(site, SIZES[site.testbed.profile.name]),
  table: COPY_COLUMNS,
  charts: copyCharts,
  details: copyDetails,
  findings: () => [],
  checks: copyChecks,
};

/** @type {Suite} */
export default {
  name: 'copy',
  params,
  roundFigures,
  options,
  benchmarks: [copy, shards],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: terminalTables,
};
