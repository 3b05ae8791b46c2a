import type { z } from 'zod';
import type { roundFigures } from './document.js';

declare const Figures: z.ZodObject<typeof roundFigures>;

declare module '../../src/result/parts.js' {
  interface SuiteFigures extends z.infer<typeof Figures> {}
}
