/** The options that several commands share, and reading them: defined once. */
import { isIPv6 } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import { findMachines } from '../agents/machines.js';
import { KEY_NAMESPACE, OWN_KEY } from '../clients/types.js';
import { badInput } from '../errors.js';
import { isHost, isPort } from '../stacks/address.js';
import { MASTER_NAME, REPLICA_COUNTS, SENTINEL_COUNTS } from '../stacks/redis/topology.js';
import { keepSecret, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../untrusted.js';
import { checkUsed } from './applicable.js';
import { readPemFiles } from './tls.js';

/**
 * @import { Address, BackendName, StackOptions, Credentials } from '../stacks/types.js'
 * @import { Rule } from './applicable.js'
 * @import { Command } from 'commander'
 */

/** The backend `local` on hosts made of network namespaces. */
const HOSTS = 'hosts';

/** A deployment that agents start on their machines; to the engine it is one that exists. */
const AGENTS = 'agents';

const BACKENDS = /** @type {const} */ (['auto', 'docker', 'local', HOSTS, AGENTS, 'external']);

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

/** Options whose values name people, machines or places: a result does not record the values. */
const PRIVATE_OPTIONS = new Set([
  '--out',
  '--target',
  '--hdr',
  '--server',
  '--image',
  '--act',
  '--sentinel',
  '--key-prefix',
  '--user',
  '--sentinel-user',
  '--tls-ca',
  '--tls-cert',
  '--tls-key',
  '--nats',
  '--nats-user',
  '--nats-nkey',
  '--nats-ca',
  '--nats-cert',
  '--nats-key',
  '--tls-server-name',
]);

/**
 * @param {string} text `HOST:PORT`, `[IPv6]:PORT`
 * @returns {Address}
 */
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
const collectAddresses = (text, earlier = []) => [...earlier, ...text.split(',').map(parseAddress)];

/** @param {string} text */
export function parseSeed(text) {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed >= 2 ** 32)
    throw new InvalidArgumentError('It must be a whole number below 4294967296.');
  return seed;
}

/**
 * @template T
 * @param {string} flags
 * @param {string} description
 * @param {(text: string) => T} parse
 * @param {T} value the default
 * @param {string} [shown] the default as the help shows it; default: as JSON
 */
export function optionWithDefault(flags, description, parse, value, shown) {
  return new Option(flags, description).argParser(parse).default(value, shown);
}

/**
 * @param {Command} command gets the option that chooses the backend, and those that say how to reach an existing deployment
 * @returns {Command}
 */
export function addStackOptions(command) {
  command
    .optionsGroup('Stack:')
    .addOption(
      new Option(
        '--backend <name>',
        'what runs the nodes; auto: docker if an engine answers and the image is there, else local; hosts: local, on hosts made of network namespaces (root); agents: agents of a run start them',
      )
        .choices(BACKENDS)
        .default('auto'),
    );
  return addConnectionOptions(command);
}

/**
 * @param {Command} command gets the options of a command that may start a stack
 * @param {{several?: boolean}} [options] several: `--server` and `--image` may be repeated, and their values are lists
 * @returns {Command}
 */
export function addStartOptions(command, { several = false } = {}) {
  const more = several ? '; repeatable in suites that compare servers' : '';
  const server = new Option(
    '--server <program>',
    `local, hosts: the Redis or Valkey server to run, a name or a path${more}`,
  );
  const image = new Option('--image <image>', `docker: the image to run${more}`);
  for (const each of several ? [server, image] : [])
    each.argParser((text, /** @type {string[]} */ earlier = []) => [...earlier, text]);
  return addStackOptions(command)
    .optionsGroup('Stack:')
    .addOption(server)
    .addOption(image)
    .addOption(countOption('--replicas <number>', 'replicas of a new stack; default: 2', REPLICA_COUNTS))
    .addOption(countOption('--sentinels <number>', 'Sentinels of a new stack; default: 3', SENTINEL_COUNTS));
}

/**
 * @param {string} flags
 * @param {string} description
 * @param {readonly number[]} counts
 * @returns {Option} takes one of these numbers
 */
function countOption(flags, description, counts) {
  return new Option(flags, description).argParser((text) => {
    const count = Number(text);
    if (text.trim() !== '' && counts.includes(count)) return count;
    throw new InvalidArgumentError(`It must be ${counts.slice(0, -1).join(', ')} or ${counts.at(-1)}.`);
  });
}

/**
 * @param {Command} command gets the options that say how to reach an existing deployment
 * @returns {Command}
 */
export function addConnectionOptions(command) {
  command
    .optionsGroup('Connection:')
    .option('--sentinel <host:port>', 'a Sentinel of an existing deployment; repeatable', collectAddresses)
    .option('--master-name <name>', 'name that the Sentinels give the primary', MASTER_NAME);
  return addLoginOptions(command);
}

/**
 * @param {Command} command gets the options that say how to log in
 * @returns {Command}
 */
