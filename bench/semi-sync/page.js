/** @import { CaseFigures, Result, TableBlock, TemplateData } from '../types.js' */
/** @import { SemiSyncLossRow } from './losses.js' */
import { rowsOf } from '../../src/facts/query.js';
import { addedText, costText } from '../../src/report/costs.js';
import { figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { readYaml } from '../../src/yaml.js';
import { suiteTerms } from '../facts.js';
import { lossChart } from '../failure/charts.js';
import { choiceTable, mostLost } from '../pages/choices.js';
import { busyTrials, unseenShare, worstCell } from '../pages/trials.js';
import { hasApplication, killTable, loadTable, returnTable, rowTable, useTable } from './article.js';
import { costAt, costTable, lossesOf, lossOfMode, lossRows, lossTable, mostOf } from './losses.js';
import { modeTitle, SAFE } from './modes.js';

/** @param {Result} result @returns {TemplateData & {tables: Record<string, TableBlock>}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const losses = lossRows(rows);
  const shown = lossTable(losses.filter(({ flushed }) => flushed));
  const each = Math.max(0, ...losses.map(({ trials }) => trials));
  const chart = lossChart(losses, { ...shown, id: 'semi-sync.lost' });
  return {
    losses: losses.length,
    modes: shown.modes.length,
    each,
    unseen: unseenShare(each),
    safe: shown.safe,
    mistakes: losses.filter((row) => !row.plain && row.losing > 0).length,
    ...busyTrials(rows),
    most: mostOf(losses),
    safest: safestOf(losses),
    byMistake: losses
      .filter((row) => row.mode === SAFE && !row.plain && row.losing > 0)
      .map((row) => ({ fault: row.fault, lost: worstCell(row) })),
    fallback: lossOfMode(losses, 'after-sync'),
    async: lossOfMode(losses, 'async'),
    price: priceOf(rows),
    application: hasApplication(rows),
    tables: {
      choices: choicesOf(rows, losses),
      losses: shown.table,
      costs: costTable(rows),
      load: loadTable(rows),
      use: useTable(rows),
      rows: rowTable(rows),
      returns: returnTable(rows),
      killed: killTable(rows),
    },
    charts: { losses: chart && { ...chart, alt: 'The table above, as a picture.' } },
  };
}

/** @type {readonly import('../choices.js').Choice[]} */
const CHOICES = readYaml(new URL('choices.yaml', import.meta.url));

/** @param {readonly CaseFigures[]} rows @param {readonly SemiSyncLossRow[]} losses */
function choicesOf(rows, losses) {
  // The timeout costs nothing while replicas answer.
  const added = (/** @type {string} */ mode) => (mode === SAFE ? priceOf(rows)?.added : undefined) ?? NOT_MEASURED;
  return choiceTable({
    choices: CHOICES,
    titleOf: (mode) => modeTitle({ mode }),
    has: (mode) => lossOfMode(losses, mode) !== null,
    columns: [figures('added to a commit', ({ mode }) => added(mode)), mostLost((mode) => lossesOf(losses, mode))],
  });
}

/**
 * @param {readonly SemiSyncLossRow[]} losses
 * @returns {ReturnType<typeof lossOfMode>} of the mode to use; null: not tried, or no other mode lost a write where it lost none
 */
function safestOf(losses) {
  const safe = lossOfMode(losses, SAFE);
  const helps = losses.some(({ mode, losing, fault }) => mode !== SAFE && losing > 0 && safe?.faults.includes(fault));
  return safe !== null && safe.losing === 0 && !helps ? null : safe;
}

/** @param {readonly CaseFigures[]} rows @returns {{title: string, added: string, cost: string} | null} of one connection; null: not measured */
function priceOf(rows) {
  const one = costAt(rows, 'after-sync', 1);
  if (one?.of['added-time'] === undefined) return null;
  return { title: modeTitle(one), added: addedText(one.of['added-time']), cost: costText(one.of.cost) };
}
