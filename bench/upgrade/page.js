/**
 * The front page: each move, whether it works, what it lost, and the order of steps that lost nothing.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { CaseResult, Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 */

import { fellBehind } from '../../src/audit/judgement.js';
import { plural, rangeOrOne } from '../../src/format.js';
import { code, heading, list, table, text } from '../../src/report/blocks.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { openRisk, worstLoss } from '../../src/report/trials/losses.js';
import { largestFirst, rowsOf } from '../../src/report/trials/rows.js';
import { caseTitle, NATIVE_WRITERS, variationTitle } from '../experiments/cases.js';
import { modeTitle } from '../modes.js';
import { pastedName } from '../pages/paste.js';
import { failoverRunbook } from '../pages/planned-failover.js';
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
  const isSafe = (/** @type {string} */ way) => {
    const tried = moving.filter(({ one }) => one.params.way === way);
    return tried.length > 0 && tried.every(({ loss }) => loss.most === 0);
  };
  const timelines = result.benchmarks.flatMap(({ timeline = [] }) => timeline);
  const busy = timelines.filter(fellBehind).length;
  return {
    answer: [
      ...waysText(moving),
      ...result.benchmarks.flatMap(({ findings, name }) =>
        findings
          .filter(({ id }) => id !== 'losses')
          .map((each) => `${TITLE_OF[name]}: ${each.text[0].toLowerCase()}${each.text.slice(1)}.`),
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
 * @param {readonly ReturnType<typeof rowsOf>[number][]} moving
 * @returns {string[]} what each way of failing over lost in all moves, in one sentence; the best first
 */
function waysText(moving) {
  const ways = [...new Set(moving.flatMap(({ one }) => one.params.way ?? []))].map((way) => {
    const rows = moving.filter(({ one }) => one.params.way === way);
    const outages = rows.map(({ outage }) => outage.medianMs);
    const losing = [...new Set(rows.map(({ one }) => modeTitle(one.params)))].flatMap((mode) => {
      const [worst] = rows.filter(({ one }) => modeTitle(one.params) === mode).toSorted(largestFirst);
      return worst.loss.most > 0 ? [`up to ${worstLoss(worst.loss)} with ${mode}`] : [];
    });
    const lost = losing.length === 0 ? 'none' : losing.join(', ');
    const [low, high] = [Math.min(...outages), Math.max(...outages)];
    const outage = rangeOrOne(low, high, milliseconds);
    return {
      losing: losing.length,
      text: `${variationTitle({ way })} ${lost} (${plural(rows.length, 'case')}, outage ${outage})`,
    };
  });
  if (ways.length === 0) return [];
  return [
    `Acknowledged writes lost: ${ways
      .sort((a, b) => a.losing - b.losing)
      .map(({ text: each }) => each)
      .join('; ')}.`,
  ];
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
          followedText(one, followed),
          worstLoss(loss),
          milliseconds(outage.medianMs),
        ];
      }),
    ),
  ];
}

/**
 * @param {CaseResult} one
 * @param {boolean | null} followed null: it was not seen
 */
function followedText({ params }, followed) {
  if (followed === null) return NOT_MEASURED;
  if (!followed) return 'no, so it was not moved';
  return params.way === BY_SHAKE ? 'filled by a copy' : 'yes';
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
        'Keep the RDB file and each `sentinel.conf`: the old version may not read what the new one writes, so from the first new replica on, which a Sentinel may promote, there may be no way back. Restart each Sentinel as the new version. Before the next one wait for down-after, then until `SENTINEL CKQUORUM` counts all.',
        'Stop a replica (`ROLE` says slave). Start it as the new version only when `SENTINEL GET-MASTER-ADDR-BY-NAME` at every Sentinel names another node: a primary without persistence that starts again is empty, and its replicas copy that. Wait for `master_link_status:up` before the next one.',
        'Move the primary with the script below. Run it only once: a second run moves the primary on to another node. Wait until the old primary is a replica.',
        'Restart the old primary (`ROLE` says slave) as in step 2.',
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
    text(
      'If the log of a replica says that it cannot read the snapshot (such as “Can’t handle RDB format version”), stop it, move its files away, start the former server there, and let RedisShake copy. This order of steps lost nothing here. ' +
        'Practise it first: from step 2 on there is a replica less, and after step 5 no way back but the files of the old primary.',
    ),
    list(
      [
        `Copy each \`sentinel.conf\`: step 5 removes passwords and scripts, which no command shows. Restart each Sentinel as the new server. Before the next one wait for down-after, then until \`SENTINEL CKQUORUM ${name}\` counts all.`,
        'Note `CONFIG GET min-replicas-to-write`; if too few replicas would remain, lower it at the primary. Take a node whose `ROLE` is slave, and which no Sentinel names as the primary (`SENTINEL GET-MASTER-ADDR-BY-NAME`): `CONFIG SET min-replicas-to-write 0`, `REPLICAOF NO ONE`, `CONFIG REWRITE`, and stop it at once, because Sentinels make it a replica again. While it is down: ' +
          `\`SENTINEL RESET ${name}\` at one Sentinel after the other, the next one when \`num-other-sentinels\` is what it was. Move its RDB and append-only files away, and start it as the new server. \`ROLE\` must say master, and no Sentinel may list it (\`SENTINEL REPLICAS ${name}\`); else repeat.`,
        'Start RedisShake (`status_port` set; `sync_reader`: the primary; `redis_writer`: that node), and wait until it has copied the data. It counts as a replica for `WAIT` and `min-replicas-to-write`.',
        `At every Sentinel \`SENTINEL SET ${name} down-after-milliseconds ${2 * HELD_SECONDS * 1000}\`: the pause also holds what Sentinels publish, and they would fail over. Then \`CLIENT PAUSE ${HELD_SECONDS * 1000} WRITE\` at the primary, from which RedisShake reads (\`ROLE\` says master), and read ` +
          '`master_repl_offset` in its `INFO replication`. Wait until the status page of RedisShake has `"consistent": true`, `aof_received_offset` at least as large, and no `unanswered_entries`, and compare `INFO keyspace` of both. If not within 30 s: `CLIENT UNPAUSE`, and down-after as before.',
        `\`SENTINEL REMOVE ${name}\` at every Sentinel: one that still knows the old primary leads the others back to it, also one that is down now and comes back with its old file. Then, while writes wait (send the pause again to extend it): \`BGSAVE\` at the old primary until \`rdb_bgsave_in_progress:0\` and \`rdb_last_bgsave_status:ok\`, and stop it so that nothing starts it again; keep its files. End RedisShake.`,
        `At every Sentinel \`SENTINEL MONITOR ${name}\` with the new node, and \`SENTINEL SET\` with the values that you kept and the password. Scripts have to go into its file while it is stopped. Clients that do not ask the Sentinels again have to be restarted.`,
        'The same `BGSAVE` at the new primary: it is the only node with the new writes. Then one node after the other that Sentinels do not name as the primary: stop it, move its files away, start it as the new server with `--replicaof` the new primary, and wait for `master_link_status:up`. Then set `min-replicas-to-write` on all as you noted it, with `CONFIG REWRITE`.',
      ],
      { ordered: true },
    ),
  ];
}
