import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { fillIn, foreignLine, refusedSetting, sentinelConf, settingLines } from './conf.js';
import { NODES } from './topology.js';

/** @param {string} id */
const announced = (id) => ({ host: `${id}.example`, port: 7000 + NODES.findIndex((node) => node.id === id) });

test('a Sentinel’s file names itself, the primary, its replicas and the other Sentinels', () => {
  const nodes = NODES.map(({ id }) => id);
  const lines = sentinelConf('sentinel-2', { dir: '/somewhere', nodes, announced }).split('\n');
  for (const line of [
    'port 7004',
    'dir /somewhere',
    'sentinel announce-ip sentinel-2.example',
    'sentinel monitor mymaster redis-1.example 7000 2',
    `sentinel myid ${'5e17b1e2'.repeat(5)}`,
    'sentinel known-replica mymaster redis-2.example 7001',
    'sentinel known-replica mymaster redis-3.example 7002',
    `sentinel known-sentinel mymaster sentinel-1.example 7003 ${'5e17b1e1'.repeat(5)}`,
    `sentinel known-sentinel mymaster sentinel-3.example 7005 ${'5e17b1e3'.repeat(5)}`,
  ]) {
    assert.ok(lines.includes(line), line);
  }
});

test('the folder of a Sentinel is quoted for its parser', () => {
  const nodes = NODES.map(({ id }) => id);
  for (const [dir, line] of [
    ['/a b', 'dir "/a b"'],
    [`/it's "x"`, String.raw`dir "/it's \x22x\x22"`],
  ])
    assert.ok(sentinelConf('sentinel-1', { dir, nodes, announced }).split('\n').includes(line), line);
});

test('a placeholder without a value is an error', () => {
  assert.equal(fillIn('a @ONE@ b', { ONE: 1 }), 'a 1 b');
  assert.throws(() => fillIn('a @ONE@ @TWO@', { ONE: 1 }), /@TWO@/);
});

test('lines added by others are found among the server’s own', () => {
  const ownText = 'daemonize no\nport 1\ndir /a/b\nenable-debug-command yes\n';
  const dir = '/a/b é';
  const written = [
    'port 1',
    'daemonize no',
    'enable-debug-command yes',
    '# loadmodule /x.so',
    'dir "/a/b \\xc3\\xa9"',
    'user default on nopass ~* &* +@all',
    'save ""',
    'replicaof 127.0.0.1 6379',
    'sentinel monitor mymaster 127.0.0.1 6379 2',
    'sentinel known-replica mymaster 127.0.0.1 6380',
  ];
  assert.equal(foreignLine(written.join('\n'), { ownText, dir }), null);
  for (const line of [
    'loadmodule /tmp/x.so # 6379',
    '\tLoadModule /tmp/x.so',
    'load"module" /tmp/x.so',
    "'loadmodule' /tmp/x.so",
    'include /tmp/x.conf',
    'sentinel notification-script mymaster /tmp/x.sh',
    'SENTINEL  Client-Reconfig-Script mymaster /tmp/x.sh',
    'sentinel "notification-script" mymaster /tmp/x.sh',
    'dir /root/.ssh',
    'dir "/a/b"x',
    'dbfilename authorized_keys',
    'enable-protected-configs yes',
    'daemonize yes',
    'logfile /root/.profile',
  ]) {
    assert.equal(foreignLine([...written, line].join('\n'), { ownText, dir }), line.trim(), line);
  }
});

test('settings become lines that servers of all versions read', () => {
  assert.deepEqual(
    settingLines({
      databases: '4',
      save: '3600 1 300 100',
      'client-output-buffer-limit': 'normal 0 0 0 replica 256mb 64mb 60',
      appendfilename: '',
      bind: '127.0.0.1 ::1',
    }),
    [
      'databases 4',
      'save ""',
      'save 3600 1',
      'save 300 100',
      'client-output-buffer-limit normal 0 0 0',
      'client-output-buffer-limit replica 256mb 64mb 60',
      'appendfilename ""',
      'bind 127.0.0.1 ::1',
    ],
  );
  assert.deepEqual(settingLines({ save: '' }), ['save ""']);
  assert.deepEqual(settingLines({ save: '""' }), ['save ""']);
  assert.deepEqual(settingLines(undefined), []);
});

test('no value or name can begin a new line', () => {
  assert.deepEqual(settingLines({ 'proc-title-template': 'a\nport 1' }), ['proc-title-template "a\\x0aport 1"']);
  assert.deepEqual(settingLines({ requirepass: '$(id)"\\é' }), ['requirepass "$(id)\\x22\\x5c\\xc3\\xa9"']);
  assert.throws(() => settingLines({ 'a b': '1' }), UserError);
  assert.throws(() => settingLines({ 'a\nport': '1' }), UserError);
});

test('only the settings that were asked for are read from the reply, by name', () => {
  const log = ['*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***', ">>> 'nonsense 1'", 'Bad directive or wrong number'];
  assert.match(refusedSetting(log, { nonsense: '1' })?.message ?? '', /has no setting called nonsense\.$/);
  assert.equal(refusedSetting(log, { databases: '1' }), null);
  assert.equal(refusedSetting(log, undefined), null);
  assert.equal(refusedSetting(['Out of memory'], { nonsense: '1' }), null);
  const value = [">>> 'databases x'", 'argument couldn’t be parsed'];
  assert.match(refusedSetting(value, { databases: 'x' })?.message ?? '', /does not take “x” for the setting databases/);
});
