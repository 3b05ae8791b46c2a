/**
 * Plain text made safe for Markdown.
 */

/**
 * @param {string} text
 * @returns {string} one line that Markdown shows as it is, also in a cell of a table
 */
export function escapeText(text) {
  return (
    text
      .replace(/\s*\n\s*/g, ' ')
      .replace(/[\\`*|<>[\]]/g, '\\$&')
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
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : escapeText(part)))
    .join('');
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
 * @returns {string} a block that shows the text as it is
 */
export function codeBlock(text) {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

/**
 * @param {string} text
 * @returns {string} that HTML shows as it is, also within an attribute in double quotes
 */
export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
