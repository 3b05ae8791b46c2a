/**
 * The front page of a run of the suite.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Column } from '../../src/table.js'
 * @import { Outcome } from './figures.js'
 */

import { count, duration, interval, plural, rate } from '../../src/format.js';
import { code, list, table, text } from '../../src/report/blocks.js';
import { costOf, left, right } from '../../src/report/columns.js';
import { headlineCost, RANGE_MEANING, roundsText, tell } from '../../src/report/findings.js';
import { isFailureBenchmark, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { openRisk, worstLoss } from '../../src/report/trials/losses.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { MS_A_SECOND } from '../../src/units.js';
import { busyText } from '../pages/busy.js';
import cost, { costOfMode, costTitle, OPEN_LOOP } from './cost.js';
import { lossSentence, outcomesOf, VARIATIONS } from './figures.js';
import { MODES, SAFE } from './modes.js';
import resources from './resources.js';
import { SCENARIOS } from './scenarios.js';

/** The failures of the first sentences. The silent fallback is first: it is what semi-sync is often thought not to do. */
const ANSWERED = ['semi-sync-replicas-frozen', 'semi-sync-partition'];
/** Findings about costs in the first sentences. The conditions of the page are those of the first. */
const COSTS = ['cost-10', 'cost-1', 'cost-50', 'response-time'];

/** The number of connections at which every mode was measured. */
const CONNECTIONS = 10;
const SHOWN_CONNECTIONS = [1, CONNECTIONS, 50];
/** The same with a short timeout. */
const FALLBACK = 'after-sync';
const BASELINE = 'async';
const TIMEOUT = 'rpl_semi_sync_master_timeout';
/** A round trip between nodes, for an estimate. */
const DISTANCE_MS = 1;
/** The default of MariaDB. */
const DEFAULT_TIMEOUT_MS = 10_000;
const MS_AN_HOUR = 3600 * MS_A_SECOND;
/** The modes that are columns of the table of losses. Others differ from one of them in a setting that names a row. */
const COLUMN_MODES = ['async', 'after-commit', 'after-sync', SAFE];

/** Of every node, in SQL: these settings need no restart. Without a replica `wait_no_slave = OFF` would confirm every commit at once. */
const WAITING = `SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC,
  GLOBAL rpl_semi_sync_master_wait_no_slave = ON, GLOBAL rpl_semi_sync_master_timeout = 3600000,
  GLOBAL gtid_strict_mode = ON, GLOBAL sync_binlog = 1, GLOBAL innodb_flush_log_at_trx_commit = 1`;
/** What a node is, and what is set on it. */
const LOOK = `SELECT @@hostname, @@port; SHOW ALL SLAVES STATUS;
SHOW GLOBAL VARIABLES WHERE Variable_name RLIKE 'semi_sync|gtid_strict|sync_binlog|at_trx_|^read_on|log_bin$|slave_upd';`;
/**
 * @param {string} variable of the session
 * @param {string} status its name
 */
const numberOf = (variable, status) =>
  `SET ${variable} = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '${status}');`;
/** Threads that apply what another node sends. One that stopped counts as none. */
const RUNNING = numberOf('@running', 'SLAVES_RUNNING');
/** These threads, and those that receive: none on a primary. */
const FOLLOWING = `${RUNNING}
SET @following = @running + (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND = 'Slave_IO');`;
/** Nodes that confirm. The server counts them also while its own commits do not wait: seen on 10.11.19. */
const CONFIRMING = `SET @confirm = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS
  WHERE VARIABLE_NAME = 'RPL_SEMI_SYNC_MASTER_CLIENTS');`;
/**
 * What the page advises; a test applies each block to real servers. A client in a terminal goes on after an error, so each block finds out itself
 * whether the node is one that it is meant for, and changes nothing on another.
 */
export const REPLICAS = `-- Block A, replicas only, one after the other, while they run; not with several sources. Keep what it shows: the undo.
-- Where @replica is 0 it changes nothing: no SQL thread, replicas of its own, no log_bin or log_slave_updates.
-- Paste the next two lines alone first: Using_Gtid must not be No. Without PROCESS an account sees too little.
${LOOK}
${RUNNING}
${numberOf('@below', 'SLAVES_CONNECTED')}
SET @replica = @@log_bin AND @@log_slave_updates AND @running = 1 AND @below = 0;
EXECUTE IMMEDIATE IF(@replica, '${WAITING},
  GLOBAL read_only = ON, GLOBAL rpl_semi_sync_slave_enabled = ON, GLOBAL rpl_semi_sync_master_enabled = OFF', 'DO 0');
EXECUTE IMMEDIATE IF(@replica, 'STOP SLAVE IO_THREAD', 'DO 0');
EXECUTE IMMEDIATE IF(@replica, 'START SLAVE IO_THREAD', 'DO 0');
SELECT @replica; SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_slave_status'; -- Repeat this line. Block B only when ON on each`;
export const PRIMARY = `-- Block B, the primary only: its commits wait from now on. Paste the next two lines alone first: no source may be shown.
-- Keep the values. Where @primary is 0 it changes nothing: the node follows another, or no replica confirms yet (repeat).
${LOOK}
${FOLLOWING}
${CONFIRMING}
SET @primary = (@following = 0 AND @confirm > 0);
EXECUTE IMMEDIATE IF(@primary, '${WAITING}', 'DO 0');
SET GLOBAL rpl_semi_sync_master_enabled = @@GLOBAL.rpl_semi_sync_master_enabled OR (@primary
  AND @@GLOBAL.rpl_semi_sync_master_timeout = 3600000 AND @@GLOBAL.rpl_semi_sync_master_wait_point = 'AFTER_SYNC');
SELECT @primary; SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_%'; -- Rpl_semi_sync_master_clients 1 or more, and _status ON`;
export const OPEN = `-- Block C, only for a primary that was promoted, or restarted while no other was, after block B showed no source there.
-- It takes writes from now on, if its commits wait and a replica confirms. Open: name, 0, 1, 0, 1 or more, ON. Else B and C.
${FOLLOWING}
${CONFIRMING}
SET @status = (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS
  WHERE VARIABLE_NAME = 'RPL_SEMI_SYNC_MASTER_STATUS');
SET GLOBAL read_only = NOT (@@GLOBAL.rpl_semi_sync_master_enabled AND @@GLOBAL.rpl_semi_sync_master_timeout = 3600000
  AND @@GLOBAL.rpl_semi_sync_master_wait_point = 'AFTER_SYNC' AND @@GLOBAL.rpl_semi_sync_master_wait_no_slave
  AND @following = 0 AND @confirm > 0 AND @status = 'ON') AND @@GLOBAL.read_only;
SELECT @@hostname, @@GLOBAL.read_only, @@GLOBAL.rpl_semi_sync_master_enabled, @following, @confirm, @status;`;
export const EVERY_NODE = `# After blocks A and B: every node, in its file, for its next restart. A restarted primary then takes no writes until B and C
[mariadb]
rpl_semi_sync_master_wait_point = AFTER_SYNC
rpl_semi_sync_master_wait_no_slave = ON
rpl_semi_sync_master_timeout = 3600000
rpl_semi_sync_slave_enabled = ON
gtid_strict_mode = ON
sync_binlog = 1
innodb_flush_log_at_trx_commit = 1
read_only = ON`;
const HANGING =
  'If commits hang: `SET GLOBAL rpl_semi_sync_master_enabled = OFF` makes replication async and confirms them: only if no other node was or may be promoted.';
const RESTART =
  'After a restart: a replica whose threads run needs nothing. A primary takes no writes (but of accounts with READ ONLY ADMIN): when its replicas are back, run blocks B and C there if no other node was promoted meanwhile, else rebuild it as a replica: it may hold writes that nobody else has';
/** https://jira.mariadb.org/browse/MDEV-33465, with the versions from the server's documentation; seen on 10.11.19 with that role. */
const TRUNCATED =
  'Versions: a server without MDEV-33465 (in 10.6.19, 10.11.9, 11.4.3 and later ones) or with `init_rpl_role = SLAVE` discards in a crash writes that its replicas have: promote a replica then, and rebuild it.';
/** Seen on 10.11.19: both threads of such a replica run. */
const UPDATES =
  'Replicas: without `log_slave_updates` on every node, other replicas lack writes after a failover, and show no error. `gtid_strict_mode` stops the SQL thread of a replica that has writes of its own, and it goes on confirming: watch that thread, and rebuild it.';
/** https://mariadb.com/kb/en/semisynchronous-replication/ and MDEV-4698. */
const NOT_ON_DISK =
  'a replica confirms before its relay log is on its disk (`sync_relay_log`), and with GTID it throws that log away when it restarts, so writes are lost if the primary and the replica that confirmed them fail together';
/** Without a replica the status stays ON: seen on 10.11.19. */
const WATCH =
  'Watch `Rpl_semi_sync_master_status` (OFF: the primary no longer waits) and `Rpl_semi_sync_master_clients` (0: every commit hangs, and connections pile up to `max_connections`). Alarm on `Rpl_semi_sync_master_wait_sessions` that stays above 0: a frozen replica still counts as a client. Keep an administrator’s session open, and time out in the clients. A commit that timed out is unknown, not failed.';
const TIMEOUT_DANGER =
  'Timeout: the hour delays the silent fallback to async, so that somebody can act. With the default (10 s) commits go on after it, and a failover loses them.';

/** As the harness does it, in src/stacks/mariadb/replication.js. */
export const SWITCH_OVER = Object.freeze([
  'Close the old primary: `SET GLOBAL read_only = ON` (it waits behind commits that hang, so switch over only while replicas confirm), and end the sessions of accounts that may write nevertheless. After a failure fence it first (power, network): an old primary that still takes writes loses them.',
  'Wait until `Gtid_IO_Pos` of the replica is `gtid_binlog_pos` of the primary; after a failure take the replica with the highest one of all, because one that you cannot ask may be the only one with the last writes, and stop or start no replication before (no block A). Wait until its `SELECT @@gtid_slave_pos` is its `Gtid_IO_Pos`, because the next statements delete what it has not applied. Then on it: `STOP SLAVE; RESET SLAVE ALL;`',
  'The old primary of a planned switch-over: `SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos`. After a failure rebuild it instead: it may hold writes that nobody else has.',
  "Every other node, the old primary last: `STOP SLAVE; CHANGE MASTER TO MASTER_HOST = 'NEW', MASTER_USER = 'USER', MASTER_PASSWORD = 'PASSWORD', MASTER_USE_GTID = slave_pos;`, and if that gave no error `SET GLOBAL rpl_semi_sync_master_enabled = OFF; START SLAVE;`, then block A when `SHOW SLAVE STATUS` has the new host and both threads run.",
  'Only then blocks B and C on the new primary. `read_only = OFF` alone would leave it async.',
]);

/**
 * @param {readonly Outcome[]} some
 * @returns {string[]} the rows of the table that they are in, each once
 */
function titlesOf(some) {
  return [...new Set(some.map((each) => placeOf(each).title))];
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {readonly string[]} titles of rows in which the mode to use lost nothing
 * @returns {string | null} the end of a sentence about the short timeout, and what async lost there; null: neither lost a write, so nothing shows that the
 *   mode helps
 */
function lossesOfOthers(outcomes, titles) {
  const of = (/** @type {string} */ wanted) =>
    outcomes.filter((each) => each.one.params.mode === wanted && titles.includes(placeOf(each).title));
  const lostBy = (/** @type {string} */ mode) => titlesOf(of(mode).filter(({ loss }) => loss.most > 0)).join('; ');
  const [shorter, plain, tried] = [lostBy(FALLBACK), lostBy(BASELINE), of(BASELINE).length];
  if (shorter === '' && plain === '') return null;
  if (shorter === plain) return `; with 1 s, and async (tried in ${tried} of them), lost writes in: ${shorter}.`;
  const alone =
    tried === 0 ? '' : ` Async, tried in ${tried} of them, lost ${plain === '' ? 'none' : `writes in: ${plain}`}.`;
  return `${shorter === '' ? '' : `; with 1 s it lost writes in: ${shorter}`}.${alone}`;
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {string[]} the mode to use and its price; empty: it was not tried, or lost a write, or nothing else lost one
 */
function useText(failures) {
  const outcomes = failures.flatMap(outcomesOf);
  const safe = outcomes.filter(({ one }) => one.params.mode === SAFE);
  const [lossy, kept] = [safe.filter(({ loss }) => loss.most > 0), safe.filter(({ loss }) => loss.most === 0)];
  // A variation is a mistake of whoever fails over, and no mode protects from it.
  if (kept.length === 0 || lossy.some(({ one }) => isPlain(one.params))) return [];
  const titles = titlesOf(kept);
  const trials = Math.min(...kept.map(({ loss }) => loss.trials));
  const others = lossesOfOthers(outcomes, titles);
  if (others === null) return [];
  const tried = titlesOf(safe);
  // The mode has a flush of its own, so it cannot be tried with another.
  const open = titlesOf(outcomes.filter(({ one }) => COLUMN_MODES.includes(one.params.mode ?? ''))).filter(
    (title) => !tried.includes(title),
  );
  const mistakes = lossy.map((each) => `${placeOf(each).title} (lost ${worstLoss(each.loss)})`);
  return [
    `Use semi-sync AFTER_SYNC with a timeout of 1 h, here called “no fallback”. It lost none in ${plural(titles.length, 'fault')}: ${titles.join('; ')} (${plural(trials, 'trial')} each${trials === 1 ? ': a screening, no proof' : ''})${lossy.length > 0 ? `, and some in ${plural(lossy.length, 'mistake')} of a failover, below` : ''}.`,
    `After its timeout semi-sync goes on as async, silently${others}`,
    'Its price: while no replica confirms, every commit hangs, until a replica is back, you switch semi-sync off, or the hour has passed. Have two replicas. It is not for you if a tool fails over by itself, or nobody is on call.',
    'A restarted primary takes no writes until somebody opens it, and a failover takes the five steps below: one replica is enough to confirm, so the other may lack writes. A tool that only sets `read_only = OFF` makes the new primary async.',
    `${open.length > 0 ? `Not tried with it: ${open.join('; ')}. ` : ''}It cannot help if a replica is promoted that lacks the write${mistakes.length > 0 ? `: ${mistakes.join('; ')}` : ''}. Not covered: ${NOT_ON_DISK}.`,
  ];
}

/**
 * @param {Result['benchmarks'][number]} costs
 * @returns {string} a sentence after a space; empty: not measured
 */
function strictText(costs) {
  const [strict, relaxed] = ['async', 'async-relaxed'].map((mode) => costOfMode(costs, mode, CONNECTIONS));
  const ratio = relaxed?.summary.relativeToBaseline?.throughput;
  if (!strict || !relaxed || !ratio) return '';
  const verdict = ratio.low > 1 ? 'that costs you, too' : 'that had no measurable cost here';
  const [now, then] = [strict, relaxed].map(({ summary }) => rate(summary.throughput.median));
  return ` The blocks below set both to 1. If yours are 0 today, ${verdict}: async makes ${now} instead of ${then}`;
}

/**
 * @param {Result['benchmarks'][number]} costs
 * @returns {string} a sentence with the cost at every number of connections; empty: not measured
 */
function costSentence(costs) {
  const measured = ['after-sync', 'after-commit'].flatMap((mode) => {
    const cells = SHOWN_CONNECTIONS.flatMap((connections) => {
      const one = costOfMode(costs, mode, connections);
      const ratio = one?.summary.relativeToBaseline?.throughput;
      return one && ratio ? [{ one, connections, text: headlineCost(costOf(ratio)) }] : [];
    });
    return cells.length > 0 ? [{ mode, cells }] : [];
  });
  if (measured.length === 0) return '';
  const parts = measured.map(
    ({ mode, cells }) =>
      `${MODES[mode].title.replace('semi-sync ', '')} ${cells.map(({ connections, text: cost }) => `${cost} at ${count(connections)}`).join(', ')}`,
  );
  const rounds = Math.min(...measured.flatMap(({ cells }) => cells.map(({ one }) => one.rounds.length)));
  return `Cost of semi-sync against async replication, of throughput, by connections: ${parts.join('; ')} (${roundsText(rounds)}).`;
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
    const sentence = scenario && measured ? lossSentence(measured) : '';
    return sentence === '' ? [] : [`${sentence}.`];
  });
  const found =
    costs && costs.cases.length > 0 ? cost.findings(costs, {}).filter(({ id = '' }) => COSTS.includes(id)) : [];
  const { answer: told, toldFindings } = tell([
    { benchmark: cost.name, findings: found.toSorted((a, b) => COSTS.indexOf(a.id ?? '') - COSTS.indexOf(b.id ?? '')) },
  ]);
  const times = told.filter((_, i) => toldFindings[i].endsWith('/response-time'));
  const price = `${costs ? costSentence(costs) : ''}${distanceText(costs)}`.trim();
  return {
    answer: [...useText(failures), ...(price === '' ? [] : [price]), ...times, ...answer],
    toldFindings,
    evidence: [...costTable(costs), ...lossTable(failures)],
    actions: actionsOf(failures, costs),
    limits: limitsOf(result, failures),
    // The table of losses has all that their sections would say.
    covers: [cost.name, ...(costs?.cases.length ? [resources.name] : []), ...SCENARIOS.map(({ name }) => name)],
  };
}

/**
 * @param {Result['benchmarks'][number] | undefined} costs
 * @returns {Block[]}
 */
function costTable(costs) {
  if (!costs || costs.cases.length === 0) return [];
  const modes = ['async', 'after-commit', 'after-sync', 'async-relaxed', 'after-sync-relaxed'];
  const rows = modes.flatMap((mode) => {
    const one = costOfMode(costs, mode, CONNECTIONS);
    if (!one) return [];
    const paced = costs.cases.find(({ params }) => params.mode === mode && params.rate !== undefined);
    return [
      [
        costTitle(one.params),
        ...SHOWN_CONNECTIONS.map((connections) => {
          const ratio = costOfMode(costs, mode, connections)?.summary.relativeToBaseline?.throughput;
          return ratio ? headlineCost(costOf(ratio)) : NOT_MEASURED;
        }),
        paced ? interval(paced.summary.p99Ns, duration) : NOT_MEASURED,
        rate(one.summary.throughput.median),
      ],
    ];
  });
  if (rows.length === 0) return [];
  const timeouts = timeoutsOf([costs]);
  return [
    table(
      [
        'mode',
        ...SHOWN_CONNECTIONS.map((connections) => right(`cost at ${plural(connections, 'connection')}`)),
        right(`p99 response at ${rate(OPEN_LOOP.rate)}, ${OPEN_LOOP.connections} connections`),
        right(`commits/s, ${plural(CONNECTIONS, 'connection')}`),
      ],
      rows,
    ),
    list([
      word(
        'cost',
        `of throughput, against async replication, one row a commit: the median of ratios paired by round. ${timeouts === '' ? 'Measured' : `Measured with a timeout of ${timeouts} and`} healthy replicas, so “no fallback” costs the same as AFTER_SYNC. ${RANGE_MEANING}`.replace(
          'Measured healthy',
          'Measured with healthy',
        ),
      ),
      word(
        'relaxed flush',
        `\`sync_binlog = 0\`, \`innodb_flush_log_at_trx_commit = 0\`: a power loss takes writes.${strictText(costs)}`,
      ),
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
  const { mode = '' } = params;
  const variation = variationName(params);
  const base =
    [...COLUMN_MODES].reverse().find((each) => mode === each || mode.startsWith(`${each}-`)) ?? COLUMN_MODES[0];
  const setting = mode === base ? '' : `, ${MODES[mode]?.title.split(' + ').at(-1) ?? mode}`;
  const how = variation === '' ? '' : `, ${VARIATIONS[variation] ?? variation}`;
  return { column: base, title: `${fault.title}${setting}${how}` };
}

/** @param {LossRow} row */
function mostIn({ outcomes }) {
  return Math.max(...[...outcomes.values()].map(({ loss }) => loss.most));
}

/** @param {LossRow} row */
function longestOutage({ outcomes }) {
  return milliseconds(Math.max(...[...outcomes.values()].map(({ outage }) => outage.medianMs)));
}

/** @param {LossRow} row without a loss */
function keptText(row) {
  const modes = COLUMN_MODES.toReversed().filter((mode) => row.outcomes.has(mode));
  return `${row.title} (${modes.map((mode) => MODES[mode].title.replace('semi-sync ', '')).join(', ')}; outage ${longestOutage(row)})`;
}

/** @type {Column<LossRow>[]} */
const LOSS_COLUMNS = [
  left('lost in', ({ title }) => title),
  ...COLUMN_MODES.toReversed().map((mode) =>
    right(MODES[mode].title.replace('semi-sync ', ''), (/** @type {LossRow} */ { outcomes }) =>
      worstLoss(outcomes.get(mode)?.loss ?? null),
    ),
  ),
  right('longest outage', longestOutage),
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
  const all = [...rows.values()].sort((a, b) => mostIn(b) - mostIn(a));
  const [lossy, kept] = [all.filter((row) => mostIn(row) > 0), all.filter((row) => mostIn(row) === 0)];
  const most = Math.max(...outcomes.map(({ loss }) => loss.trials));
  const counts = most > 1 ? ', then trials with a loss of all trials' : '';
  return [
    ...(lossy.length > 0 ? [table(LOSS_COLUMNS, lossy)] : []),
    list([
      ...(kept.length > 0
        ? [word('no loss', `no mode that was tried lost a write in: ${kept.map(keptText).join('; ')}`)]
        : []),
      word(
        'lost',
        `acknowledged writes that are missing on the last primary (seconds of writes), worst trial${counts}. ${sizesText(most)}`,
      ),
      word(
        'AFTER_COMMIT, AFTER_SYNC',
        'they wait for 1 s, as in the article that is checked in `details.md`, then go on as async, silently. “No fallback” waits for 1 h',
      ),
      word(
        'longest outage',
        'without an acknowledgement after the failure began, in any mode. A freeze of replicas before a kill, during which “no fallback” confirms nothing, is not in it. To the end: no replica could follow the one that was promoted, so “no fallback” confirmed nothing more',
      ),
    ]),
  ];
}

/**
 * @param {number} trials of a case, at most
 * @returns {string} a sentence without its end: which losses may be compared
 */
function sizesText(trials) {
  return trials === 1
    ? 'One trial each: only zero against more than zero tells modes apart, the sizes do not'
    : 'Sizes depend on the moment of the failure, so compare zero with more than zero first';
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @param {Result['benchmarks'][number] | undefined} costs
 * @returns {Block[]}
 */
function actionsOf(failures, costs) {
  if (failures.length === 0) return [];
  const phantoms = Math.max(0, ...failures.flatMap(outcomesOf).map((each) => each.phantoms));
  const held = phantoms > 0 ? ` (here up to ${count(phantoms)}, never acknowledged)` : '';
  return [
    code(REPLICAS, 'sql'),
    code(PRIMARY, 'sql'),
    code(OPEN, 'sql'),
    code(EVERY_NODE, 'ini'),
    list([
      HANGING,
      `${RESTART}${held}.`,
      WATCH,
      `${TIMEOUT_DANGER}${timeoutsText(failures, costs)}`,
      UPDATES,
      TRUNCATED,
    ]),
    text('Planned switch-over, and after a failure:'),
    list(SWITCH_OVER, { ordered: true }),
  ];
}

/**
 * @param {readonly Result['benchmarks'][number][]} benchmarks
 * @returns {number[]} milliseconds, each once, the shortest first: the timeouts of the cases that wait
 */
function timeoutsIn(benchmarks) {
  const waiting = benchmarks
    .flatMap(({ cases }) => cases)
    .filter(({ params: { settings } }) => settings?.rpl_semi_sync_master_enabled === 'ON');
  return [...new Set(waiting.map(({ params: { settings } }) => Number(settings?.[TIMEOUT])))]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
}

/**
 * @param {readonly Result['benchmarks'][number][]} benchmarks
 * @returns {string} such as `1 s and 1 h`; empty: none waits
 */
function timeoutsOf(benchmarks) {
  return timeoutsIn(benchmarks)
    .map((ms) => (ms >= MS_AN_HOUR ? `${count(ms / MS_AN_HOUR)} h` : `${count(ms / MS_A_SECOND)} s`))
    .join(' and ');
}

/**
 * @param {readonly Result['benchmarks'][number][]} failures
 * @param {Result['benchmarks'][number] | undefined} costs
 * @returns {string} after a space: the timeouts of the cases; empty: none waits
 */
function timeoutsText(failures, costs) {
  const [tried, priced] = [timeoutsOf(failures), costs ? timeoutsOf([costs]) : ''];
  if (tried === '') return '';
  const all = timeoutsIn([...failures, ...(costs ? [costs] : [])]);
  return ` Timeouts here: ${tried} in the failures${priced === '' ? '' : `, ${priced} for the costs`}${all.includes(DEFAULT_TIMEOUT_MS) ? '' : '; the default was not tried'}.`;
}

/**
 * @param {Result} result
 * @param {readonly Result['benchmarks'][number][]} failures
 * @returns {string[]}
 */
function limitsOf(result, failures) {
  const losses = failures.flatMap((benchmark) => outcomesOf(benchmark)).map(({ loss }) => loss);
  if (losses.length === 0) return [];
  return [
    ...busyText(result),
    openRisk(losses),
    'After a kill the kernel delivers what the primary had handed over, so a kill cannot show what async replication loses with a machine. Not tested: MySQL, and real distances between nodes. The harness promotes after 1 s; a failover tool may take longer. After a power loss the same primary restarts.',
  ];
}
