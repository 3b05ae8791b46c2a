/**
 * A comparison across systems, from results of several suites: what each promise costs, what it loses, and how it behaves. It names no
 * winner: the systems do different work, and were measured with different clients.
 *
 * @import { BenchmarkResult, CaseResult, Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { happened } from '../../src/audit/judgement.js';
import { count, serverText } from '../../src/format.js';
import { rightAligned, table, text } from '../../src/report/blocks.js';
import { costOf } from '../../src/report/columns.js';
import { headlineCost } from '../../src/report/findings.js';
import { auditsOf, milliseconds, NOT_MEASURED, total, trialsOf } from '../../src/report/trials/figures.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { variationName } from '../../src/result/variation.js';
import { sum } from '../../src/stats/statistics.js';
import { OWN_WRITERS, ownAudits } from '../experiments/cases.js';
import { IN_PLACE } from '../experiments/primary-power-lost.js';
import { costOfMode } from './cost.js';
import { phantomsIn } from './titles.js';

/** Connections of the cost of MariaDB. */
const MARIADB_CONNECTIONS = 10;

/**
 * @typedef {'redis' | 'mariadb'} System
 *
 * @typedef {Object} Mode
 * @property {System} system
 * @property {string} title
 * @property {string} mode of its cases
 * @property {string} [costMode] whose cost it has; default: its own
 * @property {number} [wait] of its cases in the suite `main`
 */

/** @type {readonly Mode[]} */
const MODES = Object.freeze(
  /** @type {Mode[]} */ ([
    { system: 'redis', title: 'Redis async', mode: 'async', wait: 0 },
    { system: 'redis', title: 'Redis WAIT 1', mode: 'wait1', wait: 1 },
    { system: 'redis', title: 'Redis WAIT 2', mode: 'wait2', wait: 2 },
    { system: 'redis', title: 'Redis AOF everysec', mode: 'aof' },
    { system: 'redis', title: 'Redis AOF always', mode: 'aof-always' },
    { system: 'mariadb', title: 'MariaDB async', mode: 'async' },
    { system: 'mariadb', title: 'MariaDB semi-sync AFTER_COMMIT', mode: 'after-commit' },
    { system: 'mariadb', title: 'MariaDB semi-sync AFTER_SYNC', mode: 'after-sync' },
    // The timeout decides nothing while replicas answer.
    {
      system: 'mariadb',
      title: 'MariaDB AFTER_SYNC + no fallback',
      mode: 'after-sync-no-fallback',
      costMode: 'after-sync',
    },
  ]),
);

/** The benchmarks that measure a fault, by system; the first that was measured counts. */
const FAULTS = Object.freeze({
  killed: { redis: ['primary-killed', 'sweep-killed'], mariadb: ['semi-sync-killed'] },
  'machine lost': { redis: ['primary-machine-lost', 'sweep-machine-lost'], mariadb: ['semi-sync-machine-lost'] },
  partition: { redis: ['primary-partition', 'sweep-partition'], mariadb: ['semi-sync-partition'] },
  'power lost': { redis: ['primary-power-lost', 'sweep-power-lost'], mariadb: ['semi-sync-power-lost'] },
});

const REPLICAS_FROZEN = Object.freeze({
  redis: ['replicas-paused', 'sweep-both-replicas-paused'],
  mariadb: ['semi-sync-replicas-frozen'],
});

/**
 * @typedef {Object} Measured a case of a failure benchmark
 * @property {BenchmarkResult} benchmark
 * @property {CaseResult} one
 */

/**
 * @param {readonly Result[]} results of any suites; of a benchmark that is in several of them, the last counts
 * @returns {Block[]} empty: none of them measured a failure or a cost of one of the modes
 */
export function systemsBlocks(results) {
  /** @type {Map<string, BenchmarkResult>} */
  const measured = new Map();
  for (const { benchmarks } of results) {
    for (const each of benchmarks) if (each.cases.length > 0) measured.set(each.name, each);
  }
  const modes = MODES.map((mode) => ({ mode, ...cellsOf(mode, measured) })).filter(({ losses, behaviour }) =>
    [...losses, ...behaviour].some((cell) => cell !== NOT_MEASURED),
  );
  if (modes.length === 0) return [];
  const servers = new Set(results.map(({ stack: { server } }) => serverText(server)));
  return [
    text(
      `${[...servers].join(', ')}. Lost: acknowledged writes, worst trial (seconds of writes). Power lost: restarted in place.`,
    ),
    table(
      ['mode', ...rightAligned(['cost', ...Object.keys(FAULTS).map((fault) => `lost: ${fault}`)])],
      modes.map(({ mode, losses }) => [mode.title, ...losses]),
    ),
    text(
      `Cost is against async of the same system: Redis with one connection and pipelined WAIT, MariaDB with ${MARIADB_CONNECTIONS} connections. ` +
        'The systems do different work, so costs compare modes of one system. The table names no winner.',
    ),
    text(
      'Outage: after the kill, median. Phantoms: in all these failures, writes without an acknowledgement that the old primary has.',
    ),
    table(
      ['mode', ...rightAligned(['outage', 'phantoms']), 'replicas do not answer'],
      modes.map(({ mode, behaviour }) => [mode.title, ...behaviour]),
    ),
  ];
}

