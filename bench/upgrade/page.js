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
import { BY_SCRIPT } from './marks.js';
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
  const safe = moving.filter(({ one }) => one.params.variant === BY_SCRIPT);
  const isSafe = safe.length > 0 && safe.every(({ loss }) => loss.most === 0);
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
    actions: isSafe ? stepsOf(result) : [],
    limits: [
      ...(moving.length === 0 ? [] : [openRisk(moving.map(({ loss }) => loss))]),
      ...(busy === 0
        ? []
        : [
            `In ${busy} of ${plural(timelines.length, 'trial')} the machine was too busy for the writers, which lengthens outages.`,
          ]),
      'A node “did not follow” when it had no link to the primary within 20 s of its start (older replica: 8 s).',
      'The nodes have no modules, no scripts and small data sets. Copies by RedisShake are in the suite `copy`.',
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
