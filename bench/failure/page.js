/**
 * What page.md shows: tables, one chart, and the figures of its sentences.
 * @import { Block, CaseFigures, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js'
 * @import { TextColumn } from '../../src/report/specs.js'
 * @import { LossRow } from './queries.js'
 */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { heading } from '../../src/report/blocks.js';
import { addedText } from '../../src/report/costs.js';
import { crossTable, FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { explainedFault } from '../experiments/rows.js';
import { suiteTerms } from '../facts.js';
import { isPersistent, MODES, modeTitle, WHOLE_MODES } from '../modes.js';
import { choiceTable, lossColumns, unprotectedBy } from '../pages/choices.js';
import { modeRows } from '../pages/mode-rows.js';
import { chosenCommands, pastedName } from '../pages/paste.js';
import { busyTrials, unseenShare, worstCell } from '../pages/trials.js';
import { lossChart } from './charts.js';
import { clientBlocks } from './details.js';
import * as queries from './queries.js';
import { WORDS } from './words.js';

const { distinct, worstFirst } = queries;

/** The columns of a run that tried them in most faults: what most people have, and the modes that a page tells people to choose. */
const CHOSEN = ['aof', 'async'].map((mode) => [mode, ...WHOLE_MODES].map((each) => modeTitle(MODES[each])));
const [NORMAL] = WHOLE_MODES;
/** More columns of modes are not read beside each other. */
const MOST_MODES = 4;
/** Rows of the worst faults: the page names others before. */
const MOST_FAULTS = 1;
/** Of the worst faults, so many are explained. */
const MOST_EXPLAINED = 2;
/** With so few faults each has a column, and every mode a row. */
const FEW_FAULTS = 3;
/** Its length says how long the test waited, not how long Redis needs. */
const UNTIL_HEALED = 'until healed';
const MINIMUM = 'min-replicas-to-write';
/** Of the article's second scenario. */
const ARTICLE_MODES = Object.freeze(['min1', 'wait1', 'wait2']);
/** Faults that people ask for first. */
const OUTAGES = Object.freeze([
  'primary-killed',
  'primary-machine-lost',
  'primary-partition',
  'partition-with-replica',
]);

/** @param {Result} result @returns {TemplateData & {tables: Record<string, TableBlock>}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const losses = queries.lossRows(rows);
  const shown = shownOf(losses);
  const away = {
    paused: queries.awayRows(rows, 'replicas-paused'),
    restarted: queries.awayRows(rows, 'replica-restart'),
  };
  // Otherwise nothing happens: every write is confirmed. The article has no append-only file.
  const asks = (/** @type {CaseFigures} */ { params }) => params.wait > 0 || params.settings?.[MINIMUM] !== '0';
  const paused = away.paused.filter((row) => asks(row) && !isPersistent(row.params));
  const restarted = away.restarted.filter(({ params }) => ARTICLE_MODES.includes(params.mode ?? ''));
  const modes = modeRows(rows);
  const addedBy = (/** @type {string | undefined} */ title) =>
    addedText(modes.find((each) => each.title === title)?.here?.of['added-time']);
  const outages = outageTable(losses, shown);
  const busy = busyTrials(rows);
  const widest = Math.max(0, ...queries.modesOf(losses).map(({ tried }) => tried));
  const trials = Math.max(0, ...losses.map((row) => row.trials));
  return {
    losses: losses.length,
    modes: distinct(losses.map(({ title }) => title)).length,
    faults: distinct(losses.map(({ fault }) => fault)).length,
    trials,
    most: [...losses].sort(worstFirst).find(({ losing }) => losing > 0) ?? null,
    safest: queries.safestOf(losses),
    unseen: unseenShare(trials),
    added: modes.length > 0,
    unprotected: unprotectedBy((mode) => lossesOf(losses, mode, widest)),
    killed: queries.killOutages(losses),
    downAfter: queries.downAfterOf(losses),
    promises: queries.brokenPromises(rows),
    safeWithFour: queries.safeWithFour(rows),
    worst: shown.worst.length,
    losing: shown.losing,
    explained: explainedOf(shown),
    marks: outages.marks,
    away: {
      paused: paused.length,
      restarted: restarted.length,
      losing: restarted.filter((row) => figure(row, 'lost-writes', 'trialsWithLoss')).length,
    },
    placements: queries.placements(rows).map(({ beside }) => ({
      ...beside,
      isNormal: beside.mode === NORMAL,
      beside: worstCell(beside),
    })),
    planned: plannedWays(losses),
    busy: busy.busy,
    allTrials: busy.trials,
    restarts: sum(rows.map((row) => figure(row, 'restarts', 'total') ?? 0)),
    paste: titleOf(losses, NORMAL) === undefined ? null : chosenCommands(pastedName(result.stack.masterName)),
    tables: {
      choices: choiceTable({
        has: (mode) => lossesOf(losses, mode, widest) !== null,
        columns: [
          figures('added to a write', ({ mode }) => addedBy(titleOf(losses, mode))),
          ...lossColumns('writes', (mode) => rowsOfMode(losses, mode)),
        ],
        stops: (mode) => stopText(losses, mode),
      }),
      losses: shown.table,
      paused: tableOf(PAUSED, paused),
      restarted: tableOf(RESTARTED, restarted),
      outages: outages.table,
    },
    charts: { losses: lossChart(losses, shown) },
  };
}

