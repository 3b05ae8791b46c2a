/**
 * The replication modes: the settings of the nodes, and how a mode is called.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 */

/** Every commit is on disk before it is answered: MariaDB's own default for InnoDB, and the binary log as well. */
const FLUSHED = { sync_binlog: '1', innodb_flush_log_at_trx_commit: '1' };
/** The redo log is written and flushed about once a second. */
const RELAXED = { sync_binlog: '0', innodb_flush_log_at_trx_commit: '0' };
/** The redo log is written at every commit and flushed about once a second. */
const REDO_RELAXED = { sync_binlog: '1', innodb_flush_log_at_trx_commit: '2' };
/** The kernel decides when the binary log gets to the disk. */
const BINLOG_RELAXED = { sync_binlog: '0', innodb_flush_log_at_trx_commit: '1' };

const ASYNC = { rpl_semi_sync_master_enabled: 'OFF' };

/** The article's timeout, in milliseconds. The default is 10,000. */
const ARTICLE_TIMEOUT = '1000';
/** An hour: the primary waits, and its clients give up first. */
const NO_FALLBACK = '3600000';

/**
 * @param {'AFTER_COMMIT' | 'AFTER_SYNC'} point where a commit waits for a replica
 * @param {string} timeout milliseconds until the primary goes on without replicas
 */
function semiSync(point, timeout = ARTICLE_TIMEOUT) {
  return {
    rpl_semi_sync_master_wait_point: point,
    rpl_semi_sync_master_timeout: timeout,
    // Last: it takes the others into account.
    rpl_semi_sync_master_enabled: 'ON',
  };
}

/** @type {Readonly<Record<string, {title: string, settings: Readonly<Record<string, string>>}>>} */
export const MODES = Object.freeze({
  async: { title: 'async', settings: { ...FLUSHED, ...ASYNC } },
  'async-relaxed': { title: 'async + relaxed flush', settings: { ...RELAXED, ...ASYNC } },
  'async-redo-relaxed': { title: 'async + relaxed redo log', settings: { ...REDO_RELAXED, ...ASYNC } },
  'async-binlog-relaxed': { title: 'async + relaxed binlog', settings: { ...BINLOG_RELAXED, ...ASYNC } },
  'after-commit': {
    title: 'semi-sync AFTER_COMMIT',
    settings: { ...FLUSHED, ...semiSync('AFTER_COMMIT') },
  },
  'after-sync': {
    title: 'semi-sync AFTER_SYNC',
    settings: { ...FLUSHED, ...semiSync('AFTER_SYNC') },
  },
  'after-sync-relaxed': {
    title: 'semi-sync AFTER_SYNC + relaxed flush',
    settings: { ...RELAXED, ...semiSync('AFTER_SYNC') },
  },
  'after-sync-no-fallback': {
    title: 'semi-sync AFTER_SYNC + no fallback',
    settings: { ...FLUSHED, ...semiSync('AFTER_SYNC', NO_FALLBACK) },
  },
});

/** A minute: so long that no round falls back to async unnoticed. */
const PATIENT_TIMEOUT = '60000';

/** @param {string} mode @returns {Record<string, string>} its settings for a healthy primary */
export function patientSettings(mode) {
  const { settings } = MODES[mode];
  const waits = settings.rpl_semi_sync_master_enabled === 'ON';
  return { ...settings, ...(waits && { rpl_semi_sync_master_timeout: PATIENT_TIMEOUT }) };
}

/** The mode that the page advises. It goes through every failure. */
export const SAFE = 'after-sync-no-fallback';

/**
 * @param {Pick<CaseParams, 'mode'>} params of a result, which may be older than the modes above
 * @returns {string} the mode in MariaDB's terms
 */
export function modeTitle({ mode = '' }) {
  return MODES[mode]?.title ?? mode;
}
