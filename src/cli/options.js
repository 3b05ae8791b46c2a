/** The options that several commands share, and reading them: defined once. */
import { isIPv6 } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { findMachines } from '../agents/machines.js';
import { KEY_NAMESPACE, OWN_KEY } from '../clients/types.js';
import { isHost, isPort } from '../stacks/address.js';
import { MASTER_NAME, REPLICA_COUNTS, SENTINEL_COUNTS } from '../stacks/redis/topology.js';
import { keepSecret, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../untrusted.js';
import { checkUsed } from './applicable.js';
import { URL_VARIABLE } from './nats-options.js';
import { refusal } from './refusals.js';
import { readPemFiles } from './tls.js';

/**
 * @import { Address, BackendName, StackOptions, Credentials } from '../stacks/types.js' @import { Rule } from './applicable.js'
 * @import { OptionReading } from './declare.js'
 */

const TLS = ['tls', 'tlsCa', 'tlsCert', 'tlsKey', 'tlsServerName', 'tlsInsecure'];

/**
 * The options that only some backends use. `lanes` needs stacks that a run starts itself.
 * @type {Readonly<Record<BackendName | 'hosts' | 'agents', readonly string[]>>}
 */
const OPTIONS_OF_BACKEND = Object.freeze({
  local: ['server', 'lanes', 'replicas', 'sentinels'],
  hosts: ['server', 'lanes', 'replicas', 'sentinels'],
  docker: ['image', 'lanes', 'replicas', 'sentinels'],
  agents: ['replicas', 'sentinels'],
  external: ['sentinel', 'masterName', 'user', 'sentinelUser', ...TLS, 'act', 'allow', 'keyPrefix'],
});

/** @param {string} text `HOST:PORT`, `[IPv6]:PORT` @returns {Address} */
export function parseAddress(text) {
  const match = /^(?:\[([^\]]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text);
  const [host, port] = [match?.[1] ?? match?.[2], match?.[3]];
  const [, bare, last] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  if (!match && isIPv6(bare ?? ''))
    throw new InvalidArgumentError(`An IPv6 address needs brackets before the port: [${bare}]:${last}.`);
  if (!isHost(host) || !isPort(port)) {
    throw new InvalidArgumentError(
      'It must be HOST:PORT with a port from 1 to 65535 and a host name or an IP address, for instance 127.0.0.1:26379.',
    );
  }
  return { host, port: Number(port) };
}

/** @param {string} text @param {Address[]} [earlier] */
export const collectAddresses = (text, earlier = []) => [...earlier, ...text.split(',').map(parseAddress)];

/** @param {string} text */
export function parseSeed(text) {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed >= 2 ** 32)
    throw new InvalidArgumentError('It must be a whole number below 4294967296.');
  return seed;
}

const EITHER = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** @param {readonly number[]} counts @returns {(text: string) => number} */
const oneOf = (counts) => (text) => {
  const count = Number(text);
  if (text.trim() !== '' && counts.includes(count)) return count;
  throw new InvalidArgumentError(`It must be ${EITHER.format(counts.map(String))}.`);
};

/** @param {string} text */
function parseKeyPrefix(text) {
  if (OWN_KEY.test(text + KEY_NAMESPACE) && text !== '') return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits or any of _ . : { } / @ -.');
}

/** How options of several commands are read, where only code can say it. @type {Readonly<Record<string, OptionReading>>} */
export const SHARED_READINGS = Object.freeze({
  replicas: { parse: oneOf(REPLICA_COUNTS) },
  sentinels: { parse: oneOf(SENTINEL_COUNTS) },
  seed: { parse: parseSeed },
  sentinel: { parse: collectAddresses },
  masterName: { byDefault: MASTER_NAME },
  keyPrefix: { parse: parseKeyPrefix },
  nats: { env: URL_VARIABLE },
});

/**
 * @param {Record<string, any>} options as commander parsed them
 * @param {readonly string[]} typed attribute names of the options that the user typed
 * @throws {UserError} options that contradict each other, one that the backend does not use, a file that cannot be read
 */
export function stackOptions(options, typed) {
  const backend = chosenBackend(options);
  if (backend === 'external' && !options.sentinel) throw refusal('external-needs-sentinel');
  if (backend === 'agents' && !options.agents) throw refusal('agents-backend-needs-agents');
  checkUsed(typed, options, backendRules(backend));
  return {
    // The engine treats a deployment that agents started like one of the user.
    backend: backend === 'hosts' ? 'local' : backend === 'agents' ? 'external' : backend,
    ...(backend === 'agents' && { onAgents: true }),
    // Agents in namespaces of this machine reach what runs in others.
    ...(backend === 'hosts' && { hosts: true, neighbour: findMachines()?.identity }),
    server: [options.server].flat()[0],
    image: [options.image].flat()[0],
    replicas: options.replicas,
    sentinelCount: options.sentinels,
    sentinels: options.sentinel,
    masterName: options.masterName,
    keyPrefix: options.keyPrefix,
    credentials: credentials(options),
  };
}

/** Without --backend, an option that only one backend uses chooses that backend. @param {Record<string, any>} options */
function chosenBackend({ backend, sentinel, image, server }) {
  if (backend !== 'auto') return backend;
  if (sentinel) return 'external';
  if (image) return 'docker';
  return server ? 'local' : 'auto';
}

/** @param {BackendName | 'auto' | 'hosts' | 'agents'} backend `auto` becomes `local` or `docker` @returns {Rule[]} */
function backendRules(backend) {
  const possible = backend === 'auto' ? ['local', 'docker'] : [backend];
  const names = /** @type {(BackendName | 'hosts' | 'agents')[]} */ (Object.keys(OPTIONS_OF_BACKEND));
  return [...new Set(names.flatMap((name) => OPTIONS_OF_BACKEND[name]))].map((option) => {
    const users = names.filter((name) => OPTIONS_OF_BACKEND[name].includes(option));
    const either = EITHER.format(users);
    return {
      options: [option],
      isUsed: () => users.some((name) => possible.includes(name)),
      where: `with --backend ${either}`,
      instead: backend === 'auto' ? 'Add --sentinel HOST:PORT' : `Use --backend ${either}`,
    };
  });
}

/** @param {Record<string, any>} options @returns {Credentials} */
export function credentials(options) {
  const { user, sentinelUser, tlsServerName: serverName, tlsInsecure: insecure } = options;
  const tls = TLS.some((name) => options[name]) && { ...readPemFiles(options), serverName, insecure };
  return { username: user, sentinelUsername: sentinelUser, ...passwords(), ...(tls && { tls }) };
}

/** Those of the environment, which no output shows from now on. */
export function passwords() {
  const [password, sentinelPassword] = [process.env[PASSWORD_VARIABLE], process.env[SENTINEL_PASSWORD_VARIABLE]];
  keepSecret(password, sentinelPassword);
  return { password: password || undefined, sentinelPassword: sentinelPassword || undefined };
}
