import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { publicCommand } from './declare.js';
import { parseAddress, parseSeed, stackOptions } from './options.js';
import { makeProgram } from './program.js';

test('addresses are HOST:PORT', () => {
  assert.deepEqual(parseAddress('host:1'), { host: 'host', port: 1 });
  assert.deepEqual(parseAddress('10.0.0.5:65535'), { host: '10.0.0.5', port: 65535 });
  assert.deepEqual(parseAddress('[::1]:26379'), { host: '::1', port: 26379 });
  assert.throws(() => parseAddress('::1:26379'), /needs brackets before the port: \[::1\]:26379\./);
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

test('--seed takes a whole number below 2^32', () => {
  assert.equal(parseSeed('0'), 0);
  assert.equal(parseSeed('4294967295'), 2 ** 32 - 1);
  for (const text of ['', ' 1', 'x', '-1', '1.5', '1e3', '0x10', '4294967296']) {
    assert.throws(() => parseSeed(text), InvalidArgumentError, text);
  }
});

describe('which stack', () => {
  const sentinel = [{ host: 'host', port: 1 }];
  /** @param {Record<string, any>} options that the user typed */
  const choose = (options) => stackOptions({ backend: 'auto', ...options }, Object.keys(options));

  test('an option of one backend chooses that backend', () => {
    assert.equal(choose({}).backend, 'auto');
    assert.equal(choose({ sentinel }).backend, 'external');
    assert.equal(choose({ backend: 'external', sentinel }).backend, 'external');
    assert.equal(choose({ image: 'redis:7' }).backend, 'docker');
    assert.equal(choose({ server: 'valkey-server' }).backend, 'local');
  });

  test('a default is no error', () => {
    assert.equal(stackOptions({ backend: 'local', masterName: 'mymaster', lanes: 4 }, ['backend']).backend, 'local');
  });

  test('any TLS option turns TLS on', () => {
    assert.equal(choose({ sentinel }).credentials?.tls, undefined);
    for (const option of ['tls', 'tlsInsecure', 'tlsServerName']) {
      assert.ok(choose({ sentinel, [option]: 'x' }).credentials?.tls, option);
    }
  });
});

test('a recorded command names no host, user or place', async () => {
  const words = 'run pipeline --sentinel host:1 --user=me --data-dir ssd=/mnt --out /home/me --seed 7 --json';
  const [run] = (await makeProgram('run')).commands;
  assert.equal(
    publicCommand(run, words.split(' ')),
    'sentinel-bench run pipeline --sentinel … --user=… --data-dir … --out … --seed 7 --json',
  );
});
