/**
 * The front page: each move, whether it works, what it lost, and the order of steps that lost nothing.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 */
import { code, heading, list, table, text } from '../../src/report/blocks.js';
import { plural } from '../../src/report/format.js';
import { fellBehind, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { openRisk, worstLoss } from '../../src/report/trials/losses.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { caseTitle, NATIVE_WRITERS } from '../failure/cases.js';
import { pastedName } from '../failure/paste.js';
import { failoverRunbook } from '../failure/planned-failover.js';
import { followedIn } from './findings.js';
import { BY_SCRIPT, BY_SHAKE } from './marks.js';
import { HELD_SECONDS } from './move-by-copy.js';
import { moveTitle, TITLES } from './titles.js';

const TITLE_OF = Object.freeze(
  /** @type {Record<string, string>} */ ({
    'rolling-upgrade': 'Rolling upgrade',
    migrate: 'Migration to Valkey',
    downgrade: 'Older replica below a newer primary',
  }),
);

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function upgradePage(result) {
  const rows = result.benchmarks.flatMap((benchmark) => rowsOf(benchmark, { writers: NATIVE_WRITERS, titles: TITLES }));
  const moving = rows.filter(
    ({ benchmark, one }) => benchmark.name !== 'downgrade' && followedIn(benchmark, one) !== false,
  );
  const isSafe = (/** @type {string} */ variant) => {
    const tried = moving.filter(({ one }) => one.params.variant === variant);
    return tried.length > 0 && tried.every(({ loss }) => loss.most === 0);
  };
  const timelines = result.benchmarks.flatMap(({ timeline = [] }) => timeline);
  const busy = timelines.filter(fellBehind).length;
  return {
    answer: [
      ...result.benchmarks.flatMap(({ findings, name }) =>
        findings.map((each) => `${TITLE_OF[name]}: ${each.text[0].toLowerCase()}${each.text.slice(1)}.`),
      ),
      ...(rows.length === 0 ? ['Nothing was measured: name two servers with `--server PATH --server PATH`.'] : []),
    ],
    evidence: rows.length === 0 ? [] : tableOf(rows),
    actions: [...(isSafe(BY_SCRIPT) ? stepsOf(result) : []), ...(isSafe(BY_SHAKE) ? stepsByCopy(result) : [])],
    limits: [
      ...(moving.length === 0 ? [] : [openRisk(moving.map(({ loss }) => loss))]),
      ...(busy === 0
        ? []
        : [
            `In ${busy} of ${plural(timelines.length, 'trial')} the machine was too busy for the writers, which lengthens outages.`,
          ]),
      'A node “did not follow” when it had no link to the primary within 20 s of its start (older replica: 8 s).',
      'The nodes have no modules, no scripts and small data sets. What RedisShake copies wrongly of other types is in the suite `copy`.',
    ],
    covers: result.benchmarks.filter(({ status }) => status === 'ok').map(({ name }) => name),
  };
}

/**
 * @param {readonly ReturnType<typeof rowsOf>[number][]} rows
 * @returns {Block[]}
 */
function tableOf(rows) {
  return [
    heading(2, 'Moves'),
    text(
      'Lost: acknowledged writes of the worst trial (seconds of writes). Outage: longest time without an acknowledgement.',
    ),
    table(
      ['move', 'mode, failing over', 'other server follows?', 'lost', 'outage'],
      rows.map(({ benchmark, one, loss, outage }) => {
        const followed = followedIn(benchmark, one);
        return [
          `${moveTitle(one.params)}${benchmark.name === 'downgrade' ? ' (one replica)' : ''}`,
          caseTitle(one.params),
          followed === null ? NOT_MEASURED : followed ? 'yes' : 'no',
          worstLoss(loss),
          milliseconds(outage.medianMs),
        ];
      }),
    ),
  ];
}

/**
 * @param {Result} result
 * @returns {Block[]} the order of steps that lost nothing
 */
function stepsOf({ stack: { masterName } }) {
  return [
    text('This order of steps lost nothing here:'),
    list(
      [
        'Restart each Sentinel as the new version, one after the other.',
        'Restart each replica as the new version. Wait for `master_link_status:up` before the next one.',
        'Move the primary with the script below, and wait until it is a replica.',
        'Restart the old primary as the new version.',
      ],
      { ordered: true },
    ),
    code(failoverRunbook(pastedName(masterName)), 'sh'),
  ];
}

/**
 * @param {Result} result
 * @returns {Block[]} the same with a copy, which no snapshot that both can read is needed for
 */
function stepsByCopy({ stack: { masterName } }) {
  const name = pastedName(masterName);
  return [
    text('If the replica cannot read the snapshot, let RedisShake copy. This order of steps lost nothing here:'),
    list(
      [
        'Restart each Sentinel as the new server. Take one replica out: `REPLICAOF NO ONE`, `CONFIG SET min-replicas-to-write 0`, `CONFIG REWRITE`. Stop it, delete ' +
          `its files, start it as the new server, and send \`SENTINEL RESET ${name}\` to each Sentinel.`,
        'Start RedisShake (`sync_reader`, with `status_port`) from the primary to that node, and wait until it has copied the data.',
        `Send \`CLIENT PAUSE ${HELD_SECONDS * 1000} WRITE\` to the primary, and read \`master_repl_offset\` in its \`INFO replication\`. Wait until the status page of RedisShake has ` +
          '`"consistent": true`, `aof_received_offset` at least as large, and no `unanswered_entries`. If not soon: `CLIENT UNPAUSE`, and nothing has changed.',
        `At each Sentinel: \`SENTINEL REMOVE ${name}\`, \`SENTINEL MONITOR ${name}\` with the new node, and \`SENTINEL SET\` with your values and password again.`,
        `Shut down the old primary before the ${HELD_SECONDS} s are over, then end RedisShake.`,
        'Delete the files of each other node, start it as the new server, and send it `REPLICAOF` with the new primary. Then set `min-replicas-to-write` again.',
      ],
      { ordered: true },
    ),
  ];
}
