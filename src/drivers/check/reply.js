/** Replies of the scripted servers, in RESP2 or RESP3 as the client asked for with HELLO. */

/**
 * @typedef {null | number | boolean | string | Status | Failure | Pairs | Push | Several | Verbatim | Value[]} Value a string is a bulk string
 */

/** `+OK` */
export class Status {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** `-READONLY …` */
export class Failure {
  /** @param {string} text without the leading `-` */
  constructor(text) {
    this.text = text;
  }
}

/** A map; in RESP2 an array of names and values. */
export class Pairs {
  /** @param {[string, Value][]} entries */
  constructor(entries) {
    this.entries = entries;
  }
}

/** What comes without being asked for, such as a message of a channel; in RESP2 an array. */
export class Push {
  /** @param {Value[]} items */
  constructor(items) {
    this.items = items;
  }
}

/** Several replies to one command, one after the other. */
export class Several {
  /** @param {Value[]} replies */
  constructor(replies) {
    this.replies = replies;
  }
}

/** A text for people, such as that of INFO; in RESP2 a bulk string. */
export class Verbatim {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

export const OK = new Status('OK');

/**
 * @param {Value} value
 * @param {2 | 3} version of RESP
 * @returns {string}
 */
export function encodeReply(value, version) {
  const isNew = version === 3;
  if (value === null) return isNew ? '_\r\n' : '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (typeof value === 'boolean') return isNew ? `#${value ? 't' : 'f'}\r\n` : `:${Number(value)}\r\n`;
  if (typeof value === 'string') return bulk(value);
  if (value instanceof Status) return `+${value.text}\r\n`;
  if (value instanceof Failure) return `-${value.text}\r\n`;
  if (value instanceof Verbatim) {
    return isNew ? `=${Buffer.byteLength(value.text) + 4}\r\ntxt:${value.text}\r\n` : bulk(value.text);
  }
  if (value instanceof Several) return value.replies.map((each) => encodeReply(each, version)).join('');
  const many = (/** @type {string} */ type, /** @type {Value[]} */ items, count = items.length) =>
    `${type}${count}\r\n${items.map((item) => encodeReply(item, version)).join('')}`;
  if (value instanceof Pairs) {
    const { entries } = value;
    return isNew ? many('%', entries.flat(), entries.length) : many('*', entries.flat());
  }
  if (value instanceof Push) return many(isNew ? '>' : '*', value.items);
  return many('*', value);
}

/** @param {string} text */
function bulk(text) {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}
