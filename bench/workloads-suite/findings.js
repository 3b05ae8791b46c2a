/** What the workloads found, from the figures of their checkers. */
/** @import { BenchmarkResult, CaseResult, Check, Finding } from '../types.js' */
import { finding } from '../../src/report/findings.js';
import { modeTitle } from '../modes.js';
import { WORKLOADS } from '../workloads/index.js';

/** @param {CaseResult} one @returns of every workload, also those that were not harmed. values: one for each trial; trials: with the harm */
export function harmsOf({ rounds }) {
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
