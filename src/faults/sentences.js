import { sentencesIn } from '../sentences.js';

/** What faults, settings and journals say, and how they call the steps that undo them. */
export const SENTENCES = sentencesIn(new URL('sentences.yaml', import.meta.url));
