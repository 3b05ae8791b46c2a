/**
 * The front page of a run of the suite.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Block } from '../../src/report/blocks.js'
 */
import { chart, code, heading, table, text } from '../../src/report/blocks.js';
import { costOf } from '../../src/report/columns.js';
import { headlineShare } from '../../src/report/findings.js';
import { count, duration, percent, plural, rate } from '../../src/report/format.js';
import { isFailureBenchmark, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { riskBound, worstLoss } from '../failure/figures.js';
import cost, { costOfMode, costTitle } from './cost.js';
import { outcomesOf, scenarioTitle } from './figures.js';
import { SCENARIOS } from './scenarios.js';

/** The failures of the first sentences. The silent fallback is first: it is what semi-sync is often thought not to do. */
const ANSWERED = [
  'semi-sync-replicas-frozen',
  'semi-sync-cut',
  'semi-sync-killed',
  'semi-sync-power-lost',
  'semi-sync-replica-frozen',
];

/** The number of connections in the deciding table. */
const CONNECTIONS = 10;

const CONFIGURATION = `rpl_semi_sync_master_enabled = ON  # primary only: on a replica it holds up the apply thread
rpl_semi_sync_master_wait_point = AFTER_SYNC
rpl_semi_sync_master_timeout = 3600000  # longer than clients wait: no silent fallback to async
rpl_semi_sync_slave_enabled = ON  # replicas only
gtid_strict_mode = ON  # an old primary with writes of its own is refused
read_only = ON  # until it is promoted
sync_binlog = 1
innodb_flush_log_at_trx_commit = 1`;

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function semiSyncPage(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const costs = result.benchmarks.find(({ name }) => name === cost.name);
  const answer = ANSWERED.flatMap((name) => {
    const scenario = SCENARIOS.find((each) => each.name === name);
    const measured = failures.find((each) => each.name === name);
    const [first] = scenario && measured && measured.cases.length > 0 ? scenario.findings(measured, {}) : [];
    return first ? [`${first.text}.`] : [];
  });
  const [first] = costs && costs.cases.length > 0 ? cost.findings(costs, {}).slice(1) : [];
  const [drawn] = costs ? (cost.charts?.(costs, result) ?? []) : [];
  return {
    answer: [...answer, ...(first ? [`${first.text}.`] : [])],
    evidence: [...(drawn ? [chart(drawn)] : []), ...costTable(costs), ...lossTable(failures)],
    actions: actionsOf(failures),
    limits: limitsOf(failures),
    // The table of losses has all that their sections would say.
    covers: SCENARIOS.map(({ name }) => name),
  };
}

/**
 * @param {Result['benchmarks'][number] | undefined} costs
 * @returns {Block[]}
 */
function costTable(costs) {
  if (!costs || costs.cases.length === 0) return [];
  const modes = ['none', 'async', 'after-commit', 'after-sync', 'async-relaxed', 'after-sync-relaxed'];
  const rows = modes.flatMap((mode) => {
    const one = costOfMode(costs, mode, CONNECTIONS);
    if (!one) return [];
    const ratio = one.summary.relativeToBaseline?.throughput;
    const paced = costs.cases.find(({ params }) => params.level === mode && params.rate !== undefined);
    return [
      [
        costTitle(one.params),
        rate(one.summary.throughput.median),
        ratio ? headlineShare(costOf(ratio)) : NOT_MEASURED,
        paced ? duration(paced.summary.latencyNs.p99) : NOT_MEASURED,
      ],
    ];
  });
  if (rows.length === 0) return [];
  return [
    heading(2, 'Cost'),
    text(
      `${CONNECTIONS} connections, one row a commit. Cost: against async replication, paired by round (95% interval). “No replica” was measured apart, on its own stack.`,
    ),
    table(['mode', right('commits'), right('cost'), right('p99 response, open loop')], rows),
  ];
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {Block[]}
 */
function lossTable(failures) {
  const rows = SCENARIOS.flatMap(({ name }) => {
    const measured = failures.find((each) => each.name === name);
    const outcomes = measured ? outcomesOf(measured) : [];
    return outcomes.map(({ title: mode, loss, phantoms }, i) => [
      i === 0 ? scenarioTitle(name) : '',
      mode,
      worstLoss(loss),
      count(loss.acked),
      count(phantoms),
      milliseconds(loss.unavailable.medianMs),
    ]);
  });
  if (rows.length === 0) return [];
  return [
    heading(2, 'Losses'),
    text(
      'Lost: acknowledged writes that the primary does not have at the end (seconds of writes), worst trial. Phantoms: writes without an ' +
        'acknowledgement that the old primary has. Outage: longest time without an acknowledgement after the kill.',
    ),
    table(['failure', 'mode', right('lost'), right('acked'), right('phantoms'), right('outage')], rows),
  ];
}

/** @param {string} title */
function right(title) {
  return { title, align: /** @type {const} */ ('right') };
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {Block[]}
 */
function actionsOf(failures) {
  if (failures.length === 0) return [];
  return [
    code(CONFIGURATION, 'ini'),
    text(
      'Watch `Rpl_semi_sync_master_status`: OFF means that the primary no longer waits. After a failure promote the replica with the highest ' +
        '`Gtid_IO_Pos`, and rebuild the old primary. Planned switch-over: set `read_only` on the old primary, wait until the replica’s ' +
        '`Gtid_IO_Pos` is the primary’s `gtid_binlog_pos`, let it apply its relay log, then `STOP SLAVE; RESET SLAVE ALL;` and open it.',
    ),
  ];
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {string[]}
 */
function limitsOf(failures) {
  const losses = failures.flatMap((benchmark) => outcomesOf(benchmark)).map(({ loss }) => loss);
  if (losses.length === 0) return [];
  const trials = Math.min(...losses.map((loss) => loss.trials));
  return [
    `${plural(trials, 'trial')} without a loss still ${trials === 1 ? 'allows' : 'allow'} a loss in up to ${percent(riskBound(trials))} of failures (95% confidence).`,
    'After a kill the kernel delivers what the primary had handed over, so a kill cannot show what async replication loses with a machine. Not tested: MySQL, and real distances between nodes. The harness promotes after 1 s; a failover tool may take longer.',
  ];
}
