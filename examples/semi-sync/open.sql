-- Block C, only for a primary that was promoted, or restarted while no other was, after block B showed no source there.
-- It takes writes from now on, if its commits wait and a replica confirms. Open: name, 0, 1, 0, 1 or more, ON. Else B and C.
SET @running = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'SLAVES_RUNNING');
SET @following = @running + (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND = 'Slave_IO');
SET @confirm = (SELECT 0 + VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS
  WHERE VARIABLE_NAME = 'RPL_SEMI_SYNC_MASTER_CLIENTS');
SET @status = (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS
  WHERE VARIABLE_NAME = 'RPL_SEMI_SYNC_MASTER_STATUS');
SET GLOBAL read_only = NOT (@@GLOBAL.rpl_semi_sync_master_enabled AND @@GLOBAL.rpl_semi_sync_master_timeout = 3600000
  AND @@GLOBAL.rpl_semi_sync_master_wait_point = 'AFTER_SYNC' AND @@GLOBAL.rpl_semi_sync_master_wait_no_slave
  AND @following = 0 AND @confirm > 0 AND @status = 'ON') AND @@GLOBAL.read_only;
SELECT @@hostname, @@GLOBAL.read_only, @@GLOBAL.rpl_semi_sync_master_enabled, @following, @confirm, @status;
