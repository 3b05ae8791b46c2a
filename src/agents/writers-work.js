/**
 * Writers of trials that an agent runs for a controller, each trial in a thread of its own. Their ledgers go to the disk of the agent when the
 * writers end, for whatever reason, and stay there until the controller has them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createLedger, openLedger } from '../audit/ledger.js';
import { UserError } from '../errors.js';
import { startTrialThread } from '../load/trial-thread.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { WRITERS as MARIADB_WRITERS } from '../stacks/mariadb/system.js';
import { redis } from '../stacks/redis/system.js';
import { clockMs } from '../stats/clock.js';
import { openLedgers } from './ledgers.js';
import {
  BeginRequest,
  DropRequest,
  FromRequest,
  LedgersRequest,
  OfTrial,
  OpenRequest,
  ReadRequest,
} from './writers-protocol.js';

/**
 * @import { z } from 'zod'
 * @import { WriterFacts } from '../audit/verdict.js'
 * @import { TrialPlan, TrialSample } from '../load/trial-thread.js'
 * @import { Operation, Work } from './agent.js'
 * @import { EndReply, WhichTrial } from './writers-protocol.js'
 */

/** A start further away than this is a mistake of clocks. */
const LATEST_START_MS = 10_000;
/** What makes the writers of each system: nothing from the network names a module. */
const MODULES = Object.freeze({ redis: redis.writers, mariadb: MARIADB_WRITERS });
/** Any port: no packet is sent. */
const SOME_PORT = 9;

/**
 * @typedef {Object} Session one trial
 * @property {string} run
 * @property {WhichTrial} which
 * @property {boolean} waits
 * @property {TrialPlan} plan
 * @property {ReturnType<typeof startTrialThread>} thread
 * @property {ReturnType<typeof sampleMachine> | null} before it began; null: it has not begun
 * @property {Promise<z.infer<typeof EndReply>> | null} ending
 */

/**
 * @param {string} name of the agent
 * @param {() => boolean} areSlowed connections that this machine makes to servers elsewhere are slowed
 * @returns {Work & {writes: () => boolean}} writes: writers of a trial are open
 */
