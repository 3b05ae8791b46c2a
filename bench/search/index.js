/** The fault search: `sentinel-bench search`. */
import { isPossible, MODES } from '../modes.js';
import { WORKLOADS } from '../workloads/index.js';
import { replayCommand, SEARCH_SCHEMA_ID, titleOf } from './document.js';
import { searchAnswer, searchPage } from './page.js';
import { runSearch } from './run.js';
import { parseSchedule, RULES, STEP_KINDS, USUAL_STEPS } from './schedule.js';

/** @import { SearchResult } from './document.js' */

export default Object.freeze({
  modes: Object.keys(MODES),
  isPossible,
  workloads: WORKLOADS.map(({ name }) => name),
  stepKinds: STEP_KINDS,
  usualSteps: USUAL_STEPS,
  /** @param {readonly string[]} kinds */
  needDisk: (kinds) => kinds.some((kind) => RULES[kind].disk),
  schemaId: SEARCH_SCHEMA_ID,
  parseSchedule,
  run: runSearch,
  answer: searchAnswer,
  page: searchPage,
  titleOf,
  /** @param {SearchResult} search */
  replays: (search) => search.found.map(({ schedule }) => replayCommand(search, schedule)),
});
