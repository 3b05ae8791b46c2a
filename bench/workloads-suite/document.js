/** What the suite adds to a round in `result.json`. */
import { z } from 'zod';

const WorkloadFigures = z.object({
  workload: z.string(),
  source: z.string(),
  figures: z.record(z.string(), z.number()),
});

export const roundFigures = { workloads: z.array(WorkloadFigures).optional() };
