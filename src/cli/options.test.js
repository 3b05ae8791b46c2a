import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { clusterOptions, collectSettings, parseAddress, parseSeed, publicCommand } from './options.js';

test('addresses', () => {
  assert.deepEqual(parseAddress('host:1'), { host: 'host', port: 1 });
  assert.deepEqual(parseAddress('10.0.0.5:65535'), { host: '10.0.0.5', port: 65535 });
  assert.deepEqual(parseAddress('[::1]:26379'), { host: '::1', port: 26379 });
  for (const text of [
    '',
    'host',
    ':1',
    'host:',
    'host:0',
    'host:65536',
    'host:1x',
    'host:1,',
    'a b:1',
    '::1:1',
    '[]:1',
  ]) {
    assert.throws(() => parseAddress(text), InvalidArgumentError, text);
  }
});

test('seeds', () => {
  assert.equal(parseSeed('0'), 0);
  assert.equal(parseSeed('4294967295'), 2 ** 32 - 1);
  for (const text of ['', ' 1', 'x', '-1', '1.5', '1e3', '0x10', '4294967296']) {
    assert.throws(() => parseSeed(text), InvalidArgumentError, text);
  }
});

describe('settings of every node', () => {
  test('are collected, in small letters; of one that is given twice the last counts', () => {
    assert.deepEqual(collectSettings('save='), { save: '' });
    assert.deepEqual(collectSettings('HZ=50', { hz: '20', save: '60 1' }), { hz: '50', save: '60 1' });
  });

  test('what decides who is let in, or where a node is found, is refused', () => {
    for (const text of [
      'hz',
      '=1',
      'h z=1',
      'hz=1\ndir /',
      'requirepass=x',
      'primaryauth=x',
      'User=a on >x',
      'Dir=/tmp',
      'daemonize=yes',
      'replicaof=a 1',
    ]) {
      assert.throws(() => collectSettings(text), InvalidArgumentError, text);
    }
  });
});

describe('which stack', () => {
  const sentinel = [{ host: 'host', port: 1 }];

  test('a Sentinel named means the external backend', () => {
    assert.equal(clusterOptions({ backend: 'auto', sentinel }).backend, 'external');
    assert.equal(clusterOptions({ backend: 'external', sentinel }).backend, 'external');
    assert.equal(clusterOptions({ backend: 'auto' }).backend, 'auto');
  });

  test('what contradicts itself, or would not be heeded, is refused', () => {
    for (const options of [
      { backend: 'local', sentinel },
      { backend: 'docker', sentinel },
      { backend: 'external' },
      { backend: 'auto', user: 'somebody' },
      { backend: 'local', tls: true },
      { backend: 'docker', tlsInsecure: true },
    ]) {
      assert.throws(
        () => clusterOptions(options),
        (error) => error instanceof UserError && error.exitStatus === ExitStatus.badInput,
        JSON.stringify(options),
      );
    }
  });

  test('any TLS option turns TLS on', () => {
    assert.equal(clusterOptions({ backend: 'auto', sentinel }).credentials?.tls, undefined);
    for (const option of ['tls', 'tlsInsecure', 'tlsServerName']) {
      assert.ok(clusterOptions({ backend: 'auto', sentinel, [option]: 'x' }).credentials?.tls, option);
    }
  });
});

test('a recorded command names no host, user or place', () => {
  assert.equal(
    publicCommand([
      'run',
      'pipeline',
      '--sentinel',
      'host:1',
      '--user=me',
      '--out',
      '/home/me',
      '--seed',
      '7',
      '--json',
    ]),
    'sentinel-bench run pipeline --sentinel … --user=… --out … --seed 7 --json',
  );
});
