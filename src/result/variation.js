/**
 * What a case of a failure does differently from the others in its durability mode: four fields of its parameters.
 * @import { CaseParams } from './schema.js'
 * @typedef {Pick<CaseParams, 'placement' | 'setting' | 'length' | 'way'>} CaseVariation
 */

/** In the order of names. */
const FIELDS = Object.freeze(/** @type {const} */ (['placement', 'setting', 'length', 'way']));

/** @param {CaseVariation} params of a case @returns {CaseVariation} only these fields */
export function variationIn(params) {
  return Object.fromEntries(FIELDS.flatMap((field) => (params[field] === undefined ? [] : [[field, params[field]]])));
}

/** @param {CaseVariation} params @returns {string} fit for an id, such as `plus-500ms`, `apart-with-2`; empty: the case does nothing differently */
export function variationName(params) {
  return FIELDS.flatMap((field) => params[field] ?? []).join('-');
}

/** @param {CaseVariation} params of a case @param {CaseVariation} wanted its fields; those that are absent do not matter */
export function isVaried(params, wanted) {
  return FIELDS.every((field) => wanted[field] === undefined || params[field] === wanted[field]);
}

/** @param {Omit<CaseVariation, 'placement'>} params @returns {boolean} at most its placement differs, which the user may have asked for in all cases */
export function isPlain({ setting, length, way }) {
  return setting === undefined && length === undefined && way === undefined;
}
