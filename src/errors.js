import { cleaned, cleanLine, fromOutside } from './untrusted.js';

/** Exit statuses of the command line. Documented in the README; others script against them. */
export const ExitStatus = Object.freeze({ ok: 0, checkFailed: 1, badInput: 2, environment: 3, interrupted: 130 });

/** An error a person can act on: one sentence saying what is wrong, one saying what to do. */
export class UserError extends Error {
  /**
   * @param {string} message what is wrong, one sentence @param {string} remedy what to do about it, one sentence
   * @param {{exitStatus?: number, cause?: unknown, detail?: string}} [more] exitStatus: one of {@link ExitStatus}, default: environment;
   *   detail: evidence to print below, such as log lines
   */
  constructor(message, remedy, { exitStatus = ExitStatus.environment, cause, detail } = {}) {
    super(cleanLine(message), { cause });
    this.name = 'UserError';
    this.remedy = cleanLine(remedy);
    this.exitStatus = exitStatus;
    this.detail = detail === undefined ? undefined : cleaned(detail);
  }
}

/** @param {string} message @param {string} remedy @param {{cause?: unknown, detail?: string}} [more] */
export function badInput(message, remedy, more) {
  return new UserError(message, remedy, { ...more, exitStatus: ExitStatus.badInput });
}

/** @param {Promise<unknown>} work @returns {Promise<string | null>} why a person has to act first, and the remedy; null: it was done */
export async function whyNot(work) {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof UserError) return `${error.message} ${error.remedy}`;
    throw error;
  }
}

const OWN_FAULTS = [
  {
    code: /^EMFILE$/,
    what: 'this process has reached its limit of open files',
    remedy: 'Raise the limit with `ulimit -n`, or use fewer connections.',
  },
  {
    code: /^ENFILE$/,
    what: 'this machine has reached its limit of open files',
    remedy: 'End other programs, or raise the system’s limit (fs.file-max on Linux).',
  },
  {
    code: /^ERR_OSSL_(?:PEM|ASN1|X509|EVP|DECODER|UNSUPPORTED)/,
    what: 'the certificate or the key given for TLS cannot be used',
    remedy: 'Check the PEM files given with --tls-ca, --tls-cert and --tls-key.',
  },
];

/** @param {unknown} error @returns its cause on this machine, without a full stop, and what to do; undefined: it may be the server */
export function ownFault(error) {
  const found = String(/** @type {{code?: unknown} | undefined} */ (error)?.code);
  return OWN_FAULTS.find(({ code }) => code.test(found));
}

/** @param {unknown} error @returns {string} its message, safe to show. A socket error for several addresses has a code and no message */
export function messageOf(error) {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return fromOutside(String(error));
  return fromOutside(error.message || String(('code' in error && error.code) || error.name));
}

/** @param {unknown} error @returns {string} its message as a part of a sentence: without the full stop */
export const reasonOf = (error) => messageOf(error).replace(/\.$/, '');

/** @template T @param {readonly string[]} codes @param {() => T} work @returns null: it failed with one of these codes */
export function nullIf(codes, work) {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error))) return null;
    throw error;
  }
}

/** @param {unknown} error @returns {string} its code, such as `ENOENT`; without one, its text */
export const codeOf = (error) => String(/** @type {NodeJS.ErrnoException} */ (error).code ?? error);
