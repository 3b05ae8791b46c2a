-- Block A, replicas only, one after the other, while they run; not with several sources. Keep what it shows: the undo.
-- Where @replica is 0 it changes nothing: no SQL thread, replicas of its own, no log_bin or log_slave_updates.
-- Paste the next two lines alone first: Using_Gtid must not be No. Without PROCESS an account sees too little.
SELECT @@hostname, @@port; SHOW ALL SLAVES STATUS;
SHOW GLOBAL VARIABLES WHERE Variable_name RLIKE 'semi_sync|gtid_strict|sync_binlog|at_trx_|^read_on|log_bin$|slave_upd';
SET @running = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'SLAVES_RUNNING');
SET @below = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'SLAVES_CONNECTED');
SET @replica = @@log_bin AND @@log_slave_updates AND @running = 1 AND @below = 0;
EXECUTE IMMEDIATE IF(@replica, 'SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC,
  GLOBAL rpl_semi_sync_master_wait_no_slave = ON, GLOBAL rpl_semi_sync_master_timeout = 3600000,
  GLOBAL gtid_strict_mode = ON, GLOBAL sync_binlog = 1, GLOBAL innodb_flush_log_at_trx_commit = 1,
  GLOBAL read_only = ON, GLOBAL rpl_semi_sync_slave_enabled = ON, GLOBAL rpl_semi_sync_master_enabled = OFF', 'DO 0');
EXECUTE IMMEDIATE IF(@replica, 'STOP SLAVE IO_THREAD', 'DO 0');
EXECUTE IMMEDIATE IF(@replica, 'START SLAVE IO_THREAD', 'DO 0');
SELECT @replica; SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_slave_status'; -- Repeat this line. Block B only when ON on each
