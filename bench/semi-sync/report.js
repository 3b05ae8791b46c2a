/**
 * The front page of a run of the suite.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Column } from '../../src/table.js'
 * @import { Outcome } from './figures.js'
 */
import { code, heading, list, table, text } from '../../src/report/blocks.js';
import { costOf, left, right } from '../../src/report/columns.js';
import { tell } from '../../src/report/findings.js';
import { count, duration, interval, plural, rate } from '../../src/report/format.js';
import { isFailureBenchmark, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { openRisk, worstLoss } from '../../src/report/trials/losses.js';
import { MS_A_SECOND } from '../../src/units.js';
import { busyText } from '../failure/report.js';
import cost, { costOfMode, costText, costTitle, OPEN_LOOP } from './cost.js';
import { outcomesOf, VARIANTS } from './figures.js';
import { MODES } from './modes.js';
import resources from './resources.js';
import { SCENARIOS } from './scenarios.js';

/** The failures of the first sentences. The silent fallback is first: it is what semi-sync is often thought not to do. */
const ANSWERED = ['semi-sync-replicas-frozen', 'semi-sync-partition'];
/** Findings about costs in the first sentences. */
const COSTS = ['cost-10', 'response-time'];

/** The number of connections at which modes are compared. */
const CONNECTIONS = 10;
const SHOWN_CONNECTIONS = [1, CONNECTIONS, 50];
const SAFE = 'after-sync-no-fallback';
const TIMEOUT = 'rpl_semi_sync_master_timeout';
/** A round trip between nodes, for an estimate. */
const DISTANCE_MS = 1;
/** The default of MariaDB. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** The modes that are columns of the table of losses. Others differ from one of them in a setting that names a row. */
const COLUMN_MODES = ['async', 'after-commit', 'after-sync', SAFE];
/** Shares of the trials in which the machine was too busy: any is worth a sentence. */
const BUSY = Object.freeze({ least: 0, most: 1 });

/** Of every node, in SQL: these settings need no restart. */
const WAITING = `SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'; SET GLOBAL rpl_semi_sync_master_timeout = 3600000;
SET GLOBAL gtid_strict_mode = ON; SET GLOBAL sync_binlog = 1; SET GLOBAL innodb_flush_log_at_trx_commit = 1;`;
/** What the page advises; a test applies each block to real servers. */
export const REPLICAS = `-- Block A, the replicas, while they run, one after the other. Before: log_bin is ON, replication is by GTID
${WAITING}
SET GLOBAL rpl_semi_sync_slave_enabled = ON; SET GLOBAL rpl_semi_sync_master_enabled = OFF; SET GLOBAL read_only = ON;
STOP SLAVE IO_THREAD; START SLAVE IO_THREAD;
-- Block B only when this says ON on every replica (repeat it), or commits hang:
SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_slave_status';`;
export const PRIMARY = `-- Block B, the primary; and a replica when you promote it
${WAITING}
SET GLOBAL rpl_semi_sync_master_enabled = ON; SET GLOBAL read_only = OFF;
-- Rpl_semi_sync_master_clients must be 1 or more, and Rpl_semi_sync_master_status ON. If commits hang, this makes
-- replication async and confirms them: SET GLOBAL rpl_semi_sync_master_enabled = OFF;
SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_%';`;
export const EVERY_NODE = `# Every node, in its file, for its next restart. With read_only a restarted primary takes no writes until block B
[mariadb]
rpl_semi_sync_master_wait_point = AFTER_SYNC
rpl_semi_sync_master_timeout = 3600000
rpl_semi_sync_slave_enabled = ON
gtid_strict_mode = ON
sync_binlog = 1
innodb_flush_log_at_trx_commit = 1
read_only = ON`;
const RESTART =
  'After a restart a replica needs nothing. A primary takes no writes: take block B there if no other node was promoted meanwhile, else rebuild it as a replica: it may hold writes that nobody else has.';
const TIMEOUT_DANGER =
  'The timeout of an hour delays the silent fallback to async, so that somebody can act. Its price: while no replica confirms, every commit hangs, connections pile up to ' +
  '`max_connections`, and the application stops. Have two replicas, time out in the clients, and watch. With the default (10 s) commits go on after it, and a failover loses them.';

/** As the harness does it, in src/stacks/mariadb/replication.js. */
const SWITCH_OVER = Object.freeze([
  'Close the old primary: `SET GLOBAL read_only = ON`. After a failure fence it first (power, network): an old primary that still takes writes loses them.',
  'Wait until `Gtid_IO_Pos` of the replica is `gtid_binlog_pos` of the primary; after a failure take the replica with the highest one. Wait until its `SELECT @@gtid_slave_pos` is its `Gtid_IO_Pos`, because the next statements delete what it has not applied. Then on it: `STOP SLAVE; RESET SLAVE ALL;`',
  'An old primary that never was a replica: `SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos`. After a failure rebuild it instead: it may hold writes that nobody else has.',
  "Every other node: `STOP SLAVE; CHANGE MASTER TO MASTER_HOST = 'NEW', MASTER_USER = 'USER', MASTER_PASSWORD = 'PASSWORD', MASTER_USE_GTID = slave_pos;`, block A, then `START SLAVE;` (block A restarts only one of its threads).",
  'Only then block B on the new primary. `read_only = OFF` alone would leave it async.',
]);

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {string[]} the mode to use and its price; empty: it was not tried, or lost a write
 */
function useText(failures) {
  const outcomes = failures.flatMap(outcomesOf);
  const safe = outcomes.filter(({ one }) => one.params.mode === SAFE);
  if (safe.length === 0 || safe.some(({ loss }) => loss.most > 0)) return [];
  const titles = [...new Set(safe.map(({ fault }) => fault.title))];
  const open = [...new Set(outcomes.map(({ fault }) => fault.title))].filter((title) => !titles.includes(title));
  const trials = Math.min(...safe.map(({ loss }) => loss.trials));
  return [
    `Use semi-sync AFTER_SYNC with a timeout of 1 h (“no fallback”). It lost none in: ${titles.join('; ')} (${plural(trials, 'trial')} each${trials === 1 ? ': a screening, no proof' : ''}). With 1 s it falls back to async, silently, and loses.`,
    'Its price: while no replica confirms, every commit hangs, until a replica is back, you switch semi-sync off, or an hour has passed. Have two replicas; after a restart the primary is read-only until block B. ' +
      'A failover tool has to run block B, on the replica that has most: one replica is enough to confirm a write, so the other may lack it. `read_only = OFF` alone makes the new primary async.',
    ...(open.length > 0 ? [`Not tried with it: ${open.join('; ')}.`] : []),
  ];
}

/**
 * @param {Result['benchmarks'][number]} costs
 * @returns {string} a sentence after a space; empty: not measured
 */
function strictText(costs) {
  const [strict, relaxed] = ['async', 'async-relaxed'].map((mode) => costOfMode(costs, mode, CONNECTIONS));
  return strict && relaxed
    ? ` Whoever runs so today pays for the strict one, too: async ${rate(strict.summary.throughput.median)} instead of ${rate(relaxed.summary.throughput.median)}`
    : '';
}

/**
 * @param {Result['benchmarks'][number] | undefined} costs
 * @returns {string} a sentence after a space: what a distance adds, which no case has; empty: the commits of one connection were not measured
 */
function distanceText(costs) {
  const one = costs && costOfMode(costs, 'after-sync', 1);
  if (!one) return '';
  const here = one.summary.throughput.median;
  const apart = 1 / (1 / here + DISTANCE_MS / MS_A_SECOND);
  return ` Distance adds to that, and was not measured: each commit waits for a round trip more. With nodes ${DISTANCE_MS} ms apart one connection with AFTER_SYNC makes, by arithmetic, at most ${rate(apart)} instead of ${rate(here)}.`;
}

/**
 * @param {string} name of a column or a row
 * @param {string} meaning
 */
function word(name, meaning) {
  return { name, text: meaning, details: [] };
}

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
  const found =
    costs && costs.cases.length > 0 ? cost.findings(costs, {}).filter(({ id = '' }) => COSTS.includes(id)) : [];
  const cheapest = tell([{ benchmark: cost.name, findings: found }]);
  return {
    answer: [
      ...useText(failures),
      ...cheapest.answer.map((sentence, i) => (i === 0 ? sentence + distanceText(costs) : sentence)),
      ...answer,
    ],
    toldFindings: cheapest.toldFindings,
    evidence: [...costTable(costs), ...lossTable(failures)],
    actions: actionsOf(failures),
    limits: limitsOf(failures),
    // The table of losses has all that their sections would say.
    // The answer and the table have the costs at the usual number of connections, and details.md the others.
    covers: [cost.name, ...(costs?.cases.length ? [resources.name] : []), ...SCENARIOS.map(({ name }) => name)],
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
    const paced = costs.cases.find(({ params }) => params.mode === mode && params.rate !== undefined);
    return [
      [
        costTitle(one.params),
        ratio ? costText(costOf(ratio)) : NOT_MEASURED,
        paced ? interval(paced.summary.p99Ns, duration) : NOT_MEASURED,
        ...SHOWN_CONNECTIONS.map((connections) => {
          const shown = costOfMode(costs, mode, connections);
          return shown ? rate(shown.summary.throughput.median) : NOT_MEASURED;
        }),
      ],
    ];
  });
  if (rows.length === 0) return [];
  const rates = SHOWN_CONNECTIONS.map((connections, i) =>
    right(i === 0 ? `commits/s, ${plural(connections, 'connection')}` : count(connections)),
  );
  return [
    // What decides comes first: a phone shows two columns beside the names.
    table(
      [
        'mode',
        right(`cost at ${plural(CONNECTIONS, 'connection')}`),
        right(`p99 response at ${rate(OPEN_LOOP.rate)}`),
        ...rates,
      ],
      rows,
    ),
    list([
      word(
        'cost',
        'of throughput, against async replication, one row a commit: the median of ratios paired by round. Measured with a timeout of 60 s and healthy replicas, so “no fallback” costs the same as AFTER_SYNC. A range alone is a cost whose size is undecided: its interval is wider than ± 10 points',
      ),
      word('no replica', 'measured apart, on its own stack'),
      word('relaxed flush', `\`sync_binlog = 0\`, \`innodb_flush_log_at_trx_commit = 0\`.${strictText(costs)}`),
    ]),
  ];
}

