import { sentencesIn } from '../sentences.js';

export const SENTENCES = sentencesIn(new URL('sentences.yaml', import.meta.url));
