/** For tests only: a process that starts a stack on hosts, says so, and waits to be killed. */
import { startLocal } from '../local/index.js';

await startLocal({ server: 'redis-server', hosts: true });
process.send?.('up');
// Listening keeps it alive.
process.on('disconnect', () => process.exit());