/**
 * @typedef {{title: string, outcomes: Map<string, Outcome>}} LossRow outcomes: by the mode of its column
 */

/**
 * @param {Outcome} outcome
 * @returns {{column: string, title: string}} column: one of {@link COLUMN_MODES}; title: of the row
 */
function placeOf({ fault, one: { params } }) {
  const { mode = '', variant } = params;
  const base =
    [...COLUMN_MODES].reverse().find((each) => mode === each || mode.startsWith(`${each}-`)) ?? COLUMN_MODES[0];
  const setting = mode === base ? '' : `, ${MODES[mode]?.title.split(' + ').at(-1) ?? mode}`;
  const how = variant === undefined ? '' : `, ${VARIANTS[variant] ?? variant}`;
  return { column: base, title: `${fault.title}${setting}${how}` };
}

/** @param {LossRow} row */
function mostIn({ outcomes }) {
  return Math.max(...[...outcomes.values()].map(({ loss }) => loss.most));
}

/** @type {Column<LossRow>[]} */
const LOSS_COLUMNS = [
  left('lost in', ({ title }) => title),
  ...COLUMN_MODES.toReversed().map((mode) =>
    right(MODES[mode].title.replace('semi-sync ', ''), (/** @type {LossRow} */ { outcomes }) =>
      worstLoss(outcomes.get(mode)?.loss ?? null),
    ),
  ),
  right('longest outage', ({ outcomes }) =>
    milliseconds(Math.max(...[...outcomes.values()].map(({ outage }) => outage.medianMs))),
  ),
];

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {Block[]} a row for each failure, the largest loss first
 */