export function writersWork(name, areSlowed) {
  const ledgers = openLedgers(name);
  /** @type {Map<string, Session>} */
  const sessions = new Map();

  /** @param {WhichTrial} which */
  function sessionOf(which) {
    const session = sessions.get(keyOf(which));
    if (session) return session;
    throw new UserError('No writers of this trial are open.', 'Start the run again.');
  }

  /** @param {Session} session @returns {Promise<z.infer<typeof EndReply>>} its ledgers are on disk */
  function end(session) {
    session.ending ??= finish(session);
    return session.ending;
  }

  /** @param {Session} session */
  async function finish({ run, which, waits, plan, thread, before }) {
    if (!before) throw new UserError('The writers of this trial have not begun.', 'Start the run again.');
    const sample = await thread.stop();
    const machineCpu = machineUse(before, sampleMachine());
    const held = [];
    for (const [index, facts] of factsOf({ which, waits, plan, sample }).entries())
      held.push(await ledgers.save(run, facts, openLedger(plan.writers[index].ledger)));
    return { sample, machineCpu, ledgers: held };
  }

  /** @param {Session} session */
  async function close(session) {
    sessions.delete(keyOf(session.which));
    await session.thread.close();
  }

  /** @param {string} run */
  function refuseIfUnderWay(run) {
    if ([...sessions.values()].every((session) => session.run !== run || session.ending)) return;
    throw new UserError('Writers of that run are still at work.', 'Wait for the end of the run.');
  }

  /** @type {Record<string, Operation>} */
  const operations = {
    'writers-from': {
      request: FromRequest,
      allow: 'writers',
      run: async ({ to }) => ({ addresses: [...new Set(await Promise.all(to.map(addressTowards)))] }),
    },
    'writers-open': {
      request: OpenRequest,
      allow: 'writers',
      async run(
        /** @type {z.infer<typeof OpenRequest>} */ { which, system, waits, plan: { writers, ...plan } },
        { run },
      ) {
        if (areSlowed())
          throw new UserError(
            'Links of its machine are slowed, and so would be its writers.',
            'Use more agents, so that writers have machines without nodes.',
          );
        const key = keyOf(which);
        const former = sessions.get(key);
        if (former) await close(former);
        // Of an earlier try, which does not count.
        await ledgers.drop(
          run,
          writers.map(({ name: writer }) => ({ ...which, writer })),
        );
        const session = {
          run,
          which,
          waits,
          plan: {
            ...plan,
            module: MODULES[system],
            writers: writers.map(({ capacity, ...writer }) => ({ ...writer, ledger: createLedger(capacity).buffer })),
          },
          thread: startTrialThread(),
          before: null,
          ending: null,
        };
        sessions.set(key, session);
        try {
          await session.thread.prepare(session.plan);
        } catch (error) {
          await close(session);
          throw error;
        }
        return {};
      },
    },
    'writers-begin': {
      request: BeginRequest,
      allow: 'writers',
      async run({ which, beginAtMs }) {
        const session = sessionOf(which);
        if (Math.abs(beginAtMs - clockMs()) > LATEST_START_MS) {
          throw new UserError('The start of the writers is not near.', 'Check the clocks of the machines.');
        }
        session.before = sampleMachine();
        await session.thread.beginAt(beginAtMs);
        return {};
      },
    },
    'writers-end': {
      request: OfTrial,
      allow: 'writers',
      run: ({ which }) => end(sessionOf(which)),
    },
    'writers-drop': {
      request: OfTrial,
      allow: 'writers',
      async run({ which }, { run }) {
        const session = sessions.get(keyOf(which));
        await session?.ending?.catch(() => {});
        if (session) await close(session);
        const ofTrial = (await ledgers.list(run)).filter((ledger) => keyOf(ledger) === keyOf(which));
        await ledgers.drop(run, ofTrial);
        return {};
      },
    },
    ledgers: {
      request: LedgersRequest,
      allow: 'writers',
      anyRun: true,
      async run({ run }) {
        refuseIfUnderWay(run);
        return { ledgers: await ledgers.list(run) };
      },
    },
    'ledgers-read': {
      request: ReadRequest,
      allow: 'writers',
      anyRun: true,
      run: async ({ run, ledger, offset }) => ({ data: (await ledgers.read(run, ledger, offset)).toString('base64') }),
    },
    'ledgers-drop': {
      request: DropRequest,
      allow: 'writers',
      anyRun: true,
      async run({ run, ledgers: which }) {
        refuseIfUnderWay(run);
        await ledgers.drop(run, which);
        return {};
      },
    },
  };

  return {
    writes: () => sessions.size > 0,
    operations,
    async stop() {
      const all = [...sessions.values()];
      // Whoever asked for them may be gone: the ledgers stay for `collect`.
      const ends = await Promise.allSettled(all.map((session) => session.before && end(session)));
      await Promise.all(all.map(close));
      for (const ended of ends) if (ended.status === 'rejected') throw ended.reason;
    },
  };
}

/** @param {WhichTrial} which */
function keyOf({ benchmark, case: id, round }) {
  return `${benchmark} ${id} ${round}`;
}

/**
 * @param {Pick<Session, 'which' | 'waits' | 'plan'> & {sample: TrialSample}} trial
 * @returns {(WriterFacts & {benchmark: string})[]} by writer; the controller knows when the fault began and ended
 */
function factsOf({ which, waits, plan, sample }) {
  return sample.writers.map(({ name: writer, moves, ...told }, index) => ({
    ...which,
    ...told,
    writer,
    waits,
    appends: plan.writers[index].appends ?? false,
    rate: plan.writers[index].rate,
    faultFromMs: 0,
    faultToMs: Number.POSITIVE_INFINITY,
    moves: moves.flatMap(({ afterMs, node }) => ({ afterMs, node: plan.nodes[node - 1]?.id ?? '' })),
  }));
}

/**
 * @param {string} host
 * @returns {Promise<string>} the address of this machine from which it dials that host
 */
export async function addressTowards(host) {
  const socket = createSocket('udp4');
  try {
    // The system chooses the address when a datagram socket is connected, which sends nothing.
    socket.connect(SOME_PORT, host);
    await once(socket, 'connect');
    return socket.address().address;
  } finally {
    socket.close();
  }
}
