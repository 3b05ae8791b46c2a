/** search.json: what was tried, what lost writes, and how to see it again. */
import { z } from 'zod';
import { MODES, modeTitle } from '../modes.js';
import { workloadNamed } from '../workloads/index.js';
import { RULES } from './schedule.js';

/** @import { ModeName } from '../modes.js' */

export const SEARCH_SCHEMA_ID = 'sentinel-bench/search@1';

const whole = z.number().int().nonnegative();
const amount = z.number().nonnegative();

export const SearchDocument = z.object({
  schema: z.literal(SEARCH_SCHEMA_ID),
  startedAt: z.iso.datetime(),
  command: z.string(),
  tool: z.object({ version: z.string(), commit: z.string().nullable() }),
  server: z.object({ name: z.string(), version: z.string().nullable() }),
  mode: z.string(),
  workload: z.string().optional(),
  placement: z.enum(['colocated', 'apart']),
  faultyHosts: whole,
  downAfterMs: whole,
  seed: whole,
  lanes: whole,
  writers: z.array(z.string()),
  kinds: z.array(z.enum(/** @type {[string, ...string[]]} */ (Object.keys(RULES)))),
  seconds: amount,
  tried: whole,
  failed: whole,
  failures: z.record(z.string(), whole),
  shortening: whole,
  acked: whole,
  losing: z.array(
    z.object({
      number: whole,
      schedule: z.string(),
      acked: whole,
      lost: whole,
      seconds: amount,
      broke: z.array(z.string()).optional(),
    }),
  ),
  notShortened: whole,
  found: z.array(
    z.object({
      number: whole,
      schedule: z.string(),
      tries: whole,
      losing: whole,
      mostLost: whole,
      mostSeconds: amount,
      alike: whole,
      timeline: z.string().optional(),
    }),
  ),
});

/** @typedef {z.infer<typeof SearchDocument>} SearchResult */

/** @param {Pick<SearchResult, 'mode' | 'workload' | 'placement' | 'downAfterMs'>} search @param {string} schedule */
export function replayCommand({ mode, workload, placement, downAfterMs }, schedule) {
  const attacked = workload === undefined ? '' : ` --workload ${workload}`;
  return `sentinel-bench search --mode ${mode}${attacked} --placement ${placement} --down-after ${downAfterMs}ms --replay '${schedule}'`;
}

/** @param {Pick<SearchResult, 'mode' | 'workload'>} search */
export function titleOf({ mode, workload }) {
  const title = modeTitle({ ...MODES[/** @type {ModeName} */ (mode)], mode });
  const names = workloadsIn(workload);
  if (names.length === 0) return title;
  return `${title}, ${names.length === 1 ? 'workload' : 'workloads'} ${names.join(', ')}`;
}

/** @param {string} [workload] @returns {string | null} what breaks its invariant; null: lost writes are looked for */
export function harmOf(workload) {
  const [name, ...others] = workloadsIn(workload);
  if (name === undefined) return null;
  return others.length > 0 ? 'an invariant broken' : Object.values(workloadNamed(name).harms)[0];
}

/** @param {string} [workload] @returns {string[]} names of workloads */
export function workloadsIn(workload) {
  return workload?.split(',') ?? [];
}
