/** For tests only. */
import { SCENARIOS } from './scenarios.js';

/** @param {string} name @returns {(typeof SCENARIOS)[number]} */
export function scenarioNamed(name) {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (!found) throw new RangeError(`there is no scenario ${name}`);
  return found;
}