export function addLoginOptions(command) {
  return command
    .option('--user <name>', `ACL user of the Redis nodes; the password comes from ${PASSWORD_VARIABLE}`)
    .option(
      '--sentinel-user <name>',
      `ACL user of the Sentinels; the password comes from ${SENTINEL_PASSWORD_VARIABLE}`,
    )
    .option('--tls', 'encrypt connections')
    .option('--tls-ca <file>', 'certificate authority to trust')
    .option('--tls-cert <file>', 'client certificate')
    .option('--tls-key <file>', 'private key of the client certificate')
    .option('--tls-server-name <name>', 'name to expect in the certificate of the server')
    .option('--tls-insecure', 'do not verify the certificate of the server');
}

/** @returns {Option} for users who may use only keys of some names */
export function keyPrefixOption() {
  return new Option(
    '--key-prefix <text>',
    'existing deployment: the names of the keys that are written begin with this, such as app:',
  ).argParser((text) => {
    if (OWN_KEY.test(text + KEY_NAMESPACE) && text !== '') return text;
    throw new InvalidArgumentError('It must be 1 to 64 letters, digits or any of _ . : { } / @ -.');
  });
}

/**
 * @param {Record<string, any>} options as commander parsed them
 * @param {readonly string[]} typed attribute names of the options that the user typed
 * @returns {StackOptions}
 * @throws {UserError} options that contradict each other, one that the backend does not use, a file that cannot be read
 */
export function stackOptions(options, typed) {
  const backend = chosenBackend(options);
  if (backend === 'external' && !options.sentinel) {
    throw badInput('--backend external needs the address of a Sentinel.', 'Add --sentinel HOST:PORT.');
  }
  if (backend === AGENTS && !options.agents) {
    throw badInput('--backend agents needs a run with agents, which start the nodes.', 'Add --agents all.');
  }
  checkUsed(typed, options, backendRules(backend));
  return {
    backend: backend === HOSTS ? 'local' : backend === AGENTS ? 'external' : backend,
    ...(backend === AGENTS && { onAgents: true }),
    // Agents in namespaces of this machine reach what runs in others.
    ...(backend === HOSTS && { hosts: true, neighbour: findMachines()?.identity }),
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

/**
 * Without --backend, an option that only one backend uses chooses that backend.
 * @param {Record<string, any>} options
 * @returns {BackendName | 'auto' | 'hosts' | 'agents'}
 */
function chosenBackend({ backend, sentinel, image, server }) {
  if (backend !== 'auto') return backend;
  if (sentinel) return 'external';
  if (image) return 'docker';
  return server ? 'local' : 'auto';
}

/**
 * @param {BackendName | 'auto' | 'hosts' | 'agents'} backend `auto` becomes `local` or `docker`
 * @returns {Rule[]}
 */
function backendRules(backend) {
  const possible = backend === 'auto' ? ['local', 'docker'] : [backend];
  const names = /** @type {(BackendName | 'hosts' | 'agents')[]} */ (Object.keys(OPTIONS_OF_BACKEND));
  return [...new Set(names.flatMap((name) => OPTIONS_OF_BACKEND[name]))].map((option) => {
    const users = names.filter((name) => OPTIONS_OF_BACKEND[name].includes(option));
    const either = users.join(', ').replace(/, (\w+)$/, ' or $1');
    return {
      options: [option],
      isUsed: () => users.some((name) => possible.includes(name)),
      where: `with --backend ${either}`,
      remedy: backend === 'auto' ? 'Add --sentinel HOST:PORT' : `Use --backend ${either}`,
    };
  });
}

/** @param {Record<string, any>} options @returns {Credentials} */
export function credentials(options) {
  const tls = TLS.some((name) => options[name]);
  keepSecret(process.env[PASSWORD_VARIABLE], process.env[SENTINEL_PASSWORD_VARIABLE]);
  return {
    username: options.user,
    password: process.env[PASSWORD_VARIABLE] || undefined,
    sentinelUsername: options.sentinelUser,
    sentinelPassword: process.env[SENTINEL_PASSWORD_VARIABLE] || undefined,
    ...(tls && {
      tls: {
        ...readPemFiles(options),
        serverName: options.tlsServerName,
        insecure: options.tlsInsecure,
      },
    }),
  };
}

/**
 * The command line as a result records it: without host names, user names and paths.
 * @param {string[]} words after the program's name
 * @param {readonly string[]} [morePrivate] flags of further options whose values are not recorded
 * @returns {string}
 */
export function publicCommand(words, morePrivate = []) {
  const hidden = new Set([...PRIVATE_OPTIONS, ...morePrivate]);
  const shown = words.map((word, index) => {
    const [option] = word.split('=', 1);
    if (word.includes('=') && hidden.has(option)) return `${option}=…`;
    return hidden.has(words[index - 1]) ? '…' : word;
  });
  return ['sentinel-bench', ...shown].join(' ');
}
