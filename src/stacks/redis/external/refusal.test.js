import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_KEY } from '../../../clients/types.js';
import { explainRefusal, isKeyRefused } from './refusal.js';

/** @param {string} message */
const reply = (message) => Object.assign(new Error(message), { name: 'ReplyError' });

test('a refused key is told from a refused command', () => {
  const key = 'NOPERM this user has no permissions to access one of the keys used as arguments';
  assert.equal(isKeyRefused(reply(key)), true);
  assert.equal(isKeyRefused(reply('NOPERM No permissions to access a key')), true);
  assert.equal(isKeyRefused(reply("NOPERM this user has no permissions to run the 'watch' command")), false);
  assert.equal(isKeyRefused(new Error(key)), false, 'no reply of a server');
});

test('our keys have our namespace after a prefix without characters of patterns', () => {
  for (const own of ['sentinel-bench:x:', 'app:sentinel-bench:x:', '{app}:sentinel-bench:x'])
    assert.match(own, OWN_KEY);
  for (const foreign of ['', 'app:', 'app*sentinel-bench:x:', '?sentinel-bench:'])
    assert.doesNotMatch(foreign, OWN_KEY);
});

test('a program that does not speak the protocol of Redis is not called a defect', () => {
  const http = new Error('Unknown RESP type 72 "H". Please report this.');
  assert.equal(explainRefusal(http, { tls: false }).what, 'it does not answer as a Redis server does');
});
