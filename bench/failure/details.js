/**
 * What details.md of a failure run begins with: a map of outages, and what each client lost in each case. The sections below have the rest.
 * @import { Block, CaseFigures, ColumnSpec, Result } from '../types.js'
 */
import { rowsOf } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { writerTitle } from '../../src/registry/writers.js';
import { chart, heading, list } from '../../src/report/blocks.js';
import { figures, tableOf } from '../../src/report/specs.js';
import { riskText } from '../../src/report/trials/losses.js';
import { scenarioTitle } from '../experiments/rows.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { lossOf, mostText, worstText } from '../pages/trials.js';
import { outageMap } from './charts.js';
import { WORDS } from './words.js';

/** @type {readonly ColumnSpec[]} */
const CLIENTS = [
  { title: 'fault', text: ({ experiment, params }) => scenarioTitle(experiment, params) },
  { title: 'mode', text: ({ params }) => modeTitle(params) },
  { title: 'client', text: ({ writer }) => writerTitle(writer), kept: true },
  figures('trials with a loss (risk of a loss)', (row) => riskText(lossOf([row]))),
  figures('writes lost, worst', (row) => mostText(lossOf([row]))),
  figures('seconds lost, worst', (row) => worstText(lossOf([row]))),
  { title: 'outage, median', metric: 'outage', format: 'seconds' },
  { title: 'worst', metric: 'outage', show: 'worst', format: 'seconds' },
];

/** @param {readonly CaseFigures[]} rows @returns {Block[]} empty: no client acknowledged a write */
export function clientBlocks(rows) {
  const clients = rows.filter(
    ({ writer, of }) => writer !== '' && writer !== NATIVE && of['lost-writes'] && of.acked?.total,
  );
  return clients.length === 0 ? [] : [heading(2, WORDS.headings.clients), tableOf(CLIENTS, clients)];
}

/** @param {Result} result @returns {Block[]} */
export function failureDetails(result) {
  const rows = rowsOf(result, suiteTerms);
  const outages = outageMap(rows);
  // The sections have the others, too.
  const clients = clientBlocks(rows.filter((row) => lossOf([row]).losing > 0));
  return [
    ...(outages === null ? [] : [heading(2, WORDS.headings.map), chart(outages)]),
    ...clients,
    ...(clients.length === 0 ? [] : [list(WORDS.clients)]),
  ];
}
