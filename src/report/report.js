/**
 * A run's result as a report. Pure functions of the result.
 */
import { makeDocument } from './document.js';
import { renderMarkdown } from './markdown.js';

/**
 * @param {import('./schema.js').Result} result
 * @param {ReadonlyMap<string, import('./markdown.js').Presentation>} benchmarks name → how it is shown
 * @returns {import('./document.js').Report}
 */
export function makeReport(result, benchmarks) {
  return makeDocument(`sentinel-bench: ${result.suite}`, (figures) => renderMarkdown(result, benchmarks, figures));
}
