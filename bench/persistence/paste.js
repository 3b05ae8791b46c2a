/** What the page tells people to paste. A test sends it to a server with data. */
import { rollOut } from '../pages/paste.js';

export const AOF_COMMANDS = rollOut('AOF always', { appendfsync: 'always', appendonly: 'yes' });
