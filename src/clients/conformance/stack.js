/** The stack under the suite: a local stack, with the few things that cases do to it. */
import { startLocal } from '../../stacks/redis/local/index.js';
import { commandCalls, connectPatiently } from './nodes.js';

/** @typedef {Awaited<ReturnType<typeof startStack>>} ClientStack */

export async function startStack() {
  const stack = await startLocal({});
  const { address: primary } = await stack.database.primary();
  const replicas = await stack.database.replicas();
  const control = await connectPatiently(primary);

  return {
    primary,
    replicas: replicas.map((node) => node.address),
    /** Asks the primary. */
    call: control.call,
    /** How often the primary executed a command. @param {string} command */
    calls: (command) => commandCalls(control, command),
    /** Whether a client is blocked at the primary, as by WAIT. */
    hasBlockedClient: async () => Number((await control.info('clients')).blocked_clients) > 0,
    /** Every node runs, roles are agreed, replicas in sync. */
    inSync: () => stack.heal(),
    /**
     * With a replica standing still.
     * @param {number} replica 0 or 1
     * @param {() => Promise<void>} work
     */
    async withPaused(replica, work) {
      await stack.host.act(replicas[replica].id, 'pause');
      try {
        await work();
      } finally {
        await stack.host.act(replicas[replica].id, 'resume');
      }
    },
    /**
     * With another setting on the primary.
     * @param {string} name
     * @param {string} value
     * @param {() => Promise<void>} work
     */
    async withConfig(name, value, work) {
      const [, usual] = /** @type {string[]} */ (await control.call('CONFIG', 'GET', name));
      await control.call('CONFIG', 'SET', name, value);
      try {
        await work();
      } finally {
        await control.call('CONFIG', 'SET', name, usual);
      }
    },
    /**
     * With the primary made a replica, by hand and for less time than the Sentinels need to mind.
     * @param {() => Promise<void>} work
     */
    async whileDemoted(work) {
      await control.call('REPLICAOF', replicas[0].address.host, replicas[0].address.port);
      try {
        await work();
      } finally {
        await control.call('REPLICAOF', 'NO', 'ONE');
      }
    },
    async close() {
      control.close();
      await stack.close();
    },
  };
}
