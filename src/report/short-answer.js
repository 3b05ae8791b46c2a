/**
 * What the end of a run prints: the answer.
 */
import chalk from 'chalk';

/**
 * @param {import('./schema.js').Result} result
 * @returns {string}
 */
export function shortAnswer(result) {
  const lines = [];
  for (const { name, status, reason, checks, findings } of result.benchmarks) {
    lines.push(chalk.bold(name));
    if (status !== 'ok') lines.push(`  ${chalk.yellow(`${status}: ${reason}`)}`);
    for (const check of checks) if (!check.ok) lines.push(`  ${chalk.red(`FAILED: ${check.name}: ${check.detail}`)}`);
    for (const { text } of findings) lines.push(`  ${text}`);
  }
  return lines.join('\n');
}
