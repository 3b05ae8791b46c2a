/**
 * The writers `driver.NAME` and `driver.NAME.VARIANT`: a library of another language, through a driver (docs/drivers.md).
 *
 * The schedule is the driver's. A write is entered as unknown when it is due, because the driver may send it from then on; what the
 * driver reports replaces that. So a driver that dies leaves what it reported, and nothing that it might have written counts as unsent.
 */
import pLimit from 'p-limit';
import { dueMs } from '../../audit/ledger.js';
import { Outcome } from '../../clients/types.js';
import { findDriver } from '../../drivers/manifest.js';
import { END_MS } from '../../drivers/process.js';
import { driverOf } from '../../drivers/writer-name.js';
import { UserError } from '../../errors.js';
import { clockMs } from '../../stats/clock.js';
import { judgeReport, openSession } from '../driver-session.js';
import { Account } from './writer.js';

/**
 * @import { Ready, Report } from '../../drivers/lines.js'
 * @import { Ended } from '../../drivers/process.js'
 * @import { Session } from '../driver-session.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 */

/** The driver gives up its last writes before the trial does, so that it can still report them. */
const EARLIER_MS = 500;
/** Drivers that start side by side. Twenty runtimes at once on two cores would each need longer than a library has to connect. */
const starting = pLimit(4);
/** Two processes look at one clock, but not in the same instant. */
const CLOCK_MS = 2;

/** @type {import('./index.js').CreateWriter} */
export const createWriter = (plan, trial) => createDriverWriter(plan, trial);

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @param {typeof findDriver} [find] for tests
 * @returns {Writer}
 * @throws {UserError} there is no such driver, it is not built, or it cannot do what is asked
 */
export function createDriverWriter(plan, trial, find = findDriver) {
  const { driver: name, variant } = /** @type {NonNullable<ReturnType<typeof driverOf>>} */ (driverOf(plan.name));
  const { command, missing } = find(name);
  if (missing !== null) throw new UserError(`The driver ${name} cannot run here.`, missing);
  const { shape, rate } = plan;
  if (shape.waitLocal !== undefined) {
    throw new UserError('Drivers know no WAITAOF.', 'Choose a mode with WAIT, or without.');
  }
  const account = new Account(plan);
  /** @type {Session | undefined} */
  let session;
  /** @type {Ready | undefined} */
  let ready;
  /** Writes before this one were due. */
  let next = 0;
  /** Writes due later do not belong to the trial. */
  let endsAt = Number.POSITIVE_INFINITY;
  let begun = false;
  let toldOfDeath = false;
  /** @type {Ended | undefined} */
  let ended;
  /** @type {Promise<void> | undefined} */
  let closing;
  const reported = new Uint8Array(account.capacity);

  /**
   * @param {number} count writes that are due by now
   * @param {boolean} isThere false: the driver has ended and can send none of them
   */
  function enterDue(count, isThere) {
    for (const end = Math.min(count, account.capacity); next < end; next++) {
      if (isThere) account.sent(next, 0);
      else account.unsent(next);
    }
  }

  /** @param {number} at @returns {number} writes that are due by then */
  function dueBy(at) {
    const passed = Math.min(at, endsAt) - account.beganAt;
    return passed < 0 ? 0 : Math.floor((passed * rate) / 1000) + 1;
  }

  /** @param {string} text */
  const problem = (text) => account.error(`PROTOCOL ${text}`);

  /** @param {Report} report */
  function onReport(report) {
    const { number, outcome, count, answeredUs, kind } = report;
    const now = clockMs();
    if (!begun || number >= account.capacity || dueMs(number, rate) > now + CLOCK_MS - account.beganAt) {
      problem(`write ${number} was not due`);
      return;
    }
    if (reported[number] === 1) {
      problem(`write ${number} was reported twice`);
      return;
    }
    reported[number] = 1;
    enterDue(number + 1, true);
    if (outcome === 'unsent') {
      account.unsent(number);
      return;
    }
    if (kind !== '-') account.error(kind);
    const answeredAt = account.beganAt + answeredUs / 1000;
    if (answeredAt > now + CLOCK_MS) problem(`write ${number} was answered in the future`);
    const judged = judgeReport(shape, report);
    const falseAck = shape.waitReplicas > 0 && judged === Outcome.acked && ready?.wait !== 'same-connection';
    account.answered(number, { outcome: judged, waitCount: count, falseAck }, Math.min(answeredAt, now));
  }

  /** @param {number} now */
  function tick(now) {
    if (!begun) return;
    const isThere = session?.driver.hasEnded === false;
    enterDue(dueBy(now), isThere);
    if (!ended || toldOfDeath || endsAt !== Number.POSITIVE_INFINITY) return;
    toldOfDeath = true;
    account.error(`CLOSED the driver ${name} ${howEnded(ended)}`);
  }

  return {
    account,
    async open() {
      const { sentinels, sentinelsAnnounced, nodes, masterName, credentials, giveUpMs, drainMs } = trial;
      const all = sentinels.map((address, index) => ({ address, announced: sentinelsAnnounced?.[index] ?? address }));
      await starting(async () => {
        if (closing) throw new Error(`The writer ${plan.name} was closed before it was open.`);
        session = await openSession(
          command,
          { sentinels: all, nodes, masterName, credentials },
          shape,
          {
            variant,
            command: 'APPEND',
            rate,
            concurrency: plan.connections,
            giveUpMs,
            drainMs: Math.max(0, drainMs - EARLIER_MS),
          },
          { onReport, onProblem: problem },
        );
        session.driver.ended.then((end) => {
          ended = end;
        });
        ready = await session.driver.ready;
      });
    },
    begin() {
      begun = true;
      session?.driver.start(BigInt(Math.round(account.beganAt * 1e6)));
    },
    tick,
    end(now) {
      endsAt = now;
      session?.driver.stop();
    },
    isDone: () => session?.driver.hasEnded !== false,
    close() {
      closing ??= (async () => {
        try {
          const end = await session?.driver.end(begun ? END_MS : 0);
          // What the driver says was due was due: it learned of the end a little later.
          if (end?.due) enterDue(Math.min(end.due, dueBy(clockMs()) + rate), true);
          tick(clockMs());
        } finally {
          session?.release();
        }
      })();
      return closing;
    },
    sample: () => ({
      ...account.sample(next),
      ...(ready && { library: { name: ready.library, version: ready.version, language: ready.language } }),
    }),
  };
}

/**
 * @param {Pick<Ended, 'status' | 'signal'>} end before the trial was over
 * @returns {string}
 */
function howEnded({ status, signal }) {
  return signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
}
