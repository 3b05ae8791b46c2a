/**
 * What an agent does for a search: takes schedules from the queue, tries them on stacks of its own machine, and publishes what they showed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, UserError } from '../../src/errors.js';
import { settingsForBlocking } from '../../src/faults/blocking-command.js';
import { recover } from '../../src/run/recover.js';
import { whyNoFirewall } from '../../src/stacks/network/firewall.js';
import { ownFolders } from '../../src/stacks/own-folders.js';
import { findServer, INSTALL_SERVER } from '../../src/stacks/redis/local/server.js';
import { whyNoVolatileDisk } from '../../src/stacks/volatile-disk.js';
import { isPossible } from '../modes.js';
import { MOST_DELIVERIES, queueOf, SearchRequest, TO_TRY, ToTry, WORKING_MS } from './queue.js';
import { parseSchedule } from './schedule.js';
import { createTry } from './try.js';

/**
 * @import { JsMsg } from '@nats-io/jetstream'
 * @import { NatsConnection } from '@nats-io/nats-core'
 * @import { z } from 'zod'
 * @import { Work } from '../../src/agents/agent.js'
 * @import { ModeName } from '../modes.js'
 * @import { Try } from './explore.js'
 */

/** How long an agent waits for a schedule before it looks again whether it should go on. */
const LOOK_MS = 1000;
/** After NATS did not answer. */
const PAUSE_MS = 500;
/** Ledgers of tries. */
const folders = ownFolders('sentinel-bench-search');

/**
 * @param {Object} agent
 * @param {NatsConnection} agent.nats
 * @param {string} agent.name
 * @param {number} agent.lanes schedules side by side, unless the controller names another number
 * @param {(line: string) => void} agent.tell
 * @returns {Work}
 */
export function searchWork({ nats, name, lanes: ownLanes, tell }) {
  /** @type {{stopping: AbortController, ended: Promise<unknown>} | null} */
  let search = null;

  async function stop() {
    const ending = search;
    search = null;
    ending?.stopping.abort();
    await ending?.ended;
  }

  return {
    stop,
    operations: {
      search: {
        request: SearchRequest,
        allow: 'search',
        /** @param {z.infer<typeof SearchRequest>} request */
        async run({ search: id, placement, downAfterMs, disks, lanes = ownLanes, ...request }) {
          const mode = /** @type {ModeName} */ (request.mode);
          await stop();
          const why = await whyNoFirewall();
          if (why !== null)
            throw new UserError(`Schedules cannot be tried there: ${why}`, 'Run it as root, with nftables installed.');
          const noDisk = disks ? await whyNoVolatileDisk() : null;
          if (noDisk !== null) throw new UserError(noDisk, 'Choose other steps with --steps.');
          const server = await findServer();
          if (!server) throw new UserError('There is no Redis or Valkey server there.', `${INSTALL_SERVER}.`);
          if (!isPossible(mode, server))
            throw new UserError(
              `${server.name} ${server.version} has no WAITAOF, which the mode ${mode} needs.`,
              'Install Redis 7.2 or later, or Valkey.',
            );
          // Stacks of an agent that was killed here.
          await recover({ tell });
          const folder = folders.make();
          const [stopping, end] = [new AbortController(), new AbortController()];
          const attempt = createTry({
            mode,
            downAfterMs,
            placement,
            stack: { backend: 'local', settings: settingsForBlocking(server) },
            folder,
            end: end.signal,
          });
          const work = takePart({ nats, name, id, lanes, attempt, signal: stopping.signal, tell });
          search = {
            stopping,
            ended: work
              .finally(() => {
                end.abort();
                folders.remove(folder);
              })
              .catch((error) => tell(messageOf(error))),
          };
          return { server: { name: server.name, version: server.version }, lanes };
        },
      },
    },
  };
}

/**
 * @param {Object} part
 * @param {NatsConnection} part.nats
 * @param {string} part.name
 * @param {string} part.id of the search
 * @param {number} part.lanes
 * @param {Try} part.attempt
 * @param {AbortSignal} part.signal
 * @param {(line: string) => void} part.tell
 */
async function takePart({ nats, name, id, lanes, attempt, signal, tell }) {
  const { jetstream } = await import('@nats-io/jetstream');
  const queue = queueOf(id);
  const stream = jetstream(nats);

  /** @param {JsMsg} message */
  async function take(message) {
    const toTry = parse(message);
    // Nobody can carry it out.
    if (!toTry) return message.term();
    const working = setInterval(() => message.working(), WORKING_MS);
    try {
      const shown =
        message.info.deliveryCount > MOST_DELIVERIES
          ? { acked: 0, lost: 0, seconds: 0, failed: `${MOST_DELIVERIES} agents were lost while they tried it` }
          : await attempt(toTry.schedule, signal);
      // It shows nothing that it was interrupted; another agent tries it.
      if (signal.aborted) return message.nak();
      const text = JSON.stringify({ id: toTry.id, attempt: { ...shown, failed: shown.failed?.slice(0, 2000) } });
      // The result is safe before the schedule leaves the queue.
      await stream.publish(queue.tried(name), text, { msgID: `${id} ${toTry.id}` });
      message.ack();
    } finally {
      clearInterval(working);
    }
  }

  async function lane() {
    const consumer = await stream.consumers.get(String(TO_TRY.name), queue.consumer);
    while (!signal.aborted) {
      try {
        const message = await consumer.next({ expires: LOOK_MS });
        if (message) await take(message);
      } catch (error) {
        if (signal.aborted) return;
        tell(messageOf(error));
        await delay(PAUSE_MS);
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** @param {JsMsg} message @returns {{id: number, schedule: import('./schedule.js').Schedule} | null} */
function parse(message) {
  try {
    const { id, schedule } = ToTry.parse(message.json());
    return { id, schedule: parseSchedule(schedule) };
  } catch {
    return null;
  }
}
