/**
 * Reads and checks the PEM files of --tls-ca, --tls-cert and --tls-key before a connection is opened. Otherwise a damaged file would
 * look like a fault of the server.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { codeOf, messageOf } from '../errors.js';
import { refusal } from './refusals.js';

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/**
 * @param {{tlsCa?: string, tlsCert?: string, tlsKey?: string}} options names of files @param {string} [prefix] of the flags that named them
 * @returns {{ca?: string, cert?: string, key?: string}} PEM @throws {UserError} exit status 2: a file cannot be read, or TLS cannot use it
 */
export function readPemFiles({ tlsCa, tlsCert, tlsKey }, prefix = '--tls') {
  const ca = certificatesIn(tlsCa, `${prefix}-ca`);
  const cert = certificatesIn(tlsCert, `${prefix}-cert`);
  const key = fileText(tlsKey, `${prefix}-key`);
  if ((cert === undefined) !== (key === undefined)) throw refusal('certificate-alone', { prefix });
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const why = messageOf(error);
    throw refusal('pair-unusable', { cert: tlsCert, key: tlsKey, why }, { cause: error });
  }
  return { ca, cert, key };
}

/** @param {string | undefined} file @param {string} option @returns {string | undefined} PEM */
function certificatesIn(file, option) {
  const text = fileText(file, option);
  if (text === undefined) return undefined;
  const blocks = text.match(CERTIFICATE) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length > 0) return text;
  } catch (error) {
    throw refusal('certificate-damaged', { file, option }, { cause: error });
  }
  throw refusal('no-certificate', { file, option });
}

/** @param {string | undefined} file @param {string} option */
function fileText(file, option) {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw refusal('pem-unread', { file, option, why: codeOf(error) }, { cause: error });
  }
}
