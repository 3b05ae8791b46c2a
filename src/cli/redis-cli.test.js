import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redisCliLogin } from './redis-cli.js';

test('a printed command logs in as the user did, and the password stays in the environment', () => {
  const environment = { SENTINEL_BENCH_PASSWORD: 'secret-1' };
  assert.deepEqual(redisCliLogin({ user: "o'neil", tlsCa: 'my ca.pem', tlsInsecure: true }, environment), {
    login: ['--tls', '--insecure', "--user 'o'\\''neil'", "--cacert 'my ca.pem'"],
    before: ['export REDISCLI_AUTH="$SENTINEL_BENCH_PASSWORD"'],
  });
  assert.deepEqual(redisCliLogin({ masterName: 'mymaster' }, {}), { login: [], before: [] });
});
