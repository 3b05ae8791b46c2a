/**
 * For tests only: a process with a stack of its own, of which one replica is changing its server. It waits to be killed.
 */
import { createJournal } from '../../src/faults/journal.js';
import { listStacks, pidOf } from '../../src/stacks/local/record.js';
import { startTimeOf } from '../../src/stacks/processes.js';
import { startLocal } from '../../src/stacks/redis/local/index.js';
import { findServers } from '../../src/stacks/redis/local/server.js';
import { changeServer } from './change-server.js';

const servers = await findServers(['redis-server', 'valkey-server']);
const stack = await startLocal({ server: servers[0].path, servers });
const journal = createJournal(stack, { credentials: stack.credentials });
await changeServer(servers[1].id).inject({ stack, journal }, 'redis-2');
const started = listStacks()
  .filter(({ owner }) => owner.pid === process.pid)
  .flatMap((record) => record.nodes.flatMap((node) => pidOf(record, node.id) ?? []))
  .map((pid) => ({ pid, startTime: startTimeOf(pid) }));
process.send?.(started);
// Listening keeps it alive.
process.on('disconnect', () => process.exit());
