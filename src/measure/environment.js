/**
 * What a result has to say about the machine and the servers for a reader to judge it: and nothing that tells whose they are.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import systeminformation from 'systeminformation';

/**
 * @import { EnvironmentInfo } from '../result/schema.js'
 */

/** Some look-ups start programs or ask DNS. What takes longer is left to what Node itself knows. */
const DEADLINE_MS = 400;

/**
 * @returns {Promise<EnvironmentInfo>} within half a second; no host name, user name or path in it
 */
export async function describeEnvironment() {
  const { default: systeminformation } = await import('systeminformation');
  const [cpu, system, release] = await Promise.all([
    inTime(systeminformation.cpu()),
    inTime(systeminformation.system()),
    inTime(systeminformation.osInfo()),
  ]);
  const cpus = os.cpus();
  return {
    // Not the other way round: what is looked up may come too late, and a machine must not change its name between runs.
    cpuModel: knownModel(cpus[0]?.model) || words(cpu?.manufacturer, cpu?.brand),
    cores: cpus.length,
    memoryBytes: os.totalmem(),
    os: words(release?.distro, release?.release) || words(os.type()),
    kernel: words(os.type(), os.release()),
    architecture: os.arch(),
    virtualization: virtualization(system, cpu?.flags ?? ''),
    node: process.versions.node,
    clients: { redis: installedVersion('redis'), ioredis: installedVersion('ioredis') },
  };
}

/** @param {string | undefined} model as the system has it; ARM systems call it `unknown` */
function knownModel(model) {
  return model === 'unknown' ? '' : words(model);
}

/**
 * @template T
 * @param {Promise<T>} lookUp
 * @returns {Promise<T | null>} null when it fails or takes too long
 */
async function inTime(lookUp) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const tooLate = new Promise((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS, null);
  });
  try {
    return await Promise.race([lookUp, /** @type {Promise<null>} */ (tooLate)]);
  } catch {
    // What the machine is called is context: a system that does not tell must not keep anybody from measuring.
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** @param {(string | undefined)[]} parts */
function words(...parts) {
  return parts.filter(Boolean).join(' ').trim();
}

/**
 * @param {{virtual: boolean, virtualHost?: string, model: string} | null} system
 * @param {string} flags of the CPU
 */
function virtualization(system, flags) {
  const layers = [];
  // The name of the hypervisor is often not to be had (a full kernel log is enough); that there is one, x86 always tells.
  if (system?.virtual || flags.split(' ').includes('hypervisor')) layers.push(system?.virtualHost || 'virtual machine');
  if (system?.model === 'Docker Container') layers.push('Docker container');
  return layers.join(', ');
}

/** @param {string} library */
function installedVersion(library) {
  return createRequire(import.meta.url)(`${library}/package.json`).version;
}

/** This tool's own version, from package.json. */

/** @type {string} */
export const toolVersion = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** The commit that the tool was run from. */

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @returns {Promise<string | null>} the commit, with `-dirty` when files differ from it; null when the tool does not run
 *   from a git checkout of its own
 */
export async function toolCommit() {
  /** @param {string[]} words */
  const git = async (...words) => (await promisify(execFile)('git', ['-C', root, ...words])).stdout.trim();
  try {
    // A copy inside somebody else's repository is not described by that repository's commit.
    if ((await git('rev-parse', '--show-prefix')) !== '') return null;
    return await git('describe', '--always', '--dirty', '--abbrev=12', '--match=');
  } catch {
    return null;
  }
}

/**
 * The part of a server's configuration that may be published.
 */

const SECRET = /pass|auth|secret|^(master|primary)user$/;
/** What says where the server is or what it is called. */
const PLACE = /announce|bind|^(replica|slave)of$|^availability-zone$|^syslog-ident$|^proc-title-template$/;
const PATH = /file$|dir$|^unixsocket/;

/** A path in a value whose name nobody thought of: a slash at the start of a word. */
const ABSOLUTE_PATH = /(^|[\s"'=,:])(\/|[A-Za-z]:\\)/;
const IPV4 = /\b\d{1,3}(\.\d{1,3}){3}\b/;
const IPV6 = /([0-9a-f]*:){2,}[0-9a-f]*/i;

/**
 * Leaves out secrets, paths, addresses and names of hosts: by the name of the setting, and, for settings that are not
 * known yet, by what the value looks like.
 *
 * @param {Readonly<Record<string, string>>} config as CONFIG GET * gives it
 * @returns {Record<string, string>} sorted by name
 */
export function publicConfig(config) {
  return Object.fromEntries(
    Object.entries(config)
      .filter(
        ([name, value]) =>
          ![SECRET, PLACE, PATH].some((pattern) => pattern.test(name.toLowerCase())) && isPublic(value),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** @param {string} value */
function isPublic(value) {
  return ![ABSOLUTE_PATH, IPV4, IPV6].some((pattern) => pattern.test(value));
}
