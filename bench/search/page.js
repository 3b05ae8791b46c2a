/** What page.md and answer.md show of a search. */
/** @import { TemplateData } from '../types.js' */
/** @import { Figures } from '../../src/report/document.js' */
/** @import { SearchResult } from './document.js' */
import { count, serverText } from '../../src/format.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { renderPlain, renderTemplate } from '../../src/report/template.js';
import { riskBound } from '../../src/report/trials/losses.js';
import { SECONDS_AN_HOUR } from '../../src/units.js';
import { harmOf, replayCommand, titleOf, workloadsIn } from './document.js';
import { parseSchedule, scheduleInWords } from './schedule.js';

/** @typedef {SearchResult['found'][number] & {words: string}} WordedFound */

const PAGE = new URL('page.md', import.meta.url);
const ANSWER = new URL('answer.md', import.meta.url);

/** @param {SearchResult} search @param {Figures} figures @returns {string} Markdown */
export function searchPage(search, figures) {
  return renderTemplate(PAGE, pageData(search), figures);
}

/** @param {SearchResult} search @returns {string} plain text */
export function searchAnswer(search) {
  return renderPlain(ANSWER, pageData(search));
}

/** @param {SearchResult} search @returns {TemplateData} */
function pageData(search) {
  const { tried, losing, seconds, shortening, workload, kinds } = search;
  /** @type {WordedFound[]} */
  const found = search.found.map((each) => ({
    ...each,
    words: scheduleInWords(parseSchedule(each.schedule)).join('; '),
  }));
  const [worst] = found.toSorted((a, b) => b.mostSeconds - a.mostSeconds);
  return {
    ...search,
    title: titleOf(search),
    servers: serverText(search.server),
    harm: harmOf(workload),
    losing: losing.length,
    share: tried > 0 ? losing.length / tried : 0,
    bound: riskBound(Math.max(1, tried)),
    worst: worst ?? null,
    anHour: seconds > 0 ? ((tried + shortening) * SECONDS_AN_HOUR) / seconds : 0,
    found,
    replays: found.map(({ schedule }) => replayCommand(search, schedule)).join('\n'),
    timelines: found.filter(({ timeline }) => timeline !== undefined),
    power: kinds.includes('power-loss'),
    disks: kinds.includes('fill'),
    tables: {
      broken: tableOf(brokenColumns(search), /** @type {any} */ (brokenRows(search))),
      found: tableOf(foundColumns(search), /** @type {any} */ (found)),
    },
  };
}

/** @param {string} title @param {(row: any) => string} text @returns {import('../../src/report/specs.js').ColumnSpec} */
const right = (title, text) => ({ title, text, align: 'right', kept: true });

/** @param {SearchResult} search @returns {{name: string, harm: string | null, broke: number}[]} none unless several workloads were attacked */
function brokenRows({ workload, losing }) {
  const names = workloadsIn(workload);
  if (names.length < 2) return [];
  return names.map((name) => ({
    name,
    harm: harmOf(name),
    broke: losing.filter(({ broke }) => broke?.includes(name)).length,
  }));
}

/** @param {SearchResult} search */
const brokenColumns = ({ tried }) => [
  { title: 'workload', text: (/** @type {{name: string}} */ { name }) => name },
  { title: 'harm', text: (/** @type {{harm: string}} */ { harm }) => harm },
  right('schedules that did it', ({ broke }) => `${count(broke)} of ${count(tried)}`),
];

/** @param {SearchResult} search */
const foundColumns = ({ workload, losing }) => [
  { title: 'schedule', text: (/** @type {WordedFound} */ { words }) => words },
  right('losing tries', (each) => `${each.losing}/${each.tries}`),
  right(workload === undefined ? 'most lost' : 'most harm', ({ mostLost }) => count(mostLost)),
  ...(workload === undefined ? [right('of writing', ({ mostSeconds }) => FORMATS.seconds(mostSeconds))] : []),
  right('schedules with these steps', ({ alike }) => `${alike} of ${losing.length}`),
];
