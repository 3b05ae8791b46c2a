/** What the workloads found, from the figures of their checkers. */
/** @import { BenchmarkResult, CaseResult, Check, Finding } from '../types.js' */

import { table } from '../../src/report/blocks.js';
import { finding } from '../../src/report/findings.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { left } from '../../src/table.js';
import { CASE_TITLES } from '../experiments/cases.js';
import { modeTitle } from '../modes.js';
import { driverSources } from '../workloads/driver-source.js';
import { groupBy } from '../workloads/history.js';
import { WORKLOADS, workloadNamed } from '../workloads/index.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';

/** @param {CaseResult} one @returns of every workload, also those that were not harmed. values: one for each trial; trials: with the harm */
function harmsOf({ rounds }) {
  const found = rounds.flatMap(({ workloads = [] }) => workloads);
  const sources = [...new Set(found.map(({ source }) => source))];
  return WORKLOADS.flatMap(({ name, harms }) =>
    Object.entries(harms).flatMap(([figure, words]) =>
      sources.flatMap((source) => {
        const own = found.filter((each) => each.workload === name && each.source === source);
        const values = own.flatMap(({ figures }) => figures[figure] ?? []);
        if (values.length === 0) return [];
        return [{ workload: name, source, figure, words, values, trials: values.filter((value) => value > 0).length }];
      }),
    ),
  );
}

/** @param {BenchmarkResult} result @returns {Finding[]} one for each case */
export function harmFindings({ cases }) {
  return cases.map((one) => {
    const kinds = new Set(harmsOf(one).flatMap(({ words, trials }) => (trials > 0 ? [words] : [])));
    const text = kinds.size === 0 ? 'nothing was harmed' : `${kinds.size} kinds of harm`;
    return finding(`harms-${one.id}`, `${modeTitle(one.params)}: ${text}.`, [one]);
  });
}

/** @param {BenchmarkResult} result in which nothing failed @returns {Check} */
export function nothingFound({ cases }) {
  const found = cases.flatMap((one) =>
    harmsOf(one)
      .filter(({ trials }) => trials > 0)
      .map(({ workload, source, words, values }) => `${one.id}, ${workload}.${source}: ${words} ${values.join(', ')}`),
  );
  const detail = found.length === 0 ? 'every figure of a harm is 0' : found.join('; ');
  return { name: 'the checkers find nothing where nothing fails', ok: found.length === 0, detail };
}

/** A cell has the figure of each trial, or 0 for all. Harms that no trial had are left out. @param {Pick<BenchmarkResult, 'cases'>} result */
export function harmDetails({ cases }) {
  const titles = new Map([...NATIVE_SOURCES, ...driverSources()].map(({ name, title }) => [name, title]));
  const all = cases.flatMap((one) =>
    harmsOf(one).map((harm) => ({ ...harm, mode: CASE_TITLES.case({ ...one.params, setting: undefined }) })),
  );
  const modes = [...new Set(all.map(({ mode }) => mode))];
  const ofWords = [...groupBy(all, ({ words }) => words).values()];
  const groups = ofWords.flatMap((alike) => [
    ...groupBy(alike, ({ workload, source }) => `${workload}.${source}`).values(),
  ]);
  const rows = groups
    .filter((group) => group.some(({ trials }) => trials > 0))
    .map((group) => [
      group[0].words,
      workloadNamed(group[0].workload).title,
      titles.get(group[0].source) ?? group[0].source,
      ...modes.map((mode) => cellOf(group.flatMap((harm) => (harm.mode === mode ? harm.values : [])))),
    ]);
  return [table([left('harm in each trial', undefined, { group: true }), 'workload', 'who', ...modes], rows)];
}

/** @param {readonly number[]} values of the trials */
function cellOf(values) {
  if (values.length === 0) return NOT_MEASURED;
  return values.every((value) => value === 0) ? '0' : values.join(', ');
}
