/** What the program needs before it can be loaded. This file and what it imports must run on any Node.js with ES modules. */

/**
 * @param {string} version of Node.js, such as `20.3.0` @param {string} engines its range in package.json, such as `>=20.3.0`
 * @returns {string | null} what is wrong and what to do, in two lines; null: it is new enough
 */
export function whyTooOld(version, engines) {
  const least = engines.replace(/^>=/, '');
  const [is, needed] = [version, least].map((text) => text.split('.').map(Number));
  const at = needed.findIndex((part, i) => part !== is[i]);
  if (at < 0 || is[at] > needed[at]) return null;
  return `sentinel-bench needs Node.js ${least} or later; this is ${version}.\nInstall a newer Node.js, and run this again.`;
}
