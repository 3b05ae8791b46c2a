/**
 * Moving to another server by a copy: RedisShake fills a node of the other server, which then becomes the primary. It needs no snapshot that both
 * servers can read.
 *
 * One replica leaves the deployment and starts anew, empty, as the other server. RedisShake copies the data to it, and then each
 * new write. For the cut-over the primary holds writes until the copy has all of them. The Sentinels get the copy as their primary. The old primary is
 * shut down, and the other nodes start anew as replicas of the copy.
 *
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Case, Scene } from '../../src/run/types.js'
 * @import { NodeInfo, Stack } from '../../src/stacks/types.js'
 * @import { Move } from '../movers/move.js'
 */
import { askNode, nodeOf } from '../../src/stacks/ask.js';
import { waitFor } from '../../src/wait.js';
import { movers } from '../movers/movers.js';

const MOVER = 'redis-shake-sync';
const SCAN_COUNT = 100;
const COPIED_WITHIN_SECONDS = 60;
/** The pause of writes ends by itself after this, also if this process dies. */
const HELD_SECONDS = 300;
const PASSED_WITHIN_MS = 15_000;
/** A Sentinel greets the others every 2 s. */
const KNOWN_WITHIN_MS = 20_000;
const POLL_MS = 20;
/** A replica writes them when it has received a data set, and a node that persists. A server of another kind may not be able to read them. */
const FILES = ['dump.rdb', 'appendonlydir'];
const MINIMUM = 'min-replicas-to-write';
/** What SENTINEL MONITOR does not take along. */
const DOWN_AFTER = 'down-after-milliseconds';
const KEPT = ['failover-timeout', 'parallel-syncs'];

/** @param {Scene} scene @param {Case} theCase @param {{follows: (id: string) => Promise<boolean>}} how */
export async function moveByCopy(scene, { params: { nextServer = '', settings = {} } }, { follows }) {
  const { primary, replicas, profile, downAfterMs, inject, prepare, until, write, mark } = scene;
  const [other, target] = replicas;
  await prepare(alone(nextServer), target.id);
  /** @type {Move | undefined} */
  let move;
  const stopCopy = await prepare(
    copyTo(target.id, (begun) => {
      move = begun;
    }),
    primary.id,
  );
  try {
    const copy = /** @type {Move} */ (/** @type {unknown} */ (move));
    let isCopied = false;
    /** @type {unknown} */
    let failure = null;
    copy.full.then(
      () => {
        isCopied = true;
      },
      (error) => {
        failure = error;
      },
    );
    const isOver = await until(() => isCopied || failure !== null, COPIED_WITHIN_SECONDS);
    if (failure !== null) throw failure;
    if (!isOver) throw new Error(`RedisShake did not copy the data within ${COPIED_WITHIN_SECONDS} s`);
    mark('data-copied', target.id);
    // It brings over what is written now.
    await write(profile.healthySeconds);
    await inject(cutOver(target, copy, downAfterMs), primary.id);
  } finally {
    await stopCopy();
  }
  for (const { id } of [other, primary]) {
    await inject(anew(nextServer), id);
    await scene.follow(id);
    if (!(await follows(id))) throw new Error(`${id} did not follow the copy as ${nextServer}`);
  }
  if (settings[MINIMUM] !== undefined) await prepare(withMinimum(settings[MINIMUM]), target.id);
}

/**
 * The node leaves the deployment. Without replicas of its own it could not take writes if it asked for one.
 * @param {string} server
 * @returns {Fault}
 */
function alone(server) {
  return {
    ...anew(server),
    name: `leaves, and starts as an empty ${server}`,
    async inject(site, id) {
      const { stack } = site;
      await askNode(stack, id, async (control) => {
        await control.call('CONFIG', 'SET', MINIMUM, '0');
        await control.call('REPLICAOF', 'NO', 'ONE');
        await control.call('CONFIG', 'REWRITE');
      });
      return startEmpty(site, id, server, () => forget(stack));
    },
  };
}

/** @param {string} server @returns {Fault} the node starts without its data */
function anew(server) {
  return Object.freeze({
    name: `restart as an empty ${server}`,
    what: `is shut down (SIGTERM) and starts as an empty ${server}`,
    needs: /** @type {Fault['needs']} */ (['stop']),
    inject: (site, id) => startEmpty(site, id, server),
  });
}

/**
 * @param {Parameters<Fault['inject']>[0]} site
 * @param {string} id
 * @param {string} server
 * @param {() => Promise<void>} [whileDown]
 */
async function startEmpty({ stack, journal }, id, server, whileDown = async () => {}) {
  const undo = await journal.note({ kind: 'act', id, action: 'start' });
  stack.host.changeServer?.(id, server);
  await stack.host.act(id, 'stop');
  await whileDown();
  for (const file of FILES) await stack.host.files?.remove(id, file);
  await stack.host.act(id, 'start');
  return undo;
}

/**
 * Sentinels that remember a node make it a replica again. One after the other, because a Sentinel forgets the other Sentinels, too, and takes no
 * part in a failover until they have greeted it again.
 * @param {Stack} stack
 */
async function forget(stack) {
  const { masterName: name } = stack.access;
  await askSentinels(stack, async (call) => {
    const others = async () => fieldOf(await call('MASTER', name), 'num-other-sentinels');
    const known = await others();
    await call('RESET', name);
    const isBack = async () => (await others()) === known;
    if (!(await waitFor(isBack, { deadlineMs: KNOWN_WITHIN_MS, pollMs: POLL_MS })))
      throw new Error(`a Sentinel did not find the others again within ${KNOWN_WITHIN_MS / 1000} s`);
  });
}

