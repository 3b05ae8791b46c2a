/**
 * Plain text made safe for Markdown and HTML.
 */
import { cleaned, cleanLine } from '../untrusted.js';

/** What makes a line something else than a paragraph: a heading, an item, a rule, the underline of a heading. */
const BLOCK = /^(?:#|[-+](?=\s|$)|[-=]{2,}\s*$)/;
const NUMBERED_ITEM = /^(\d+)([.)])(?=\s|$)/;

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = Object.freeze({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' });

/**
 * @param {string} text
 * @returns {string} one line that Markdown shows as it is, also in a cell of a table and where a line begins
 */
export function escapeText(text) {
  return escapeInline(cleanLine(text).trimStart()).replace(BLOCK, '\\$&').replace(NUMBERED_ITEM, '$1\\$2');
}

/** @param {string} line */
function escapeInline(line) {
  return (
    line
      .replace(/[\\`*|<>[\]~]/g, '\\$&')
      .replace(/&(?=#?\w+;)/g, '\\&')
      // Within a word Markdown leaves an underscore alone.
      .replace(/(?<!\w)_|_(?!\w)/g, '\\_')
  );
}

/**
 * As {@link escapeText}, for sentences: what stands between backticks is code.
 *
 * @param {string} text
 * @returns {string}
 */
export function escapeProse(text) {
  const [first, ...parts] = cleanLine(text).split(/(`[^`]+`)/);
  return [escapeText(first), ...parts.map((part, i) => (i % 2 === 0 ? part : escapeInline(part)))].join('');
}

/**
 * @param {readonly string[]} lines Markdown, one line each
 * @returns {string}
 */
export function list(lines) {
  return lines.map((line) => `- ${line}`).join('\n');
}

/**
 * @param {string} name of a benchmark; its section's anchor on GitHub has no dots
 * @returns {string}
 */
export function linkTo(name) {
  return `[${name}](#${name.toLowerCase().replaceAll('.', '')})`;
}

/**
 * @param {string} text
 * @param {string} [language] for highlighting
 * @returns {string} a block that shows the text as it is
 */
export function codeBlock(text, language = '') {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/**
 * @param {string} text
 * @returns {string} that HTML shows as it is, also within an attribute in quotes
 */
export function escapeHtml(text) {
  return cleaned(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}