function lossTable(failures) {
  const outcomes = SCENARIOS.flatMap(({ name }) => failures.find((each) => each.name === name) ?? []).flatMap(
    outcomesOf,
  );
  if (outcomes.length === 0) return [];
  /** @type {Map<string, LossRow>} */
  const rows = new Map();
  for (const outcome of outcomes) {
    const { column, title } = placeOf(outcome);
    const row = rows.get(title) ?? { title, outcomes: new Map() };
    row.outcomes.set(column, outcome);
    rows.set(title, row);
  }
  const phantoms = Math.max(...outcomes.map((each) => each.phantoms));
  return [
    table(
      LOSS_COLUMNS,
      [...rows.values()].sort((a, b) => mostIn(b) - mostIn(a)),
    ),
    list([
      word(
        'lost',
        'acknowledged writes that are missing on the last primary (seconds of writes), worst trial. In one trial each, only zero against more than zero tells modes apart',
      ),
      word(
        'AFTER_COMMIT, AFTER_SYNC',
        'they wait for 1 s, as in the article, then go on as async, silently. “No fallback” waits for 1 h',
      ),
      word(
        'longest outage',
        'without an acknowledgement after the failure began, in any mode. A freeze of replicas before a kill, during which “no fallback” confirms nothing, is not in it',
      ),
      ...(phantoms > 0
        ? [
            word(
              'phantoms',
              `the old primary kept up to ${plural(phantoms, 'write')} without an acknowledgement, so rebuild it after a failure`,
            ),
          ]
        : []),
    ]),
  ];
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {Block[]}
 */
function actionsOf(failures) {
  if (failures.length === 0) return [];
  return [
    code(REPLICAS, 'sql'),
    code(PRIMARY, 'sql'),
    code(EVERY_NODE, 'ini'),
    text(
      `${RESTART} ${TIMEOUT_DANGER}${timeoutsText(failures)} Watch \`Rpl_semi_sync_master_status\`: OFF means that the primary no longer waits.`,
    ),
    text(
      'Planned switch-over, and after a failure: `details.md` has the five steps. After a failure fence the old primary first (power, network). `read_only = OFF` alone would leave the new primary async.',
    ),
  ];
}

/**
 * @param {Result} result
 * @returns {Block[]} what the page refers to
 */
export function switchOverSteps({ benchmarks }) {
  return benchmarks.some(isFailureBenchmark)
    ? [heading(2, 'Planned switch-over, and after a failure'), list(SWITCH_OVER, { ordered: true })]
    : [];
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {string} after a space: the timeouts of the cases; empty: none waits
 */
function timeoutsText(failures) {
  const waiting = failures
    .flatMap(({ cases }) => cases)
    .filter(({ params: { settings } }) => settings?.rpl_semi_sync_master_enabled === 'ON');
  const timeouts = [...new Set(waiting.map(({ params: { settings } }) => Number(settings?.[TIMEOUT])))]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  if (timeouts.length === 0) return '';
  const shown = timeouts.map((ms) => `${count(ms / 1000)} s`).join(' and ');
  return ` Tested here: timeouts of ${shown}${timeouts.includes(DEFAULT_TIMEOUT_MS) ? '' : ', not the default'}.`;
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {string[]}
 */
function limitsOf(failures) {
  const losses = failures.flatMap((benchmark) => outcomesOf(benchmark)).map(({ loss }) => loss);
  if (losses.length === 0) return [];
  return [
    ...busyText(failures, BUSY),
    openRisk(losses),
    'After a kill the kernel delivers what the primary had handed over, so a kill cannot show what async replication loses with a machine. Not tested: MySQL, and real distances between nodes. The harness promotes after 1 s; a failover tool may take longer. After a power loss the same primary restarts.',
  ];
}
