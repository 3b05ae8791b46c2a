/**
 * Rows of block characters: a chart that any terminal and any report can show.
 */

/** Stands for none at all; what is more than that has at least the lowest block. */
export const NONE = '·';
const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/**
 * @param {readonly number[]} values ≥ 0
 * @param {number} full what the highest block stands for; more than that is shown as that
 * @returns {string} a character a value
 */
export function sparkline(values, full) {
  return values
    .map((value) => {
      if (value <= 0) return NONE;
      const height = Math.ceil((value / full) * BLOCKS.length);
      return BLOCKS[Math.min(BLOCKS.length, height) - 1];
    })
    .join('');
}

/**
 * @param {readonly number[]} values
 * @param {number} width how many of them become one, ≥ 1
 * @returns {number[]} means of `width` values each; the last of what is left
 */
export function compress(values, width) {
  const means = [];
  for (let start = 0; start < values.length; start += width) {
    const part = values.slice(start, start + width);
    means.push(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  return means;
}

/**
 * @param {readonly {column: number, text: string}[]} labels one character each, at columns ≥ 0
 * @returns {string[]} lines in which each stands at its column; as many as it takes for none to hide another
 */
export function placeLabels(labels) {
  /** @type {string[][]} */
  const lines = [];
  for (const { column, text } of labels) {
    let line = lines.find((cells) => cells[column] === undefined);
    if (!line) {
      line = [];
      lines.push(line);
    }
    line[column] = text;
  }
  return lines.map((cells) => Array.from(cells, (cell) => cell ?? ' ').join(''));
}