/**
 * @param {Mode} mode
 * @param {ReadonlyMap<string, BenchmarkResult>} measured by name
 * @returns {{losses: string[], behaviour: string[]}} cells of the two tables
 */
function cellsOf(mode, measured) {
  const byFault = Object.values(FAULTS).map((benchmarks) => caseIn(measured, benchmarks[mode.system], mode));
  const losses = byFault.map((found) => (found ? lossIn(found) : null));
  const [killed] = losses;
  const found = byFault.filter((each) => each !== null);
  return {
    losses: [costCell(mode, measured), ...losses.map((row) => worstLoss(row?.loss ?? null))],
    behaviour: [
      killed ? milliseconds(killed.outage.medianMs) : NOT_MEASURED,
      found.length > 0
        ? count(sum(found.map(({ benchmark, one }) => phantomsIn(ownAudits(benchmark, one)))))
        : NOT_MEASURED,
      silenceCell(caseIn(measured, REPLICAS_FROZEN[mode.system], mode)),
    ],
  };
}

/**
 * @param {ReadonlyMap<string, BenchmarkResult>} measured
 * @param {readonly string[]} names
 * @param {Mode} mode
 * @returns {Measured | null}
 */
function caseIn(measured, names, { mode }) {
  for (const name of names) {
    const benchmark = measured.get(name);
    const one = benchmark?.cases.find(
      ({ params }) => params.mode === mode && ['', IN_PLACE].includes(variationName(params)),
    );
    if (benchmark && one) return { benchmark, one };
  }
  return null;
}

/** @param {Measured} measured @returns {TrialRow | null} */
function lossIn({ benchmark, one }) {
  return rowsOf({ ...benchmark, cases: [one] }, { writers: OWN_WRITERS })[0] ?? null;
}

/**
 * @param {Mode} mode
 * @param {ReadonlyMap<string, BenchmarkResult>} measured
 * @returns {string} such as `31% (25–35%)`; of async: `–`, because the others are compared with it
 */
function costCell({ system, mode, costMode = mode, wait }, measured) {
  const one = system === 'mariadb' ? mariadbCost(measured, costMode) : redisCost(measured, mode, wait);
  const ratio = one?.summary.relativeToBaseline?.throughput;
  return ratio ? headlineCost(costOf(ratio)) : NOT_MEASURED;
}

/** @param {ReadonlyMap<string, BenchmarkResult>} measured @param {string} mode */
function mariadbCost(measured, mode) {
  const costs = measured.get('semi-sync-cost');
  return costs && costOfMode(costs, mode, MARIADB_CONNECTIONS);
}

/**
 * @param {ReadonlyMap<string, BenchmarkResult>} measured
 * @param {string} mode
 * @param {number | undefined} wait
 */
function redisCost(measured, mode, wait) {
  const swept = measured
    .get('sweep-healthy')
    ?.cases.find(({ params }) => params.mode === mode && params.pipeline === 1);
  const main = measured
    .get('async-vs-wait')
    ?.cases.find(
      ({ params }) =>
        params.client === 'native' &&
        params.wait === wait &&
        params.waitMode === 'pipelined' &&
        params.payloadBytes === 64,
    );
  return swept ?? main;
}

/**
 * @param {Measured | null} frozen a case in which both replicas froze
 * @returns {string} what the primary did, and what was lost
 */
function silenceCell(frozen) {
  if (!frozen) return NOT_MEASURED;
  const { benchmark, one } = frozen;
  const audits = auditsOf(benchmark, one);
  const lost = lossIn(frozen);
  const end = lost && lost.loss.most > 0 ? `; then killed: lost ${worstLoss(lost.loss)}` : '';
  if (total(audits, 'rejected') > 0) return `refuses writes${end}`;
  if (total(audits, 'underAcked') > 0) return `answers with too low a count${end}`;
  const fellBack = trialsOf(benchmark, one).some((trial) => happened(trial, 'async-fallback'));
  if (fellBack) return `falls back to async${end}`;
  return one.params.settings?.rpl_semi_sync_master_enabled === 'ON' ? `waits${end}` : `goes on${end}`;
}
