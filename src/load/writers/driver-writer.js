/**
 * The writers `driver.NAME` and `driver.NAME.VARIANT`: a library of another language, through a driver (docs/drivers.md).
 * The schedule is the driver's. A write is entered as unknown when it is due, because the driver may send it from then on; what the driver
 * reports replaces that. So a driver that dies leaves what it reported, and nothing that it might have written counts as unsent.
 * @import { Ready, OutcomeReport } from '../../drivers/lines.js'
 * @import { Command } from '../../drivers/child.js'
 * @import { Driver } from '../../drivers/process.js'
 * @import { Shape } from '../../clients/types.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 */
import pLimit from 'p-limit';
import { dueMs } from '../../audit/ledger.js';
import { classifyWriteError, outcomeOfOk } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { howEnded } from '../../drivers/child.js';
import { findDriver } from '../../drivers/manifest.js';
import { END_MS, startDriver } from '../../drivers/process.js';
import { problem } from '../../drivers/sentences.js';
import { openFronts } from '../../drivers/sentinel-front.js';
import { makeTask, tlsFiles } from '../../drivers/task.js';
import { driverOf } from '../../drivers/writer-name.js';
import { clockMs } from '../../stats/clock.js';
import { Account } from './writer.js';

/** The driver gives up its last writes before the trial does, so that it can still report them. */
const EARLIER_MS = 500;
/** Drivers that start side by side. Twenty runtimes at once on two cores would each need longer than a library has to connect. */
const starting = pLimit(4);
/** Two processes read one clock at different instants. */
const CLOCK_MS = 2;

/**
 * @param {WriterPlan} plan @param {TrialPlan} trial @param {typeof findDriver} [find] for tests
 * @throws {UserError} there is no such driver, it is not built, or it cannot do what is asked
 */
export function createWriter(plan, trial, find = findDriver) {
  const { driver, variant } = /** @type {NonNullable<ReturnType<typeof driverOf>>} */ (driverOf(plan.name));
  const { command, missing } = find(driver);
  if (missing !== null) throw problem('cannot-run', { name: driver, missing });
  if (plan.shape.waitLocal !== undefined) throw problem('no-waitaof');
  return new DriverWriter(plan, trial, { driver, variant, command });
}

/** @implements {Writer} */
class DriverWriter {
  account;
  #plan;
  #trial;
  #of;
  #driver = /** @type {Driver | undefined} */ (undefined);
  #release = () => {};
  #ready = /** @type {Ready | undefined} */ (undefined);
  /** Writes before this one were due. */
  #next = 0;
  /** Writes due later do not belong to the trial. */
  #endsAt = Number.POSITIVE_INFINITY;
  #begun = false;
  #closing = /** @type {Promise<void> | undefined} */ (undefined);
  #reported;

  /** @param {WriterPlan} plan @param {TrialPlan} trial @param {{driver: string, variant: string, command: Command}} of */
  constructor(plan, trial, of) {
    this.account = new Account(plan);
    this.#plan = plan;
    this.#trial = trial;
    this.#of = of;
    this.#reported = new Uint8Array(this.account.capacity);
  }

