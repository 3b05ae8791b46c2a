import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confText, firstStatements } from './conf.js';

test('a path with characters that mean something in an option file is quoted', () => {
  const lines = { port: '1', datadir: '/a b', tmpdir: String.raw`/q"u\o #x` };
  assert.equal(confText(lines), '[mysqld]\nport = 1\ndatadir = "/a b"\ntmpdir = "/q\\"u\\\\o #x"\n');
});

test('neither user may read or write files of the machine', () => {
  assert.doesNotMatch(firstStatements({ password: '0'.repeat(32), from: '%' }), /\bFILE\b|ALL PRIVILEGES/);
});
