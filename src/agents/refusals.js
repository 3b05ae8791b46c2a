import { sentencesIn } from '../sentences.js';

/** What controller and agents refuse. */
export const { problem: refusal } = sentencesIn(new URL('refusals.yaml', import.meta.url));
