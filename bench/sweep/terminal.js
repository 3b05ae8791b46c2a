/**
 * The decision table for a terminal.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Result } from '../../src/result/schema.js'
 */
import { heading, table, text } from '../../src/report/blocks.js';
import { CLIENT_MARK, DECISION_COLUMNS, isNoise, NOISE_MARK, NOT_ACKED_MARK } from './columns.js';
import { BATCHES, decisionRows } from './decision.js';
import { tableNotes } from './details.js';

/**
 * @param {Result} result
 * @returns {Block[]} the table and its marks
 */
export function decisionBlocks(result) {
  const rows = decisionRows(result);
  const ratios = rows.flatMap(({ healthy }) => BATCHES.flatMap((batch) => healthy[batch]?.relative ?? []));
  const notes = [
    ...(ratios.some(isNoise)
      ? [`${NOISE_MARK} no measurable difference from async: the interval includes 100% (see details.md).`]
      : []),
    ...tableNotes(result, rows).filter((note) => [CLIENT_MARK, NOT_ACKED_MARK].some((mark) => note.startsWith(mark))),
    'details.md explains the columns.',
  ];
  return [heading(3, 'Decision table'), table(DECISION_COLUMNS, rows), text(notes.join(' '))];
}
