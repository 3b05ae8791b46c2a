import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ExitStatus, UserError } from '../errors.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { readPemFiles } from './tls.js';

const folder = await ownTemporaryFolder();
const at = (/** @type {string} */ name) => join(folder, name);
const openssl = (/** @type {string[]} */ ...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });

const skip = await needs('openssl');

describe('files for TLS', { skip }, () => {
  before(() => {
    for (const name of ['one', 'other']) {
      const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
      openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, '-subj', `/CN=${name}`, '-days', '2');
    }
    openssl('pkey', '-in', 'one.key', '-aes256', '-passout', 'pass:abcd', '-out', 'locked.key');
    openssl('x509', '-in', 'one.crt', '-outform', 'der', '-out', 'der.crt');
    const whole = readFileSync(at('one.crt'), 'utf8');
    const torn = (/** @type {string} */ pem) => pem.split('\n').toSpliced(2, 1).join('\n');
    writeFileSync(at('torn.crt'), whole + torn(whole));
    writeFileSync(at('torn.key'), torn(readFileSync(at('one.key'), 'utf8')));
    writeFileSync(at('empty'), '');
  });

  test('a bad file is refused by name, before a connection is opened', () => {
    /** @type {[Record<string, string>, RegExp][]} */
    const refusals = [
      [{ tlsCa: 'none' }, /none, given with --tls-ca, cannot be read \(ENOENT\)\.$/],
      [{ tlsCa: 'empty' }, /empty, given with --tls-ca, holds no certificate in PEM form\.$/],
      [{ tlsCa: 'der.crt' }, /holds no certificate in PEM form\.$/],
      [{ tlsCa: 'one.key' }, /holds no certificate in PEM form\.$/],
      [{ tlsCa: 'torn.crt' }, /^A certificate in .*torn\.crt, given with --tls-ca, is damaged\.$/],
      [
        { tlsCert: 'one.crt', tlsKey: 'one.crt' },
        /^TLS cannot use the certificate in .*one\.crt with the key in .*one\.crt/,
      ],
      [{ tlsCert: 'one.crt', tlsKey: 'torn.key' }, /torn\.key/],
      [{ tlsCert: 'one.crt', tlsKey: 'locked.key' }, /locked\.key/],
      [{ tlsCert: 'one.crt', tlsKey: 'other.key' }, /other\.key/],
      [{ tlsCert: 'one.crt' }, /belong together\.$/],
      [{ tlsKey: 'one.key' }, /belong together\.$/],
    ];
    for (const [options, message] of refusals) {
      const files = Object.fromEntries(Object.entries(options).map(([option, name]) => [option, at(name)]));
      assert.throws(
        () => readPemFiles(files),
        (error) => {
          assert.ok(error instanceof UserError, String(error));
          assert.match(error.message, message);
          assert.doesNotMatch(error.remedy, /server|firewall|listens/);
          assert.equal(error.exitStatus, ExitStatus.badInput);
          return true;
        },
      );
    }
  });
});
