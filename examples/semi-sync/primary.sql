-- Block B, the primary only: its commits wait from now on. Paste the next two lines alone first: no source may be shown.
-- Keep the values. Where @primary is 0 it changes nothing: the node follows another, or no replica confirms yet (repeat).
SELECT @@hostname, @@port; SHOW ALL SLAVES STATUS;
SHOW GLOBAL VARIABLES WHERE Variable_name RLIKE 'semi_sync|gtid_strict|sync_binlog|at_trx_|^read_on|log_bin$|slave_upd';
SET @running = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'SLAVES_RUNNING');
SET @following = @running + (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND = 'Slave_IO');
SET @confirm = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS
  WHERE VARIABLE_NAME = 'RPL_SEMI_SYNC_MASTER_CLIENTS');
SET @primary = (@following = 0 AND @confirm > 0);
EXECUTE IMMEDIATE IF(@primary, 'SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC,
  GLOBAL rpl_semi_sync_master_wait_no_slave = ON, GLOBAL rpl_semi_sync_master_timeout = 3600000,
  GLOBAL gtid_strict_mode = ON, GLOBAL sync_binlog = 1, GLOBAL innodb_flush_log_at_trx_commit = 1', 'DO 0');
SET GLOBAL rpl_semi_sync_master_enabled = @@GLOBAL.rpl_semi_sync_master_enabled OR (@primary
  AND @@GLOBAL.rpl_semi_sync_master_timeout = 3600000 AND @@GLOBAL.rpl_semi_sync_master_wait_point = 'AFTER_SYNC');
SELECT @primary; SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_%'; -- Rpl_semi_sync_master_clients 1 or more, and _status ON
