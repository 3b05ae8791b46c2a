/**
 * The front page of a run: what differs between its servers, and nothing about what does not.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Compared } from './differences.js'
 */

import { fellBehind } from '../../src/audit/judgement.js';
import { percent, plural } from '../../src/format.js';
import { code, heading, table, text } from '../../src/report/blocks.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { pastedName, rollOut, rollOutBlocks } from '../pages/paste.js';
import { coordinatedCommand } from '../pages/planned-failover.js';
import { measuredServers, serverTitle } from '../servers.js';
import { COORDINATED_ROW, comparisons, LEAST_COST_GAP, LEAST_GAP, LEAST_TRIALS, WIDEST_COST } from './differences.js';

/** Columns of a table, beside the first. */
const MOST_SERVERS = 5;

/** @type {Readonly<Record<Compared['kind'], string>>} */
const NAMES = Object.freeze({
  loss: 'losses',
  outage: 'outages',
  speed: 'throughputs',
  cost: 'costs',
  behaviour: 'behaviour',
});

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function versionsPage(result) {
  const servers = measuredServers(result);
  const all = comparisons(result, servers);
  const found = all.filter(({ differs }) => differs);
  return {
    answer: answerOf(result, servers, { all, found }),
    evidence: tablesOf(found, servers),
    actions: actionsOf(found, result),
    limits: limitsOf(result),
    covers: result.benchmarks.filter(({ status }) => status === 'ok').map(({ name }) => name),
  };
}

/**
 * @param {Result} result
 * @param {readonly string[]} servers
 * @param {{all: readonly Compared[], found: readonly Compared[]}} compared
 * @returns {string[]}
 */
function answerOf({ profile }, servers, { all, found }) {
  if (servers.length < 2)
    return [
      `Only ${servers.map(serverTitle).join()} was measured. Name several servers: \`--server PATH --server PATH\`.`,
    ];
  const trials = profile.trials ?? 1;
  const sentenceOf = (/** @type {Compared['kind']} */ kind) => {
    const compared = all.filter((each) => each.kind === kind);
    const differing = found.filter((each) => each.kind === kind);
    const open = compared.filter(({ undecided }) => undecided).length;
    const undecided = open === 0 ? '' : ` (${open} undecided)`;
    if (compared.length === 0) return [];
    return open === compared.length
      ? `${NAMES[kind]} undecided in all ${compared.length}`
      : `${NAMES[kind]} ${differing.length} of ${compared.length}${undecided}`;
  };
  const kinds = /** @type {Compared['kind'][]} */ (Object.keys(NAMES));
  return [
    ...found.filter(isBrokenPromise).map((each) => brokenText(each, trials)),
    ...found.filter(({ kind }) => kind === 'speed').map(({ what, shown }) => `${capital(what)}: ${figuresOf(shown)}.`),
    `Servers: ${servers.map(serverTitle).join(', ')}; ${plural(trials, 'trial')} of each fault. Comparisons in which they differ: ${kinds.flatMap(sentenceOf).join(', ')}.`,
    ...(trials >= LEAST_TRIALS && all.some(({ kind, undecided }) => undecided && (kind === 'loss' || kind === 'outage'))
      ? [
          `Losses and outages undecided: the machine kept up with the writers in fewer than ${LEAST_TRIALS} trials of a server. Fewer \`--lanes\` or more \`--trials\` decide it.`,
        ]
      : []),
    ...(trials < LEAST_TRIALS
      ? [
          `${plural(trials, 'trial')} cannot show that losses or outages differ; run it with \`--trials ${LEAST_TRIALS}\` or more.`,
        ]
      : []),
  ];
}

/** @param {Compared} compared */
function isBrokenPromise({ kind, promise }) {
  return kind === 'loss' && promise === true;
}

/**
 * @param {Compared} compared
 * @param {number} trials
 * @returns {string}
 */
