import { sentencesIn } from '../sentences.js';

/** What the command line refuses. */
export const { problem: refusal } = sentencesIn(new URL('refusals.yaml', import.meta.url));
