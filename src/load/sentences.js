import { sentencesIn } from '../sentences.js';

export const { problem, text } = sentencesIn(new URL('sentences.yaml', import.meta.url));
