/**
 * The page of a search: what was tried, what lost writes, and how to see it again.
 */
import { z } from 'zod';
import { count, percent, plural, serverText } from '../../src/format.js';
import { code, heading, list, table, text } from '../../src/report/blocks.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { MODES, modeTitle } from '../modes.js';
import { workloadNamed } from '../workloads/index.js';
import { parseSchedule, RULES, scheduleInWords } from './schedule.js';

/**
 * @import { Block } from '../../src/report/blocks.js'
 * @import { ModeName } from '../modes.js'
 */

export const SEARCH_SCHEMA_ID = 'sentinel-bench/search@1';

const whole = z.number().int().nonnegative();
const amount = z.number().nonnegative();

export const SearchDocument = z.object({
  schema: z.literal(SEARCH_SCHEMA_ID),
  startedAt: z.iso.datetime(),
  command: z.string().describe('the command line, without secrets'),
  tool: z.object({ version: z.string(), commit: z.string().nullable() }),
  server: z.object({ name: z.string(), version: z.string().nullable() }),
  mode: z.string(),
  workload: z
    .string()
    .optional()
    .describe('whose invariant the schedules had to break; absent: they had to lose writes'),
  placement: z.enum(['colocated', 'apart']),
  faultyHosts: whole,
  downAfterMs: whole,
  seed: whole,
  lanes: whole,
  writers: z.array(z.string()),
  kinds: z
    .array(z.enum(/** @type {[string, ...string[]]} */ (Object.keys(RULES))))
    .describe('steps that schedules may have'),
  seconds: amount.describe('of the whole search'),
  tried: whole.describe('schedules, without those that failed'),
  failed: whole.describe('schedules that could not be carried out, or after which the stack did not recover'),
  failures: z.record(z.string(), whole).describe('why, and how often'),
  shortening: whole.describe('further tries, which shortened and repeated schedules'),
  acked: whole.describe('writes acknowledged in all schedules'),
  losing: z.array(
    z.object({
      number: whole,
      schedule: z.string(),
      acked: whole,
      lost: whole,
      seconds: amount,
      by: z.string().optional().describe('the agent that tried it'),
    }),
  ),
  agents: z
    .array(
      z.object({
        name: z.string(),
        lanes: whole,
        tries: whole.describe('of schedules, those that shortened and repeated one included'),
        failed: whole,
        losing: whole,
        acked: whole,
      }),
    )
    .optional()
    .describe('machines that tried the schedules; absent: this one'),
  notShortened: whole,
  found: z.array(
    z.object({
      number: whole.describe('of the schedule that it was found in'),
      schedule: z.string(),
      tries: whole,
      losing: whole,
      mostLost: whole,
      mostSeconds: amount.describe('of acknowledged writes, of the writer that lost most in one try'),
      alike: whole.describe('losing schedules that have all its steps'),
      timeline: z.string().optional().describe('of the try that lost most: what happened when'),
    }),
  ),
});

/** @typedef {z.infer<typeof SearchDocument>} SearchResult */

/**
 * @param {SearchResult} search
 * @returns {string[]} the answer in whole sentences, most important first
 */
export function answerOf(search) {
  const { tried, losing, found, acked, failed, seconds, workload } = search;
  const words = lossWords(workload);
  const title = titleOf(search);
  const anHour = seconds > 0 ? Math.round(((tried + search.shortening) * 3600) / seconds) : 0;
  const answer =
    losing.length === 0
      ? `${title} ${words.nothing} in ${plural(tried, 'schedule')} (${count(acked)} acknowledged ${words.units}). The risk that a schedule of this kind loses is at most ${percent(riskBound(Math.max(1, tried)))}.`
      : `${title} ${words.what} in ${count(losing.length)} of ${plural(tried, 'schedule')} (${percent(losing.length / tried)}).`;
  const worst = [...found].sort((a, b) => b.mostSeconds - a.mostSeconds)[0];
  return [
    answer,
    ...(worst
      ? [
          `Worst: ${scheduleInWords(parseSchedule(worst.schedule)).join('; ')}. It ${words.verb} in ${worst.losing} of ${worst.tries} tries, at most ${mostText(search, worst)}.`,
        ]
      : []),
    ...(failed > 0 ? [`${plural(failed, 'schedule')} could not be carried out, which shows nothing.`] : []),
    `${count(anHour)} tries an hour, ${search.lanes} side by side.`,
  ];
}

/**
 * @param {SearchResult} search
 * @returns {Block[]} the whole page
 */
