import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInfo } from '../../resp/info.js';
import { majority } from './observe.js';

const a = { host: '10.0.0.1', port: 1 };
const b = { host: '10.0.0.2', port: 1 };

test('a majority is more than half of all Sentinels, silent ones included', () => {
  assert.equal(majority([a, a, b]), a);
  assert.equal(majority([b, { ...a }, a])?.host, a.host);
  assert.equal(majority([a, null, null]), null);
  assert.equal(majority([a, b, null]), null);
  assert.equal(majority([a, a, b, b]), null);
  assert.equal(majority([null, null, null]), null);
  assert.equal(majority([]), null);
});

test('INFO is read field by field', () => {
  assert.deepEqual(parseInfo('# Server\r\nredis_version:7.0.15\r\nos:Linux 6:1\r\n\r\n# Empty\r\nvalue:\r\n'), {
    redis_version: '7.0.15',
    os: 'Linux 6:1',
    value: '',
  });
});
