/**
 * A driver that writes to a deployment: its process, the fronts of the Sentinels, and the certificates that it reads.
 */
import { classifyWriteError, outcomeOfOk } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { startDriver } from '../drivers/process.js';
import { openFronts } from '../drivers/sentinel-front.js';
import { makeTask, tlsFiles } from '../drivers/task.js';

/**
 * @import { Shape } from '../clients/types.js'
 * @import { OutcomeReport } from '../drivers/lines.js'
 * @import { Command } from '../drivers/child.js'
 * @import { Driver, DriverListener } from '../drivers/process.js'
 * @import { TaskOptions } from '../drivers/task.js'
 * @import { Address, Credentials } from '../stacks/types.js'
 */

/**
 * @typedef {Object} DriverDeployment
 * @property {readonly {address: Address, announced: Address}[]} sentinels
 * @property {readonly {address: Address, announced: Address}[]} nodes
 * @property {string} masterName
 * @property {Credentials} credentials
 *
 * @typedef {Object} DriverSession
 * @property {Driver} driver
 * @property {() => void} release ends what was started for the driver, after the driver has ended; idempotent
 */

/**
 * @param {Command} command
 * @param {DriverDeployment} deployment
 * @param {Pick<Shape, 'waitReplicas' | 'waitTimeoutMs' | 'keyPrefix' | 'payloadBytes'>} shape
 * @param {Pick<TaskOptions, 'variant' | 'command' | 'rate' | 'concurrency' | 'giveUpMs' | 'drainMs'>} wish
 * @param {DriverListener} listener
 * @returns {Promise<DriverSession>} it may not be ready yet
 * @throws {import('../errors.js').UserError} the driver cannot do what is asked, or cannot be started
 */
export async function openSession(command, { sentinels, nodes, masterName, credentials }, shape, wish, listener) {
  const certificates = tlsFiles(credentials.tls);
  /** @type {Awaited<ReturnType<typeof openFronts>> | undefined} */
  let fronts;
  const release = () => {
    fronts?.close();
    certificates.remove();
  };
  try {
    fronts = await openFronts(sentinels, nodes);
    const task = makeTask({
      ...wish,
      sentinels: fronts.addresses,
      masterName,
      credentials,
      tls: certificates.files,
      wait: shape.waitReplicas > 0 ? { replicas: shape.waitReplicas, timeoutMs: shape.waitTimeoutMs } : null,
      keyPrefix: shape.keyPrefix,
      payloadBytes: shape.payloadBytes,
    });
    return { driver: startDriver(command, task, listener), release };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * A driver judges nothing: counts and kinds of errors decide.
 * @param {Shape} shape
 * @param {Pick<OutcomeReport, 'outcome' | 'count' | 'kind'>} report other than `unsent`
 * @returns {number} an {@link Outcome}
 */
export function judgeReport(shape, { outcome, count, kind }) {
  if (outcome === 'acked') return outcomeOfOk(shape, count);
  if (outcome === 'under-acked') return Outcome.underAcked;
  return outcome === 'rejected' ? classifyWriteError(kind) : Outcome.unknown;
}
