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
  command: z.string().describe('the command line, without secrets'),
  tool: z.object({ version: z.string(), commit: z.string().nullable() }),
  server: z.object({ name: z.string(), version: z.string().nullable() }),
  mode: z.string(),
  workload: z
    .string()
    .optional()
    .describe('whose invariants the schedules had to break, with commas between them; absent: they had to lose writes'),
  placement: z.enum(['colocated', 'apart']),
  faultyHosts: whole,
  downAfterMs: whole,
  seed: whole,
  lanes: whole,
  writers: z.array(z.string()),
  kinds: z
    .array(z.enum(/** @type {[string, ...string[]]} */ (Object.keys(RULES))))
    .describe('steps that schedules may have'),
  seconds: amount.describe('of the whole search'),
  tried: whole.describe('schedules, without those that failed'),
  failed: whole.describe('schedules that could not be carried out, or after which the stack did not recover'),
  failures: z.record(z.string(), whole).describe('why, and how often'),
  shortening: whole.describe('further tries, which shortened and repeated schedules'),
  acked: whole.describe('writes acknowledged in all schedules'),
  losing: z.array(
    z.object({
      number: whole,
      schedule: z.string(),
      acked: whole,
      lost: whole,
      seconds: amount,
      broke: z
        .array(z.string())
        .optional()
        .describe('workloads whose invariants it broke; absent: the one that was attacked, or none was'),
    }),
  ),
  notShortened: whole,
  found: z.array(
    z.object({
      number: whole.describe('of the schedule that it was found in'),
      schedule: z.string(),
      tries: whole,
      losing: whole,
      mostLost: whole,
      mostSeconds: amount.describe('of acknowledged writes, of the writer that lost most in one try'),
      alike: whole.describe('losing schedules that have all its steps'),
      timeline: z.string().optional().describe('of the try that lost most: what happened when'),
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
