/** The roles of MariaDB nodes. No other program decides about them: the harness promotes, as Orchestrator or MaxScale would. */
import { waitFor } from '../../wait.js';
import { REPLICA_STATUS } from './control.js';

/** @import { Address, Control, Credentials } from '../types.js' */

const APPLY_DEADLINE_MS = 60_000;
const POLL_MS = 10;

/** A replica tries once a second to reach its primary, and gets a heartbeat as often. */
const CHANGE_PRIMARY =
  'CHANGE MASTER TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?, MASTER_USE_GTID = slave_pos, ' +
  'MASTER_CONNECT_RETRY = 1, MASTER_HEARTBEAT_PERIOD = 1';

/**
 * The replica continues from its own position. A former primary has to be closed to writes before; see {@link hasDiverged}.
 * @param {Control} control @param {Address} primary @param {Credentials} credentials
 */
export async function follow(control, { host, port }, { username = '', password = '' }) {
  const [status] = await rows(control, REPLICA_STATUS);
  await control.call('SET GLOBAL read_only = ON');
  await control.call('STOP SLAVE');
  if (status === undefined) {
    const [{ position }] = await rows(control, 'SELECT @@global.gtid_binlog_pos AS position');
    await control.call('SET GLOBAL gtid_slave_pos = ?', String(position));
  }
  // A replica has no replicas of its own. Semi-sync would make the thread that applies the relay log wait for their confirmations.
  await control.call('SET GLOBAL rpl_semi_sync_master_enabled = OFF');
  // A replica confirms only if it was told so before it connects.
  await control.call('SET GLOBAL rpl_semi_sync_slave_enabled = ON');
  await control.call(CHANGE_PRIMARY, host, port, username, password);
  await control.call('START SLAVE');
}

/**
 * First the node applies its relay log: a replica confirms a transaction when it has received it, not when it has executed it.
 * @param {Control} control @param {{semiSync: boolean}} options semiSync: its commits wait for a replica
 */
export async function promote(control, { semiSync }) {
  const [status] = await rows(control, REPLICA_STATUS);
  if (status !== undefined) {
    await control.call('STOP SLAVE IO_THREAD');
    const applied = await waitFor(() => hasApplied(control), { deadlineMs: APPLY_DEADLINE_MS, pollMs: POLL_MS });
    if (!applied) throw new Error(`the relay log was not applied within ${APPLY_DEADLINE_MS / 1000} s`);
    await control.call('STOP SLAVE');
    await control.call('RESET SLAVE ALL');
  }
  // After a crash a node with this setting discards transactions that no replica confirmed.
  await control.call('SET GLOBAL rpl_semi_sync_slave_enabled = OFF');
  await control.call(`SET GLOBAL rpl_semi_sync_master_enabled = ${semiSync ? 'ON' : 'OFF'}`);
  await control.call('SET GLOBAL read_only = OFF');
}

/** @param {Control} control of a replica */
async function hasApplied(control) {
  const state = await control.info();
  if (Number(state.last_sql_errno) !== 0) throw new Error(`the relay log cannot be applied: ${state.last_sql_error}`);
  return state.gtid_io_pos === '' || sequence(state.gtid_io_pos) <= sequence(state.gtid_current_pos);
}

/** @param {string | undefined} gtid `domain-server-number`; all our nodes use one domain @returns the number; 0: no transaction yet */
export function sequence(gtid) {
  return Number(gtid?.split('-')[2] ?? 0);
}

/** @param {Record<string, string>} state of `info` */
export function isReplica({ master_host: primary }) {
  return primary !== undefined;
}

/** It has transactions that its primary lacks, or cannot apply an event: no replica any more. @param {Record<string, string>} state */
export function hasDiverged({ last_io_errno: io = '0', last_sql_errno: sql = '0' }) {
  // 1236: the primary cannot continue from the replica's position. 2003, 2013: it cannot be reached, which passes.
  return Number(sql) !== 0 || Number(io) === 1236;
}

/** @param {Record<string, string>} state @param {number} port of its primary @param {string} position that it must have applied */
export function isInSync(state, port, position) {
  return (
    Number(state.master_port) === port &&
    state.slave_io_running === 'Yes' &&
    state.slave_sql_running === 'Yes' &&
    sequence(state.gtid_current_pos) >= sequence(position)
  );
}

/** @param {Pick<Control, 'call'>} control @param {string} statement */
export async function rows(control, statement) {
  return /** @type {Record<string, unknown>[]} */ (await control.call(statement));
}
