/**
 * What controller and agents of a search say to each other over JetStream. Schedules to try are a work queue: one agent gets each, and
 * another gets it again when the first does not answer. What a try showed comes back through a queue of its own, which agents cannot read.
 */
import { z } from 'zod';
import { RunId, VERSION } from '../../src/agents/protocol.js';
import { PLACEMENTS } from '../../src/stacks/network/hosts.js';
import { MODES } from '../modes.js';

/** @import { StreamConfig } from '@nats-io/jetstream' */

const PREFIX = `sentinel-bench.${VERSION}.search`;
const SECOND_NS = 1e9;
/** What a killed controller left is dropped after so long. */
const DAY_S = 26 * 3600;

/** An agent says so often that it still tries a schedule. */
export const WORKING_MS = 2000;
/** Without that for so long, the schedule is given to another agent. */
const LOST_S = 8;
/** A schedule whose agents died so often is not tried again: perhaps it ended them. */
export const MOST_DELIVERIES = 3;

/** @param {string} name @param {string} subject @returns {Partial<StreamConfig> & {name: string}} */
const stream = (name, subject) => ({
  name,
  subjects: [subject],
  retention: 'workqueue',
  storage: 'file',
  max_age: DAY_S * SECOND_NS,
});

/** Both exist once for all searches, which have subjects of their own. */
export const TO_TRY = stream('sentinel-bench-to-try', `${PREFIX}.*.to-try`);
export const TRIED = stream('sentinel-bench-tried', `${PREFIX}.*.tried.*`);

/** @param {string} search */
export const queueOf = (search) => ({
  toTry: `${PREFIX}.${search}.to-try`,
  /** @param {string} agent */
  tried: (agent) => `${PREFIX}.${search}.tried.${agent}`,
  /** Name of both consumers. */
  consumer: search,
});

/** What accounts on NATS need for searches, beside what other runs need. deploy/nats has the same. */
export const rights = Object.freeze({
  controller: [
    queueOf('*').toTry,
    ...[TO_TRY, TRIED].flatMap(({ name }) => [`$JS.API.*.*.${name}`, `$JS.API.*.*.${name}.>`]),
    ...[`$JS.API.CONSUMER.MSG.NEXT.${TRIED.name}.*`, `$JS.ACK.${TRIED.name}.>`],
  ],
  /** @param {string} agent */
  agent: (agent) => [
    queueOf('*').tried(agent),
    ...['INFO', 'MSG.NEXT'].map((what) => `$JS.API.CONSUMER.${what}.${TO_TRY.name}.*`),
    `$JS.ACK.${TO_TRY.name}.>`,
  ],
});

/** @param {string} subject of a result @returns {string} the agent that published it; its account on NATS allows no other name */
export function agentOf(subject) {
  return String(subject.split('.').at(-1));
}

/** @param {string} search @param {string} subject */
export function consumer(search, subject) {
  return {
    durable_name: search,
    filter_subject: subject,
    ack_policy: /** @type {const} */ ('explicit'),
    ack_wait: LOST_S * SECOND_NS,
    max_ack_pending: 10_000,
    inactive_threshold: DAY_S * SECOND_NS,
  };
}

const Lanes = z.number().int().min(1).max(32);

/** Asks an agent to take part. Nothing from the network names a program: the server is the agent's own. */
export const SearchRequest = z.strictObject({
  search: RunId,
  mode: z.enum(/** @type {[string, ...string[]]} */ (Object.keys(MODES))),
  placement: z.enum(PLACEMENTS),
  downAfterMs: z.number().int().min(1).max(3_600_000),
  disks: z.boolean().describe('schedules need disks of their own'),
  lanes: Lanes.optional().describe('schedules side by side; absent: as many as suit its machine'),
});

export const SearchReply = z.strictObject({
  server: z.strictObject({ name: z.string().max(100), version: z.string().max(100).nullable() }),
  lanes: Lanes,
});

/** A timeline has some twenty lines of at most 80 characters. */
const MOST_TIMELINE = 10_000;
const number = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

export const ToTry = z.strictObject({ id: number, schedule: z.string().max(10_000) });

export const Tried = z.strictObject({
  id: number,
  attempt: z.strictObject({
    acked: number,
    lost: number,
    seconds: z.number().nonnegative().max(1e9),
    failed: z.string().max(2000).optional(),
    // An agent from elsewhere may send anything; what is no text is no timeline.
    timeline: z
      .string()
      .max(MOST_TIMELINE)
      .regex(/^[\n\P{C}]*$/u)
      .optional()
      .catch(undefined),
  }),
});
