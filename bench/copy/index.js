/**
 * The suite `copy`: filling a new node by full sync, SCAN, SCAN with notifications, or RedisShake.
 *
 * @import { Benchmark, Suite } from '../../src/run/types.js'
 */

import { factTable } from '../pages/fact-table.js';
import { textsOf } from '../pages/texts.js';
import { copyChecks } from './checks.js';
import { whyNotCase } from './cores.js';
import { params, roundFigures } from './document.js';
import { COLUMNS, isWritten, USE } from './figures.js';
import { measureCopy } from './measure.js';
import { copyCases, OVERHEAD_SECONDS, PACES, SIZES } from './modes.js';
import { CopyParameters, options, withCores } from './options.js';
import { pageData, terminalTables } from './page.js';
import shards from './shards.js';

const { mode, pairs, rate, reported, took, written, pace, ratio, behind, different, expiry, before, during, after } =
  COLUMNS;

/** @type {Benchmark} */
const copy = {
  name: 'copy',
  ...textsOf(new URL('texts.yaml', import.meta.url)).copy,
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
  ...factTable(
    [mode, pairs, rate, reported, took, written, pace, ratio, behind, different, expiry],
    [
      { note: 'Resources of all pairs together during the copy; CPU is of one core.', columns: USE },
      { note: 'p99 of the writers of the source.', columns: [mode, pairs, before, during, after], only: isWritten },
    ],
  ),
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
