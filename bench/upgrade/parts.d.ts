import type { z } from 'zod';
import type { params } from './document.js';

declare const Params: z.ZodObject<typeof params>;

declare module '../../src/result/parts.js' {
  interface SuiteParams extends z.infer<typeof Params> {}
}