/** @param {Result} result @returns {Block[]} the tables of the page; where only libraries wrote, what each client lost */
export function terminalBlocks(result) {
  const { choices: _, ...tables } = pageData(result).tables;
  const blocks = Object.entries(tables).flatMap(([name, shown]) =>
    shown.rows.length === 0 ? [] : [heading(3, WORDS.headings[name]), shown],
  );
  return blocks.length > 0 ? blocks : clientBlocks(rowsOf(result, suiteTerms));
}

/** @type {ColumnSpec} */
const NEVER_SENT = { title: 'never sent', metric: 'unsent', format: 'count' };

/** @type {readonly ColumnSpec[]} */
const PAUSED = [
  { title: 'mode', text: ({ mode }) => mode, theirs: 'the article: min-replicas 1' },
  { title: 'confirmed', metric: 'accepted-during-fault', format: 'percent', theirs: '81.19%' },
  { title: 'NOREPLICAS', metric: 'rejected-noreplicas', format: 'count', theirs: '120' },
  NEVER_SENT,
  { title: 'recovery', text: recoveryText, align: 'right', theirs: 'automatic' },
];

/** @type {readonly ColumnSpec[]} */
const RESTARTED = [
  { title: 'mode', text: ({ mode }) => mode, theirs: 'the article: min-replicas 1' },
  { title: 'confirmed', metric: 'accepted-during-fault', format: 'percent', theirs: '100%' },
  { title: 'NOREPLICAS', metric: 'rejected-noreplicas', format: 'count' },
  NEVER_SENT,
  { title: 'p99', metric: 'p99-at-fault-end', format: 'ms' },
  { title: 'replicas', text: replicasText, theirs: '2→1→2' },
];

/** @param {CaseFigures} row @returns {string} seconds from the end of the fault, if writes had stopped */
function recoveryText(row) {
  const stopped = ['rejected-noreplicas', 'under-acked', 'unsent'].some((metric) => (figure(row, metric) ?? 0) > 0);
  return FORMATS.seconds(stopped ? figure(row, 'recovery') : null);
}

/** @param {CaseFigures} row */
function replicasText(row) {
  return ['before', 'least', 'after'].map((when) => FORMATS.count(figure(row, `replicas-${when}`))).join('→');
}

/** @param {readonly LossRow[]} losses @returns losing: number of faults in which something was lost */
function shownOf(losses) {
  const faults = distinct(losses.map(({ fault }) => fault));
  const tried = (/** @type {string} */ title) => losses.filter((row) => row.title === title).length;
  const titles = distinct(losses.map(({ title }) => title));
  const isFew = faults.length <= FEW_FAULTS;
  const chosen = CHOSEN.find((all) => all.every((title) => tried(title) > faults.length / 2));
  const most =
    chosen !== undefined && !isFew
      ? chosen
      : titles.toSorted((a, b) => tried(b) - tried(a)).slice(0, isFew ? undefined : MOST_MODES);
  const share = new Map(queries.modesOf(losses).map(({ title, losing, tried: all }) => [title, losing / all]));
  const modes = titles
    .filter((title) => most.includes(title))
    .sort((a, b) => Number(share.get(b)) - Number(share.get(a)));
  const rows = losses.filter(({ title }) => modes.includes(title));
  const losing = distinct(
    rows
      .filter((row) => row.losing > 0)
      .sort(worstFirst)
      .map(({ fault }) => fault),
  );
  const worst = losing.slice(0, MOST_FAULTS);
  const usual = distinct(rows.filter(isUsual).map(({ fault }) => fault)).filter((fault) => !worst.includes(fault));
  const shown = isFew ? faults : [...worst, ...usual];
  const byFault = (/** @type {LossRow} */ { fault }) => fault;
  const byMode = (/** @type {LossRow} */ { title }) => title;
  const table = isFew
    ? { title: 'mode', down: modes, across: shown, downOf: byMode, acrossOf: byFault, cell: worstCell }
    : { title: 'fault', down: shown, across: modes, downOf: byFault, acrossOf: byMode, cell: worstCell };
  return {
    table: crossTable(table, rows),
    rows,
    modes,
    faults: shown,
    worst: isFew ? [] : worst,
    losing: distinct(losses.flatMap((row) => (row.losing > 0 ? row.fault : []))).length,
  };
}

