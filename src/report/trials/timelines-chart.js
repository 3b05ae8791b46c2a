/**
 * The timelines of a benchmark's cases, one below the other on one time axis.
 * @import { TrialResult } from '../../result/failure-schema.js' @import { BenchmarkResult } from '../../result/schema.js'
 * @import { Titles } from '../../run/types.js' @import { Chart, ChartColumn } from '../charts/chart.js'
 * @import { CaseWorst } from './timeline.js' @import { Span } from './timeline-parts.js'
 * @typedef {ReturnType<typeof panelOf>[number]} Panel losses: acknowledged writes
 */

import { isPlaced, lostSteps } from '../../audit/lost-steps.js';
import { auditsOf } from '../../audit/of-trials.js';
import { count } from '../../format.js';
import { knownMedian, sum } from '../../stats/statistics.js';
import { MS_A_SECOND } from '../../units.js';
import { readYaml } from '../../yaml.js';
import { legend } from '../charts/parts.js';
import { writerStyle } from '../charts/styles.js';
import { textsIn } from '../template.js';
import { milliseconds, PLAIN_TITLES } from './figures.js';
import { worstTrials, zeroOf } from './timeline.js';
import * as parts from './timeline-parts.js';

const WORDS = new URL('timelines.yaml', import.meta.url);
const say = textsIn(WORDS);
/** @type {Readonly<Record<string, Record<string, any>>>} */
const LOOK = readYaml(WORDS).look;

/** Points of a line that fit into the width. */
const MOST_POINTS = 360;
/** Line widths of the writers. The first line is broad, so that it remains visible beneath the second. */
const WIDTHS = [3.5, 1.5];
const BANDS = Object.freeze({
  silent: { name: 'no write acked', color: '$unavailable' },
  split: { name: 'split brain', color: '$splitBrain' },
});
const LOST = 'acked, later lost';
const TOP = 92;
const PANEL = 62;
const GAP = 44;
const BOTTOM = 44;
/** Height of a panel in multiples of the median rate. A writer that catches up is far faster and would flatten the rest. */
const HEADROOM = 2;
/** Heights that can be told apart in a panel. */
const HEIGHTS = 50;

/** @param {BenchmarkResult} benchmark @param {Titles} [titles] @param {readonly CaseWorst[]} [cases] @returns {Chart | null} null: without a timeline */
export function timelinesChart(benchmark, titles = PLAIN_TITLES, cases = worstTrials(benchmark)) {
  const panels = cases.flatMap((each) => panelOf(benchmark, each, titles));
  if (panels.length === 0) return null;
  const writers = [...new Set(panels.flatMap(({ bins }) => bins.writers.map(({ writer }) => writer)))];
  const binned = panels.some(({ bins }) => bins.stepsABin > 1);
  const tops = topsOf(panels);
  /** @type {(ChartColumn & {values: (number | null)[]})[]} */
  const data = panels.flatMap((panel, i) => {
    /** @type {(name: string, values: (number | null)[]) => typeof data[number]} */
    const rates = (name, values) => ({ name, format: 'rate', values: drawn(values, tops[i]) });
    return [
      { name: `${panel.title}: time`, format: 'seconds', values: panel.bins.times },
      ...panel.bins.writers.flatMap(({ writer, ackedMean, ackedLow, lost }) => {
        const name = `${panel.title}: ${titles.writer(writer)}`;
        return [
          rates(name, ackedMean),
          ...(binned ? [rates(`${name}, lowest`, ackedLow)] : []),
          ...(lost === null ? [] : [rates(lostColumn(panel, titles.writer(writer)), lost)]),
        ];
      }),
    ];
  });
  const rows = Array.from({ length: Math.max(...data.map(({ values }) => values.length)) }, (_, i) =>
    data.map(({ values }) => values[i] ?? null),
  );
  const from = Math.min(...panels.map(({ bins }) => bins.times[0]));
  const to = Math.max(...panels.map(({ bins }) => bins.times[bins.times.length - 1]));
  const losing = panels.some(({ bins }) => bins.writers.some(({ lost }) => lost !== null));
  const trials = panels.map(({ worst }) => worst.trial);
  const bands = [
    ...(trials.some((trial) => parts.silentSpans(trial).length > 0) ? [BANDS.silent] : []),
    ...(trials.some((trial) => parts.splitBrainSpan(trial) !== null) ? [BANDS.split] : []),
  ];
  return {
    id: `${benchmark.name}.timelines`,
    title: say('timelines', 'title'),
    alt: altOf(panels),
    note: noteOf(panels, { binned, losing, titles }),
    columns: data.map(({ name, format }) => ({ name, format })),
    rows,
    height: TOP + panels.length * (PANEL + GAP) - GAP + BOTTOM,
    option: {
      legend: {
        ...legend(),
        data: [
          ...writers.map((writer) => ({ name: titles.writer(writer), icon: 'roundRect' })),
          ...[...(losing ? [LOST] : []), ...bands.map(({ name }) => name)].map((name) => ({ name, icon: 'rect' })),
        ],
      },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      grid: panels.map((_, i) => ({ ...LOOK.panel, top: TOP + i * (PANEL + GAP), height: PANEL })),
      xAxis: panels.map((_, i) => timeAxis(i, { last: i === panels.length - 1, from, to })),
      yAxis: panels.map((panel, i) => rateAxis(panel, i, tops[i])),
      series: [
        // A legend shows series only.
        ...bands.map(({ name, color }) => ({ ...LOOK.empty, name, itemStyle: { color } })),
        ...panels.flatMap((panel, i) => seriesOf(panel, i, { binned, titles })),
      ],
    },
  };
}

