/**
 * The fault search: `sentinel-bench search`.
 */
import { TRIAL_MODES } from '../failure/modes.js';

export { explore } from './explore.js';
export { answerOf, SEARCH_SCHEMA_ID, SearchDocument, searchPage } from './page.js';
export { parseSchedule, STEP_KINDS, scheduleInWords, scheduleText } from './schedule.js';
export { createTry, WRITERS } from './try.js';

/** Modes that can be searched. */
export const searchModes = Object.freeze(/** @type {(keyof typeof TRIAL_MODES)[]} */ (Object.keys(TRIAL_MODES)));
