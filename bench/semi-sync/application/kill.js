/** A round of the article's last test: the primary is killed while wrk registers people. Rows are counted on every node, and the old primary comes back. */
import { setTimeout as delay } from 'node:timers/promises';
import { ENTRIES } from '../../../src/clients/mysql.js';
import { roundAround } from '../../../src/run/round.js';
import { connectControls } from '../../../src/run/testbed.js';
import { askNode, nodeOf } from '../../../src/stacks/ask.js';
import { hasDiverged, isInSync, sequence } from '../../../src/stacks/mariadb/replication.js';
import { waitFor } from '../../../src/wait.js';
import { nextRun, readyNodes, sampleOf, startApplication, startWrk } from './round.js';

/** @import { Measure, NodeInfo, RoundSite, Stack } from '../../types.js' */
/** @import { Control } from '../../../src/stacks/types.js' */
/** @import { ApplicationFigures } from '../document.js' */

const AFTER_SECONDS = 0.5;
/** Shorter than the timeout of a second: commits wait, and the primary does not fall back. */
const CUT_OFF_SECONDS = 0.3;
const APPLIED_MS = 60_000;
const STATEMENT_MS = 20_000;
/** People who register with the new primary before the old one follows it: more than were under way at the kill. */
const LATER = 100;
const FOLLOWED_MS = 20_000;
const TRIMMED = /Successfully truncated.*binlog/i;
const LOG_LINES = 500;
/** The old primary comes back to be counted only. */
const COUNTED = 'counted';

/** @type {Measure} */
export async function measureKilled(site) {
  const { testbed, theCase, keyPrefix: prefix, now } = site;
  const { stack, signal, profile } = testbed;
  const { afterKill } = theCase.params;
  const { primary, replicas } = await readyNodes(site);
  if (afterKill === 'trimmed') await startsAs(stack, primary.id, 'SLAVE');
  const application = await startApplication(site, { primary, readers: replicas });
  const run = nextRun();
  try {
    now('wrk registers, and the primary is killed');
    let isWaiting = false;
    const seconds = Math.max(1, Math.round(profile.seconds));
    // The nodes are left out: one of them is gone at the end.
    const nobody = { stack: { ...stack, can: new Set() }, controls: new Map(), primary };
    const round = await roundAround(/** @type {any} */ (nobody), async () => {
      const wrk = startWrk({ url: application.url, activity: 'register', run, seconds: 2 * seconds, signal });
      await delay(seconds * 1000, undefined, { signal });
      isWaiting = (await stateOf(stack, primary.id)).rpl_semi_sync_master_status === 'ON';
      if (afterKill !== COUNTED) {
        await stack.host.act(primary.id, 'partition');
        await delay(CUT_OFF_SECONDS * 1000, undefined, { signal });
      }
      await stack.host.act(primary.id, 'kill');
      await delay(AFTER_SECONDS * 1000, undefined, { signal });
      wrk.stop();
      return sampleOf(await wrk.counted, 'register');
    });
    const counted = await countRows(site, { primary, replicas }, `${prefix}${run}:`);
    const served = /** @type {ApplicationFigures} */ (round.application);
    return { ...round, application: { ...served, isWaiting, ...counted } };
  } finally {
    await application.close();
    await putBack(testbed, primary);
  }
}

/** @param {RoundSite} site @param {Awaited<ReturnType<typeof readyNodes>>} nodes the primary is dead @param {string} prefix of the keys of the round */
async function countRows({ testbed, theCase, now }, { primary, replicas }, prefix) {
  const { stack } = testbed;
  const isCountedOnly = theCase.params.afterKill === COUNTED;
  now('counting rows');
  for (const { id } of replicas) await untilApplied(stack, id);
  const [first, second] = await Promise.all(replicas.map(({ id }) => keysOn(stack, id, prefix)));
  // The one that received most, as a failover tool would. The promotion comes before the old primary starts: replicas would fetch its unconfirmed rows.
  const [best] = first.size >= second.size ? replicas : replicas.toReversed();
  let promoted = '';
  if (!isCountedOnly) {
    promoted = await promoteAndWrite(stack, best.id, prefix);
    await stack.host.act(primary.id, 'join');
  }
  const trims = async () => (await stack.host.logs(primary.id, LOG_LINES)).filter((line) => TRIMMED.test(line)).length;
  const before = await trims();
  await stack.host.act(primary.id, 'start');
  const old = await keysOn(stack, primary.id, prefix);
  return {
    firstReplicaRows: first.size,
    secondReplicaRows: second.size,
    oldPrimaryRows: old.size,
    ...(!isCountedOnly && {
      trimmed: (await trims()) > before,
      returned: await followNew(stack, {
        ...{ old: primary.id, best: best.id, prefix },
        ...(theCase.params.afterKill === 'forced' && { position: promoted }),
      }),
    }),
  };
}