/** @param {BenchmarkResult} benchmark @param {CaseWorst} worst @param {Titles} titles @returns empty, or one */
function panelOf(benchmark, { one, ...worst }, titles) {
  if (worst.trial.writers.every(({ acked }) => acked.length === 0)) return [];
  const title = titles.case(one.params);
  const audits = auditsOf(benchmark, one).filter(({ round }) => round === worst.trial.round);
  const losses = audits.map(({ writer, ackedLost }) => ({ writer: titles.writer(writer), lost: ackedLost }));
  const bins = parts.binsOf(worst.trial, { most: MOST_POINTS, lost: lostSteps(benchmark, worst.trial) });
  return [{ one, worst, title, losses, bins }];
}

/** Rounded to what the panel can show, which packs to half the size. @param {readonly (number | null)[]} rates @param {number} top of the panel @returns {(number | null)[]} */
function drawn(rates, top) {
  const grain = Math.max(1, Math.round(top / HEIGHTS));
  return rates.map((rate) => (rate === null || rate < grain ? rate : Math.round(rate / grain) * grain));
}

/** Writes a second at each upper edge. Clients write at different rates, so each has its own scale. @param {Panel[]} panels @returns {number[]} */
function topsOf(panels) {
  const clients = [...new Set(panels.map(({ one }) => one.params.client))];
  const tops = new Map(
    clients.map((client) => {
      const alike = panels.filter(({ one }) => one.params.client === client);
      const rates = alike.flatMap(({ bins }) => bins.writers.flatMap(({ ackedMean }) => ackedMean));
      const usual = knownMedian(rates.map((value) => value || null));
      return [client, usual === null ? 1 : Math.ceil(HEADROOM * usual)];
    }),
  );
  return panels.map(({ one }) => /** @type {number} */ (tops.get(one.params.client)));
}

/** @param {number} panel @param {{last: boolean, from: number, to: number}} axis last: it has labels; from, to: seconds since the fault began */
function timeAxis(panel, { last, from, to }) {
  const axisLabel = { ...LOOK.time.axisLabel, show: last };
  const name = last ? 'since the fault began' : '';
  return { ...LOOK.time, gridIndex: panel, min: from, max: to, name, axisLabel };
}

/** @param {Panel} panel @param {number} index @param {number} max */
function rateAxis({ title, losses }, index, max) {
  const lost = losses.map(({ writer, lost }) => `${writer} ${count(lost)}`).join(', ');
  // Without a browser widths are estimated, too short by up to a pixel a letter.
  const rich = { title: { color: '$ink' }, lost: { color: '$muted', padding: [0, 0, 0, 8 + title.length] } };
  return {
    ...LOOK.rate,
    ...{ gridIndex: index, max, interval: max },
    name: losses.length === 0 ? `{title|${title}}` : `{title|${title}}{lost|lost: ${lost}}`,
    nameTextStyle: { ...LOOK.rate.nameTextStyle, rich },
  };
}

