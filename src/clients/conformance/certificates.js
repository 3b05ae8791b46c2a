import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** @import { TestContext } from 'node:test' */

const run = promisify(execFile);

/**
 * A throwaway authority, and a certificate for `redis.test` that servers and clients may use.
 * @param {TestContext} t
 * @param {{altName?: string}} [options] altName: the name in the certificate; default: `DNS:redis.test`
 */
export async function certificates(t, { altName = 'DNS:redis.test' } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'client-conformance-tls-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  /** @param {string} name */
  const file = (name) => join(dir, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-subj', '/CN=authority', '-keyout', file('ca.key'), '-out', file('ca.crt'), '-days', '1'];
  await run('openssl', ['req', '-x509', ...key, ...authority]);
  const request = ['-subj', '/CN=redis.test', '-keyout', file('node.key'), '-out', file('node.csr')];
  await run('openssl', ['req', ...key, ...request]);
  // Some libraries refuse the certificate of an authority as that of a server.
  await writeFile(file('extensions'), `basicConstraints=critical,CA:FALSE\nsubjectAltName=${altName}\n`);
  const signed = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-extfile', file('extensions'), '-days', '1'];
  await run('openssl', ['x509', '-req', '-in', file('node.csr'), ...signed, '-out', file('node.crt')]);
  return {
    caFile: file('ca.crt'),
    tls: { ca: await readFile(file('ca.crt'), 'utf8'), serverName: 'redis.test' },
    client: { cert: await readFile(file('node.crt'), 'utf8'), key: await readFile(file('node.key'), 'utf8') },
    options: [
      ...['--tls-cert-file', file('node.crt'), '--tls-key-file', file('node.key')],
      ...['--tls-ca-cert-file', file('ca.crt'), '--tls-auth-clients', 'no'],
    ],
  };
}
