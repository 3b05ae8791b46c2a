import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { programPath, SYSTEM_FOLDERS } from '../../programs.js';

/**
 * @returns {string[]} the names of all tables of the packet filter
 */
export function firewallTables() {
  const program = String(programPath('nft', SYSTEM_FOLDERS));
  const text = execFileSync(program, ['list', 'tables'], { encoding: 'utf8' });
  return text.split('\n').map((line) => line.split(' ').at(-1) ?? '');
}

/** The kernel answers on loopback at once, and sends a lost SYN again after a second. */
const DIAL_MS = 300;

/** @param {{host: string, port: number}} address @param {string} [localAddress] default: that of the harness */
export async function canDial(address, localAddress) {
  const socket = connect({ ...address, localAddress });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(DIAL_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