/** From the back. @param {Panel} panel @param {number} index @param {{binned: boolean, titles: Titles}} how @returns {Record<string, any>[]} */
function seriesOf(panel, index, { binned, titles }) {
  const place = { xAxisIndex: index, yAxisIndex: index };
  const x = `${panel.title}: time`;
  const named = panel.bins.writers.map(({ writer, lost }) => ({ writer, lost, name: titles.writer(writer) }));
  return [
    { ...backdrop(panel.worst.trial), ...place },
    ...named
      .filter(({ lost }) => lost !== null)
      .map(({ name }) => ({ ...LOOK.lost, ...place, name: LOST, encode: { x, y: lostColumn(panel, name) } })),
    ...named.flatMap(({ writer, name }, i) => {
      const { color } = writerStyle(writer);
      const line = { ...LOOK.line, ...place, name, itemStyle: { color } };
      const y = `${panel.title}: ${name}`;
      return [
        { ...line, encode: { x, y }, lineStyle: { color, width: WIDTHS[i] ?? WIDTHS[0] } },
        ...(binned
          ? [{ ...line, encode: { x, y: `${y}, lowest` }, lineStyle: { color, width: 0.75, type: 'dotted' } }]
          : []),
      ];
    }),
  ];
}

/** Bands and marks of a panel, in one series, because each takes time to draw. @param {TrialResult} trial @returns {Record<string, any>} */
function backdrop(trial) {
  const at = (/** @type {number} */ ms) => parts.rounded((ms - zeroOf(trial)) / MS_A_SECOND);
  const split = parts.splitBrainSpan(trial);
  const band = (/** @type {Span} */ [from, to], /** @type {string} */ color) => [
    { xAxis: at(from), itemStyle: { color } },
    { xAxis: at(to) },
  ];
  return {
    ...LOOK.empty,
    markArea: {
      silent: true,
      data: [
        ...parts.silentSpans(trial).map((span) => band(span, BANDS.silent.color)),
        ...(split ? [band(split, BANDS.split.color)] : []),
      ],
    },
    markLine: {
      ...LOOK.marks,
      data: parts.marksOf(trial).map(({ afterMs, dash, label }) => ({
        xAxis: at(afterMs),
        lineStyle: { type: dash },
        label: { formatter: label },
      })),
    },
  };
}

/** @param {Panel} panel @param {string} name of a writer */
const lostColumn = ({ title }, name) => `${title}: ${name}, later lost`;

/** @param {Panel[]} panels */
function altOf(panels) {
  const most = (/** @type {(panel: Panel) => number} */ figureOf) =>
    panels.map((panel) => ({ value: figureOf(panel), title: panel.title })).sort((a, b) => b.value - a.value)[0];
  return say('timelines', 'alt', {
    lost: most(({ losses }) => Math.max(0, ...losses.map(({ lost }) => lost))),
    silence: most(({ worst }) => lengthOf(parts.silentSpans(worst.trial))),
    split: most(({ worst }) => lengthOf([parts.splitBrainSpan(worst.trial) ?? [0, 0]])),
  });
}

/** @param {readonly Span[]} spans */
const lengthOf = (spans) => sum(spans.map(([from, to]) => to - from));

/** @param {Panel[]} panels @param {{binned: boolean, losing: boolean, titles: Titles}} how */
function noteOf(panels, { binned, losing, titles }) {
  const trials = panels.map(({ worst }) => worst.trial);
  return say('timelines', 'note', {
    ...{ binned, losing, placed: isPlaced(trials) },
    steps: [...new Set(panels.map(({ bins }) => milliseconds(bins.binMs)))].join(' or '),
    trials: Math.max(...panels.map(({ worst }) => worst.rounds)),
    pair: trials.find(({ writers }) => writers.length > 1)?.writers.map(({ writer }) => titles.writer(writer)) ?? [],
  });
}
