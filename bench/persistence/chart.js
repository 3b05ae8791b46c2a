/**
 * Throughput and p99 of each persistence mode, relative to no persistence: a row for each load and mode, a symbol for each storage.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, IntervalValue } from '../../src/result/schema.js'
 * @import { Chart, Style } from '../../src/report/charts/chart.js'
 * @import { Ratios, Storage } from './figures.js'
 */

import { times } from '../../src/format.js';
import { intervalNote } from '../../src/report/charts/against.js';
import { dotChart } from '../../src/report/charts/dots.js';
import { styleAt } from '../../src/report/charts/styles.js';
import { offOf, ratiosTo, storagesOf } from './figures.js';
import { dataSetTitle, loadTitle, modeTitle, nodesTitle, payloadTitle } from './modes.js';

/**
 * @typedef {Object} Compared a case beside the same one without persistence
 * @property {CaseParams} params
 * @property {CaseResult['rounds']} rounds
 * @property {Ratios} ratios
 */

/** With more rows than this, each load has its own charts, and a load with more has two of each. */
const MOST_ROWS = 24;
/** Rows differ in these besides load and mode. */
const PLACE = [
  { word: payloadTitle, name: 'values of ' },
  { word: dataSetTitle, name: 'data set ' },
  { word: nodesTitle, name: '' },
];
const LABEL_WIDTH = 260;
/** More make the alternative text too long. */
const NAMED_STORAGES = 3;
/** Row names take up to three lines on a narrow page. */
const MORE_ROW = 6;

/**
 * @param {BenchmarkResult} benchmark the persistence benchmark
 * @param {{storage?: readonly Storage[]}} run
 * @returns {Chart[]}
 */
export function persistenceCharts(benchmark, { storage: descriptions }) {
  const compared = benchmark.cases.flatMap((one) => {
    const ratios = ratiosTo(one, offOf(benchmark, one));
    return ratios ? [{ params: one.params, rounds: one.rounds, ratios }] : [];
  });
  const loads = [...new Set(compared.map(({ params }) => loadTitle(params)))];
  const { title, unsaid, isUsual } = rowTitles(compared);
  const storages = storagesOf(benchmark, descriptions);
  const rows = new Set(compared.map(({ params }) => title(params)));
  const parts =
    rows.size <= MOST_ROWS
      ? [{ suffix: '', of: '', cases: compared }]
      : loads.flatMap((load) => {
          const suffix = `.${load.toLowerCase().replaceAll(' ', '-')}`;
          const cases = compared.filter(({ params }) => loadTitle(params) === load);
          if (new Set(cases.map(({ params }) => title(params))).size <= MOST_ROWS)
            return [{ suffix, of: ` of ${load}`, cases }];
          return [
            { suffix, of: ` of ${load}`, cases: cases.filter(({ params }) => isUsual(params)) },
            {
              suffix: `${suffix}-elsewhere`,
              of: ` of ${load} with other values, data and nodes`,
              cases: cases.filter(({ params }) => !isUsual(params)),
            },
          ];
        });
  return parts
    .flatMap(({ suffix, of, cases }) => [
      ratioChart(cases, {
        ...{ rowTitle: title, unsaid, storages },
        id: `${benchmark.name}.throughput${suffix}`,
        title: `Throughput${of} with persistence, compared with none`,
        axis: 'times the throughput without persistence',
        worst: { name: 'Least', of: Math.min },
        value: ({ throughput }) => throughput,
      }),
      ratioChart(cases, {
        ...{ rowTitle: title, unsaid, storages },
        id: `${benchmark.name}.p99${suffix}`,
        title: `p99${of} with persistence, compared with none`,
        axis: 'times the p99 without persistence',
        worst: { name: 'Most', of: Math.max },
        value: ({ p99 }) => p99,
      }),
    ])
    .filter((chart) => chart !== null);
}

