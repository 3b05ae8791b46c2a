import { sentencesIn } from '../sentences.js';

export const { problem, has } = sentencesIn(new URL('sentences.yaml', import.meta.url));
