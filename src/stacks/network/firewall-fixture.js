import { execFileSync } from 'node:child_process';
import { programPath, SYSTEM_FOLDERS } from '../../programs.js';

/**
 * @returns {string[]} the names of all tables of the packet filter
 */
export function firewallTables() {
  const program = String(programPath('nft', SYSTEM_FOLDERS));
  const text = execFileSync(program, ['list', 'tables'], { encoding: 'utf8' });
  return text.split('\n').map((line) => line.split(' ').at(-1) ?? '');
}
