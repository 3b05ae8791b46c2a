/** What the options that name NATS and the user there mean, for every command that talks to agents. */
import { readFileSync } from 'node:fs';
import { findMachines } from '../agents/machines.js';
import { codeOf } from '../errors.js';
import { keepSecret, NATS_PASSWORD_VARIABLE } from '../untrusted.js';
import { neededBy } from './applicable.js';
import { refusal } from './refusals.js';
import { readPemFiles } from './tls.js';

/** @import { NatsOptions } from '../agents/connection.js' */

export const URL_VARIABLE = 'SENTINEL_BENCH_NATS';
/** Orchestrators give secrets as files. */
const PASSWORD_FILE_VARIABLE = `${NATS_PASSWORD_VARIABLE}_FILE`;

export const NATS_RULE = neededBy('--agents all', ['nats', 'natsUser', 'natsCa', 'natsCert', 'natsKey']);

/**
 * Without an address, the NATS of `agents up` on this machine. @param {Record<string, any>} options @param {string} name of the connection
 * @throws {UserError} exit status 2: NATS is not named, or a file cannot be used
 */
export function natsOptions({ nats, natsUser, natsCa, natsCert, natsKey }, name) {
  if (!nats) {
    const found = findMachines()?.nats;
    if (found && natsUser === undefined) return { ...found, name };
    throw refusal('no-nats', { variable: URL_VARIABLE });
  }
  const password = natsPassword();
  keepSecret(password);
  const tls = natsCa !== undefined || natsCert !== undefined || natsKey !== undefined;
  return {
    url: nats,
    user: natsUser,
    password,
    ...(tls && { tls: readPemFiles({ tlsCa: natsCa, tlsCert: natsCert, tlsKey: natsKey }, '--nats') }),
    name,
  };
}

/** @returns {string | undefined} from the environment, or from the file that it names */
function natsPassword() {
  const file = process.env[PASSWORD_FILE_VARIABLE];
  if (process.env[NATS_PASSWORD_VARIABLE] || !file) return process.env[NATS_PASSWORD_VARIABLE] || undefined;
  try {
    return readFileSync(file, 'utf8').replace(/\n$/, '');
  } catch (error) {
    throw refusal('nats-password-unread', { variable: PASSWORD_FILE_VARIABLE, why: codeOf(error) });
  }
}
