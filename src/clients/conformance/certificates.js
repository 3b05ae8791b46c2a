import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** @import { TestContext } from 'node:test' */

const run = promisify(execFile);

/**
 * A throwaway authority and a certificate for `redis.test`.
 * @param {TestContext} t
 */
export async function certificates(t) {
  const dir = await mkdtemp(join(tmpdir(), 'client-conformance-tls-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  /** @param {string} name */
  const file = (name) => join(dir, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const authority = ['-subj', '/CN=authority', '-keyout', file('ca.key'), '-out', file('ca.crt')];
  await run('openssl', ['req', '-x509', ...key, ...authority]);
  const subject = ['-subj', '/CN=redis.test', '-addext', 'subjectAltName=DNS:redis.test'];
  const signed = [
    '-CA',
    file('ca.crt'),
    '-CAkey',
    file('ca.key'),
    '-keyout',
    file('node.key'),
    '-out',
    file('node.crt'),
  ];
  await run('openssl', ['req', '-x509', ...key, ...subject, ...signed]);
  return {
    caFile: file('ca.crt'),
    tls: { ca: await readFile(file('ca.crt'), 'utf8'), serverName: 'redis.test' },
    options: [
      ...['--tls-cert-file', file('node.crt'), '--tls-key-file', file('node.key')],
      ...['--tls-ca-cert-file', file('ca.crt'), '--tls-auth-clients', 'no'],
    ],
  };
}
