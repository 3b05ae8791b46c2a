import { sentencesIn } from '../sentences.js';

/** What runs and loads say when something cannot be done. */
export const SENTENCES = sentencesIn(new URL('sentences.yaml', import.meta.url));
