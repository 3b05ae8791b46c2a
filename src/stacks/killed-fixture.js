/**
 * For tests only: a process that starts a stack and a command, as tests do, sends their pids to its parent, and waits to be killed.
 */
import { startCli } from '../cli/fixture.js';
import { ownTemporaryFolder } from './fixture.js';
import { listStacks, pidOf } from './local/record.js';
import { startLocal } from './redis/local/index.js';

const folder = await ownTemporaryFolder();
const { address } = await (await startLocal({})).database.primary();
const [stack] = listStacks();
const load = startCli(['load', '--target', `${address.host}:${address.port}`, '--duration', '600s'], { tmp: folder });
const pids = [...stack.nodes.map(({ id }) => pidOf(stack, id)), load.pid];
process.send?.({ folder, pids });
await load.ended;
