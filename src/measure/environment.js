/**
 * What a result says about the machine, the tool and the servers, without anything that identifies their owner.
 * @import { EnvironmentInfo } from '../result/schema.js'
 */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import pTimeout from 'p-timeout';
import { execute } from '../programs.js';
import { clients } from '../registry/clients.js';
import { machineLimits } from './limits.js';

/** Some look-ups start programs or ask DNS. After this time Node's own knowledge is used. */
const DEADLINE_MS = 400;

/** @returns {Promise<EnvironmentInfo>} within half a second; without host name, user name and paths */
export async function describeEnvironment() {
  const { default: about } = await import('systeminformation');
  const [cpu, system, release] = await Promise.all([
    inTime(about.cpu()),
    inTime(about.system()),
    inTime(about.osInfo()),
  ]);
  const cpus = os.cpus();
  return {
    // Node's answer first: a look-up may be too late, and the name must be the same in every run.
    cpuModel: knownModel(cpus[0]?.model) || words(cpu?.manufacturer, cpu?.brand),
    cores: cpus.length,
    memoryBytes: os.totalmem(),
    ...machineLimits(),
    os: words(release?.distro, release?.release) || words(os.type()),
    kernel: words(os.type(), os.release()),
    architecture: os.arch(),
    virtualization: virtualization(system, cpu?.flags ?? ''),
    node: process.versions.node,
    clients: Object.fromEntries(clients.flatMap(({ name, version }) => (version ? [[name, version()]] : []))),
  };
}

/** @param {string | undefined} model from the system; `unknown` on ARM */
function knownModel(model) {
  return model === 'unknown' ? '' : words(model);
}

/** @template T @param {Promise<T>} lookUp @returns {Promise<T | null>} null if it fails or takes too long: the environment is context only */
function inTime(lookUp) {
  return pTimeout(lookUp, { milliseconds: DEADLINE_MS }).catch(() => null);
}

/** @param {(string | undefined)[]} parts */
function words(...parts) {
  return parts.filter(Boolean).join(' ').trim();
}

/** @param {{virtual: boolean, virtualHost?: string, model: string} | null} system @param {string} flags of the CPU */
function virtualization(system, flags) {
  const layers = [];
  // The hypervisor's name is often unknown, for instance after the kernel log wrapped. On x86 a CPU flag shows that there is one.
  if (system?.virtual || flags.split(' ').includes('hypervisor')) layers.push(system?.virtualHost || 'virtual machine');
  if (system?.model === 'Docker Container') layers.push('Docker container');
  return layers.join(', ');
}

/** @type {string} */
export const toolVersion = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @returns {Promise<string | null>} the commit, with `-dirty` if files differ from it; null if the tool does not run from its own git
 *   checkout
 */
export async function toolCommit() {
  /** @param {string[]} words */
  const git = async (...words) => (await execute('git', ['-C', root, ...words])).stdout.trim();
  try {
    // Not the commit of another repository that contains a copy of the tool.
    if ((await git('rev-parse', '--show-prefix')) !== '') return null;
    return await git('describe', '--always', '--dirty', '--abbrev=12', '--match=');
  } catch {
    return null;
  }
}

const SECRET = /pass|auth|secret|^(master|primary)user$/;
/** Settings that say where the server is or what it is called. */
const PLACE = /announce|bind|^(replica|slave)of$|^availability-zone$|^syslog-ident$|^proc-title-template$/;
const PATH = /file$|dir$|^unixsocket/;

const ABSOLUTE_PATH = /(^|[\s"'=,:])(\/|[A-Za-z]:\\)/;
const IPV4 = /\b\d{1,3}(\.\d{1,3}){3}\b/;
const IPV6 = /([0-9a-f]*:){2,}[0-9a-f]*/i;

/**
 * Leaves out secrets, paths, addresses and host names: by the name of the setting and, for unknown settings, by the look of the value.
 * @param {Readonly<Record<string, string>>} config all settings @returns {Record<string, string>} sorted by name
 */
export function publicConfig(config) {
  const isOne = (/** @type {RegExp[]} */ patterns, /** @type {string} */ text) =>
    patterns.some((each) => each.test(text));
  const shown = Object.entries(config).filter(
    ([name, value]) => !isOne([SECRET, PLACE, PATH], name.toLowerCase()) && !isOne([ABSOLUTE_PATH, IPV4, IPV6], value),
  );
  return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}
