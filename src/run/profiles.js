/**
 * How much is measured. `quick` gives an answer in a minute and a half; the others give narrower intervals.
 *
 * @type {Readonly<Record<import('./types.js').Profile['name'], import('./types.js').Profile>>}
 */
export const PROFILES = Object.freeze({
  quick: { name: 'quick', rounds: 5, seconds: 0.17, warmUpSeconds: 0.03 },
  standard: { name: 'standard', rounds: 11, seconds: 1, warmUpSeconds: 0.2 },
  full: { name: 'full', rounds: 21, seconds: 5, warmUpSeconds: 1 },
});
