/**
 * Untrusted text (from servers, Sentinels and foreign files) and passwords: what may be shown.
 *
 * Text is cleaned twice: where it comes in, and where it goes out (terminal, reports, exports, result files). So no caller can forget it.
 */

/**
 * Characters that a terminal or a browser acts on instead of showing them: control characters of C0 and C1 except line ends and tabs,
 * format characters (they reverse text or are invisible), line separators, unpaired surrogates.
 */
const UNSAFE = /(?!\t|\r?\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const ESCAPE = String.fromCharCode(0x1b);
/** A text style on a terminal, as chalk writes it; not concealed or blinking text. */
const STYLE = new RegExp(`(${ESCAPE}\\[(?:[0-479]|2[1-9]|[34][0-79]|9[0-7])m)`);

/** A server repeats the arguments of an unknown command; those of AUTH and HELLO are passwords. */
const REPEATED_ARGUMENTS = /(with args beginning with:)[^\n]*/gi;

/** The same with its beginning. A sentence of ours around the text goes on after it. */
const ARGUMENTS_PHRASE = /,? with args beginning with:[^\n]*/gi;

const HIDDEN = '***';

/** A shorter password, or one of small letters only, may be a word in our own text. */
const TELLING_LENGTH = 6;

/** @type {Set<string>} */
const secrets = new Set();

/** This thread hides these texts from now on. @param {...(string | undefined)} texts */
export function keepSecret(...texts) {
  for (const text of texts) if (text) secrets.add(text);
}

/** @param {string} text @returns {string} unsafe characters as `\uXXXX`, which means the same in JSON */
export function visible(text) {
  const escaped = (/** @type {string} */ unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // Into units of UTF-16.
  return text.replace(UNSAFE, (character) => character.split('').map(escaped).join(''));
}

/** For text of a server, where it comes in: a password in it is hidden even if it is a common word. @param {string} text */
export function fromOutside(text) {
  let hidden = text.replace(ARGUMENTS_PHRASE, '');
  for (const secret of secrets) hidden = hidden.replace(asWord(secret), HIDDEN);
  return visible(withoutSecrets(hidden));
}

/** For any text that leaves this process. @param {string} text @returns {string} */
export function cleaned(text) {
  return visible(withoutSecrets(text.replace(REPEATED_ARGUMENTS, `$1 ${HIDDEN}`)));
}

/** Like {@link cleaned}, on one line. @param {string} text @returns {string} */
export const cleanLine = (text) => cleaned(text.replace(/\s*\n\s*/g, ' '));

/** Like {@link cleaned}, for a terminal. @param {string} text @param {{styled: boolean}} options styled: our text may have styles */
export function forTerminal(text, { styled }) {
  if (!styled) return cleaned(text);
  return text
    .split(STYLE)
    .map((part, i) => (i % 2 === 1 ? part : cleaned(part)))
    .join('');
}

/** @template T @param {T} document JSON @returns {T} its strings and names are {@link cleaned} */
export function cleanDocument(document) {
  return /** @type {T} */ (cleanValue(document));
}

/** @param {unknown} value @returns {unknown} */
function cleanValue(value) {
  if (typeof value === 'string') return cleaned(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanValue);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [cleaned(name), cleanValue(each)]));
}

/** @param {string} text */
function withoutSecrets(text) {
  let hidden = text;
  const telling = [...secrets].filter((secret) => secret.length >= TELLING_LENGTH && /[^a-z-]/.test(secret));
  for (const secret of telling) hidden = hidden.replaceAll(secret, HIDDEN);
  return hidden;
}

/** @param {string} secret */
function asWord(secret) {
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return new RegExp(`${/^\w/.test(secret) ? '(?<!\\w)' : ''}${escaped}${/\w$/.test(secret) ? '(?!\\w)' : ''}`, 'g');
}

/** Passwords come from the environment: every user of the machine can read command lines. */
export const PASSWORD_VARIABLE = 'SENTINEL_BENCH_PASSWORD';
export const SENTINEL_PASSWORD_VARIABLE = 'SENTINEL_BENCH_SENTINEL_PASSWORD';
export const NATS_PASSWORD_VARIABLE = 'SENTINEL_BENCH_NATS_PASSWORD';
