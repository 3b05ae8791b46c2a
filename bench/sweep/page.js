/**
 * The front page of a configuration sweep: the best mode, the deciding table, what to paste, and what was not tested.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { DecisionRow, Failure } from './decision.js'
 */
import { chart, code, list, table, text } from '../../src/report/blocks.js';
import { costOf } from '../../src/report/charts/against.js';
import { count, interval, percent, plural } from '../../src/report/format.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { secondsText, trialsText, worstLoss } from '../failure/figures.js';
import { failoverRunbook } from '../failure/planned-failover.js';
import { riskBound } from '../failure/report.js';
import { decisionChart } from './chart.js';
import { clientText, redisConf } from './configuration.js';
import { cheaperFirst, decisionRows } from './decision.js';
import { downCell, known } from './details.js';
import { limitsOfTheTable } from './limits.js';
import { recommend } from './recommend.js';

const FAULTS = Object.freeze({ kill: 'kill', cut: 'network partition', pause: 'one replica frozen' });
const BASELINE = 'async';
/** Rows of the deciding table; details.md has every mode. */
const MOST_ROWS = 8;
/** Marks an outage during which acknowledged writes were lost. */
const LOSING_MARK = '†';

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function sweepPage(result) {
  const rows = decisionRows(result).filter(isTested);
  const [best, ...others] = recommend(result).meets.map(({ row }) => row);
  const figure = decisionChart(result);
  return {
    answer: rows.length === 0 ? [] : best ? bestAnswer(best, others, rows) : [noBest(rows)],
    evidence: [...(figure ? [chart(figure)] : []), ...decidingTable(rows)],
    actions: best ? actionsOf(best, result) : [],
    limits: [...untested(rows, decisionRows(result)), ...limitsOfTheTable(result, decisionRows(result))],
  };
}

/** @param {DecisionRow} row of a mode that went through both failures, with Sentinel's usual settings */
function isTested({ note, lost }) {
  return note === null && (lost.kill !== null || lost.cut !== null);
}

/**
 * @param {DecisionRow} best
 * @param {readonly DecisionRow[]} others that lost nothing as well
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]}
 */
function bestAnswer(best, others, rows) {
  const faults = `${FAULTS.kill}, ${FAULTS.cut}`;
  const losses = Object.values(best.lost);
  const price = known(
    best.healthy[1]?.relative,
    (ratio) => `, and costs ${interval(costOf(ratio), percent)} of throughput`,
  );
  const acked = losses.reduce((sum, loss) => sum + (loss?.acked ?? 0), 0);
  const worst = rows.toSorted((a, b) => mostLost(b) - mostLost(a))[0];
  const [second] = others;
  return [
    `Best of the ${rows.length} modes tested: ${best.title}. It lost 0 of ${count(acked)} acknowledged writes in 2 of 2 faults (${faults}; ` +
      `${trialsText(losses)} each), takes writes with one replica frozen${price}.`,
    ...(second
      ? [
          `${plural(others.length, 'further mode')} met the same limits; the cheapest is ${second.title}, which costs ${known(second.healthy[1]?.relative, (ratio) => interval(costOf(ratio), percent))}.`,
        ]
      : []),
    ...riskOf(best),
    ...(mostLost(worst) > 0 ? [`Most lost: ${worst.title}, ${worstText(worst)}.`] : []),
  ];
}

/** @param {DecisionRow} best */
function riskOf({ title, down }) {
  const both = down['both-replicas-down'];
  return both === null || both.ackedAtEnd.low > 0.99
    ? []
    : [`With both replicas frozen, ${title} acknowledges ${percent(both.ackedAtEnd.median)} of the writes.`];
}

/** @param {readonly DecisionRow[]} rows at least one */
function noBest(rows) {
  const least = rows.toSorted((a, b) => mostLost(a) - mostLost(b))[0];
  const loss = mostLost(least) === 0 ? 'lost nothing' : `lost least, ${worstText(least)}`;
  return `No mode of ${rows.length} tested lost nothing and took writes with one replica frozen; ${least.title} ${loss}.`;
}

