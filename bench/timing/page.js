/**
 * The front page: which down-after-milliseconds, and what it risks.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Choice } from './figures.js'
 */
import { code, heading, table, text } from '../../src/report/blocks.js';
import { count, plural } from '../../src/report/format.js';
import { fellBehind, milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { left, right } from '../../src/table.js';
import { pastedName } from '../failure/paste.js';
import { choicesOf, measuredIn, rateOf, recommended, TOLERATED_SECONDS } from './figures.js';
import { seconds } from './findings.js';

const COLUMNS = [
  left('down-after', seconds),
  right('outage, primary killed', (/** @type {Choice} */ { outageMs }) => milliseconds(outageMs)),
  left('commands that led to a failover', commandsCell),
  right('most lost', ({ commands, mostLost }) => (commands.length === 0 ? NOT_MEASURED : count(mostLost))),
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
  const watched = choices.flatMap((choice) => choice.watched);
  const failovers = rateOf(watched, 'needless');
  return {
    answer:
      choices.length === 0
        ? ['Nothing was measured.']
        : [
            ...(best === null
              ? [`No value of down-after withstood commands of ${TOLERATED_SECONDS} s.`]
              : [
                  `Set down-after-milliseconds to ${count(best.downAfterMs)} if no command or fork takes longer than ${TOLERATED_SECONDS} s: writes stop for ${milliseconds(best.outageMs)} when the primary is killed.`,
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
              'Outage: the longest time without an acknowledgement, of the mode that stopped longest. Most lost: acknowledged writes of the worst trial in which a healthy primary, or the replica ' +
                'promoted a moment before, was replaced. Other needless failovers: of healthy nodes while nothing or one kill happened.',
            ),
            table(COLUMNS, choices),
          ],
    actions: best === null ? [] : settingsOf(result, best),
    limits: [
      ...(failovers.seen > 0 || watched.length === 0
        ? []
        : [
            `No failover of healthy nodes in ${plural(Math.round(failovers.hours * 60), 'minute')} still allows ${count(Math.ceil(failovers.anHour))} an hour (95% confidence).`,
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
 */
function settingsOf({ stack: { masterName } }, { downAfterMs }) {
  const set = `redis-cli -h SENTINEL -p 26379 SENTINEL SET ${pastedName(masterName)}`;
  return [
    text('On each Sentinel. It acts at once, and a Sentinel keeps it in its file:'),
    code(
      [
        `${set} down-after-milliseconds ${downAfterMs}`,
        '# The next attempt comes after twice this time.',
        `${set} failover-timeout 10000`,
      ].join('\n'),
      'sh',
    ),
  ];
}
