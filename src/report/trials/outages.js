/**
 * How pages mark outages that the harness ended.
 *
 * @typedef {import('../../audit/outages.js').EndlessCause} EndlessCause
 */

/** Marks an outage that the harness ended. */
export const HEALED_MARK = '§';
/** Explains the mark. */
export const HEALED_NOTE = `${HEALED_MARK}: it ended only after we had ended the fault (node or Sentinels back, partition healed); yours lasts until somebody does that`;
