/** The tables of page.md: those of “Redis + AOF + Distributed Storage”, theirs beside ours. */
/** @import { CaseFigures } from '../types.js' */

import { figure } from '../../src/facts/query.js';
import { rangeOrOne } from '../../src/format.js';
import { costText, ms } from '../../src/report/costs.js';
import { FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { readYaml } from '../../src/yaml.js';
import { PAYLOAD } from './modes.js';

/** @typedef {'set' | 'get' | 'ping'} MeasuredOperation */
/** @typedef {{title: string, own: CaseFigures, line: Partial<ArticleFigures>}} ComparedRow */
/**
 * @typedef {{mode: string, storage: number, data?: boolean, replicaStorage?: number}} MeasuredPlace storage: 1, the local disk; 2, network storage; data: with
 *   a loaded data set; replicaStorage: of the files of its replica. Absent: the primary alone
 *
 * @typedef {{rate: number | [number, number], mean: number | [number, number], p99?: number}} ArticleFigures of the article; two figures are a range
 */

/** @type {Readonly<Record<MeasuredOperation, readonly (MeasuredPlace & ArticleFigures)[]>>} */
const ARTICLE = readYaml(new URL('../claims/aof-tables.yaml', import.meta.url));
/** Ours only, below the article's modes of SET. @type {readonly MeasuredPlace[]} */
const MORE = Object.freeze([
  { mode: 'everysec', storage: 1 },
  { mode: 'always', storage: 1 },
]);
const TITLES = Object.freeze(
  /** @type {Record<string, string>} */ ({
    thresholds: 'no AOF, RDB',
    'everysec-thresholds': 'everysec, RDB',
    'everysec-thresholds-tuning-1': 'tuning 1',
    'everysec-thresholds-tuning-2': 'tuning 2',
    'split-rdb': 'split',
    everysec: 'everysec',
    always: 'always',
  }),
);
const MEAN = 'mean-service-time';

/** @param {readonly CaseFigures[]} rows @returns {string[]} labels, the local disk first */
export function storagesOf(rows) {
  return [...new Set(rows.flatMap(({ params }) => params.storage ?? []))];
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {MeasuredOperation} operation
 * @param {MeasuredPlace & {payloadBytes?: number}} place payloadBytes: default the article's
 * @returns {CaseFigures | undefined} without other writers
 */
export function caseOf(rows, operation, { mode, storage, replicaStorage, data = false, payloadBytes = PAYLOAD }) {
  const labels = storagesOf(rows);
  // Without such storage nothing matches.
  const replicas = replicaStorage && (labels[replicaStorage - 1] ?? null);
  return rows.find(
    ({ mode: own, params }) =>
      own === mode &&
      params.operation === operation &&
      params.storage === labels[storage - 1] &&
      params.replicaStorage === replicas &&
      params.payloadBytes === payloadBytes &&
      params.replicas === (replicas === undefined ? 0 : 1) &&
      params.backgroundConnections === undefined &&
      (params.preloadKeys !== undefined) === data,
  );
}

/** @param {number | [number, number] | undefined} value @param {(value: number) => string} format @returns {string} one, or a range */
function span(value, format) {
  if (value === undefined) return NOT_MEASURED;
  const all = [value].flat();
  return rangeOrOne(all[0], all[all.length - 1], format);
}

const TITLE = { title: 'storage, persistence', text: (/** @type {ComparedRow} */ { title }) => title };
const COST = figures('costs', ({ own }) => costText(own.of.cost));
const RATE = [
  figures('operations/s', ({ own }) => FORMATS.rate(figure(own, 'throughput'))),
  figures('theirs', ({ line }) => span(line.rate, FORMATS.rate)),
];

const COLUMNS = [
  TITLE,
  COST,
  ...RATE,
  figures('mean', ({ own }) => FORMATS.ms(figure(own, MEAN))),
  figures('theirs', ({ line }) => span(line.mean, ms)),
];

/** @param {readonly CaseFigures[]} rows */
export function setTable(rows) {
  const columns = [
    ...COLUMNS,
    figures('p99', ({ own }) => FORMATS.ms(figure(own, 'p99-service-time'))),
    figures('theirs', ({ line }) => FORMATS.ms(line.p99 ?? null)),
  ];
  return tableOf(columns, /** @type {any} */ (rowsFor(rows, 'set', [...ARTICLE.set, ...MORE])));
}

/** @param {readonly CaseFigures[]} rows @param {Exclude<MeasuredOperation, 'set'>} operation */
export const readTable = (rows, operation) =>
  tableOf(COLUMNS, /** @type {any} */ (rowsFor(rows, operation, ARTICLE[operation])));

/** Of those that were measured. @type {(rows: readonly CaseFigures[], operation: MeasuredOperation, lines: readonly (MeasuredPlace & Partial<ArticleFigures>)[]) => ComparedRow[]} */
function rowsFor(rows, operation, lines) {
  const labels = storagesOf(rows);
  return lines.flatMap((line) => {
    const own = caseOf(rows, operation, line);
    if (own === undefined) return [];
    const replica = line.replicaStorage === undefined ? [] : [`replica on ${labels[line.replicaStorage - 1]}`];
    const title = [labels[line.storage - 1], TITLES[line.mode], ...replica, ...(line.data ? ['loaded'] : [])];
    return [{ title: title.join(', '), own, line }];
  });
}
