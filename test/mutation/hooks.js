/**
 * Loads modules afresh for each planted defect, in one process. A test file is imported as `file.js?run=7`, and every module that it
 * reaches gets the same ending if it depends on a file with defects. All other modules, and packages, are loaded once.
 */

/** @typedef {(specifier: string, context: Context) => Promise<{url: string, format?: string}>} Resolve */
/** @typedef {{parentURL?: string, conditions: string[], importAttributes: Record<string, string>}} Context */

const RECORDER = new URL('recorder.js', import.meta.url).href;

/** @type {Set<string>} */
let fresh = new Set();

/** @param {string[]} urls of the modules to load afresh */
export function initialize(urls) {
  fresh = new Set(urls);
}

/**
 * @param {string} specifier
 * @param {Context} context
 * @param {Resolve} next
 * @returns {Promise<{url: string, format?: string, shortCircuit?: boolean}>}
 */
export async function resolve(specifier, context, next) {
  const [, parentURL, run] = /^(.*)(\?run=\d+)$/.exec(context.parentURL ?? '') ?? [];
  if (run === undefined) return next(specifier, context);
  if (specifier === 'node:test') return { url: RECORDER, format: 'module', shortCircuit: true };
  const resolved = await next(specifier, { ...context, parentURL });
  return fresh.has(resolved.url) ? { ...resolved, url: resolved.url + run } : resolved;
}
