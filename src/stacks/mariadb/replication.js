/**
 * The roles of MariaDB nodes. No other program decides about them: the harness promotes, as Orchestrator or MaxScale would.
 */
import { waitFor } from '../../wait.js';
import { MARIADB } from './dialect.js';

/**
 * @import { Address, Control, Credentials } from '../types.js'
 * @import { Dialect } from './dialect.js'
 */

/** The time that a replica may take to apply what it has received. */
const APPLY_DEADLINE_MS = 60_000;
const POLL_MS = 10;

/** Seconds until a replica tries to reach its primary again. */
const RETRY_SECONDS = 1;

/**
 * Makes a node a replica that continues from its own position. A node with transactions that the primary lacks is refused: see
 * {@link hasDiverged}. A former primary has to be closed to writes before.
 *
 * @param {Control} control
 * @param {Address} primary
 * @param {Credentials} credentials
 * @param {Dialect} [dialect] default: MariaDB's
 */
export async function follow(control, primary, credentials, dialect = MARIADB) {
  const [status] = await rows(control, dialect.replica.status);
  await control.call('SET GLOBAL read_only = ON');
  await control.call(dialect.replica.stop);
  if (status === undefined && dialect.name === 'mariadb') {
    const [{ position }] = await rows(control, 'SELECT @@global.gtid_binlog_pos AS position');
    await control.call('SET GLOBAL gtid_slave_pos = ?', String(position));
  }
  // A replica has no replicas of its own. Semi-sync would make the thread that applies the relay log wait for their confirmations.
  await setGlobal(control, dialect, 'rpl_semi_sync_master_enabled', 'OFF');
  // A replica confirms only if it was told so before it connects.
  await setGlobal(control, dialect, 'rpl_semi_sync_slave_enabled', 'ON');
  const { statement, values } = dialect.changeSource(primary, credentials, RETRY_SECONDS);
  await control.call(statement, ...values);
  await control.call(dialect.replica.start);
}

/**
 * Makes a node the primary. First it applies its relay log: a replica confirms a transaction when it has received it, not when it has
 * executed it.
 *
 * @param {Control} control
 * @param {{semiSync: boolean, dialect?: Dialect}} options semiSync: its commits wait for a replica; dialect: default MariaDB's
 * @throws {Error} the relay log could not be applied
 */
export async function promote(control, { semiSync, dialect = MARIADB }) {
  const { replica } = dialect;
  const [status] = await rows(control, replica.status);
  if (status !== undefined) {
    await control.call(replica.stopReceiving);
    const applied = await waitFor(() => hasApplied(control), { deadlineMs: APPLY_DEADLINE_MS, pollMs: POLL_MS });
    if (!applied) throw new Error(`the relay log was not applied within ${APPLY_DEADLINE_MS / 1000} s`);
    await control.call(replica.stop);
    await control.call(replica.forget);
  }
  // After a crash a node with this setting discards transactions that no replica confirmed.
  await setGlobal(control, dialect, 'rpl_semi_sync_slave_enabled', 'OFF');
  await setGlobal(control, dialect, 'rpl_semi_sync_master_enabled', semiSync ? 'ON' : 'OFF');
  await control.call('SET GLOBAL read_only = OFF');
}

/**
 * @param {Control} control
 * @param {Dialect} dialect
 * @param {string} name in MariaDB's words
 * @param {'ON' | 'OFF'} value
 */
async function setGlobal(control, { toServer }, name, value) {
  await control.call(`SET GLOBAL ${toServer(name)} = ${value}`);
}

/**
 * @param {Control} control of a replica
 * @throws {Error} it cannot apply an event
 */
async function hasApplied(control) {
  const state = await control.info();
  if (Number(state.last_sql_errno) !== 0) throw new Error(`the relay log cannot be applied: ${state.last_sql_error}`);
  return state.gtid_io_pos === '' || sequence(state.gtid_io_pos) <= sequence(state.gtid_current_pos);
}

/**
 * @param {string | undefined} gtid `domain-server-number`; all our nodes use one domain
 * @returns {number} the number; 0: no transaction yet
 */
export function sequence(gtid) {
  return Number(gtid?.split('-')[2] ?? 0);
}

/** @param {Record<string, string>} state of `info` */
export function isReplica({ master_host: primary }) {
  return primary !== undefined;
}

/**
 * @param {Record<string, string>} state of `info`
 * @returns {boolean} the node cannot go on as a replica: it has transactions that its primary lacks, or an event cannot be applied
 */
export function hasDiverged({ last_io_errno: io = '0', last_sql_errno: sql = '0' }) {
  // The primary cannot continue from the replica's position (MySQL: 13114). 2003, 2013: it cannot be reached, which passes.
  return Number(sql) !== 0 || [1236, 13_114].includes(Number(io));
}

/**
 * @param {Record<string, string>} state of `info`
 * @param {number} port of the primary
 * @param {string} position of the primary
 * @returns {boolean} the node follows that primary and has applied as much
 */
export function isInSync(state, port, position) {
  return (
    Number(state.master_port) === port &&
    state.slave_io_running === 'Yes' &&
    state.slave_sql_running === 'Yes' &&
    sequence(state.gtid_current_pos) >= sequence(position)
  );
}

/**
 * @param {Pick<Control, 'call'>} control
 * @param {string} statement
 * @returns {Promise<Record<string, unknown>[]>}
 */
export async function rows(control, statement) {
  return /** @type {Record<string, unknown>[]} */ (await control.call(statement));
}
