/**
 * How pages mark outages that the harness ended.
 *
 * @typedef {import('../../audit/outages.js').EndlessCause} EndlessCause
 */

/** Marks an outage that the harness ended. */
export const HEALED_MARK = '§';
