/**
 * What controller and agents say to each other over NATS: subjects, heartbeats, and what every request and reply is wrapped in. operations.js says what is in
 * them. Everything that arrives is untrusted and passes a schema first.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** Controller and agents of different versions refuse each other. */
export const VERSION = 1;

export const ALLOWABLE = /** @type {const} */ (['load', 'writers', 'faults', 'nodes']);

/** Each side sends a heartbeat, and looks for those of the other, so often. */
export const TICK_MS = 500;
/** Without a heartbeat for so long, the other side is lost. */
export const LOST_MS = 3000;
/** A process that does not run for longer has stood still. */
const STALLED_MS = 2 * TICK_MS;

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A name is a token of subjects, so it has no dots, stars or spaces. */
export const AgentName = z.string().regex(NAME, 'it must be lower-case letters, digits and hyphens');

const PREFIX = `sentinel-bench.${VERSION}`;

/** @param {string} agent @returns {string} beginning of the subjects on which only this agent gets replies */
export const inboxOf = (agent) => `_INBOX_${agent}`;

export const subjects = Object.freeze({
  /** Agents answer with a {@link Description}. */
  discover: `${PREFIX}.discover`,
  /** @param {string} agent */
  heartbeat: (agent) => `${PREFIX}.heartbeat.${agent}`,
  /** @param {string} run */
  controller: (run) => `${PREFIX}.controller.${run}`,
  /** @param {string} agent @param {string} operation */
  request: (agent, operation) => `${PREFIX}.agent.${agent}.${operation}`,
});

export const RunId = z.string().regex(/^[0-9a-f]{8,64}$/);

export const Request = z.strictObject({ version: z.literal(VERSION), run: RunId, body: z.unknown() });

const text = z.string().max(2000);

/** stopped: the agent does not work for this run, or no longer. */
export const Reply = z.union([
  z.strictObject({ ok: z.literal(true), body: z.unknown() }),
  z.strictObject({ ok: z.literal(false), message: text, remedy: text, stopped: z.literal(true).optional() }),
]);

/** incarnation: of the process: a restarted agent has another. */
export const Heartbeat = z.strictObject({ incarnation: RunId });

/** busy: the run that it works for. */
export const Description = z.strictObject({
  version: z.number(),
  name: AgentName,
  incarnation: RunId,
  allow: z.array(z.enum(ALLOWABLE)),
  cores: z.number().int().positive(),
  memoryBytes: z.number().positive(),
  os: z.string().max(100),
  node: z.string().max(40),
  tool: z.string().max(40),
  busy: RunId.nullable(),
});

/** @typedef {z.infer<typeof Description>} AgentDescription */

/** @param {{json: () => unknown}} message @returns {unknown} undefined: it is not JSON */
export function jsonOf(message) {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}

/**
 * What a process misses while it stands still is not lost: heartbeats wait in its socket, and timers run before they are read. So both
 * sides add the time that they stood still to the time for which they wait for the other one.
 * @param {() => number} [clockMs] monotonic
 * @returns {() => number} to be called every {@link TICK_MS}: for how long this process has stood still since the last call, in
 *   milliseconds; 0: not longer than {@link STALLED_MS}
 */
export function stallMeter(clockMs = () => performance.now()) {
  let lastMs = clockMs();
  return () => {
    const nowMs = clockMs();
    const stalledMs = nowMs - lastMs - TICK_MS;
    lastMs = nowMs;
    return stalledMs > STALLED_MS ? stalledMs : 0;
  };
}

/** @returns {string} for one user of one NATS, or the nodes of one run */
export function newPassword() {
  return randomBytes(24).toString('base64url');
}
