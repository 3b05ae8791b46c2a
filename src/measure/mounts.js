/**
 * What is mounted where, as the system tells it.
 */
import { readFileSync } from 'node:fs';

/** @returns {{point: string, type: string}[]} the last one at a point is on top; none outside Linux */
export function readMounts() {
  let text;
  try {
    text = readFileSync('/proc/self/mounts', 'utf8');
  } catch {
    // No such file, or none that this process may see.
    return [];
  }
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, point = '', type = '']) => ({ point: point.replace(/\\([0-7]{3})/g, unescaped), type }));
}

/**
 * @param {string} _
 * @param {string} octal
 */
function unescaped(_, octal) {
  return String.fromCharCode(Number.parseInt(octal, 8));
}
