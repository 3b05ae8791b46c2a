/** Encodes commands as RESP. */

/** @typedef {Buffer | string} Word of a command */

/** @param {readonly Word[]} words strings are sent as UTF-8 @returns {Buffer} */
export function encodeCommand(words) {
  return encodeCommands([words], 'utf8');
}

/**
 * @param {readonly (readonly Word[])[]} commands @param {'utf8' | 'latin1'} encoding of strings; `latin1`: each character is one byte
 * @returns {Buffer} all commands, one after the other
 */
export function encodeCommands(commands, encoding) {
  const lengthOf = (/** @type {Word} */ word) =>
    typeof word === 'string' && encoding === 'utf8' ? Buffer.byteLength(word) : word.length;
  let bytes = 0;
  for (const words of commands) {
    bytes += 3 + digits(words.length);
    for (const word of words) bytes += 5 + digits(lengthOf(word)) + lengthOf(word);
  }
  const buffer = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const words of commands) {
    at += buffer.write(`*${words.length}\r\n`, at, 'latin1');
    for (const word of words) {
      if (typeof word === 'string') {
        at += buffer.write(`$${lengthOf(word)}\r\n${word}\r\n`, at, encoding);
      } else {
        at += buffer.write(`$${word.length}\r\n`, at, 'latin1');
        at += word.copy(buffer, at);
        at += buffer.write('\r\n', at, 'latin1');
      }
    }
  }
  return buffer;
}

/** @param {number} number ≥ 0 */
function digits(number) {
  let count = 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) count++;
  return count;
}

/** @param {string | undefined} username @param {string} password @returns {string[]} the command that logs in */
export function authCommand(username, password) {
  return username === undefined ? ['AUTH', password] : ['AUTH', username, password];
}
