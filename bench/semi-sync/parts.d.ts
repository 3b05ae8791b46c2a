import type { z } from 'zod';
import type { params, roundFigures } from './document.js';

declare const Params: z.ZodObject<typeof params>;
declare const Figures: z.ZodObject<typeof roundFigures>;

declare module '../../src/result/parts.js' {
  interface SuiteParams extends z.infer<typeof Params> {}
  interface SuiteFigures extends z.infer<typeof Figures> {}
}
