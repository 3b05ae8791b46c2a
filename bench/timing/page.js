/** What page.md shows: the table of down-after, one chart, and the figures of its sentences. */
/** @import { Chart, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js' */
/** @import { TimingChoice } from './figures.js' */

import { rowsOf } from '../../src/facts/query.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { MS_A_SECOND } from '../../src/units.js';
import { readYaml } from '../../src/yaml.js';
import { suiteTerms } from '../facts.js';
import { dotsOf } from '../pages/charts.js';
import { pastedName, sentinelSettings } from '../pages/paste.js';
import { busyTrials } from '../pages/trials.js';
import { attemptsOf, choicesOf, measuredIn, quorumsOf, rateOf, recommended, TOLERATED_SECONDS } from './figures.js';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));

/** @param {Result} result @returns {TemplateData & {tables: Record<string, TableBlock>}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const measured = measuredIn(rows);
  const choices = choicesOf(measured);
  const best = recommended(choices);
  const [shortest] = choices;
  const quiet = choices.flatMap((choice) => choice.quiet);
  const attempts = attemptsOf(measured);
  return {
    best: best && { ...best, seconds: best.downAfterMs / MS_A_SECOND },
    shortest: shortest && shortest !== best ? { ...shortest, seconds: shortest.downAfterMs / MS_A_SECOND } : null,
    choices: choices.length,
    tolerated: TOLERATED_SECONDS,
    attempts,
    quorums: quorumsOf(measured),
    quiet: quiet.length === 0 ? null : { ...rateOf(quiet, 'needless'), tilts: rateOf(quiet, 'tilts').seen },
    bound: best === null || best.quiet.length === 0 ? null : boundOf(best),
    ...busyTrials(rows),
    modes: [...new Set(measured.filter(({ situation }) => situation.kind === 'killed').map(({ mode }) => mode))],
    paste: best && sentinelSettings(pastedName(result.stack.masterName), best.downAfterMs, attempts.length > 0),
    tables: { choices: tableOf(CHOICES, /** @type {any} */ (choices)) },
    charts: { outage: outageChart(choices) },
  };
}

/** @param {TimingChoice} choice @returns {{seen: number, minutes: number, most: number}} most: needless failovers an hour that seeing none leaves open */
function boundOf({ quiet }) {
  const { anHour, ...found } = rateOf(quiet, 'needless');
  return { ...found, most: Math.ceil(anHour) };
}

/** @param {TimingChoice} choice */
function titleOf({ downAfterMs }) {
  return `${downAfterMs / MS_A_SECOND} s`;
}

/** @type {readonly ColumnSpec[]} */
const CHOICES = [
  { title: 'down-after', text: titleOf },
  { title: 'writes stop, primary killed', align: 'right', text: ({ outage }) => FORMATS.seconds(outage) },
  { title: 'commands that led to a failover', text: commandsText },
  { title: 'writes lost then', align: 'right', text: ({ mostLost }) => FORMATS.count(mostLost) },
  {
    ...{ title: 'other needless failovers', align: 'right' },
    text: ({ quiet }) => FORMATS.count(rateOf(quiet, 'needless').seen),
  },
  { title: 'TILT', align: 'right', text: ({ quiet }) => FORMATS.count(rateOf(quiet, 'tilts').seen) },
];

/** @param {TimingChoice} choice @returns {string} such as `4 s: 3/3, 10 s: 3/3` */
function commandsText({ commands }) {
  if (commands.length === 0) return NOT_MEASURED;
  const led = commands.filter(({ failedOver }) => failedOver > 0);
  if (led.length === 0) return `none up to ${commands.at(-1)?.situation.blockedSeconds} s`;
  return led
    .map(({ situation, failedOver, trials }) => `${situation.blockedSeconds} s: ${failedOver}/${trials}`)
    .join(', ');
}

/** @param {readonly TimingChoice[]} choices @returns {Chart | null} */
function outageChart(choices) {
  const ended = choices.filter(({ outage }) => outage !== null && Number.isFinite(outage));
  return dotsOf(TEXTS.charts.outage, {
    rows: ended.map(titleOf),
    value: (row) => {
      const seconds = Number(ended.find((each) => titleOf(each) === row)?.outage);
      return { median: seconds, low: seconds, high: seconds };
    },
  });
}
