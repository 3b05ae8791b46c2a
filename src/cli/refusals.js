import { sentencesIn } from '../sentences.js';

export const { problem: refusal } = sentencesIn(new URL('refusals.yaml', import.meta.url));
