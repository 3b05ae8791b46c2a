/**
 * The tables of page.md: those of “Redis + AOF + Distributed Storage”, theirs below ours.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { figure } from '../../src/facts/query.js';
import { rangeOrOne } from '../../src/format.js';
import { costText, ms } from '../../src/report/costs.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { PAYLOAD } from './modes.js';

/**
 * @typedef {'set' | 'get' | 'ping'} Operation
 *
 * @typedef {Object} Line of the article; two figures are a range
 * @property {string} mode
 * @property {number} storage 1: the local disk; 2: network storage
 * @property {boolean} [data] with a loaded data set
 * @property {number | [number, number]} rate
 * @property {number | [number, number]} mean
 * @property {number} [p99]
 */

/** @type {Readonly<Record<Operation, readonly Line[]>>} */
const ARTICLE = parse(readFileSync(new URL('../claims/aof-tables.yaml', import.meta.url), 'utf8'));
/** Ours only, below the article's modes of the local disk. */
const MORE = Object.freeze([
  { mode: 'everysec', storage: 1 },
  { mode: 'always', storage: 1 },
]);
const TITLES = Object.freeze(
  /** @type {Record<string, string>} */ ({
    thresholds: 'no AOF, RDB',
    'everysec-thresholds': 'AOF everysec, RDB',
    'everysec-thresholds-tuning-1': 'tuning 1',
    'everysec-thresholds-tuning-2': 'tuning 2',
    everysec: 'AOF everysec',
    always: 'AOF always',
  }),
);
const MEAN = 'mean-service-time';
const P99 = 'p99-service-time';

/** @param {readonly CaseFigures[]} rows @returns {string[]} labels, the local disk first */
export function storagesOf(rows) {
  return [...new Set(rows.flatMap(({ params }) => params.storage ?? []))];
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {Operation} operation
 * @param {{mode: string, storage: number, data?: boolean, payloadBytes?: number}} line payloadBytes: default the article's
 * @returns {CaseFigures | undefined} of the primary alone, without other writers
 */
export function caseOf(rows, operation, { mode, storage, data = false, payloadBytes = PAYLOAD }) {
  const label = storagesOf(rows)[storage - 1];
  return rows.find(
    ({ mode: own, params }) =>
      own === mode &&
      params.operation === operation &&
      params.storage === label &&
      params.payloadBytes === payloadBytes &&
      params.replicas === 0 &&
      params.backgroundConnections === undefined &&
      (params.preloadKeys !== undefined) === data,
  );
}

/** @param {string} title @param {(row: any) => string} text @returns {ColumnSpec} */
const right = (title, text) => ({ title, text, align: 'right' });
/** @param {number | readonly number[]} value @param {(value: number) => string} format */
const span = (value, format) => {
  const all = [value].flat();
  return rangeOrOne(all[0], all[all.length - 1], format);
};

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  { title: 'storage, persistence', text: ({ title }) => title },
  right('mean longer by', ({ longer }) => (longer === undefined ? NOT_MEASURED : ms(longer))),
  right('costs', ({ cost }) => cost),
  right('operations/s', ({ rate }) => span(rate, FORMATS.rate)),
  right('mean', ({ mean }) => span(mean, FORMATS.ms)),
  right('p99', ({ p99 }) => FORMATS.ms(p99 ?? null)),
];

/**
 * @param {readonly CaseFigures[]} rows
 * @param {Operation} operation
 * @returns {TableBlock}
 */
export function articleTable(rows, operation) {
  const labels = storagesOf(rows);
  const titled = (/** @type {{mode: string, storage: number, data?: boolean}} */ { mode, storage, data }) =>
    [labels[storage - 1], TITLES[mode], ...(data ? ['loaded'] : [])].join(', ');
  const [base] = ARTICLE[operation];
  const lines = ARTICLE[operation].flatMap((line) => {
    const own = caseOf(rows, operation, line);
    return own === undefined ? [] : [oursOf(rows, operation, line, own, titled(line)), theirsOf(line, base, operation)];
  });
  const more = operation === 'set' ? MORE : [];
  const ours = more.flatMap((line) => {
    const own = caseOf(rows, operation, line);
    return own === undefined ? [] : [oursOf(rows, operation, line, own, titled(line))];
  });
  return tableOf(COLUMNS, /** @type {any} */ ([...lines, ...ours]));
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {Operation} operation
 * @param {{mode: string, storage: number, data?: boolean}} line
 * @param {CaseFigures} own
 * @param {string} title
 */
function oursOf(rows, operation, line, own, title) {
  const off = caseOf(rows, operation, { ...line, mode: 'off' });
  const mean = figure(own, MEAN) ?? Number.NaN;
  // Otherwise the difference may be chance.
  const costs = off !== undefined && operation === 'set' && Number(own.of.cost?.low) > 0;
  return {
    title,
    longer: costs ? mean - Number(figure(off, MEAN)) : undefined,
    cost: costText(own.of.cost),
    rate: figure(own, 'throughput') ?? Number.NaN,
    mean,
    p99: operation === 'set' ? figure(own, P99) : null,
  };
}

/**
 * @param {Line} line
 * @param {Line} base without AOF
 * @param {Operation} operation
 */
function theirsOf(line, base, operation) {
  const compared = line !== base && !Array.isArray(line.rate);
  return {
    ...line,
    title: 'the article',
    longer: compared && operation === 'set' ? Number(line.mean) - Number(base.mean) : undefined,
    cost: compared ? FORMATS.percent(1 - Number(line.rate) / Number(base.rate)) : NOT_MEASURED,
  };
}