export function searchPage(search) {
  const { found, losing, notShortened, placement, faultyHosts, downAfterMs, kinds, server, workload } = search;
  const words = lossWords(workload);
  return [
    text(
      `${serverText(server)}, three nodes, three Sentinels ${
        placement === 'colocated' ? 'beside one node each' : 'placed apart (two beside the last replica)'
      }, down-after ${downAfterMs / 1000} s, at most ${plural(faultyHosts, 'faulty host')}, seed ${search.seed}.`,
    ),
    ...answerOf(search).map((sentence) => text(sentence)),
    ...(found.length === 0
      ? []
      : [
          heading(2, words.heading),
          table(
            [
              'schedule',
              { title: 'losing tries', align: 'right' },
              { title: 'most lost', align: 'right' },
              { title: 'schedules with these steps', align: 'right' },
            ],
            found.map((each) => [
              scheduleInWords(parseSchedule(each.schedule)).join('; '),
              `${each.losing}/${each.tries}`,
              `${count(each.mostLost)}${workload === undefined ? ` (${each.mostSeconds.toFixed(1)} s)` : ''}`,
              `${each.alike} of ${losing.length}`,
            ]),
          ),
          ...(notShortened > 0
            ? [text(`${plural(notShortened, 'further losing schedule')} had no time to be shortened.`)]
            : []),
          heading(2, 'See it again'),
          code(found.map((each) => replayCommand(search, each.schedule)).join('\n'), 'sh'),
        ]),
    ...timelineSection(found),
    ...agentBlocks(search),
    heading(2, 'What was tried'),
    list([
      `Steps: ${kinds.join(', ')}. Lengths are near down-after, near the end of a failover, and longer.`,
      'Writers: a sticky client beside the primary, a failover-aware client beside the majority, and a sticky client that reaches all nodes.',
      `Not tried: ${notTried(kinds).join(', ')}.`,
    ]),
  ];
}

/**
 * @param {SearchResult['found']} found
 * @returns {Block[]} of each schedule the try that lost most; searches before this version have none
 */
function timelineSection(found) {
  const parts = found.flatMap(({ schedule, timeline }) =>
    timeline === undefined ? [] : [text(`${scheduleInWords(parseSchedule(schedule)).join('; ')}:`), code(timeline)],
  );
  return parts.length === 0 ? [] : [heading(2, 'What happened'), text('In the try that lost most.'), ...parts];
}

/** @param {readonly string[]} kinds of steps that were tried */
function notTried(kinds) {
  return [
    ...(kinds.includes('power-loss') ? [] : ['power loss']),
    ...(kinds.includes('fill') ? [] : ['full disks']),
    'clock steps',
    'more than three nodes',
  ];
}

/** @param {SearchResult} search @returns {Block[]} */
function agentBlocks({ agents, losing }) {
  if (!agents) return [];
  const right = (/** @type {string} */ title) => ({ title, align: /** @type {const} */ ('right') });
  return [
    heading(2, 'Who tried them'),
    table(
      [
        'agent',
        right('side by side'),
        right('tries'),
        right('failed'),
        right('lost writes'),
        right('acknowledged writes'),
        'losing schedules',
      ],
      agents.map(({ name, lanes, tries, failed, losing: lost, acked }) => [
        name,
        count(lanes),
        count(tries),
        count(failed),
        count(lost),
        count(acked),
        losing.flatMap(({ number, by }) => (by === name ? [`${number}`] : [])).join(', ') || '–',
      ]),
    ),
    text(
      'Tries include those that shortened and repeated a schedule. A schedule whose agent was lost was tried by another and counts once.',
    ),
  ];
}

/**
 * @param {Pick<SearchResult, 'mode' | 'workload' | 'placement' | 'downAfterMs'>} search
 * @param {string} schedule
 */
export function replayCommand({ mode, workload, placement, downAfterMs }, schedule) {
  const attacked = workload === undefined ? '' : ` --workload ${workload}`;
  return `sentinel-bench search --mode ${mode}${attacked} --placement ${placement} --down-after ${downAfterMs}ms --replay '${schedule}'`;
}

/** @param {Pick<SearchResult, 'mode' | 'workload'>} search */
export function titleOf({ mode, workload }) {
  const title = modeTitle({ ...MODES[/** @type {ModeName} */ (mode)], mode });
  return workload === undefined ? title : `${title}, ${workloadNamed(workload).title},`;
}

/**
 * @param {string} [workload] absent: writes
 * @returns {Record<'verb' | 'what' | 'nothing' | 'units' | 'heading', string>} what a schedule did that a search looks for
 */
export function lossWords(workload) {
  if (workload === undefined)
    return {
      verb: 'lost',
      what: 'lost acknowledged writes',
      nothing: 'lost nothing',
      units: 'writes',
      heading: 'Shortest schedules that lose acknowledged writes',
    };
  const [harm] = Object.values(workloadNamed(workload).harms);
  return {
    verb: 'had it',
    what: `had harm (${harm})`,
    nothing: `had no harm (${harm})`,
    units: 'operations',
    heading: `Shortest schedules: ${harm}`,
  };
}

/**
 * @param {string | undefined} workload
 * @param {number} lost
 * @param {number} acked
 */
export function harmText(workload, lost, acked) {
  if (workload === undefined) return `lost ${count(lost)} of ${count(acked)} acknowledged writes`;
  return `${lossWords(workload).what}: ${count(lost)}`;
}

/**
 * @param {Pick<SearchResult, 'workload'>} search
 * @param {SearchResult['found'][number]} worst
 */
function mostText({ workload }, { mostLost, mostSeconds }) {
  return workload === undefined ? `${mostSeconds.toFixed(1)} s of writes` : count(mostLost);
}
