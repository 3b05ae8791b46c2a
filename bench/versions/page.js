/**
 * The front page of a run: what differs between its servers, and nothing about what does not.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Compared } from './differences.js'
 */
import { heading, table, text } from '../../src/report/blocks.js';
import { percent, plural } from '../../src/report/format.js';
import { fellBehind } from '../../src/report/trials/figures.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { comparisons, LEAST_COST_GAP, LEAST_GAP, LEAST_TRIALS } from './differences.js';
import { measuredServers, serverTitle } from './servers.js';

/** Columns of a table, beside the first. */
const MOST_SERVERS = 5;

/** @type {Readonly<Record<Compared['kind'], string>>} */
const NAMES = Object.freeze({
  loss: 'Losses',
  outage: 'Outages',
  speed: 'Throughputs',
  cost: 'Costs',
  behaviour: 'Behaviour',
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
  const kinds = /** @type {Compared['kind'][]} */ (Object.keys(NAMES));
  return [
    `Compared: ${servers.map(serverTitle).join(', ')}; ${plural(profile.trials ?? 1, 'trial')} of each fault.`,
    ...kinds.flatMap((kind) => {
      const comparisons = all.filter((each) => each.kind === kind);
      const differing = found.filter((each) => each.kind === kind);
      if (comparisons.length === 0) return [];
      return [
        `${NAMES[kind]}: ${differing.length} of ${plural(comparisons.length, 'comparison')} ${differing.length === 1 ? 'differs' : 'differ'}.`,
      ];
    }),
    ...((profile.trials ?? 1) < LEAST_TRIALS
      ? [
          `${plural(profile.trials ?? 1, 'trial')} cannot show that losses or outages differ; run it with \`--trials ${LEAST_TRIALS}\` or more.`,
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
        'Cost: share of throughput, against async on the same server. –: not measured or not there.',
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
          `In ${busy} of ${plural(timelines.length, 'trial')} the machine was too busy for the writers; those show no difference of losses or outages.`,
        ]),
    `Losses and outages count as different when the ranges of at least ${LEAST_TRIALS} trials are apart by ${percent(LEAST_GAP)} and 200 ms, costs when their intervals are ` +
      `apart by ${percent(LEAST_COST_GAP)}. Among so many comparisons one may still differ by chance.`,
    `One write that \`WAITAOF\` confirmed and a power loss took proves a broken promise. ${plural(trials, 'trial')} without a loss still ${trials === 1 ? 'allows' : 'allow'} one in up to ` +
      `${percent(riskBound(trials))} of failures (95% confidence).`,
    'The rounds and the trials of all servers are in one random order.',
  ];
}