/** @param {LossRow} row @returns {boolean} one of the faults that people ask for first, in its usual form */
const isUsual = ({ experiment, length, placement, setting }) =>
  OUTAGES.includes(experiment) && length === '' && placement === '' && ['', 'one'].includes(setting);

/** The faults in which everything was lost, and the worst of the others. @param {{rows: readonly LossRow[], faults: readonly string[]}} shown */
function explainedOf({ rows, faults }) {
  const losing = rows.filter((row) => row.losing > 0 && faults.includes(row.fault)).sort(worstFirst);
  const first = losing.filter(({ all }, i) => all || losing[i - 1]?.all);
  return distinct(first.map(({ fault }) => fault))
    .slice(0, MOST_EXPLAINED)
    .flatMap((fault) => {
      const { experiment, params } = /** @type {LossRow} */ (first.find((row) => row.fault === fault));
      const told = explainedFault({ ...params, experiment });
      return told === null ? [] : [{ fault, ...told }];
    });
}

/**
 * @param {readonly LossRow[]} losses @param {{modes: readonly string[]}} shown
 * @returns the table, and which marks its cells have
 */
function outageTable(losses, { modes }) {
  const asked = losses.filter(
    ({ experiment, setting }) => OUTAGES.includes(experiment) && ['', 'one'].includes(setting),
  );
  const rows = (asked.length > 0 ? asked : losses).filter(({ length, placement }) => length === '' && placement === '');
  const across = distinct(rows.map(({ fault }) => fault)).slice(0, OUTAGES.length);
  const isTried = (/** @type {string} */ title) => rows.filter((row) => row.title === title).length > across.length / 2;
  const down = modes.filter(isTried);
  const marksOf = (/** @type {LossRow} */ row) => [
    ...(row.losing > 0 ? ['†'] : []),
    ...(queries.isRefusedOtherwise(row) ? ['‡'] : []),
  ];
  const timeOf = (/** @type {LossRow} */ row) =>
    queries.isHealed(row) && Number.isFinite(figure(row, 'outage'))
      ? UNTIL_HEALED
      : FORMATS.seconds(figure(row, 'outage'));
  const cell = (/** @type {LossRow} */ row) => [timeOf(row), ...marksOf(row)].join(' ');
  const marks = distinct(rows.filter((row) => across.includes(row.fault) && down.includes(row.title)).flatMap(marksOf));
  const outageOf = (/** @type {string} */ fault, /** @type {string} */ title) => {
    const found = rows.find((row) => row.fault === fault && row.title === title);
    return found === undefined ? NOT_MEASURED : cell(found);
  };
  const outages = across.map((fault) => figures(fault, ({ title }) => outageOf(fault, title), { kept: true }));
  const columns = [{ title: 'mode', text: (/** @type {{title: string}} */ { title }) => title }, ...outages];
  return {
    table: tableOf(columns, /** @type {any} */ (down.map((title) => ({ title })))),
    marks: {
      lost: marks.includes('†'),
      refused: marks.includes('‡'),
      healed: rows.some((row) => timeOf(row) === UNTIL_HEALED),
    },
  };
}

/** @param {readonly LossRow[]} losses @param {string} mode @returns {LossRow[]} the worst first */
const rowsOfMode = (losses, mode) => losses.filter(({ title }) => title === titleOf(losses, mode)).sort(worstFirst);

/** @param {readonly LossRow[]} losses @param {string} mode @param {number} widest number of faults @returns the worst first; null: the mode was tried in few */
function lossesOf(losses, mode, widest) {
  const own = rowsOfMode(losses, mode);
  if (own.length <= widest / 2) return null;
  return own.flatMap((row) => (row.losing > 0 ? { fault: row.fault, lost: worstCell(row) } : []));
}

/** @param {readonly LossRow[]} losses @param {string} mode @returns {string} the longest time without a confirmed write after a kill */
function stopText(losses, mode) {
  const { ended, healed } = queries.killOutages(losses.filter((row) => row.mode === mode));
  if (healed.length > 0) return 'until it is back';
  return FORMATS.seconds(ended.length === 0 ? null : figure(ended[0], 'outage'));
}

/** @param {readonly LossRow[]} losses @returns the way of a planned failover was tried, and lost nothing in any mode */
function plannedWays(losses) {
  const lossless = (/** @type {string} */ way) => {
    const tried = where(losses, { experiment: 'planned-failover', way });
    return tried.length > 0 && tried.every((row) => /** @type {LossRow} */ (row).losing === 0);
  };
  return { byHand: lossless('by-hand'), coordinated: lossless('coordinated') };
}

/** @param {readonly LossRow[]} losses @param {string} mode */
function titleOf(losses, mode) {
  return losses.find((row) => row.mode === mode)?.title;
}
