import { textsOf } from '../pages/texts.js';

/** What each benchmark of this suite asks, and how it measures. */
export const TEXTS = textsOf(new URL('texts.yaml', import.meta.url));