/**
 * @param {readonly Compared[]} compared
 * @param {{id: string, title: string, axis: string, rowTitle: (params: CaseParams) => string, unsaid: string, storages: Storage[],
 *   worst: {name: string, of: (...medians: number[]) => number}, value: (ratios: Compared['ratios']) => IntervalValue | null}} what
 * @returns {Chart | null}
 */
function ratioChart(compared, { id, title, axis, rowTitle, unsaid, storages, worst, value }) {
  const measured = compared.filter(({ ratios }) => value(ratios) !== null);
  const chart = dotChart({
    id,
    title,
    note: `${intervalNote(measured)} Paired by round with the same load without persistence; the dashed line means no change.${unsaid}`,
    rowName: 'load and persistence',
    rows: [...new Set(measured.map(({ params }) => rowTitle(params)))],
    series: storages.map((storage, i) => ({ name: storageName(storage), style: STORAGE_STYLES[i] ?? styleAt(i) })),
    value: (row, storage) => {
      const found = measured.find(
        ({ params }) =>
          rowTitle(params) === row &&
          storages.some((each) => each.label === params.storage && storageName(each) === storage),
      );
      return (found && value(found.ratios)) ?? undefined;
    },
    axis,
    format: 'times',
    log: true,
    reference: 1,
  });
  if (chart === null) return null;
  const { yAxis } = chart.option;
  const worsts = storages.flatMap(({ label }) => {
    const medians = measured
      .filter(({ params }) => params.storage === label)
      .flatMap(({ ratios }) => value(ratios)?.median ?? []);
    return medians.length === 0 ? [] : [`${label} ${times(worst.of(...medians))}`];
  });
  return {
    ...chart,
    alt: `details.md has the figures. ${worst.name}: ${worsts.slice(0, NAMED_STORAGES).join(', ')}.`,
    height: chart.height + MORE_ROW * chart.rows.length,
    option: {
      ...chart.option,
      yAxis: {
        ...yAxis,
        axisLabel: { ...yAxis.axisLabel, width: LABEL_WIDTH, overflow: 'break', lineHeight: 14, interval: 0 },
      },
    },
  };
}

/** In the order of the storages. @type {readonly Style[]} */
const STORAGE_STYLES = Object.freeze([
  { color: '$blue', symbol: 'circle', dash: 'solid' },
  { color: '$orange', symbol: 'diamond', dash: 'dashed' },
]);

/**
 * @param {Storage} storage
 * @returns {string} its name; says if the storage is emulated
 */
function storageName({ label, emulated }) {
  return emulated ? `${label} (emulated)` : label;
}

/**
 * @param {readonly Compared[]} compared
 * @returns {{title: (params: CaseParams) => string, unsaid: string, isUsual: (params: CaseParams) => boolean}} title: such as
 *   `SET, 1,024 B: AOF everysec`, without the usual values; unsaid: a sentence that names them; isUsual: it has all of them
 */
function rowTitles(compared) {
  const words = PLACE.map(({ word, name }) => {
    const texts = compared.map(({ params }) => word(params));
    return { word, name, usual: mostFrequent(texts), varies: new Set(texts).size > 1 };
  });
  const varying = words.filter(({ varies }) => varies);
  return {
    isUsual: (params) => varying.every(({ word, usual }) => word(params) === usual),
    title: (params) => {
      const place = varying.filter(({ word, usual }) => word(params) !== usual).map(({ word }) => word(params));
      return `${[loadTitle(params), ...place].join(', ')}: ${modeTitle({ ...params, replicas: 0 })}`;
    },
    unsaid:
      varying.length === 0
        ? ''
        : ` Unless a row says otherwise: ${varying.map(({ name, usual }) => `${name}${usual}`).join(', ')}.`,
  };
}

/**
 * @param {readonly string[]} texts
 * @returns {string} the most frequent, which row names leave out
 */
function mostFrequent(texts) {
  const times = (/** @type {string} */ text) => texts.filter((each) => each === text).length;
  return texts.reduce((most, each) => (times(each) > times(most) ? each : most), '');
}
