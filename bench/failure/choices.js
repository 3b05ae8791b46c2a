/**
 * The modes that the answer compares, a row each: what each of them loses, and its price.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { BenchmarkResult, CaseParams, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { rightAligned, table, text } from '../../src/report/blocks.js';
import { ALL, count } from '../../src/report/format.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { emptiedIn, worstOf } from '../../src/report/trials/rows.js';
import { MS_A_SECOND } from '../../src/units.js';
import { asksAll, refusesAway } from '../modes.js';
import { PUBLISHED, PUBLISHED_RATE } from '../pages/published.js';
import { APART } from '../pages/published-costs.js';
import { chosenMode } from './answer.js';
import { shownLosses } from './shown.js';

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {Result['stack']} stack
 * @returns {Block[]} empty: the answer names no mode
 */
export function choices(failures, stack) {
  const choice = chosenMode(failures);
  if (!choice) return [];
  const { rows: rowsShown } = shownLosses(failures);
  const lines = [choice.modeRows, ...choice.compared, choice.baseline].flatMap((tried) => {
    if (tried.length === 0) return [];
    const [{ mode, one }] = tried;
    // As the table of losses names it, with its length.
    const shown = rowsShown.filter((row) => row.mode === mode && !choice.hopeless.includes(row.fault.title));
    const [emptied] = emptiedIn(shown);
    const worst = worstOf(shown);
    const { cost, p99 } = PUBLISHED[mode] ?? {};
    return [
      [
        mode,
        `${tried.filter(({ loss }) => loss.most > 0).length} of ${tried.length}`,
        emptied ? `${ALL}, ${emptied.title}` : worst ? `${secondsText(worst)}, ${worst.fault.title}` : '0',
        awayText(one.params, stack),
        tried === choice.baseline ? '0%' : withApart(cost, APART.modes[mode]?.cost),
        withApart(p99, APART.modes[mode]?.p99),
      ],
    ];
  });
  const titles = ['cost, 1 connection', `p99 at ${PUBLISHED_RATE}`];
  return [
    table(
      [
        'mode',
        ...rightAligned(['lost in, of faults tried']),
        'most lost',
        'while a node is away',
        ...rightAligned(titles),
      ],
      lines,
    ),
    text(noteOf(choice.hopeless)),
  ];
}

/**
 * @param {string | undefined} here
 * @param {string | undefined} apart with nodes 1 ms apart
 */
function withApart(here = NOT_MEASURED, apart) {
  return apart === undefined ? here : `${here}; 1 ms apart ${apart}`;
}

/** @param {TrialRow} row */
function secondsText({ loss: { seconds, most } }) {
  return seconds === null ? count(most) : milliseconds(seconds * MS_A_SECOND);
}

/** @param {readonly string[]} hopeless titles of faults */
function noteOf(hopeless) {
  const without = hopeless.length === 0 ? '' : `Without ${hopeless.join(', ')}. `;
  return `${without}Modes went through different faults: compare rows only where the table of losses has both. Cost (throughput, depth 1) and p99 (10 connections): published \`config-sweep\`, loopback; 1 ms apart: \`durable-modes\`. A p99 below async is chance.`;
}

/**
 * @param {CaseParams} params
 * @param {Result['stack']} stack
 * @returns {string} what its clients see
 */
function awayText(params, stack) {
  if (!asksAll(params, stack)) return 'writes go on';
  return refusesAway(params, stack) ? 'every write is refused' : 'writes are kept, not confirmed';
}
