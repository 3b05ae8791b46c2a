/**
 * How reports show what a driver makes: `driver.redis-py`, `driver.redis-py.best`. A folder in drivers/ is all that a library takes.
 */

/** @import { Look } from './types.js' */

/** @type {Look} */
const STYLE = Object.freeze({ colour: 'purple' });

/**
 * @param {string} name of a writer
 * @returns {{title: string, style: Look} | undefined} undefined: it is no driver's
 */
export function driverLook(name) {
  const [, driver, variant] = /^driver\.([^.]+)(?:\.([^.]+))?$/.exec(name) ?? [];
  if (driver === undefined) return undefined;
  return { title: variant === undefined ? driver : `${driver} (${variant})`, style: STYLE };
}
