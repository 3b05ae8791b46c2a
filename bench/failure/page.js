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
import { left, right } from '../../src/table.js';
import { CHOICES } from '../choices.js';
import { explainedFault } from '../experiments/rows.js';
import { suiteTerms } from '../facts.js';
import { isPersistent, MODES, modeTitle, WHOLE_MODES } from '../modes.js';
import { choiceTable, mostLost } from '../pages/choices.js';
import { modeRows } from '../pages/mode-rows.js';
import { chosenCommands, pastedName } from '../pages/paste.js';
import { busyTrials, unseenShare, worstCell, worstOfEach } from '../pages/trials.js';
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
/** Smaller losses are named, without a row. */
const ROW_SECONDS = 1;
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
  // Otherwise nothing happens. The article has no append-only file.
  const paused = away.paused.filter((row) => asks(row) && !isPersistent(row.params));
  const restarted = away.restarted.filter(({ params }) => ARTICLE_MODES.includes(params.mode ?? ''));
  const modes = modeRows(rows);
  const addedBy = (/** @type {string | undefined} */ title) =>
    addedText(modes.find((each) => each.title === title)?.here?.of['added-time']);
  const outages = outageTable(losses, shown);
  const told = explained(shown);
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
    killed: queries.killOutages(losses),
    downAfter: queries.downAfterOf(losses),
    promises: queries.brokenPromises(rows),
    small: shown.small,
    prevented: told.prevented,
    marks: outages.marks,
    away: {
      paused: paused.length,
      restarted: restarted.length,
      losing: restarted.filter((row) => figure(row, 'lost-writes', 'trialsWithLoss')).length,
    },
    planned: plannedWays(losses),
    busy: busy.busy,
    allTrials: busy.trials,
    restarts: sum(rows.map((row) => figure(row, 'restarts', 'total') ?? 0)),
    paste: titleOf(losses, NORMAL) === undefined ? null : chosenCommands(pastedName(result.stack.masterName)),
    tables: {
      choices: choiceTable({
        has: (mode) => rowsOfMode(losses, mode).length > widest / 2,
        columns: [
          figures('added to a write', ({ mode }) => addedBy(titleOf(losses, mode))),
          mostLost((mode) => rowsOfMode(losses, mode).filter((row) => !isAvoidable(row))),
        ],
        stops: (mode) => stopText(losses, mode),
      }),
      losses: shown.table,
      explained: told.table,
      paused: tableOf(PAUSED, paused),
      restarted: tableOf(RESTARTED, restarted),
      outages: outages.table,
    },
    charts: { losses: lossChart(shown.rows, shown) },
  };
}

/** @param {Result} result @returns {Block[]} the tables of the page; where only libraries wrote, what each client lost */
export function terminalBlocks(result) {
  const { choices: _, explained: __, ...tables } = pageData(result).tables;
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

/** @param {CaseFigures} row @returns {boolean} otherwise every write is confirmed, and most faults lose some */
const asks = ({ params }) => params.wait > 0 || params.settings?.[MINIMUM] !== '0';

/** @param {LossRow} row @returns what happens in its fault; avoid: null: nothing is known to prevent it */
const toldOf = ({ experiment, params }) => explainedFault({ ...params, experiment }) ?? { explained: '', avoid: null };
const isAvoidable = (/** @type {LossRow} */ row) => toldOf(row).avoid !== null;

/** @param {readonly LossRow[]} losses @returns small: faults with small losses */
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
  const rows = (isFew ? losses : queries.ofAnyLength(losses)).filter(({ title }) => modes.includes(title));
  const deciding = rows.some(asks) ? rows.filter(asks) : rows;
  const losing = worstOfEach(
    deciding.filter((row) => row.losing > 0),
    ({ experiment }) => experiment,
    worstFirst,
  ).sort((a, b) => Number(isAvoidable(a)) - Number(isAvoidable(b)) || worstFirst(a, b));
  const isLarge = (/** @type {LossRow} */ { all, seconds }) => all || (seconds ?? 0) >= ROW_SECONDS;
  const worst = losing.filter(isLarge).map(({ fault }) => fault);
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
    isFew,
    small: isFew ? [] : losing.filter((row) => !isLarge(row)).map(({ fault }) => fault),
  };
}

/** @param {LossRow} row @returns {boolean} one of the faults that people ask for first, in its usual form */
const isUsual = ({ experiment, length, setting }) =>
  OUTAGES.includes(experiment) && length === '' && ['', 'one'].includes(setting);

/** Beside a fault that can be prevented; one for each way. */
const MARKS = Object.freeze(['¹', '²', '³', '⁴', '⁵']);

/**
 * @param {ReturnType<typeof shownOf>} shown
 * @returns table: that of `shown`. Where its rows are faults, it also says what happens in each, how long writes stop, and by a mark what
 *   prevents it. prevented: what the marks mean
 */
function explained({ table, rows, modes, faults, isFew }) {
  if (isFew || faults.length === 0) return { table, prevented: [] };
  const ofFault = (/** @type {string} */ fault) => rows.filter((row) => row.fault === fault);
  const avoidIn = (/** @type {string} */ fault) =>
    ofFault(fault).some(({ losing }) => losing > 0) ? toldOf(ofFault(fault)[0]).avoid : null;
  const ways = distinct(faults.flatMap((fault) => avoidIn(fault) ?? []));
  const marked = (/** @type {string} */ fault) => [fault, MARKS[ways.indexOf(avoidIn(fault) ?? '')]].join(' ').trim();
  const stopped = (/** @type {string} */ fault) => {
    const normal = ofFault(fault).find(({ mode }) => mode === NORMAL);
    return normal === undefined ? NOT_MEASURED : outageText(normal);
  };
  const [first, ...others] = table.columns;
  const columns = others.map((column, i) => ({ ...column, title: situationOf(modes[i]) ?? column.title }));
  return {
    table: {
      ...table,
      columns: [
        { ...first, cell: marked },
        left('what happens', (/** @type {string} */ fault) => toldOf(ofFault(fault)[0]).explained),
        ...columns,
        right('a normal service stops', stopped),
      ],
    },
    prevented: ways.map((avoid, i) => ({ mark: MARKS[i], avoid })),
  };
}

const situationOf = (/** @type {string} */ title) =>
  CHOICES.find(({ modes: [first] }) => modeTitle(MODES[first]) === title)?.situation;

/** @param {LossRow} row */
function outageText(row) {
  const outage = figure(row, 'outage');
  return queries.isHealed(row) && Number.isFinite(outage) ? UNTIL_HEALED : FORMATS.seconds(outage);
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
  const cell = (/** @type {LossRow} */ row) => [outageText(row), ...marksOf(row)].join(' ');
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
      healed: rows.some((row) => outageText(row) === UNTIL_HEALED),
    },
  };
}

/** @param {readonly LossRow[]} losses @param {string} mode @returns {LossRow[]} the worst first */
const rowsOfMode = (losses, mode) => losses.filter(({ title }) => title === titleOf(losses, mode)).sort(worstFirst);

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