/** @param {Stack} stack @param {string} id of a replica @param {string} prefix of the keys of the round @returns {Promise<string>} its position when promoted */
async function promoteAndWrite(stack, id, prefix) {
  await stack.database.failover.promote?.(stack, id);
  const { gtid_current_pos: position } = await stateOf(stack, id);
  const register = async (/** @type {Control} */ control) => {
    for (let i = 0; i < LATER; i++)
      await control.call(`INSERT INTO ${ENTRIES} (k, v) VALUES (?, '')`, `${prefix}later-${i}`);
  };
  await askNode(stack, id, register, { timeoutMs: STATEMENT_MS });
  return position;
}

/**
 * @param {Stack} stack
 * @param {{old: string, best: string, prefix: string, position?: string}} nodes best: the primary; position: the old primary is told to go on from there
 */
async function followNew(stack, { old, best, prefix, position }) {
  const { failover } = stack.database;
  const { announced } = nodeOf(stack, best);
  const { gtid_binlog_pos: wanted } = await stateOf(stack, best);
  await askNode(stack, old, (control) => failover.follow(control, announced), { timeoutMs: STATEMENT_MS });
  if (position !== undefined) await force(stack, old, position);
  /** @type {Record<string, string>} */
  let state = {};
  const settled = async () => {
    state = await stateOf(stack, old);
    return hasDiverged(state) || isInSync(state, Number(state.master_port), wanted);
  };
  await waitFor(settled, { deadlineMs: FOLLOWED_MS });
  const [mine, theirs] = [await keysOn(stack, old, prefix), await keysOn(stack, best, prefix)];
  return {
    follows: isInSync(state, Number(state.master_port), wanted),
    errno: Number(state.last_io_errno) || Number(state.last_sql_errno),
    extraRows: [...mine].filter((key) => !theirs.has(key)).length,
    missingRows: [...theirs].filter((key) => !mine.has(key)).length,
  };
}

/** Has a replica go on from a position that is not its own, as people do. @param {Stack} stack @param {string} id @param {string} position */
async function force(stack, id, position) {
  const statements = async (/** @type {Control} */ control) => {
    await control.call('STOP SLAVE');
    await control.call('SET GLOBAL gtid_slave_pos = ?', position);
    await control.call('START SLAVE');
  };
  await askNode(stack, id, statements, { timeoutMs: STATEMENT_MS });
}

/**
 * A server that starts as a semi-synchronous replica after a crash removes from its binary log what no replica confirmed, and rolls it back.
 * @param {Stack} stack
 * @param {string} id
 * @param {'SLAVE' | 'MASTER'} role with which it starts
 */
async function startsAs(stack, id, role) {
  const node = nodeOf(stack, id);
  const write = (/** @type {Control} */ control, /** @type {string} */ name, /** @type {string} */ value) =>
    stack.database.settings.write(stack, node, control, name, value);
  await askNode(stack, id, async (control) => {
    await write(control, 'rpl_semi_sync_slave_enabled', role === 'SLAVE' ? 'ON' : 'OFF');
    await write(control, 'init_rpl_role', role);
  });
}

/** The first primary is the primary again, and every node follows it. @param {RoundSite['testbed']} testbed @param {NodeInfo} primary */
async function putBack(testbed, primary) {
  const { stack } = testbed;
  await stack.heal();
  await startsAs(stack, primary.id, 'MASTER');
  if ((await stack.database.primary()).id !== primary.id) {
    await stack.database.failover.promote?.(stack, primary.id);
    await stack.heal();
  }
  await connectControls(testbed);
}

/** @param {Stack} stack @param {string} id */
const stateOf = (stack, id) => askNode(stack, id, (control) => control.info());

/** @param {Stack} stack @param {string} id of a replica whose primary is gone */
async function untilApplied(stack, id) {
  const has = async () => {
    const state = await stateOf(stack, id);
    return state.gtid_io_pos === '' || sequence(state.gtid_io_pos) <= sequence(state.gtid_current_pos);
  };
  if (!(await waitFor(has, { deadlineMs: APPLIED_MS }))) throw new Error(`${id} did not apply what it has received`);
}

/** @param {Stack} stack @param {string} id @param {string} prefix */
async function keysOn(stack, id, prefix) {
  const statement = `SELECT k FROM ${ENTRIES} WHERE k LIKE ?`;
  const found = await askNode(stack, id, (control) => control.call(statement, `${prefix}%`), {
    timeoutMs: STATEMENT_MS,
  });
  return new Set(/** @type {{k: unknown}[]} */ (found).map(({ k }) => String(k)));
}
