/** The words of the suite. */
import { textsOf } from '../pages/texts.js';

export const WORDS = textsOf(new URL('texts.yaml', import.meta.url));