  async open() {
    await starting(async () => {
      if (this.#closing) throw new Error(`The writer ${this.#plan.name} was closed before it was open.`);
      const driver = await this.#start();
      this.#driver = driver;
      driver.ended.then((end) => {
        const isEarly = this.#endsAt === Number.POSITIVE_INFINITY;
        if (isEarly) this.account.error(`CLOSED the driver ${this.#of.driver} ${howEnded(end)}`);
      });
      this.#ready = await driver.ready;
    });
  }

  async #start() {
    const { sentinels, sentinelsAnnounced, nodes, masterName, credentials, giveUpMs, drainMs } = this.#trial;
    const { shape, rate, connections } = this.#plan;
    const { command, variant } = this.#of;
    const all = sentinels.map((address, index) => ({ address, announced: sentinelsAnnounced?.[index] ?? address }));
    const certificates = tlsFiles(credentials.tls);
    this.#release = certificates.remove;
    const fronts = await openFronts(all, nodes);
    this.#release = () => {
      fronts.close();
      certificates.remove();
    };
    const task = makeTask({
      variant,
      command: 'APPEND',
      rate,
      concurrency: connections,
      giveUpMs,
      drainMs: Math.max(0, drainMs - EARLIER_MS),
      sentinels: fronts.addresses,
      masterName,
      credentials,
      tls: certificates.files,
      wait: shape.waitReplicas > 0 ? { replicas: shape.waitReplicas, timeoutMs: shape.waitTimeoutMs } : null,
      keyPrefix: shape.keyPrefix,
      payloadBytes: shape.payloadBytes,
    });
    const onProblem = (/** @type {string} */ text) => this.account.error(`PROTOCOL ${text}`);
    return startDriver(command, task, { onReport: (report) => this.#enter(report, onProblem), onProblem });
  }

  begin() {
    this.#begun = true;
    this.#driver?.start(BigInt(Math.round(this.account.beganAt * 1e6)));
  }

  tick(/** @type {number} */ now) {
    if (this.#begun) this.#enterDue(this.#dueBy(now), this.#driver?.hasEnded() === false);
  }

  end(/** @type {number} */ now) {
    this.#endsAt = now;
    this.#driver?.stop();
  }

  isDone() {
    return this.#driver?.hasEnded() !== false;
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    try {
      const end = await this.#driver?.end(this.#begun ? END_MS : 0);
      // What the driver says was due was due: it learned of the end a little later.
      if (end?.due) this.#enterDue(Math.min(end.due, this.#dueBy(clockMs()) + this.#plan.rate), true);
      this.tick(clockMs());
    } finally {
      this.#release();
    }
  }

  sample() {
    const ready = this.#ready;
    return {
      ...this.account.sample(this.#next),
      ...(ready && { library: { name: ready.library, version: ready.version, language: ready.language } }),
    };
  }

  /** @param {number} count writes that are due by now @param {boolean} isThere false: the driver has ended and can send none of them */
  #enterDue(count, isThere) {
    for (const end = Math.min(count, this.account.capacity); this.#next < end; this.#next++) {
      if (isThere) this.account.sent(this.#next, 0);
      else this.account.unsent(this.#next);
    }
  }

  /** @param {number} at @returns {number} writes that are due by then */
  #dueBy(at) {
    const passed = Math.min(at, this.#endsAt) - this.account.beganAt;
    return passed < 0 ? 0 : Math.floor((passed * this.#plan.rate) / 1000) + 1;
  }

  /** @param {OutcomeReport} report @param {(text: string) => void} onProblem */
  #enter(report, onProblem) {
    const { account } = this;
    const { shape, rate } = this.#plan;
    const { number, outcome, count, answeredUs, kind } = report;
    const now = clockMs();
    if (!this.#begun || number >= account.capacity || dueMs(number, rate) > now + CLOCK_MS - account.beganAt)
      return onProblem(`write ${number} was not due`);
    if (this.#reported[number] === 1) return onProblem(`write ${number} was reported twice`);
    this.#reported[number] = 1;
    this.#enterDue(number + 1, true);
    if (outcome === 'unsent') return account.unsent(number);
    if (kind !== '-') account.error(kind);
    const answeredAt = account.beganAt + answeredUs / 1000;
    if (answeredAt > now + CLOCK_MS) onProblem(`write ${number} was answered in the future`);
    const judged = judgeReport(shape, report);
    const falseAck = shape.waitReplicas > 0 && judged === Outcome.acked && this.#ready?.wait !== 'same-connection';
    account.answered(number, { outcome: judged, waitCount: count, falseAck }, Math.min(answeredAt, now));
  }
}

/** A driver judges nothing: counts and kinds decide. @param {Shape} shape @param {OutcomeReport} report other than `unsent` */
function judgeReport(shape, { outcome, count, kind }) {
  if (outcome === 'acked') return outcomeOfOk(shape, count);
  if (outcome === 'under-acked') return Outcome.underAcked;
  return outcome === 'rejected' ? classifyWriteError(kind) : Outcome.unknown;
}
