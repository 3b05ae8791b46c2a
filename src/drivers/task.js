/** The task: the first line that a driver gets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueParts } from '../audit/value.js';
import { temporaryFolder } from '../private-files.js';
import { problem } from './sentences.js';

/** @import { Address, Credentials, TlsOptions } from '../stacks/types.js' */

export const PROTOCOL = 'sentinel-bench/driver@1';

/**
 * @typedef {Object} TaskOptions
 * @property {string} variant @property {readonly Address[]} sentinels @property {string} masterName
 * @property {Credentials} credentials without `tls`; see `tlsFiles` @property {TlsFiles | null} [tls] @property {'SET' | 'APPEND'} command
 * @property {{replicas: number, timeoutMs: number} | null} wait @property {number} rate writes a second @property {number} concurrency
 * @property {string} keyPrefix @property {number} payloadBytes of each value @property {number} giveUpMs @property {number} drainMs
 * @typedef {{ca: string | null, cert: string | null, key: string | null, serverName: string | null}} TlsFiles paths
 * @typedef {ReturnType<typeof makeTask>} Task
 */

/** @param {TaskOptions} options */
export function makeTask({ credentials, payloadBytes, keyPrefix, tls = null, sentinels, ...others }) {
  const { seed, filler } = valueParts(keyPrefix, payloadBytes);
  return {
    protocol: PROTOCOL,
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    username: credentials.username ?? null,
    password: credentials.password ?? null,
    sentinelUsername: credentials.sentinelUsername ?? null,
    sentinelPassword: credentials.sentinelPassword ?? null,
    tls,
    keyPrefix,
    valueSeed: seed,
    valueFiller: filler,
    ...others,
  };
}

/**
 * Puts certificates into files of this user, because libraries read them from paths.
 * @param {TlsOptions | undefined} tls
 * @returns {{files: TlsFiles | null, remove: () => void}} remove: idempotent @throws {UserError} drivers cannot do what is asked
 */
export function tlsFiles(tls) {
  if (tls === undefined) return { files: null, remove() {} };
  if (tls.insecure) throw problem('insecure');
  const folder = mkdtempSync(join(temporaryFolder(), 'sentinel-bench-tls-'));
  const write = (/** @type {'ca' | 'cert' | 'key'} */ name) => {
    const text = tls[name];
    if (text === undefined) return null;
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  return {
    files: { ca: write('ca'), cert: write('cert'), key: write('key'), serverName: tls.serverName ?? null },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
