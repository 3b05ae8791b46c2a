/**
 * Names and versions of the documents that sentinel-bench writes.
 *
 * The rule: a field that is added is optional and keeps the version. A change that an earlier reader would misread gets the next
 * version, and every released version stays readable.
 */

export const SCHEMAS = Object.freeze({
  result: 'sentinel-bench/result@1',
  load: 'sentinel-bench/load@1',
  comparison: 'sentinel-bench/comparison@1',
  audit: 'sentinel-bench/audit@1',
});

/**
 * @param {unknown} document
 * @returns {{id: string, name: string, version: number} | null} what it says it is; null: not a document of sentinel-bench
 */
export function schemaOf(document) {
  const id = /** @type {{schema?: unknown} | null} */ (document)?.schema;
  const found = typeof id === 'string' ? /^(sentinel-bench\/[\w-]+)@(\d+)$/.exec(id) : null;
  return found && { id: found[0], name: found[1], version: Number(found[2]) };
}