/**
 * @param {string} target id of the node that gets the copy
 * @param {(move: Move) => void} begun
 * @returns {Fault} injected into the source; undone when RedisShake has ended. It ends with this process, too
 */
function copyTo(target, begun) {
  return Object.freeze({
    name: `RedisShake copies to ${target}`,
    what: `is copied to ${target} by RedisShake`,
    needs: [],
    /** @type {Fault['inject']} */
    async inject({ stack }, id) {
      const mover = movers.get(MOVER);
      if (!mover) throw new RangeError(`there is no mover ${MOVER}`);
      const { address, announced } = nodeOf(stack, id);
      const { credentials } = stack.access;
      const pair = { source: address, sourceForPeers: announced, copy: nodeOf(stack, target).address, credentials };
      const move = await mover.start(pair, { scanCount: SCAN_COUNT });
      // Its `full` is awaited by whom it is given to.
      move.full.catch(() => {});
      begun(move);
      return () => move.close();
    },
  });
}

/**
 * The primary is held until the copy has every write; then the Sentinels know the copy as their primary, and the old one is shut down.
 * @param {NodeInfo} target
 * @param {Move} move
 * @param {number} downAfterMs of the Sentinels
 * @returns {Fault}
 */
function cutOver(target, move, downAfterMs) {
  return Object.freeze({
    name: `cut-over to ${target.id}`,
    what: 'holds writes, is replaced by its copy, and is shut down (SIGTERM)',
    needs: /** @type {Fault['needs']} */ (['stop']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }, id) {
      const undo = await journal.note({ kind: 'act', id, action: 'start' });
      const release = await journal.note({ kind: 'call', id, command: ['CLIENT', 'UNPAUSE'] });
      // The pause also holds what Sentinels publish, so to them the primary is silent.
      await askSentinels(stack, async (call) => {
        await call('SET', stack.access.masterName, DOWN_AFTER, 2 * HELD_SECONDS * 1000);
      });
      const offset = await askNode(stack, id, async (control) => {
        await control.call('CLIENT', 'PAUSE', HELD_SECONDS * 1000, 'WRITE');
        return Number((await control.info('replication')).master_repl_offset);
      });
      const hasAll = async () => (await move.passed?.(offset)) ?? false;
      if (!(await waitFor(hasAll, { deadlineMs: PASSED_WITHIN_MS, pollMs: POLL_MS }))) {
        await release();
        throw new Error(
          `the copy did not have every write within ${PASSED_WITHIN_MS / 1000} s; the old primary goes on`,
        );
      }
      const settings = await forgetPrimary(stack);
      // Now no client can find it, and nothing that it held is lost when it ends.
      await stack.host.act(id, 'stop');
      await release.strike();
      await tellSentinels(stack, target, { settings, downAfterMs });
      return undo;
    },
  });
}

/**
 * All Sentinels forget the old primary before any learns the new one. A Sentinel that still knew the old primary would tell one that does not, with
 * the epoch of a former failover, and that one would go back to it.
 * @param {Stack} stack
 * @returns {Promise<string[][]>} the settings that {@link tellSentinels} gives back to each
 */
async function forgetPrimary(stack) {
  const { masterName: name } = stack.access;
  /** @type {string[][]} */
  const settings = [];
  await askSentinels(stack, async (call) => {
    const words = await call('MASTER', name);
    settings.push([fieldOf(words, 'quorum'), ...KEPT.map((field) => fieldOf(words, field))]);
    await call('REMOVE', name);
  });
  return settings;
}

/**
 * @param {Stack} stack
 * @param {Pick<NodeInfo, 'announced'>} target
 * @param {{settings: readonly string[][], downAfterMs: number}} kept
 */
async function tellSentinels(stack, { announced: { host, port } }, { settings, downAfterMs }) {
  const { masterName: name } = stack.access;
  const left = [...settings];
  await askSentinels(stack, async (call) => {
    const [quorum, ...values] = left.shift() ?? [];
    await call('MONITOR', name, host, port, quorum);
    await call('SET', name, ...KEPT.flatMap((field, i) => [field, values[i]]), DOWN_AFTER, downAfterMs);
  });
}

/**
 * @param {unknown} words as a Sentinel answers: names and values
 * @param {string} field
 */
function fieldOf(words, field) {
  const list = /** @type {string[]} */ (words);
  return String(list[list.indexOf(field) + 1]);
}

/**
 * @param {Stack} stack
 * @param {(call: (...words: (string | number)[]) => Promise<unknown>) => Promise<void>} question
 */
async function askSentinels(stack, question) {
  for (const { id, kind } of stack.nodes)
    if (kind === 'sentinel')
      await askNode(stack, id, (control) => question((...words) => control.call('SENTINEL', ...words)));
}

/**
 * @param {string} replicas that have to follow for a write to be accepted
 * @returns {Fault}
 */
function withMinimum(replicas) {
  return {
    name: `${MINIMUM} ${replicas}`,
    what: `asks for ${replicas} replicas`,
    needs: [],
    async inject({ stack }, id) {
      await askNode(stack, id, (control) => control.call('CONFIG', 'SET', MINIMUM, replicas));
      return async () => {};
    },
  };
}
