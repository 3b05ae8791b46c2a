/**
 * What the suite adds to a round in `result.json`.
 */
import { z } from 'zod';

const WorkloadFigures = z.object({
  workload: z.string(),
  source: z.string().describe('who ran it: the native client in one of its ways, or a library'),
  figures: z
    .record(z.string(), z.number())
    .describe('what the checker of the workload counted in its history; a name that ends with Seconds says its unit'),
});

export const roundFigures = {
  workloads: z.array(WorkloadFigures).optional().describe('each workload that ran in the trial'),
};
