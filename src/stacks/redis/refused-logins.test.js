import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainRefusals } from './refused-logins.js';

test('one refused login is a mistake; a replica without the password tries again and again', () => {
  assert.equal(explainRefusals('redis-1', 1, []), null);
  const refuses = 'redis-1 refuses logins again and again';
  assert.equal(
    explainRefusals('redis-1', 2, []),
    `${refuses}: a replica that is in no row has no masterauth, or a wrong one`,
  );
  assert.match(String(explainRefusals('redis-1', 2, ['redis-2'])), /: redis-2, or a replica that is in no row, has no/);
});
