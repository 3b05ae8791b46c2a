/**
 * The options that several commands share, and reading them: defined once.
 */
import { InvalidArgumentError, Option } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { BARRED } from '../faults/settings.js';
import { PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../run/passwords.js';
import { isHost, isPort } from '../stacks/address.js';
import { MASTER_NAME } from '../stacks/redis/topology.js';
import { durationBetween } from '../units.js';
import { keepSecret } from '../untrusted.js';
import { readPemFiles } from './tls.js';

/**
 * @import { Slo } from '../run/types.js'
 * @import { Address, ClusterOptions, Credentials } from '../stacks/types.js'
 * @import { Command } from 'commander'
 */

export const BACKENDS = /** @type {const} */ (['auto', 'docker', 'local', 'external']);

/** Options whose values name people, machines or places: they are left out of what a result records. */
const PRIVATE_OPTIONS = new Set([
  '--out',
  '--target',
  '--hdr',
  '--server',
  '--image',
  '--data-dir',
  '--act',
  '--sentinel',
  '--user',
  '--sentinel-user',
  '--tls-ca',
  '--tls-cert',
  '--tls-key',
  '--tls-server-name',
]);

/** A node that has these is one we no longer find, or do not end: its process works elsewhere, or follows somebody else. */
const OURS = ['daemonize', 'dir', 'include', 'logfile', 'pidfile', 'replicaof', 'slaveof', 'supervised'];

/** Options that a stack of our own has no use for; one that is not heeded would mislead. */
const EXTERNAL_OPTIONS = ['user', 'sentinelUser', 'tls', 'tlsCa', 'tlsCert', 'tlsKey', 'tlsServerName', 'tlsInsecure'];

/**
 * @param {string} text `HOST:PORT`, `[IPv6]:PORT`
 * @returns {Address}
 */
export function parseAddress(text) {
  const match = /^(?:\[([^\]]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text);
  const [host, port] = [match?.[1] ?? match?.[2], match?.[3]];
  if (!isHost(host) || !isPort(port)) {
    throw new InvalidArgumentError(
      'It must be HOST:PORT with a port from 1 to 65535 and a host name or an IP address, for instance 127.0.0.1:26379.',
    );
  }
  return { host, port: Number(port) };
}

/**
 * @param {string} text
 * @param {Address[]} [earlier]
 */
const collectAddresses = (text, earlier = []) => [...earlier, ...text.split(',').map(parseAddress)];

/** @param {string} text */
export function parseSeed(text) {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed >= 2 ** 32)
    throw new InvalidArgumentError('It must be a whole number below 4294967296.');
  return seed;
}

/**
 * @param {string} text such as `p99<2ms`
 * @returns {Slo}
 */
export function parseSlo(text) {
  const match = /^(p50|p90|p95|p99|p99\.9)<(.+)$/.exec(text.replaceAll(' ', ''));
  if (!match) throw new InvalidArgumentError('It must be a percentile and a time, for instance p99<2ms or p99.9<20ms.');
  const percentile = /** @type {Slo['percentile']} */ (match[1].replace('.', ''));
  return { percentile, ns: parseLimit(match[2]) * 1e6, text: `${match[1]}<${match[2]}` };
}

const parseLimit = durationBetween({ least: 0.001, most: 60_000, shown: '0.001ms and 60s' });

/**
 * @param {string} text `NAME=VALUE`, as in redis.conf
 * @param {Record<string, string>} [earlier]
 */
export function collectSettings(text, earlier = {}) {
  const [, name, value] = /^([a-z][a-z0-9-]*)=(.*)$/is.exec(text) ?? [];
  if (name === undefined || /[\r\n]/.test(value)) {
    throw new InvalidArgumentError('It must be NAME=VALUE, for instance repl-backlog-size=64mb.');
  }
  if (BARRED.includes(name.toLowerCase())) {
    throw new InvalidArgumentError(`${name} decides who is let in: set it where the node is started.`);
  }
  if (OURS.includes(name.toLowerCase())) {
    throw new InvalidArgumentError(
      `${name} decides where a node works and what it follows, which a run sees to itself.`,
    );
  }
  return { ...earlier, [name.toLowerCase()]: value };
}

/**
 * @param {Command} command gets the options that say which stack
 * @returns {Command}
 */
export function addClusterOptions(command) {
  command
    .addOption(new Option('--backend <name>', 'what runs the stack').choices(BACKENDS).default('auto'))
    .option('--server <program>', 'local: the Redis or Valkey server to run, a name or a path')
    .option('--image <image>', 'docker: the image to run');
  return addConnectionOptions(command);
}

/**
 * @param {Command} command gets the options that say how to reach a deployment that exists
 * @returns {Command}
 */
export function addConnectionOptions(command) {
  return command
    .option('--sentinel <host:port>', 'a Sentinel of a deployment that exists; repeat it for more', collectAddresses)
    .option('--master-name <name>', 'what its Sentinels call the primary', MASTER_NAME)
    .option('--user <name>', `ACL user of the Redis nodes; its password comes from ${PASSWORD_VARIABLE}`)
    .option(
      '--sentinel-user <name>',
      `ACL user of the Sentinels; its password comes from ${SENTINEL_PASSWORD_VARIABLE}`,
    )
    .option('--tls', 'encrypt connections')
    .option('--tls-ca <file>', 'certificate authority to trust')
    .option('--tls-cert <file>', 'certificate to show')
    .option('--tls-key <file>', 'its key')
    .option('--tls-server-name <name>', 'name to expect in the certificate')
    .option('--tls-insecure', 'do not verify the certificate');
}

/**
 * @param {Record<string, any>} options as commander parsed them
 * @returns {ClusterOptions}
 * @throws {UserError} options that contradict each other, a file that cannot be read
 */
export function clusterOptions(options) {
  const backend = options.sentinel && options.backend === 'auto' ? 'external' : options.backend;
  if (backend === 'external' && !options.sentinel) {
    throw new UserError(
      'The external backend was asked for, but no Sentinel was named.',
      'Add --sentinel HOST:PORT, once for each Sentinel.',
      ExitStatus.badInput,
    );
  }
  if (backend !== 'external' && options.sentinel) {
    throw new UserError(
      `--sentinel goes with --backend external, not with --backend ${backend}.`,
      'Leave out one of the two.',
      ExitStatus.badInput,
    );
  }
  const unused = backend === 'external' ? undefined : EXTERNAL_OPTIONS.find((name) => options[name] !== undefined);
  if (unused) {
    throw new UserError(
      `--${unused.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for a deployment that exists, and none was named.`,
      'Add --sentinel HOST:PORT, or leave it out.',
      ExitStatus.badInput,
    );
  }
  return {
    backend,
    server: options.server,
    image: options.image,
    sentinels: options.sentinel,
    masterName: options.masterName,
    credentials: credentials(options),
  };
}

/**
 * @param {Record<string, any>} options
 * @returns {Credentials}
 */
export function credentials(options) {
  const named = ['tls', 'tlsCa', 'tlsCert', 'tlsKey', 'tlsServerName', 'tlsInsecure'];
  const tls = named.some((name) => options[name]);
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
 *
 * @param {string[]} words after the program's name
 * @returns {string}
 */
export function publicCommand(words) {
  const shown = words.map((word, index) => {
    const [option] = word.split('=', 1);
    if (word.includes('=') && PRIVATE_OPTIONS.has(option)) return `${option}=…`;
    return PRIVATE_OPTIONS.has(words[index - 1]) ? '…' : word;
  });
  return ['sentinel-bench', ...shown].join(' ');
}
