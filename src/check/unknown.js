/** What could not be read. It is a value of its own: nothing is assumed in its place. */

export class Unknown {
  /**
   * @param {string} why it is unknown, as the end of a sentence
   * @param {{allow?: string, missing?: boolean}} [more] allow: the ACL rule that would tell; missing: the server has no such command, or it is renamed
   */
  constructor(why, { allow = '', missing = false } = {}) {
    this.why = why;
    this.allow = allow;
    this.missing = missing;
  }

  toJSON() {
    return { unknown: this.why, ...(this.allow && { allow: this.allow }) };
  }
}

/** @template T @param {T | Unknown} value @returns {value is T} */
export const isKnown = (value) => !(value instanceof Unknown);

/** @template T @template U @param {T | Unknown} value @param {(known: T) => U} change @returns what is unknown stays unknown */
export const whenKnown = (value, change) => (isKnown(value) ? change(value) : value);
