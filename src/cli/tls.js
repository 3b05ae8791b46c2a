/**
 * Reads and checks the PEM files of --tls-ca, --tls-cert and --tls-key before a connection is opened. Otherwise a damaged file would
 * look like a fault of the server.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { badInput, codeOf } from '../errors.js';

const CERTIFICATE =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * @param {{tlsCa?: string, tlsCert?: string, tlsKey?: string}} options names of files
 * @param {string} [prefix] of the flags that named them
 * @returns {{ca?: string, cert?: string, key?: string}} PEM
 * @throws {UserError} exit status 2: a file cannot be read, or TLS cannot use it
 */
export function readPemFiles({ tlsCa, tlsCert, tlsKey }, prefix = '--tls') {
  const ca = readCertificates(tlsCa, `${prefix}-ca`);
  const cert = readCertificates(tlsCert, `${prefix}-cert`);
  const key = readKey(tlsKey, `${prefix}-key`);
  if (cert && !key)
    throw badInput(
      `${prefix}-cert was given without ${prefix}-key.`,
      `Name the file of its private key with ${prefix}-key.`,
    );
  if (key && !cert)
    throw badInput(
      `${prefix}-key was given without ${prefix}-cert.`,
      `Name the file of its certificate with ${prefix}-cert.`,
    );
  if (cert && key && !cert.certificates[0].checkPrivateKey(key.key)) {
    throw badInput(
      `The key in ${tlsKey} does not belong to the first certificate in ${tlsCert}.`,
      `Name the key of the certificate with ${prefix}-key, and put that certificate first in its file.`,
    );
  }
  return { ca: ca?.text, cert: cert?.text, key: key?.text };
}

/**
 * @param {string | undefined} file
 * @param {string} option
 */
function readCertificates(file, option) {
  if (file === undefined) return undefined;
  const text = fileText(file, option);
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) {
    const instead = KEY.test(text) ? 'holds a private key, but no certificate' : 'holds no certificate in PEM form';
    throw badInput(
      `The file ${file}, given with ${option}, ${instead}.`,
      `Name a PEM file (-----BEGIN CERTIFICATE-----) with ${option}.`,
    );
  }
  const certificates = blocks.map((block, i) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw badInput(
        `Certificate ${i + 1} of ${blocks.length} in ${file}, given with ${option}, is damaged.`,
        'Copy the file again from where it was made.',
        { cause: error },
      );
    }
  });
  return { text, certificates };
}

/**
 * @param {string | undefined} file
 * @param {string} option
 */
function readKey(file, option) {
  if (file === undefined) return undefined;
  const text = fileText(file, option);
  if (ENCRYPTED.test(text)) {
    throw badInput(
      `The key in ${file}, given with ${option}, is protected by a passphrase.`,
      'Make a copy without one that only you may read: openssl pkey -in KEY -out COPY.',
    );
  }
  if (!KEY.test(text)) {
    throw badInput(
      `The file ${file}, given with ${option}, holds no private key in PEM form.`,
      `Name a PEM file (-----BEGIN PRIVATE KEY-----) with ${option}.`,
    );
  }
  try {
    return { text, key: createPrivateKey(text) };
  } catch (error) {
    throw badInput(
      `The key in ${file}, given with ${option}, is damaged.`,
      'Copy the file again from where it was made.',
      { cause: error },
    );
  }
}

/**
 * @param {string} file
 * @param {string} option
 */
function fileText(file, option) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw badInput(
      `The file ${file}, given with ${option}, cannot be read (${codeOf(error)}).`,
      'Name a PEM file that this user may read.',
      { cause: error },
    );
  }
}
