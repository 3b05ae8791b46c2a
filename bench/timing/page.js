/**
 * The front page: which down-after-milliseconds, and what it risks.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Choice } from './figures.js'
 */

import { fellBehind } from '../../src/audit/judgement.js';
import { count, plural } from '../../src/format.js';
import { code, heading, table, text } from '../../src/report/blocks.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { left, right } from '../../src/table.js';
import { modeTitle } from '../modes.js';
import { LOGIN_LINE, pastedName, REDIS_CLI } from '../pages/paste.js';
import { attemptsOf, choicesOf, measuredIn, rateOf, recommended, TOLERATED_SECONDS } from './figures.js';
import { seconds } from './findings.js';

const COLUMNS = [
  left('down-after', seconds),
  right('outage, primary killed', (/** @type {Choice} */ { outageMs }) => milliseconds(outageMs)),
  left('commands that led to a failover', commandsCell),
  right('most lost', ({ mostLost }) => (mostLost === null ? NOT_MEASURED : count(mostLost))),
  right('other needless failovers', ({ quiet }) => seenCell(quiet, 'needless')),
  right('TILT', ({ quiet }) => seenCell(quiet, 'tilts')),
];

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function timingPage(result) {
  const measured = result.benchmarks.flatMap(measuredIn);
  const choices = choicesOf(measured);
  const best = recommended(choices);
  const timelines = result.benchmarks.flatMap(({ timeline = [] }) => timeline);
  const busy = timelines.filter(fellBehind).length;
  const quiet = best?.quiet ?? [];
  const failovers = rateOf(quiet, 'needless');
  return {
    answer:
      choices.length === 0
        ? ['Nothing was measured.']
        : [
            ...(best === null
              ? [`No value of down-after withstood commands of ${TOLERATED_SECONDS} s.`]
              : [
                  `Set down-after-milliseconds to ${count(best.downAfterMs)} if no command takes longer than ${TOLERATED_SECONDS} s (a fork or a disk may block as long, and was not measured): writes stop for ${milliseconds(best.outageMs)} when the primary is killed.`,
                ]),
            ...result.benchmarks.flatMap(({ findings }) =>
              findings
                .filter(({ id }) => ['outage', 'needless', 'attempts', 'quorum', 'healthy', 'extra'].includes(id ?? ''))
                .map((each) => `${each.text}.`),
            ),
          ],
    evidence:
      choices.length === 0
        ? []
        : [
            heading(2, 'What each down-after did'),
            text(
              `Outage: the longest time without an acknowledgement, of the mode that stopped longest (${modesText(measured)}). Most lost: acknowledged writes of the worst trial with a needless failover (–: there was none). ` +
                'Most of them were written after the command had ended: the old primary takes writes until the Sentinels demote it, about ten seconds later. ' +
                'Other needless failovers: while nothing was done to the nodes, or a second one after a kill.',
            ),
            table(COLUMNS, choices),
          ],
    actions: best === null ? [] : settingsOf(result, best, attemptsOf(measured).length),
    limits: [
      ...(best === null || failovers.seen > 0 || quiet.length === 0
        ? []
        : [
            `No needless failover in ${plural(Math.round(failovers.hours * 60), 'minute')} with ${seconds(best)} still allows ${count(Math.ceil(failovers.anHour))} an hour (95% confidence).`,
          ]),
      ...(busy === 0
        ? []
        : [
            `In ${busy} of ${plural(timelines.length, 'trial')} the machine was too busy for the writers, which lengthens outages.`,
          ]),
      'A quorum of 1 lets one Sentinel with a bad link start a failover: see `quorum-one` in the suite `failure`. All nodes are on one machine, so no network delays a PING.',
    ],
    covers: result.benchmarks.filter(({ status }) => status === 'ok').map(({ name }) => name),
  };
}

/** @param {Choice} choice */
function commandsCell({ commands }) {
  if (commands.length === 0) return NOT_MEASURED;
  const led = commands.filter(({ failedOver }) => failedOver > 0);
  if (led.length === 0) return `none of up to ${commands.at(-1)?.situation.blockedSeconds} s`;
  return led
    .map(({ situation, failedOver, trials }) => `${situation.blockedSeconds} s: ${failedOver}/${trials}`)
    .join(', ');
}

/**
 * @param {Choice['quiet']} quiet
 * @param {'needless' | 'tilts'} what
 */
function seenCell(quiet, what) {
  if (quiet.length === 0) return NOT_MEASURED;
  const { seen, hours } = rateOf(quiet, what);
  return `${count(seen)} in ${count(Math.round(hours * 60))} min`;
}

/**
 * @param {Result} result
 * @param {Choice} best
 * @param {number} attempts that the Sentinels repeated, by failover-timeout
 */
function settingsOf({ stack: { masterName } }, { downAfterMs }, attempts) {
  const sentinel = `${REDIS_CLI} -h SENTINEL-HOST -p 26379 SENTINEL`;
  const name = pastedName(masterName);
  return [
    text(
      'On each Sentinel. It acts at once; if something else writes the file of a Sentinel, change it there, too. Sentinels that differ disagree about who is down. A replica whose link has been down for longer than about ten times down-after is not promoted.',
    ),
    code(
      [
        LOGIN_LINE,
        '# The undo: keep what it shows. Afterwards it has to show the same on every Sentinel.',
        `${sentinel} MASTER ${name} | grep -A 1 -e down-after${attempts === 0 ? '' : ' -e failover-timeout'}`,
        `${sentinel} SET ${name} down-after-milliseconds ${downAfterMs}`,
        ...(attempts === 0
          ? []
          : [
              '# If the chosen replica hangs, the next attempt comes after twice this time (default: 180000, so six minutes).',
              `${sentinel} SET ${name} failover-timeout 10000`,
            ]),
      ].join('\n'),
      'sh',
    ),
  ];
}

/** @param {ReturnType<typeof measuredIn>} measured */
function modesText(measured) {
  return [
    ...new Set(
      measured.filter(({ situation }) => situation.kind === 'killed').map(({ row }) => modeTitle(row.one.params)),
    ),
  ].join(', ');
}
