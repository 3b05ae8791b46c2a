/** Checks jobs: what a producer added has to be run, once if possible. */
/** @import { Counted, Operation, ProcessSite } from './types.js' */
import { acknowledged, groupBy } from './history.js';

export const EVERY_MS = 20;
export const WORK_MS = 5;

/** @param {(site: ProcessSite, value: string) => Promise<unknown>} add a job @returns {(site: ProcessSite) => Promise<void>} a producer */
export const producing = (add) => async (site) => {
  for (let number = 0; !site.stopped(); number++) {
    await add(site, `${site.process}-${number}`);
    await site.pause(EVERY_MS);
  }
};

export const JOB_HARMS = Object.freeze({
  neverRun: 'a job never run',
  runTwice: 'a job run twice',
});

/**
 * A job may run although nobody acknowledged it; only acknowledged ones have to.
 * @param {readonly Operation[]} history
 * @returns {Counted} neverRun: absent if the library did not say in time what is left; stuck: the library
 *   still has it, and nobody would have run it again; workersExited: that ended by themselves
 */
export function checkJobs(history) {
  const added = acknowledged(history, 'add');
  const runs = groupBy(
    history.filter(({ op }) => op === 'run'),
    ({ value }) => value,
  );
  const byId = groupBy(
    added.filter(({ libraryId }) => libraryId !== undefined),
    ({ libraryId }) => libraryId,
  );
  const stuck = new Set(history.filter(({ op }) => op === 'stuck').map(({ value }) => value));
  return {
    acknowledged: added.length,
    ...(!history.some(({ op }) => op === 'undrained') && {
      neverRun: added.filter(({ value }) => !runs.has(value) && !stuck.has(value)).length,
    }),
    runTwice: [...runs.values()].filter((each) => each.length > 1).length,
    stuck: stuck.size,
    workersExited: history.filter(({ op }) => op === 'exited').length,
    idsReused: [...byId.values()].filter((each) => new Set(each.map(({ value }) => value)).size > 1).length,
  };
}
