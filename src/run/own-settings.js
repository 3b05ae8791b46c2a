/**
 * What an existing deployment has set itself: a figure measured there is one of these settings, too.
 * @import { CaseParams } from '../result/schema.js'
 * @import { Control, Stack } from '../stacks/types.js'
 */

/**
 * @param {Stack} stack @param {Control} control of the primary
 * @returns {Promise<Record<string, string>>} settings in force that change what a failure costs; empty: none, a stack of this run, or the
 *   user may not read them
 */
export async function readOwn({ about: { backend, endsWithRun }, can, database }, control) {
  if (backend !== 'external' || endsWithRun || !can.has('configure')) return {};
  return database.settings.ownOf?.(await database.configuration(control)) ?? {};
}

/**
 * @param {CaseParams} params of a case that was measured there
 * @param {Readonly<Record<string, string>>} own read before the case or during it
 * @returns {CaseParams} with those that the case has not set itself
 */
export function withOwn(params, own) {
  const beside = Object.entries(own).filter(([name]) => params.settings?.[name] === undefined);
  return beside.length === 0 ? params : { ...params, ownSettings: Object.fromEntries(beside) };
}
