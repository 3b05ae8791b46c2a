/**
 * Writers of trials that an agent runs for a controller, each trial in a thread of its own. Their ledgers go to the disk of the agent when the
 * writers end, for whatever reason, and stay there until the controller has them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createLedger, openLedger } from '../audit/ledger.js';
import { startTrialThread } from '../load/trial-thread.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { WRITERS as MARIADB_WRITERS } from '../stacks/mariadb/system.js';
import { redis } from '../stacks/redis/system.js';
import { orUndo } from '../wait.js';
import { untilStart } from './clock.js';
import { openLedgers } from './ledgers.js';
import { refusal } from './refusals.js';

/**
 * @import { WriterFacts } from '../audit/verdict.js'
 * @import { TrialPlan, TrialSample } from '../load/trial-thread.js'
 * @import { z } from 'zod'
 * @import { AgentWork } from './operations.js'
 * @import { EndedWriters, OpenRequest, WhichTrial } from './writers-protocol.js'
 */

/** What makes the writers of each system: nothing from the network names a module. */
const MODULES = Object.freeze({ redis: redis.writers, mariadb: MARIADB_WRITERS });
/** Any port: no packet is sent. */
const SOME_PORT = 9;

/**
 * @typedef {Object} Session one trial
 * @property {string} run @property {WhichTrial} which @property {boolean} waits @property {TrialPlan} plan
 * @property {ReturnType<typeof startTrialThread>} thread
 * @property {ReturnType<typeof sampleMachine> | null} before it began; null: it has not begun
 * @property {Promise<EndedWriters> | null} ending
 */

/** @implements {AgentWork} */
export class AgentWriters {
  #ledgers;
  #areSlowed;
  /** By trial. @type {Map<string, Session>} */
  #sessions = new Map();

  /** @type {AgentWork['handlers']} */
  handlers = {
    'writers-from': async ({ to }) => ({ addresses: [...new Set(await Promise.all(to.map(addressTowards)))] }),
    'writers-open': (request, { run }) => this.#open(run, request),
    'writers-begin': ({ which, beginAtMs }) => this.#begin(which, beginAtMs),
    'writers-end': async ({ which }) => this.#end(this.#sessionOf(which)),
    'writers-drop': ({ which }, { run }) => this.#drop(run, which),
    ledgers: async ({ run }) => {
      this.#refuseIfUnderWay(run);
      return { ledgers: await this.#ledgers.list(run) };
    },
    'ledgers-read': async ({ run, ledger, offset }) => ({
      data: (await this.#ledgers.read(run, ledger, offset)).toString('base64'),
    }),
    'ledgers-drop': async ({ run, ledgers }) => {
      this.#refuseIfUnderWay(run);
      await this.#ledgers.drop(run, ledgers);
    },
  };

  /** @param {string} name of the agent @param {() => boolean} areSlowed connections to servers elsewhere are slowed */
  constructor(name, areSlowed) {
    this.#ledgers = openLedgers(name);
    this.#areSlowed = areSlowed;
  }

  get areOpen() {
    return this.#sessions.size > 0;
  }

  /** @param {string} run @param {z.infer<typeof OpenRequest>} request */
  async #open(run, { which, system, waits, plan: { writers, ...plan } }) {
    if (this.#areSlowed()) throw refusal('links-slowed');
    const key = keyOf(which);
    const former = this.#sessions.get(key);
    if (former) await this.#close(former);
    // Of an earlier try, which does not count.
    await this.#ledgers.drop(
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
    this.#sessions.set(key, session);
    await orUndo(session.thread.prepare(session.plan), () => this.#close(session));
  }

  /** @param {WhichTrial} which @param {number} beginAtMs on the clock of this machine */
  async #begin(which, beginAtMs) {
    const session = this.#sessionOf(which);
    untilStart(beginAtMs, 'writers');
    session.before = sampleMachine();
    await session.thread.beginAt(beginAtMs);
  }

  /** @param {string} run @param {WhichTrial} which */
  async #drop(run, which) {
    const session = this.#sessions.get(keyOf(which));
    await session?.ending?.catch(() => {});
    if (session) await this.#close(session);
    const ofTrial = (await this.#ledgers.list(run)).filter((ledger) => keyOf(ledger) === keyOf(which));
    await this.#ledgers.drop(run, ofTrial);
  }

  #refuseIfUnderWay(/** @type {string} */ run) {
    if ([...this.#sessions.values()].every((session) => session.run !== run || session.ending)) return;
    throw refusal('writers-at-work');
  }

  async stop() {
    const all = [...this.#sessions.values()];
    // Whoever asked for them may be gone: the ledgers stay for `collect`.
    const ends = await Promise.allSettled(all.map((session) => session.before && this.#end(session)));
    await Promise.all(all.map((session) => this.#close(session)));
    for (const ended of ends) if (ended.status === 'rejected') throw ended.reason;
  }

  #sessionOf(/** @type {WhichTrial} */ which) {
    const session = this.#sessions.get(keyOf(which));
    if (session) return session;
    throw refusal('no-writers');
  }

  /** @param {Session} session @returns {Promise<EndedWriters>} its ledgers are on disk */
  #end(session) {
    session.ending ??= this.#finish(session);
    return session.ending;
  }

  async #finish(/** @type {Session} */ { run, which, waits, plan, thread, before }) {
    if (!before) throw refusal('not-begun');
    const sample = await thread.stop();
    const machineCpu = machineUse(before, sampleMachine());
    const held = [];
    for (const [index, facts] of factsOf({ which, waits, plan, sample }).entries())
      held.push(await this.#ledgers.save(run, facts, openLedger(plan.writers[index].ledger)));
    return { sample, machineCpu, ledgers: held };
  }

  async #close(/** @type {Session} */ session) {
    this.#sessions.delete(keyOf(session.which));
    await session.thread.close();
  }
}

function keyOf(/** @type {WhichTrial} */ { benchmark, case: id, round }) {
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

/** @param {string} host @returns {Promise<string>} the address of this machine from which it dials that host */
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