/** @param {DecisionRow} row */
function mostLost({ lost }) {
  return Math.max(0, ...Object.values(lost).map((loss) => loss?.most ?? 0));
}

/** @param {DecisionRow} row with a loss */
function worstText({ lost }) {
  const failure = (lost.kill?.most ?? 0) > (lost.cut?.most ?? 0) ? 'kill' : 'cut';
  const loss = lost[failure];
  return `${count(loss?.most ?? 0)} acknowledged writes${secondsText(loss?.seconds ?? null)} in a ${FAULTS[failure]}`;
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {Block[]}
 */
function decidingTable(rows) {
  if (rows.length === 0) return [];
  const losses = rows.flatMap(({ lost }) => Object.values(lost));
  const safest = rows.toSorted((a, b) => mostLost(a) - mostLost(b) || cheaperFirst(1)(a, b));
  const kept = safest.filter(({ level }, i) => level === BASELINE || i < MOST_ROWS - 1).slice(0, MOST_ROWS);
  const left = rows.length - kept.length;
  const several = losses.some((loss) => loss !== null && loss.trials > 1);
  const header = [
    'lost on kill',
    'lost on network partition',
    'outage (kill; partition)',
    'throughput cost',
    'one replica down',
  ];
  return [
    table(
      ['mode', ...header.map((title) => ({ title, align: /** @type {const} */ ('right') }))],
      kept.map((row) => [
        row.title,
        worstLoss(row.lost.kill),
        worstLoss(row.lost.cut),
        `${outageCell(row, 'kill')}; ${outageCell(row, 'cut')}`,
        known(row.healthy[1]?.relative, (ratio) => (row.level === BASELINE ? '0%' : interval(costOf(ratio), percent))),
        known(row.down['one-replica-down'], downCell),
      ]),
    ),
    text(
      `Lost: acknowledged writes in the worst trial (seconds of them)${several ? ', trials with a loss/trials' : ''}; ${trialsText(losses)} each. ` +
        `Outage: longest time without an acknowledgement, median; ${LOSING_MARK}: writes were lost meanwhile. Cost: at pipeline depth 1, of async. ` +
        `One replica down: writes acked at the end of a freeze.${left > 0 ? ` ${plural(left, 'further mode')}: \`details.md\`.` : ''}`,
    ),
  ];
}

/**
 * @param {DecisionRow} row
 * @param {Failure} failure
 */
function outageCell({ lost }, failure) {
  const loss = lost[failure];
  if (loss === null) return NOT_MEASURED;
  return `${milliseconds(loss.unavailable.medianMs)}${loss.most > 0 ? ` ${LOSING_MARK}` : ''}`;
}

/**
 * @param {DecisionRow} best
 * @param {Result} result
 * @returns {Block[]}
 */
function actionsOf(best, { cluster: { masterName } }) {
  return [
    code(redisConf(best), 'conf'),
    list([
      `Client: ${clientText(best)}. Move to the new primary at \`+switch-master\`.`,
      'Planned failover (a bare `SENTINEL FAILOVER` loses writes; the suite `failure` measures both):',
    ]),
    code(failoverRunbook(masterName), 'sh'),
  ];
}

/**
 * @param {readonly DecisionRow[]} rows that were tested
 * @param {readonly DecisionRow[]} all
 * @returns {string[]}
 */
function untested(rows, all) {
  const titles = all
    .filter(({ note, lost }) => note === null && lost.kill === null && lost.cut === null)
    .map(({ title }) => title);
  const trials = Math.min(...rows.flatMap(({ lost }) => Object.values(lost).flatMap((loss) => loss?.trials ?? [])));
  return [
    ...(Number.isFinite(trials)
      ? [
          `${plural(trials, 'trial')} without a loss ${trials === 1 ? 'leaves' : 'leave'} a risk of loss of up to ${percent(riskBound(trials))} in each failure (95% confidence).`,
        ]
      : []),
    ...(titles.length > 0 ? [`Failures not tested with: ${titles.join('; ')}.`] : []),
  ];
}
