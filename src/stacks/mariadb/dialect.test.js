/**
 * The names of MySQL. No image of MySQL could be had where this was written, so nothing here was tried on a MySQL server.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commonConf, confText, firstStatements } from './conf.js';
import { dialectOf, MARIADB, MYSQL, positionIn } from './dialect.js';

const LOGIN = { password: '0'.repeat(32), from: '%' };

test('the name of an image decides', () => {
  for (const image of ['mysql:8.4', 'docker.io/library/mysql:8', 'percona/percona-server:8.4'])
    assert.equal(dialectOf(image), MYSQL, image);
  for (const image of ['mariadb:10.11', 'sentinel-bench/mariadb:local', 'mysql-mirror.example/mariadb:11'])
    assert.equal(dialectOf(image), MARIADB, image);
});

describe('MySQL', () => {
  test('has its own names of variables', () => {
    assert.equal(MYSQL.toServer('rpl_semi_sync_master_enabled'), 'rpl_semi_sync_source_enabled');
    assert.equal(MYSQL.toServer('rpl_semi_sync_slave_enabled'), 'rpl_semi_sync_replica_enabled');
    assert.equal(MYSQL.toServer('rpl_semi_sync_master_wait_point'), 'rpl_semi_sync_source_wait_point');
    assert.equal(MYSQL.toServer('sync_binlog'), 'sync_binlog');
    assert.equal(MARIADB.toServer('rpl_semi_sync_master_enabled'), 'rpl_semi_sync_master_enabled');
  });

  test('loads the plugins of both sides, and uses GTIDs', () => {
    const text = confText(commonConf(MYSQL));
    assert.match(text, /^plugin-load-add = "semisync_source\.so;semisync_replica\.so"$/m);
    assert.match(text, /^gtid-mode = ON$/m);
    assert.match(text, /^log-replica-updates = ON$/m);
    assert.doesNotMatch(text, /master|slave|gtid-strict/);
    assert.match(confText(commonConf(MARIADB)), /^gtid-strict-mode = ON$/m);
  });

  test('follows by statements without the old words', () => {
    const { statement, values } = MYSQL.changeSource({ host: 'h', port: 1 }, { username: 'u', password: 'p' }, 1);
    assert.deepEqual(values, ['h', 1, 'u', 'p']);
    const all = [statement, ...Object.values(MYSQL.replica), ...MYSQL.state].join(' ');
    assert.doesNotMatch(all, /MASTER|SLAVE/);
  });

  test('its state gets MariaDB’s names', () => {
    const state = MYSQL.normalise({
      rpl_semi_sync_source_status: 'ON',
      source_host: 'h',
      replica_io_running: 'Yes',
      gtid_executed: 'a-b:1-57,\nc-d:1-3',
      retrieved_gtid_set: 'a-b:40-60',
    });
    assert.equal(state.rpl_semi_sync_master_status, 'ON');
    assert.equal(state.master_host, 'h');
    assert.equal(state.slave_io_running, 'Yes');
    assert.deepEqual([state.gtid_current_pos, state.gtid_io_pos], ['0-0-60', '0-0-63']);
  });

  test('a position counts the highest number of each server', () => {
    assert.equal(positionIn(''), '0-0-0');
    assert.equal(positionIn('a:1-5:8-9,b:7'), '0-0-16');
  });
});

test('neither user may read or write files of the machine', () => {
  for (const dialect of [MARIADB, MYSQL])
    assert.doesNotMatch(firstStatements(dialect, LOGIN), /\bFILE\b|ALL PRIVILEGES/);
});
