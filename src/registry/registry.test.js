import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Name } from '../result/ranges.js';
import { clientNames, clients, clientTitle, findClient, idPart, isOwnClient } from './clients.js';
import { findWriter, placedWriter, writers, writersOf, writerTitle } from './writers.js';

for (const [what, list] of Object.entries({ writers, clients })) {
  test(`${what}: each has a safe name of its own`, () => {
    const names = list.map(({ name }) => name);
    assert.deepEqual([...new Set(names)], names);
    for (const name of names) {
      assert.ok(Name.safeParse(name).success, name);
      assert.ok(!name.includes('@'), 'what follows an @ is a place');
    }
  });
}

for (const { name, create, client } of writers) {
  test(`the module of ${name} makes writers, and it writes through a client`, async () => {
    assert.equal(typeof (await import(create)).createWriter, 'function');
    assert.ok(findClient(client), client);
  });
}

for (const { name, connect, program } of clients) {
  test(`${name} is a client of the load thread, or a program`, async () => {
    assert.equal(connect === undefined, program !== undefined);
    if (connect !== undefined) {
      const { client } = await import(connect);
      assert.equal(client.name, name);
    }
    if (program !== undefined) assert.equal((await import(program)).program.name, name);
  });
}

describe('names', () => {
  test('of writers in a part of the network', () => {
    assert.deepEqual(placedWriter('sticky'), { kind: 'sticky' });
    assert.deepEqual(placedWriter('redis@minority'), { kind: 'redis', place: 'minority' });
    assert.equal(findWriter('redis@minority')?.appends, true);
    assert.equal(writerTitle('redis@minority'), 'node-redis (minority)');
  });

  test('that this version does not know', () => {
    assert.equal(writerTitle('driver:redis-py/defaults'), 'driver:redis-py/defaults');
    assert.ok(Name.safeParse('driver:redis-py/defaults').success);
    assert.deepEqual([findWriter('toString'), clientTitle('other'), isOwnClient('other')], [undefined, 'other', false]);
  });

  test('in ids, which are names of files', () => {
    assert.equal(idPart('driver:redis-py/defaults'), 'driver-redis-py-defaults');
    for (const name of clientNames) assert.equal(idPart(name), name);
  });

  test('that could harm are refused', () => {
    for (const name of ['', '-x', '../x', 'a b', 'a\nb', 'a*', 'a'.repeat(81)])
      assert.ok(!Name.safeParse(name).success, name);
  });
});

test('a result has the version of each library; ours has that of this tool', () => {
  for (const { name, library, version } of clients) assert.equal(library, Boolean(version?.()), name);
  assert.deepEqual(
    clients.filter(({ name }) => isOwnClient(name)).map(({ name }) => name),
    ['native'],
  );
  for (const { name } of writersOf('redis')) assert.equal(findWriter(name)?.client, 'redis');
});