function brokenText({ shown }, trials) {
  const of = (/** @type {boolean} */ losing) =>
    [...shown]
      .filter(([, text]) => /^0(,|$)/.test(text) !== losing)
      .map(([server, text]) => `${serverTitle(server)}${losing ? ` ${text}` : ''}`);
  return `A power loss took writes that \`WAITAOF\` had confirmed with everysec: ${of(true).join('; ')}. ${of(false).join(', ')} lost none in ${plural(trials, 'trial')}.`;
}

/** @param {Map<string, string>} shown */
const figuresOf = (shown) => [...shown].map(([server, text]) => `${serverTitle(server)} ${text}`).join('; ');

/** @param {string} text */
const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/**
 * @param {readonly Compared[]} found
 * @param {Result} result
 * @returns {Block[]} empty: nothing follows from the differences
 */
function actionsOf(found, { profile, stack: { masterName } }) {
  const coordinated = found.find(({ what }) => what === COORDINATED_ROW);
  const name = pastedName(masterName);
  const losesNothing = [...(coordinated?.shown.values() ?? [])].some((text) => text.startsWith('yes: lost 0'));
  return [
    ...(found.some(isBrokenPromise)
      ? [
          text(
            'On a server that broke the promise of `WAITAOF` with everysec, have every write synced. It was not tried in this run; `persistence` has what it costs. `WAITAOF 1 0` promises something only while the same node comes back: where a replica may be promoted, ask for replicas, too.',
          ),
          ...rollOutBlocks(rollOut('AOF always', { appendfsync: 'always', appendonly: 'yes' }, name)),
        ]
      : []),
    ...(losesNothing
      ? [
          text(
            `This planned failover lost nothing here (${plural(profile.trials ?? 1, 'trial')}). Send it only once: a second one moves the primary on to another node. Sentinels that do not know it answer with an error, and do nothing; without COORDINATED it is another command, which may lose writes:`,
          ),
          code(coordinatedCommand(name), 'sh'),
        ]
      : []),
  ];
}

/**
 * @param {readonly Compared[]} found
 * @param {readonly string[]} servers
 * @returns {Block[]}
 */
function tablesOf(found, servers) {
  if (found.length === 0) return [];
  const shown = servers.slice(0, MOST_SERVERS);
  return [
    heading(2, 'What differs'),
    text(
      'Lost: acknowledged writes of the worst trial (seconds of writes), trials with a loss. Outage: longest time without an acknowledgement, median of the trials. ' +
        'Throughput: gain against the first server. Cost: share of throughput, against async on the same server. –: not measured or not there.',
    ),
    table(
      ['', ...shown.map(serverTitle)],
      found.map(({ what, shown: figures }) => [what, ...shown.map((server) => figures.get(server) ?? '–')]),
    ),
  ];
}

/**
 * @param {Result} result
 * @returns {string[]}
 */
function limitsOf({ profile, benchmarks }) {
  const trials = profile.trials ?? 1;
  const timelines = benchmarks.flatMap(({ timeline = [] }) => timeline);
  const busy = timelines.filter(fellBehind).length;
  return [
    ...(busy === 0
      ? []
      : [
          `In ${busy} of ${plural(timelines.length, 'trial')} the machine was too busy for the writers; losses and outages of servers are compared without them.`,
        ]),
    `Losses and outages count as different when the ranges of at least ${LEAST_TRIALS} trials are apart by ${percent(LEAST_GAP)} and 200 ms, costs and throughputs when their intervals are ` +
      `apart by ${percent(LEAST_COST_GAP)}, throughputs also by more than the first server differed from itself. With an interval wider than ${percent(WIDEST_COST)} they are undecided. Among so many comparisons one may still differ by chance.`,
    `Power loss: the primary’s files are on an emulated disk with a volatile cache; process and cache are lost, and the same node starts again and is read. One write that \`WAITAOF 1 0\` confirmed and that is gone then breaks its promise. ${plural(trials, 'trial')} without a loss still ${trials === 1 ? 'allows' : 'allow'} one in up to ` +
      `${percent(riskBound(trials))} of failures (95% confidence).`,
    'The rounds and the trials of all servers are in one random order.',
  ];
}
