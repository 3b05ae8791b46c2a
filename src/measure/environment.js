/**
 * What a result has to say about the machine and the servers for a reader to judge it: and nothing that tells whose they are.
 */
import { createRequire } from 'node:module';
import os from 'node:os';

/** @import { EnvironmentInfo } from '../result/schema.js' */

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
